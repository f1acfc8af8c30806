//! Writes a tree file: always the same bytes for the same plan.

use std::collections::BTreeMap;
use std::iter;

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::super::formats::ImportedFields;
use super::super::{About, Document};
use super::recipe::{BuildRecord, EDITABLE, EDITABLE_IN_PLAN, OF_PLAN, digest, present};
use super::settled::{Settled, SettledNode};

/// The tree as JSON text.
#[must_use]
pub fn to_json(settled: &Settled) -> String {
    let nodes: Vec<WrittenNode<'_>> = settled.nodes.iter().map(|node| written(settled, node)).collect();
    let of_plan = (OF_PLAN, digests(&settled.about, &EDITABLE_IN_PLAN));
    let of_nodes = nodes.iter().map(|node| (node.id, digests(node, &EDITABLE)));
    let built = BuildRecord::new(settled.recipe.clone(), iter::once(of_plan).chain(of_nodes));
    let file = WrittenTree {
        spec_id: &settled.spec_id,
        about: &settled.about,
        nodes: WrittenNodes(nodes),
        root_ids: settled
            .nodes
            .iter()
            .filter(|node| node.read.parent.is_none())
            .map(|node| node.id.as_str())
            .collect(),
        execution_order: settled
            .order
            .iter()
            .map(|at| &settled.nodes[*at])
            .filter(|node| node.is_leaf())
            .map(|node| node.id.as_str())
            .collect(),
        spec_files: &settled.spec_files,
        built,
    };
    pretty(&file)
}

/// The text of a file with this content.
pub(super) fn pretty(file: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(file).expect("texts and numbers can always be written");
    text.push('\n');
    text
}

#[derive(Serialize)]
struct WrittenTree<'s> {
    spec_id: &'s str,
    #[serde(flatten)]
    about: &'s About,
    nodes: WrittenNodes<'s>,
    root_ids: Vec<&'s str>,
    execution_order: Vec<&'s str>,
    spec_files: &'s [String],
    built: BuildRecord,
}

struct WrittenNodes<'s>(Vec<WrittenNode<'s>>);

impl Serialize for WrittenNodes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for node in &self.0 {
            map.serialize_entry(node.id, node)?;
        }
        map.end()
    }
}

fn written<'s>(settled: &'s Settled, node: &'s SettledNode) -> WrittenNode<'s> {
    let id = |at: &usize| settled.nodes[*at].id.as_str();
    let read = &node.read;
    WrittenNode {
        id: node.id.as_str(),
        source_id: node.source_id(),
        name: &read.name,
        description: &read.description,
        acceptance: &read.acceptance,
        documents: &read.documents,
        parent: read.parent.as_ref().map(id),
        children: node.children.iter().map(id).collect(),
        depends_on: node.depends_on.iter().map(|link| id(&link.on)).collect(),
        is_leaf: node.is_leaf(),
        source_file: settled.spec_files.get(read.place.file).map_or("", String::as_str),
        source_line: read.place.line,
        test_commands: node.tests.iter().map(|command| WrittenTest { kind: "unit", command }).collect(),
        fields: &read.fields,
    }
}

#[derive(Serialize)]
struct WrittenNode<'s> {
    id: &'s str,
    #[serde(skip_serializing_if = "Option::is_none")]
    source_id: Option<&'s str>,
    name: &'s str,
    description: &'s str,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    acceptance: &'s [String],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    documents: &'s [Document],
    parent: Option<&'s str>,
    children: Vec<&'s str>,
    depends_on: Vec<&'s str>,
    is_leaf: bool,
    source_file: &'s str,
    source_line: u32,
    test_commands: Vec<WrittenTest<'s>>,
    #[serde(flatten)]
    fields: &'s ImportedFields,
}

#[derive(Serialize)]
struct WrittenTest<'s> {
    #[serde(rename = "type")]
    kind: &'static str,
    command: &'s str,
}

/// The digests of the values in those fields of an object that users may edit by hand.
fn digests(object: &impl Serialize, editable: &[&str]) -> BTreeMap<String, String> {
    let object = serde_json::to_value(object).expect("texts can always be written");
    let of = |field: &&str| Some(((*field).to_owned(), digest(present(object.get(field))?)));
    editable.iter().filter_map(of).collect()
}
