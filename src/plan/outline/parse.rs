//! Parses the nodes of a tree file, and finds where in the text they are.

use std::collections::HashMap;

use serde_json::value::RawValue;

use super::super::json::{Member, Members};
use super::NodeOutline;
use super::requirements::Requirements;

/// A parsed tree file.
pub(super) struct ParsedPlan {
    pub(super) spec_id: Option<String>,
    pub(super) nodes: Vec<ParsedNode>,
}

/// A node, and where its value begins and ends in the text.
pub(super) struct ParsedNode {
    pub(super) id: String,
    pub(super) node: NodeOutline,
    pub(super) start: usize,
    pub(super) end: usize,
}

#[derive(serde::Deserialize)]
struct OutlineFile<'a> {
    spec_id: Option<String>,
    #[serde(borrow)]
    nodes: Members<'a>,
}

#[derive(serde::Deserialize)]
struct RawNode<'a> {
    id: String,
    name: String,
    #[serde(borrow, default)]
    description: Option<&'a RawValue>,
    #[serde(borrow, default)]
    depends_on: Option<&'a RawValue>,
    #[serde(borrow, default)]
    test_commands: Option<&'a RawValue>,
    #[serde(borrow, default)]
    acceptance: Option<&'a RawValue>,
    #[serde(borrow, default)]
    was: Option<&'a RawValue>,
}

/// What is read if a field of a node that does not matter here is damaged.
#[derive(serde::Deserialize)]
struct BareFile {
    spec_id: Option<String>,
    nodes: HashMap<String, BareNode>,
}

#[derive(serde::Deserialize)]
struct BareNode {
    id: String,
    name: String,
}

/// Parses a whole tree file; `None` if it is not one, or if a field that does not matter here is damaged.
pub(super) fn parse_plan(text: &[u8]) -> Option<ParsedPlan> {
    let bytes = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let OutlineFile { spec_id, nodes } = serde_json::from_slice(bytes).ok()?;
    Some(ParsedPlan { spec_id, nodes: parsed_nodes(nodes, text)? })
}

/// Parses an object of nodes.
pub(super) fn parse_nodes(text: &[u8]) -> Option<Vec<ParsedNode>> {
    parsed_nodes(serde_json::from_slice(text).ok()?, text)
}

fn parsed_nodes(Members(members): Members<'_>, text: &[u8]) -> Option<Vec<ParsedNode>> {
    let parsed = |Member { key, value }: Member<'_>| {
        let raw = value.raw();
        let RawNode { id, name, description, depends_on, test_commands, acceptance, was } =
            serde_json::from_str(raw).ok()?;
        if key.text()? != id {
            return None;
        }
        let requirements = Requirements { name: &name, description, depends_on, test_commands, acceptance };
        let requirements = requirements.digest();
        // The value is a part of the text, so this is its place there.
        let start = raw.as_ptr().addr() - text.as_ptr().addr();
        let node = NodeOutline { name: without_gaps(&name), was: former_names(was), requirements };
        Some(ParsedNode { id, node, start, end: start + raw.len() })
    };
    members.into_iter().map(parsed).collect()
}

/// Reads a tree file of which only the names matter; `None` if it is not one.
pub(super) fn parse_names(text: &[u8]) -> Option<ParsedPlan> {
    let bytes = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let BareFile { spec_id, nodes } = serde_json::from_slice(bytes).ok()?;
    let parsed = |(key, BareNode { id, name }): (String, BareNode)| {
        let node = NodeOutline { name: without_gaps(&name), was: Vec::new(), requirements: 0 };
        (id == key).then_some(ParsedNode { id, node, start: 0, end: 0 })
    };
    Some(ParsedPlan { spec_id, nodes: nodes.into_iter().map(parsed).collect::<Option<_>>()? })
}

/// The texts of a list; none if it is not one.
fn former_names(was: Option<&RawValue>) -> Vec<String> {
    let names: Option<Vec<String>> = was.and_then(|was| serde_json::from_str(was.get()).ok());
    names.unwrap_or_default().iter().map(|name| without_gaps(name)).collect()
}

fn without_gaps(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ")
}
