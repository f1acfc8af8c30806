//! Writes a tree file: always the same bytes for the same plan. It records how it was built, so that an update can build it in the
//! same way, and can tell values that were edited by hand from those that were written.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::super::formats::ImportedId;
use super::super::problem::Problems;
use super::super::{NodeIx, TaskTree};
use super::settled::{Recipe, Settled};

/// The field `built` of a tree file.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct BuildRecord {
    #[serde(flatten)]
    recipe: Recipe,
    /// For each node, and for the whole plan under the id [`OF_PLAN`], the digests of the values that were written to the fields that
    /// may be edited by hand.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) fields: BTreeMap<String, BTreeMap<String, String>>,
}

/// The fields that come from the sources, but are kept if they were edited by hand.
pub(super) const EDITABLE: [&str; 8] =
    ["test_commands", "labels", "priority", "expect", "gate", "test_first", "acceptance", "documents"];

/// The same for the fields of the whole plan.
pub(super) const EDITABLE_IN_PLAN: [&str; 3] = ["title", "summary", "documents"];

/// The key of the whole plan; the key of a node is its id.
pub(super) const OF_PLAN: &str = "";

impl Recipe {
    /// The recipe of a tree file; `None` if it has none.
    #[must_use]
    pub fn of(tree: &str) -> Option<Self> {
        BuildRecord::of(&object(tree)).map(|record| record.recipe)
    }
}

impl BuildRecord {
    /// The record of a tree file; `None` if it has none that can be read.
    pub(super) fn of(file: &Map<String, Value>) -> Option<Self> {
        Self::deserialize(file.get("built")?).ok()
    }

    /// Records the values of those fields of an object that users may edit by hand.
    fn add(&mut self, id: &str, object: &Value, editable: &[&str]) {
        let digest = |field: &&str| Some(((*field).to_owned(), digest(present(object.get(field))?)));
        let digests: BTreeMap<String, String> = editable.iter().filter_map(digest).collect();
        if !digests.is_empty() {
            self.fields.insert(id.to_owned(), digests);
        }
    }
}

/// The value of a field, unless it says nothing.
pub(super) fn present(value: Option<&Value>) -> Option<&Value> {
    value.filter(|value| ![json!(null), json!(""), json!(false), json!([])].contains(value))
}

/// A short digest of a value. It need not resist attacks: who can change the record can change the value.
pub(super) fn digest(value: &Value) -> String {
    sha1_smol::Sha1::from(value.to_string()).digest().to_string()[..8].to_owned()
}

/// The object in this text; an empty one if there is none that can be read.
pub(super) fn object(text: &str) -> Map<String, Value> {
    serde_json::from_str(text.trim_start_matches('\u{feff}')).unwrap_or_default()
}

/// Whether an update can tell what was edited in a tree file: it is an object that is not nested too deeply.
#[must_use]
pub fn can_be_updated(tree: &str) -> bool {
    !object(tree).is_empty()
}

/// The tree as JSON text.
///
/// # Errors
/// All problems of the tree.
pub fn to_json(settled: &Settled) -> Result<String, Problems> {
    let Settled { spec_id, about, spec_files, recipe, nodes, .. } = settled;
    let about = serde_json::to_value(about).expect("texts can always be written");
    let mut built = BuildRecord { recipe: recipe.clone(), fields: BTreeMap::new() };
    built.add(OF_PLAN, &about, &EDITABLE_IN_PLAN);
    let mut written = Map::new();
    for node in nodes {
        let id = |at: &usize| nodes[*at].id.as_str();
        let read = &node.read;
        let source_id = match &read.id {
            ImportedId::Given(text) if *text != node.id.as_str() => Some(text),
            _ => None,
        };
        let test = |command: &String| json!({"type": "unit", "command": command});
        let mut value = json!({
            "id": node.id.as_str(),
            "source_id": source_id,
            "name": read.name,
            "description": read.description,
            "acceptance": read.acceptance,
            "documents": read.documents,
            "parent": read.parent.as_ref().map(id),
            "children": node.children.iter().map(id).collect::<Vec<_>>(),
            "depends_on": node.depends_on.iter().map(id).collect::<Vec<_>>(),
            "is_leaf": node.is_leaf(),
            "source_file": spec_files.get(read.place.file).map_or("", String::as_str),
            "source_line": read.place.line,
            "test_commands": node.tests.iter().map(test).collect::<Vec<_>>(),
        });
        if let (Value::Object(value), Ok(Value::Object(fields))) =
            (&mut value, serde_json::to_value(&read.fields))
        {
            let is_optional = |field: &str| ["source_id", "acceptance", "documents"].contains(&field);
            value.retain(|field, value| !is_optional(field) || present(Some(value)).is_some());
            value.extend(fields);
        }
        built.add(node.id.as_str(), &value, &EDITABLE);
        written.insert(node.id.to_string(), value);
    }
    let mut file = Map::from_iter([("spec_id".to_owned(), json!(spec_id))]);
    file.extend(about.as_object().cloned().unwrap_or_default());
    file.insert("nodes".to_owned(), Value::Object(written));
    finished(file, &json!({"spec_files": spec_files, "built": built}))
}

/// The text of a file with nodes, with its roots and its order, and with these fields behind them.
pub(super) fn finished(mut file: Map<String, Value>, more: &Value) -> Result<String, Problems> {
    file.extend(["root_ids", "execution_order"].map(|field| (field.to_owned(), Value::Null)));
    file.extend(more.as_object().cloned().unwrap_or_default());
    let pretty = |file: &Map<String, Value>| {
        serde_json::to_string_pretty(file).expect("texts and numbers can always be written") + "\n"
    };
    let tree = TaskTree::from_json(pretty(&file).as_bytes())?.tree;
    let ids = |list: &[NodeIx]| list.iter().map(|ix| tree.node(*ix).id.as_str()).collect();
    file.insert("root_ids".to_owned(), ids(tree.roots()));
    file.insert("execution_order".to_owned(), ids(tree.order()));
    Ok(pretty(&file))
}
