//! Derives the definitions in docs/schema.json from the types of the documents, and compares them with the committed ones.
//!
//! `UPDATE_EXPECTED=1 cargo test --lib schema` writes the file anew. The doc comments of types and fields are the
//! descriptions. Fields of one name mean the same in all documents, so what they hold is said here once.

use std::borrow::Cow;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};

use crate::plan::{DocumentKind, Expect, TestType};
use crate::record::{CommitId, Cost, State, Step, TaskId};
use crate::report::version_of;

const COMMIT: &str = "^([0-9a-f]{40}|[0-9a-f]{64})$";
const VERSION: &str =
    "The version of this format. Within a version, fields may be added, but never renamed or removed.";

/// Writes to the file one definition after the other.
static WRITING: Mutex<()> = Mutex::new(());

/// Asserts that docs/schema.json has the definition of a document under this name.
#[track_caller]
pub(crate) fn assert_committed<T: JsonSchema>(name: &str, title: &str) {
    assert_definition::<T>(name, title, true);
}

/// The same for a document that shares its parts with others: they have definitions of their own.
#[track_caller]
pub(crate) fn assert_committed_in_parts<T: JsonSchema>(name: &str, title: &str) {
    assert_definition::<T>(name, title, false);
}

#[track_caller]
fn assert_definition<T: JsonSchema>(name: &str, title: &str, inline: bool) {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let generator = settings.with(|settings| settings.inline_subschemas = inline).into_generator();
    let mut schema = generator.into_root_schema_for::<T>().to_value();
    let root = schema.as_object_mut().unwrap();
    root.remove("$schema");
    let parts = root.remove("$defs").unwrap_or_else(|| json!({}));
    name_itself(&mut schema, name);
    schema["title"] = title.into();
    let mut definitions = parts.as_object().unwrap().clone();
    definitions.values_mut().for_each(|part| {
        part.as_object_mut().unwrap().remove("title");
    });
    definitions.insert(name.to_owned(), schema);
    definitions.values_mut().for_each(refine);
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/schema.json");
    let _alone = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    let mut all: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    if std::env::var_os("UPDATE_EXPECTED").is_some() {
        let known = all["$defs"].as_object_mut().unwrap();
        known.extend(definitions.clone());
        std::fs::write(&file, serde_json::to_string_pretty(&all).unwrap() + "\n").unwrap();
    }
    for (part, definition) in definitions {
        let is_committed = all["$defs"][&part] == definition;
        assert!(
            is_committed,
            "schema.json does not say of {part} what its type says; UPDATE_EXPECTED=1 writes it anew"
        );
    }
}

/// Adds the fields by which a printed document names its definition, unless it has a version of its own.
fn name_itself(schema: &mut Value, name: &str) {
    if schema["properties"].get("version").is_some() {
        return;
    }
    schema["properties"]["version"] = json!({"const": version_of(name)});
    schema["properties"]["definition"] =
        json!({"const": name, "description": "The name of its definition in docs/schema.json."});
    let mut required = schema["required"].as_array().cloned().unwrap_or_default();
    required.extend([json!("version"), json!("definition")]);
    schema["required"] = required.into();
}

/// Puts a schema and everything below it into the form that docs/schema has.
fn refine(schema: &mut Value) {
    let Value::Object(fields) = schema else {
        if let Value::Array(items) = schema {
            items.iter_mut().for_each(refine);
        }
        return;
    };
    // How a number is kept in memory is of no interest.
    if fields.contains_key("type") && fields.get("format").is_some_and(|format| format != "date-time") {
        fields.remove("format");
    }
    if let Some(Value::String(text)) = fields.get_mut("description") {
        *text = text.replace("`None`", "null").split_whitespace().collect::<Vec<_>>().join(" ");
    }
    if let Some(Value::Object(properties)) = fields.get_mut("properties") {
        properties.iter_mut().for_each(|(name, property)| specify(name, property));
    }
    fields.values_mut().for_each(refine);
    distribute(fields);
}

/// Adds what is known of a field by its name.
fn specify(name: &str, property: &mut Value) {
    let Value::Object(fields) = property else { return };
    if name == "version" {
        let version = fields.get("const").cloned().unwrap_or_else(|| 1.into());
        *property = json!({"const": version, "description": VERSION});
        return;
    }
    let kind = fields.get("type").cloned().unwrap_or_default();
    let is_nullable = kind == json!(["string", "null"]);
    let is_specified = ["enum", "const", "pattern", "format"].iter().any(|key| fields.contains_key(*key));
    if name == "max_attempts" {
        fields.insert("minimum".to_owned(), 1.into());
    }
    if is_specified || !(is_nullable || kind == "string") {
        return;
    }
    let mut words: Vec<Value> = words(name).into_iter().map(Value::from).collect();
    if !words.is_empty() {
        words.extend(is_nullable.then_some(Value::Null));
        fields.insert("enum".to_owned(), words.into());
    } else if matches!(
        name,
        "time" | "since" | "step_since" | "started" | "finished" | "ts" | "timestamp" | "until"
    ) {
        fields.insert("format".to_owned(), "date-time".into());
    } else if matches!(name, "commit" | "sha" | "head" | "anchor") {
        fields.entry("pattern").or_insert_with(|| COMMIT.into());
    }
}

/// The words that fields of this name may hold; none if they may hold any text.
fn words(field: &str) -> Vec<&'static str> {
    let mut words: Vec<&'static str> = match field {
        "state" => State::ALL.map(State::word).into(),
        // There is a step that only the tests of the table know.
        "step" => Step::all().map(Step::word).filter(|word| *word != "audit").collect(),
        "outcome" => Step::all()
            .flat_map(|step| step.row().endings.iter().map(move |ending| ending.outcome.word(step)))
            .collect(),
        "expect" => Expect::ALL.map(Expect::word).into(),
        "type" => TestType::ALL.map(TestType::word).into(),
        "for" => DocumentKind::ALL.map(DocumentKind::word).into(),
        _ => Vec::new(),
    };
    let mut seen = Vec::new();
    words.retain(|word| {
        !seen.contains(word) && {
            seen.push(*word);
            true
        }
    });
    words
}

/// Moves the fields that all alternatives have into each of them, so that every object is described in one place.
fn distribute(fields: &mut Map<String, Value>) {
    let Some(Value::Object(common)) = fields.get("properties").cloned() else { return };
    let Some(Value::Array(alternatives)) = fields.remove("oneOf").or_else(|| fields.remove("anyOf")) else {
        return;
    };
    let required = fields.remove("required").unwrap_or_else(|| json!([]));
    for key in ["properties", "type", "unevaluatedProperties"] {
        fields.remove(key);
    }
    let mut all: Vec<Value> = alternatives.into_iter().flat_map(flattened).collect();
    for alternative in &mut all {
        let mut properties = common.clone();
        properties.extend(alternative["properties"].as_object().cloned().unwrap_or_default());
        alternative["properties"] = properties.into();
        let mut needed = required.as_array().cloned().unwrap_or_default();
        needed.extend(alternative["required"].as_array().cloned().unwrap_or_default());
        alternative["required"] = needed.into();
        // The alternatives of an event only say what it is about.
        if common.contains_key("event") {
            alternative["description"] = fields["description"].clone();
        }
    }
    fields.insert("oneOf".to_owned(), all.into());
}

/// An alternative, or those of which it consists.
fn flattened(alternative: Value) -> Vec<Value> {
    match alternative.get("oneOf") {
        Some(Value::Array(nested)) => nested.iter().cloned().flat_map(flattened).collect(),
        _ => vec![alternative],
    }
}

/// A point in time, as text.
pub(crate) struct Time;

/// Types that are written by hand as a single value.
macro_rules! written_as {
    ($($name:ident: $schema:tt)+) => {$(
        impl JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!($schema)
            }
        }
    )+};
}

written_as! {
    CommitId: {"type": "string", "pattern": COMMIT}
    TaskId: {"type": "string"}
    Step: {"type": "string"}
    State: {"type": "string"}
    Cost: {"type": "number", "minimum": 0}
    Time: {"type": "string", "format": "date-time"}
}
