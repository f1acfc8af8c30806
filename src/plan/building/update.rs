//! Merges a newly built tree into an existing file: what people added to the file by hand is kept.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::super::TaskTree;
use super::super::problem::Problems;
use super::recipe::{BuildRecord, EDITABLE, EDITABLE_IN_PLAN, OF_PLAN, digest, present};
use super::tree_file::pretty;

/// The result of a merge.
#[derive(Clone, Debug, Default)]
pub struct MergedPlan {
    /// The tree file.
    pub text: String,
    /// The ids that are new.
    pub added: Vec<String>,
    /// The nodes that have changed, with the fields that were taken from the sources.
    pub changed: Vec<NodeFields>,
    /// The nodes with fields that the sources have changed, but that are kept because they were edited by hand.
    pub kept: Vec<NodeFields>,
    /// The ids that are no longer in the sources.
    pub removed: Vec<String>,
    /// The tasks that have another name in the sources than before.
    pub renamed: Vec<Renamed>,
}

/// A task with another name than before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renamed {
    /// Its id.
    pub id: String,
    /// The name in the file.
    pub before: String,
    /// The name in the sources.
    pub now: String,
    /// Whether it is known to be the same task, so that its steps still count.
    pub is_same: bool,
}

/// What reports call the whole plan, which has no id.
const PLAN: &str = "(plan)";

/// A node, or the whole plan, and some of its fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeFields {
    /// The id of the node, or `(plan)`.
    pub id: String,
    /// The names of the fields.
    pub fields: Vec<&'static str>,
}

/// The fields of a node that come from the source, whatever the file says. All others are kept if they were edited by
/// hand.
const OF_SOURCE: [&str; 10] = [
    "id",
    "source_id",
    "name",
    "description",
    "parent",
    "children",
    "depends_on",
    "is_leaf",
    "source_file",
    "source_line",
];

/// The fields whose changes are reported in addition to those in [`EDITABLE`].
const REPORTED: [&str; 4] = ["name", "description", "parent", "depends_on"];

/// Merges a newly built tree into an existing one. Both are texts of tree files, and valid trees. `same` has the ids of tasks
/// that are still the same although their names have changed.
///
/// # Errors
/// All problems of the merged tree, for example if a node that was added by hand depends on one that is gone.
pub fn merge(existing: &str, built: &str, same: &[String]) -> Result<MergedPlan, Problems> {
    let (mut old, mut new) = (object(existing), object(built));
    let (mut old_nodes, mut new_nodes) = (take_nodes(&mut old), take_nodes(&mut new));
    name_parents(&mut old_nodes);
    let before = BuildRecord::of(&old).unwrap_or_default();
    let now = BuildRecord::of(&new).unwrap_or_default();
    let by_hand = added_by_hand(&old_nodes, &new, &new_nodes);
    let mut merged = MergedPlan::default();
    for (id, node) in &mut new_nodes {
        let Some(old_node) = old_nodes.get(id) else {
            merged.added.push(id.clone());
            continue;
        };
        let kept = keep_edits(old_node, node, Records { before: &before, now: &now, id });
        keep_dependencies(old_node, node, &by_hand);
        merged.renamed.extend(renamed(id, old_node, node, same));
        let reported = REPORTED.into_iter().chain(EDITABLE);
        let differs = |field: &&str| present(old_node.get(field)) != present(node.get(field));
        note(&mut merged.kept, id, kept);
        note(&mut merged.changed, id, reported.filter(differs).collect());
    }
    for (id, node) in old_nodes {
        if by_hand.contains(&id) {
            keep_node(id, node, &mut new_nodes, &by_hand);
        } else if !new_nodes.contains_key(&id) {
            merged.removed.push(id);
        }
    }
    let kept =
        keep_fields(&EDITABLE_IN_PLAN, &old, &mut new, Records { before: &before, now: &now, id: OF_PLAN });
    let differs = |field: &&str| present(old.get(*field)) != present(new.get(*field));
    note(&mut merged.kept, PLAN, kept);
    note(&mut merged.changed, PLAN, EDITABLE_IN_PLAN.into_iter().filter(differs).collect());
    merged.text = whole(old, new, new_nodes)?;
    Ok(merged)
}

fn take_nodes(file: &mut Map<String, Value>) -> Map<String, Value> {
    match file.shift_remove("nodes") {
        Some(Value::Object(nodes)) => nodes,
        _ => Map::new(),
    }
}

/// Gives each node its parent that has none but is listed among the children of another node, as it may be in a plan that was
/// edited by hand.
fn name_parents(nodes: &mut Map<String, Value>) {
    let mut parents = Vec::new();
    for (id, node) in nodes.iter() {
        let children = node.get("children").and_then(Value::as_array).into_iter().flatten();
        parents.extend(children.filter_map(Value::as_str).map(|child| (child.to_owned(), id.clone())));
    }
    for (child, parent) in parents {
        if let Some(child) = nodes.get_mut(&child).filter(|child| present(child.get("parent")).is_none()) {
            child["parent"] = Value::from(parent);
        }
    }
}

/// What a task is called now, if that is another name. That of the same task is kept in its field `was`.
fn renamed(id: &str, old: &Value, node: &mut Value, same: &[String]) -> Option<Renamed> {
    let name = |node: &Value| {
        let name = node.get("name").and_then(Value::as_str).unwrap_or_default();
        name.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let (before, now) = (name(old), name(node));
    let mut was: Vec<Value> = old.get("was").and_then(Value::as_array).cloned().unwrap_or_default();
    let is_known = was.iter().any(|former| former.as_str() == Some(&now));
    let is_leaf = node.get("is_leaf").and_then(Value::as_bool) == Some(true);
    if before == now || !is_leaf {
        return None;
    }
    let is_same = is_known || same.iter().any(|same| same == id);
    if is_same {
        was.retain(|former| former.as_str() != Some(&now));
        was.push(Value::from(before.as_str()));
        node["was"] = Value::Array(was);
    }
    Some(Renamed { id: id.to_owned(), before, now, is_same })
}

/// The ids of the nodes of the existing file that are in no source of the new one.
fn added_by_hand(
    old_nodes: &Map<String, Value>,
    new: &Map<String, Value>,
    new_nodes: &Map<String, Value>,
) -> HashSet<String> {
    let sources = new.get("spec_files").and_then(Value::as_array).into_iter().flatten();
    let sources: HashSet<&str> = sources.filter_map(Value::as_str).collect();
    let is_ours = |node: &Value| {
        node.get("source_file").and_then(Value::as_str).is_some_and(|file| sources.contains(file))
    };
    let by_hand = old_nodes.iter().filter(|(id, node)| !is_ours(node) && !new_nodes.contains_key(*id));
    by_hand.map(|(id, _)| id.clone()).collect()
}

/// Keeps a node that was added by hand, below its parent if that is still there.
fn keep_node(id: String, mut node: Value, nodes: &mut Map<String, Value>, by_hand: &HashSet<String>) {
    let parent = node.get("parent").and_then(Value::as_str).map(str::to_owned);
    match parent.as_deref().and_then(|parent| nodes.get_mut(parent)) {
        Some(parent) => add_child(parent, &id),
        None if parent.as_ref().is_some_and(|parent| !by_hand.contains(parent)) => {
            node["parent"] = Value::Null;
        }
        None => {}
    }
    nodes.insert(id, node);
}

/// Adds a node with these fields to a list, if there are any.
fn note(list: &mut Vec<NodeFields>, id: &str, fields: Vec<&'static str>) {
    if !fields.is_empty() {
        list.push(NodeFields { id: id.to_owned(), fields });
    }
}

fn object(text: &str) -> Map<String, Value> {
    match serde_json::from_str(text.trim_start_matches('\u{feff}')) {
        Ok(Value::Object(object)) => object,
        _ => Map::new(),
    }
}

/// What the existing file and the new one record about a node.
#[derive(Clone, Copy)]
struct Records<'a> {
    before: &'a BuildRecord,
    now: &'a BuildRecord,
    id: &'a str,
}

/// Keeps what was edited by hand: fields that no source has, and the values of others that differ from what was written
/// when the file was built. Returns those of the latter that have changed in the sources since.
fn keep_edits(before: &Value, node: &mut Value, records: Records<'_>) -> Vec<&'static str> {
    let (Value::Object(before), Value::Object(node)) = (before, node) else { return Vec::new() };
    for (field, value) in before {
        if !OF_SOURCE.contains(&field.as_str()) && !EDITABLE.contains(&field.as_str()) {
            node.insert(field.clone(), value.clone());
        }
    }
    keep_fields(&EDITABLE, before, node, records)
}

/// Keeps the values of these fields that differ from what was written when the file was built. Returns those that have
/// changed in the sources since.
fn keep_fields(
    fields: &[&'static str],
    before: &Map<String, Value>,
    node: &mut Map<String, Value>,
    records: Records<'_>,
) -> Vec<&'static str> {
    let mut kept = Vec::new();
    for &field in fields {
        let in_file = present(before.get(field));
        let written = records.before.digest(records.id, field);
        if in_file.map(digest).as_deref() == written {
            continue;
        }
        let in_sources = present(node.get(field)).cloned();
        if in_sources.as_ref() != in_file && records.now.digest(records.id, field) != written {
            kept.push(field);
        }
        match before.get(field) {
            Some(value) => node.insert(field.to_owned(), value.clone()),
            None => node.shift_remove(field),
        };
    }
    kept
}

/// Keeps the dependencies on nodes that were added by hand.
fn keep_dependencies(before: &Value, node: &mut Value, kept: &HashSet<String>) {
    let by_hand = before.get("depends_on").and_then(Value::as_array).into_iter().flatten();
    let by_hand: Vec<Value> =
        by_hand.filter(|on| on.as_str().is_some_and(|on| kept.contains(on))).cloned().collect();
    if let Some(Value::Array(now)) = node.get_mut("depends_on") {
        now.extend(by_hand);
    }
}

fn add_child(parent: &mut Value, id: &str) {
    if let Some(Value::Array(children)) = parent.get_mut("children") {
        children.push(Value::from(id));
        parent["is_leaf"] = Value::Bool(false);
    }
}

/// The text of the whole file, with a new execution order.
fn whole(
    mut old: Map<String, Value>,
    mut new: Map<String, Value>,
    nodes: Map<String, Value>,
) -> Result<String, Problems> {
    let mut file = Map::new();
    let roots = nodes.iter().filter(|(_, node)| node.get("parent").is_none_or(Value::is_null));
    let roots: Vec<Value> = roots.map(|(id, _)| Value::from(id.as_str())).collect();
    let spec_id = old.get("spec_id").cloned().or_else(|| new.remove("spec_id"));
    file.insert("spec_id".to_owned(), spec_id.unwrap_or(Value::Null));
    for field in EDITABLE_IN_PLAN {
        // What is not in the sources any more must not come back from the old file.
        old.shift_remove(field);
        file.extend(new.remove_entry(field));
    }
    file.insert("nodes".to_owned(), Value::Object(nodes));
    file.insert("root_ids".to_owned(), Value::Array(roots));
    let unordered = pretty(&file);
    let tree = TaskTree::from_json(unordered.as_bytes())?.tree;
    let order = tree.order().iter().map(|ix| Value::from(tree.node(*ix).id.as_str())).collect();
    file.insert("execution_order".to_owned(), Value::Array(order));
    let mut files: Vec<Value> =
        new.remove("spec_files").and_then(|files| files.as_array().cloned()).unwrap_or_default();
    for earlier in old.get("spec_files").and_then(Value::as_array).into_iter().flatten() {
        if !files.contains(earlier) {
            files.push(earlier.clone());
        }
    }
    file.insert("spec_files".to_owned(), Value::Array(files));
    file.extend(new.remove_entry("built"));
    for (field, value) in old {
        file.entry(field).or_insert(value);
    }
    Ok(pretty(&file))
}
