//! Compares JSON documents with their definitions in docs/schema.json.

use std::fs;
use std::path::Path;

use serde_json::Value;

/// The schema with this name. What it does not describe is an error here: users may meet fields that were added later, but
/// a field that is printed today has to be described.
fn schema(name: &str) -> jsonschema::Validator {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/schema.json");
    let all: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    assert!(all["$defs"][name].is_object(), "there is no definition {name}");
    let mut schema = all;
    schema["$ref"] = format!("#/$defs/{name}").into();
    close(&mut schema);
    jsonschema::options().should_validate_formats(true).build(&schema).unwrap()
}

/// Allows no field but those that are described, on every level.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            if fields.contains_key("properties") {
                assert!(fields.contains_key("description"), "without a description: {fields:?}");
                fields.insert("additionalProperties".to_owned(), Value::Bool(false));
            }
            fields.values_mut().for_each(close);
        }
        Value::Array(items) => items.iter_mut().for_each(close),
        _ => {}
    }
}

#[track_caller]
pub(crate) fn fits(name: &str, document: &Value) {
    let validator = schema(name);
    let errors: Vec<String> =
        validator.iter_errors(document).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(errors.is_empty(), "{name}: {errors:#?}\n{document:#}");
}
