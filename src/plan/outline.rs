//! The part of a tree file on which the history of a run depends: the name of the plan, and for each node its name
//! and what the plan requires of it.
//!
//! This is read separately from [`super::TaskTree`] and is less strict. A plan with a cycle or an unknown dependency
//! cannot be run, but correcting it must not begin a new run. And a later version of this program with other checks
//! must not find the beginning of a run elsewhere.

use std::collections::{BTreeSet, HashMap};

use serde_json::{Map, Value, json};

/// The name of a plan and of its nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outline {
    /// The plan's own name.
    pub spec_id: Option<String>,
    nodes: HashMap<String, NodeOutline>,
}

/// A node of an outline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeOutline {
    /// The name, with every run of white space replaced by one blank.
    pub name: String,
    /// Earlier names of the same task, in the same form.
    pub was: Vec<String>,
    /// The description, the dependencies, the test commands and the acceptance criteria. White space and the order of fields and of
    /// dependencies make no difference.
    pub requirements: Value,
}

/// What is read of a tree file. All other fields are passed over.
#[derive(serde::Deserialize)]
struct TreeFile {
    spec_id: Option<String>,
    nodes: HashMap<String, Map<String, Value>>,
}

impl TreeFile {
    fn read(text: &[u8]) -> Option<Self> {
        serde_json::from_str(String::from_utf8_lossy(text).trim_start_matches('\u{feff}')).ok()
    }
}

impl Outline {
    /// Reads the bytes of a tree file; `None` if they are not JSON, or name no node.
    #[must_use]
    pub fn read(text: &[u8]) -> Option<Self> {
        let TreeFile { spec_id, nodes } = TreeFile::read(text)?;
        let outline = |(key, node): (String, Map<String, Value>)| {
            let name = without_gaps(node.get("name")?.as_str()?);
            let was = node.get("was").and_then(Value::as_array).into_iter().flatten();
            let was = was.filter_map(Value::as_str).map(without_gaps).collect();
            let requirements = requirements(&name, &node);
            (node.get("id")?.as_str()? == key).then_some((key, NodeOutline { name, was, requirements }))
        };
        let nodes: HashMap<String, NodeOutline> = nodes.into_iter().map(outline).collect::<Option<_>>()?;
        (!nodes.is_empty()).then_some(Self { spec_id, nodes })
    }

    /// The node with this id.
    #[must_use]
    pub fn node(&self, id: &str) -> Option<&NodeOutline> {
        self.nodes.get(id)
    }

    /// The name of the node with this id.
    #[must_use]
    pub fn name(&self, id: &str) -> Option<&str> {
        self.node(id).map(|node| node.name.as_str())
    }

    /// Whether a node that had this name in another version is the same one here: it has the same name, or had it.
    #[must_use]
    pub fn is_named(&self, id: &str, name: &str) -> bool {
        self.node(id).is_some_and(|node| node.name == name || node.was.iter().any(|was| was == name))
    }

    /// Whether this is an edited version of the other plan: the plan has the same name, and at least half of the nodes
    /// of the smaller version have the same ids and names.
    #[must_use]
    pub fn continues(&self, other: &Self) -> bool {
        let is_same = |(id, node): &(&String, &NodeOutline)| {
            other.is_named(id, &node.name) || other.name(id).is_some_and(|other| self.is_named(id, other))
        };
        let same = self.nodes.iter().filter(is_same).count();
        self.spec_id == other.spec_id && 2 * same >= self.nodes.len().min(other.nodes.len())
    }
}

fn without_gaps(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What a node requires, besides its name, in the same form however it is written.
fn requirements(name: &str, node: &Map<String, Value>) -> Value {
    // Many sources have one line for both. Whoever corrects a typo in it corrects the name.
    let description = node.get("description").and_then(Value::as_str).map(without_gaps);
    let description = description.filter(|text| text != name).unwrap_or_default();
    let needs = node.get("depends_on").and_then(Value::as_array).into_iter().flatten();
    let needs: BTreeSet<&str> = needs.filter_map(Value::as_str).collect();
    let list = |field| node.get(field).map(without_nulls).filter(|list| *list != json!([]));
    json!([description, needs, list("test_commands"), list("acceptance")])
}

fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Array(values) => values.iter().map(without_nulls).collect(),
        Value::Object(fields) => {
            let fields = fields.iter().filter(|(_, value)| !value.is_null());
            fields.map(|(key, value)| (key.clone(), without_nulls(value))).collect()
        }
        plain => plain.clone(),
    }
}

/// The fields of a task that require nothing.
const NO_REQUIREMENTS: [&str; 3] = ["was", "labels", "priority"];

/// Whether a task has other fields in one version of the file than in another, apart from those that require nothing. If a
/// version cannot be read, or the task is in one of them only, nothing is known, and the answer is no.
#[must_use]
pub fn asks_otherwise(then: &[u8], now: &[u8], id: &str) -> bool {
    let fields = |text| {
        let mut node = TreeFile::read(text)?.nodes.remove(id)?;
        node.retain(|field, _| !NO_REQUIREMENTS.contains(&field.as_str()));
        Some(node)
    };
    fields(then).zip(fields(now)).is_some_and(|(then, now)| then != now)
}

#[cfg(test)]
mod tests;
