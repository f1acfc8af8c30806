//! Writes a tree file: always the same bytes for the same plan. It records how it was built, so that an update can build it in the
//! same way, and can tell values that were edited by hand from those that were written.

use std::ops::Not;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, to_value};

use super::super::formats::{ImportedId, Prerequisite};
use super::super::json::is_empty;
use super::super::problem::Problem;
use super::super::{About, Document, Expect, NodeIx, TaskTree, TestType};
use super::settled::{Recipe, Settled, SettledNode};

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
        self.written(id, "name") == Some(&mark("name", name))
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

/// A tree file as it is written. Its orders are filled in once it is whole.
#[derive(Default, Serialize)]
pub(super) struct WrittenFile<'a> {
    pub(super) spec_id: &'a str,
    #[serde(flatten)]
    pub(super) about: Option<&'a About>,
    pub(super) nodes: Map<String, Value>,
    pub(super) root_ids: (),
    pub(super) execution_order: (),
    pub(super) spec_files: &'a [String],
    pub(super) built: BuildRecord,
}

/// A node as it is written. What is below it, and whether it is a task, is filled in once the file is whole.
#[derive(Default, Serialize)]
pub(crate) struct WrittenNode<'a> {
    pub(crate) id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) source_id: Option<&'a str>,
    pub(crate) name: &'a str,
    pub(crate) description: &'a str,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub(crate) acceptance: &'a [String],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub(crate) documents: &'a [Document],
    pub(crate) parent: Option<&'a str>,
    pub(crate) children: (),
    pub(crate) depends_on: Vec<&'a str>,
    pub(crate) is_leaf: (),
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) source_file: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) source_line: Option<u32>,
    pub(crate) test_commands: Vec<WrittenTest<'a>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub(crate) labels: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) priority: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) expect: Option<Expect>,
    #[serde(skip_serializing_if = "Not::not")]
    pub(crate) gate: bool,
    #[serde(skip_serializing_if = "Not::not")]
    pub(crate) test_first: bool,
}

/// A test command as it is written.
#[derive(Serialize)]
pub(crate) struct WrittenTest<'a> {
    #[serde(rename = "type")]
    kind: TestType,
    command: &'a str,
}

impl WrittenNode<'_> {
    pub(super) fn value(&self) -> Value {
        to_value(self).expect("texts and numbers can always be written")
    }
}

impl<'a> WrittenTest<'a> {
    /// A command that tests one task.
    pub(crate) fn unit(command: &'a str) -> Self {
        Self { kind: TestType::Unit, command }
    }
}

/// The value of a field, unless it says nothing.
pub(super) fn present(value: &Value) -> Option<&Value> {
    (!is_empty(value) && *value != false).then_some(value)
}

/// How the value of a field is recorded. A short digest need not resist attacks: who can change the record can change the value.
pub(super) fn mark(field: &str, value: impl Serialize) -> Value {
    let value = to_value(value).expect("texts and numbers can always be written");
    if LINKS.contains(&field) {
        return value;
    }
    sha1_smol::Sha1::from(value.to_string()).digest().to_string()[..8].into()
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
    let mut built = BuildRecord { recipe: recipe.clone(), ..BuildRecord::default() };
    built.add(OF_PLAN, &to_value(about).expect("texts can always be written"));
    let mut written = Map::new();
    for SettledNode { id, read, .. } in nodes {
        let id_at = |at: usize| nodes[at].id.as_str();
        let needs = read.needs.iter().filter_map(Prerequisite::node);
        let node = WrittenNode {
            id: id.as_str(),
            source_id: match &read.id {
                ImportedId::Given(text) if *text != id.as_str() => Some(text),
                _ => None,
            },
            name: &read.name,
            description: &read.description,
            acceptance: &read.acceptance,
            documents: &read.documents,
            parent: read.parent.map(id_at),
            depends_on: needs.chain(read.follows.iter().copied()).map(id_at).collect(),
            source_file: spec_files.get(read.place.file).map(String::as_str),
            source_line: Some(read.place.line),
            test_commands: read.tests.iter().map(|command| WrittenTest::unit(command)).collect(),
            labels: &read.labels,
            priority: read.priority,
            expect: read.expect,
            gate: read.gate,
            test_first: read.test_first,
            children: (),
            is_leaf: (),
        };
        let node = node.value();
        built.add(id.as_str(), &node);
        written.insert(id.to_string(), node);
    }
    finished(WrittenFile {
        spec_id,
        about: Some(about),
        nodes: written,
        spec_files,
        built,
        ..WrittenFile::default()
    })
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
pub(super) fn finished(file: impl Serialize) -> Result<String, Vec<Problem>> {
    let mut file = to_value(file).expect("texts and numbers can always be written");
    let pretty = |file: &Value| format!("{file:#}\n");
    let orders = ["root_ids", "execution_order"];
    let own = orders.map(|field| file[field].is_array());
    let tree = TaskTree::from_json(pretty(&file).as_bytes())?.tree;
    let ids = |list: &[NodeIx]| -> Value { list.iter().map(|ix| tree.node(*ix).id.as_str()).collect() };
    for (_, node) in tree.nodes() {
        if let Some(value) = file["nodes"].get_mut(node.id.as_str()) {
            value["parent"] = node.parent.map(|above| tree.node(above).id.as_str()).into();
            value["children"] = ids(&node.children);
            value["is_leaf"] = node.is_leaf().into();
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
