//! Writes a tree file: always the same bytes for the same plan.

use std::collections::BTreeMap;

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::super::Expect;
use super::recipe::{BuildRecord, EDITABLE, digest, present};
use super::settled::{Settled, SettledNode};

/// The tree as JSON text.
#[must_use]
pub fn to_json(settled: &Settled) -> String {
    let nodes: Vec<WrittenNode<'_>> = settled.nodes.iter().map(|node| written(settled, node)).collect();
    let built = BuildRecord::new(settled.recipe.clone(), nodes.iter().map(|node| (node.id, node.digests())));
    let file = TreeFile {
        spec_id: &settled.spec_id,
        nodes: Nodes(nodes),
        root_ids: settled
            .nodes
            .iter()
            .filter(|node| node.parent.is_none())
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
    let mut text = serde_json::to_string_pretty(&file).expect("texts and numbers can always be written");
    text.push('\n');
    text
}

#[derive(Serialize)]
struct TreeFile<'s> {
    spec_id: &'s str,
    nodes: Nodes<'s>,
    root_ids: Vec<&'s str>,
    execution_order: Vec<&'s str>,
    spec_files: &'s [String],
    built: BuildRecord,
}

struct Nodes<'s>(Vec<WrittenNode<'s>>);

impl Serialize for Nodes<'_> {
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
    WrittenNode {
        id: node.id.as_str(),
        source_id: node.source_id.as_deref(),
        name: &node.name,
        description: &node.description,
        parent: node.parent.as_ref().map(id),
        children: node.children.iter().map(id).collect(),
        depends_on: node.depends_on.iter().map(|link| id(&link.on)).collect(),
        is_leaf: node.is_leaf(),
        source_file: settled.spec_files.get(node.place.file).map_or("", String::as_str),
        source_line: node.place.line,
        test_commands: node.tests.iter().map(|command| WrittenTest { kind: "unit", command }).collect(),
        touches: &node.touches,
        labels: &node.labels,
        gate: node.gate,
        expect: node.expect.map(Expect::word),
        test_first: node.test_first,
    }
}

#[derive(Serialize)]
struct WrittenNode<'s> {
    id: &'s str,
    #[serde(skip_serializing_if = "Option::is_none")]
    source_id: Option<&'s str>,
    name: &'s str,
    description: &'s str,
    parent: Option<&'s str>,
    children: Vec<&'s str>,
    depends_on: Vec<&'s str>,
    is_leaf: bool,
    source_file: &'s str,
    source_line: u32,
    test_commands: Vec<WrittenTest<'s>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    touches: &'s [String],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    labels: &'s [String],
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    gate: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    expect: Option<&'static str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    test_first: bool,
}

#[derive(Serialize)]
struct WrittenTest<'s> {
    #[serde(rename = "type")]
    kind: &'static str,
    command: &'s str,
}

impl WrittenNode<'_> {
    /// The digests of the values in those fields that users may edit by hand.
    fn digests(&self) -> BTreeMap<String, String> {
        let of = |field: &str| {
            let value = match field {
                "test_commands" => serde_json::to_value(&self.test_commands),
                "touches" => serde_json::to_value(self.touches),
                "labels" => serde_json::to_value(self.labels),
                "gate" => serde_json::to_value(self.gate),
                "expect" => serde_json::to_value(self.expect),
                "test_first" => serde_json::to_value(self.test_first),
                _ => return None,
            };
            let value = value.expect("texts can always be written");
            Some((field.to_owned(), digest(present(Some(&value))?)))
        };
        EDITABLE.into_iter().filter_map(of).collect()
    }
}
