//! Writes a tree file: always the same bytes for the same plan. It records how it was built, so that an update can build it in the
//! same way, and can tell values that were edited by hand from those that were written.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::super::formats::{ImportedId, Prerequisite};
use super::super::problem::Problem;
use super::super::{NodeIx, TaskTree};
use super::settled::{Recipe, Settled};

/// What a tree file says about how it was built: its field `built`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct BuildRecord {
    /// The choices with which it was built.
    #[serde(flatten)]
    pub recipe: Recipe,
    /// What was written to the fields of each node, in the order of the sources, and under the id [`OF_PLAN`] to those of the whole plan.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub(super) fields: Map<String, Value>,
    /// The ids of all nodes of the file, whoever wrote them.
    #[serde(skip)]
    pub(super) ids: Vec<String>,
}

/// The fields of a node that say where it was read, or that follow from those of others.
pub(super) const FIXED: [&str; 6] = ["id", "source_id", "children", "is_leaf", "source_file", "source_line"];

/// The key of the whole plan; the key of a node is its id.
pub(super) const OF_PLAN: &str = "";

/// The fields of links, whose values are recorded as they are. Of all others, a digest is enough.
const LINKS: [&str; 2] = ["parent", "depends_on"];

impl BuildRecord {
    /// The record of a tree file; `None` if it has none that can be read.
    pub fn of(tree: &str) -> Option<Self> {
        Self::of_file(&object(tree))
    }

    pub(super) fn of_file(file: &Map<String, Value>) -> Option<Self> {
        let record = Self::deserialize(file.get("built")?).ok()?;
        let ids = file.get("nodes").and_then(Value::as_object).into_iter().flat_map(Map::keys);
        Some(Self { ids: ids.cloned().collect(), ..record })
    }

    /// Whether a node with this id was written.
    pub fn has(&self, id: &str) -> bool {
        self.fields.contains_key(id)
    }

    /// Whether this is the name that was written for a node.
    pub fn is_name(&self, id: &str, name: &str) -> bool {
        self.written(id, "name") == Some(&mark("name", &json!(name)))
    }

    /// What was written to a field.
    pub(super) fn written(&self, id: &str, field: &str) -> Option<&Value> {
        self.fields.get(id)?.get(field)
    }

    fn add(&mut self, id: &str, object: &Value) {
        let fields =
            object.as_object().into_iter().flatten().filter(|(field, _)| !FIXED.contains(&field.as_str()));
        let marks = fields.filter_map(|(field, value)| Some((field.clone(), mark(field, present(value)?))));
        self.fields.insert(id.to_owned(), Value::Object(marks.collect()));
    }
}

/// The fields of a node that are written even if they say nothing.
const ALWAYS: [&str; 7] =
    ["description", "parent", "children", "depends_on", "is_leaf", "source_file", "test_commands"];

/// The value of a field, unless it says nothing.
pub(super) fn present(value: &Value) -> Option<&Value> {
    (![json!(null), json!(""), json!(false), json!([])].contains(value)).then_some(value)
}

/// How the value of a field is recorded. A short digest need not resist attacks: who can change the record can change the value.
pub(super) fn mark(field: &str, value: &Value) -> Value {
    match LINKS.contains(&field) {
        true => value.clone(),
        false => json!(sha1_smol::Sha1::from(value.to_string()).digest().to_string()[..8]),
    }
}

/// The object in this text; an empty one if there is none that can be read.
pub(super) fn object(text: &str) -> Map<String, Value> {
    serde_json::from_str(text.trim_start_matches('\u{feff}')).unwrap_or_default()
}

/// Whether an update can tell what was edited in a tree file: it is an object that is not nested too deeply.
pub fn can_be_updated(tree: &str) -> bool {
    !object(tree).is_empty()
}

/// The tree as JSON text.
///
/// # Errors
/// All problems of the tree.
pub fn to_json(settled: &Settled) -> Result<String, Vec<Problem>> {
    let Settled { spec_id, about, spec_files, recipe, nodes, .. } = settled;
    let about = serde_json::to_value(about).expect("texts can always be written");
    let mut built = BuildRecord { recipe: recipe.clone(), ..BuildRecord::default() };
    built.add(OF_PLAN, &about);
    let mut written = Map::new();
    for node in nodes {
        let id = |at: &usize| nodes[*at].id.as_str();
        let read = &node.read;
        let needs: Vec<usize> = read.needs.iter().filter_map(Prerequisite::node).collect();
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
            "children": null,
            "depends_on": needs.iter().chain(&read.follows).map(id).collect::<Vec<_>>(),
            "is_leaf": null,
            "source_file": spec_files.get(read.place.file).map_or("", String::as_str),
            "source_line": read.place.line,
            "test_commands": read.tests.iter().map(test).collect::<Vec<_>>(),
            "labels": read.labels,
            "priority": read.priority,
            "expect": read.expect,
            "gate": read.gate,
            "test_first": read.test_first,
        });
        if let Value::Object(fields) = &mut value {
            fields.retain(|field, value| ALWAYS.contains(&field.as_str()) || present(value).is_some());
        }
        built.add(node.id.as_str(), &value);
        written.insert(node.id.to_string(), value);
    }
    let mut file = Map::from_iter([("spec_id".to_owned(), json!(spec_id))]);
    file.extend(about.as_object().cloned().unwrap_or_default());
    for (field, value) in [
        ("nodes", Value::Object(written)),
        ("root_ids", Value::Null),
        ("execution_order", Value::Null),
        ("spec_files", json!(spec_files)),
        ("built", json!(built)),
    ] {
        file.insert(field.to_owned(), value);
    }
    finished(file)
}

/// Whether two texts of tree files say the same, however they are written, and whether a value was written or edited by hand.
pub fn say_the_same(existing: &str, built: &str) -> bool {
    let plain = |text: &str| {
        let mut file = object(text);
        file.get_mut("built").and_then(Value::as_object_mut).and_then(|built| built.remove("fields"));
        file
    };
    let said = finished(object(existing));
    existing == built || said.is_ok_and(|text| plain(&text) == plain(built))
}

/// The text of a file with nodes that name their parents, with everything that follows from that.
/// An order in it is kept as far as the dependencies allow it.
pub(super) fn finished(file: impl Into<Value>) -> Result<String, Vec<Problem>> {
    let mut file = file.into();
    let pretty = |file: &Value| {
        serde_json::to_string_pretty(file).expect("texts and numbers can always be written") + "\n"
    };
    let orders = ["root_ids", "execution_order"];
    let own = orders.map(|field| file[field].is_array());
    let tree = TaskTree::from_json(pretty(&file).as_bytes())?.tree;
    let ids = |list: &[NodeIx]| -> Value { list.iter().map(|ix| tree.node(*ix).id.as_str()).collect() };
    for (_, node) in tree.nodes() {
        if let Some(value) = file["nodes"].get_mut(node.id.as_str()) {
            value["parent"] = json!(node.parent.map(|above| tree.node(above).id.as_str()));
            value["children"] = ids(&node.children);
            value["is_leaf"] = json!(node.is_leaf());
        }
    }
    // An order that was edited by hand is not one that was written.
    for ((field, order), is_own) in orders.into_iter().zip([tree.roots(), tree.order()]).zip(own) {
        file[field] = ids(order);
        let mark = mark(field, &file[field]);
        if let Some(written) = file.get_mut("built").and_then(written_to_plan).filter(|_| !is_own) {
            written.insert(field.to_owned(), mark);
        }
    }
    Ok(pretty(&file))
}

/// What the record of a file says was written to the fields of the whole plan.
pub(super) fn written_to_plan(built: &mut Value) -> Option<&mut Map<String, Value>> {
    built.get_mut("fields")?.get_mut(OF_PLAN)?.as_object_mut()
}
