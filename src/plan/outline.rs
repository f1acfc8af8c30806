//! The part of a tree file on which the history of a run depends: the name of the plan, and for each node its name
//! and what the plan requires of it.
//!
//! This is read separately from [`super::TaskTree`] and is less strict. A plan with a cycle or an unknown dependency
//! cannot be run, but correcting it must not begin a new run. And a later version of this program with other checks
//! must not find the beginning of a run elsewhere.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use serde_json::{Map, Value};

use super::json::{Members, is_empty};
use super::node::without_gaps;

mod versions;

pub use versions::OutlineReader;

/// The name of a plan and of its nodes.
#[derive(Clone, Debug)]
pub struct Outline {
    /// The plan's own name.
    pub spec_id: Option<String>,
    nodes: HashMap<Rc<str>, Rc<NodeOutline>>,
}

/// A node of an outline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeOutline {
    /// The name, with every run of white space replaced by one blank.
    pub name: String,
    /// Earlier names of the same task, in the same form.
    pub was: Vec<String>,
    /// The fields that require something, as they are written, as an array. Most are never compared.
    required: String,
}

/// What is read of a tree file. All other fields are passed over.
#[derive(serde::Deserialize)]
struct TreeFile<N> {
    spec_id: Option<String>,
    nodes: N,
}

/// The fields that require something, besides the name.
const REQUIRING: [&str; 4] = ["description", "depends_on", "test_commands", "acceptance"];

/// The text of a tree file, as far as it is text.
fn text_of(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

fn read<'t, T: serde::Deserialize<'t>>(written: &'t str) -> Option<T> {
    serde_json::from_str(written).ok()
}

impl NodeOutline {
    /// If a field is there twice, the last one counts.
    fn of(key: &str, node: &Members<'_>) -> Option<Self> {
        let field = |name: &str| {
            let mut members = node.0.iter().rev();
            members.find(|member| member.key.text().as_deref() == Some(name)).map(|member| member.value.raw)
        };
        let was: Option<Vec<Value>> = field("was").and_then(read);
        let was = was.iter().flatten().filter_map(Value::as_str).map(without_gaps).collect();
        let required = REQUIRING.map(|name| field(name).unwrap_or("null")).join(",");
        let name = without_gaps(&read::<String>(field("name")?)?);
        (read::<String>(field("id")?)? == key).then(|| Self { name, was, required: format!("[{required}]") })
    }

    /// Whether it requires the same as in another version: the same description, dependencies, test commands and acceptance criteria.
    /// White space and the order of fields and of dependencies make no difference.
    pub fn requires_same(&self, other: &Self) -> bool {
        self.name == other.name && self.required == other.required
            || self.requirements() == other.requirements()
    }

    /// What it requires, in the same form however it is written.
    fn requirements(&self) -> (String, BTreeSet<String>, [Option<Value>; 2]) {
        let fields: [Value; 4] = read(&self.required).unwrap_or_default();
        let [description, needs, tests, acceptance] = &fields;
        // Many sources have one line for both. Whoever corrects a typo in it corrects the name.
        let description = description.as_str().map(without_gaps).filter(|text| *text != self.name);
        let needs = needs.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned);
        let lists = [tests, acceptance].map(without_nulls);
        let lists = lists.map(|list| Some(list).filter(|list| !is_empty(list)));
        (description.unwrap_or_default(), needs.collect(), lists)
    }
}

impl Outline {
    /// The node with this id.
    pub fn node(&self, id: &str) -> Option<&NodeOutline> {
        self.nodes.get(id).map(Rc::as_ref)
    }

    /// The name of the node with this id.
    pub fn name(&self, id: &str) -> Option<&str> {
        self.node(id).map(|node| node.name.as_str())
    }

    /// Whether a node that had this name in another version is the same one here: it has the same name, or had it.
    pub fn is_named(&self, id: &str, name: &str) -> bool {
        self.node(id).is_some_and(|node| node.name == name || node.was.iter().any(|was| was == name))
    }

    /// Whether this is an edited version of the other plan: the plan has the same name, and at least half of the nodes
    /// of the smaller version have the same ids and names.
    pub fn continues(&self, other: &Self) -> bool {
        let is_same = |(id, node): &(&Rc<str>, &Rc<NodeOutline>)| {
            other.is_named(id, &node.name) || other.name(id).is_some_and(|other| self.is_named(id, other))
        };
        let same = self.nodes.iter().filter(is_same).count();
        self.spec_id == other.spec_id && 2 * same >= self.nodes.len().min(other.nodes.len())
    }
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
pub fn asks_otherwise(then: &[u8], now: &[u8], id: &str) -> bool {
    let fields = |bytes| {
        let text = text_of(bytes);
        let file: TreeFile<HashMap<String, Map<String, Value>>> = read(text.trim_start_matches('\u{feff}'))?;
        let mut node = { file }.nodes.remove(id)?;
        node.retain(|field, _| !NO_REQUIREMENTS.contains(&field.as_str()));
        Some(node)
    };
    fields(then).zip(fields(now)).is_some_and(|(then, now)| then != now)
}

#[cfg(test)]
mod tests;
