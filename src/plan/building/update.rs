//! Merges a newly built tree into an existing file: what people added to the file by hand is kept.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::super::TaskTree;
use super::super::problem::Problems;
use super::tree_file::{BuildRecord, EDITABLE, EDITABLE_IN_PLAN, OF_PLAN, digest, finished, object, present};

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
    // A node may be named by the one above it only.
    if let Ok(loaded) = TaskTree::from_json(existing.as_bytes()) {
        for (_, node) in loaded.tree.nodes() {
            if let (Some(parent), Some(value)) = (node.parent, old_nodes.get_mut(node.id.as_str())) {
                value["parent"] = json!(loaded.tree.node(parent).id.as_str());
            }
        }
    }
    let records = [&old, &new].map(|file| BuildRecord::of(file).unwrap_or_default());
    let sources = texts(new.get("spec_files"));
    let is_by_hand = |(id, node): (&String, &Value)| {
        let of_source =
            node["source_file"].as_str().is_some_and(|file| sources.iter().any(|known| known == file));
        (!of_source && !new_nodes.contains_key(id)).then(|| id.clone())
    };
    let by_hand: HashSet<String> = old_nodes.iter().filter_map(is_by_hand).collect();
    let mut merged = MergedPlan::default();
    for (id, node) in &mut new_nodes {
        let Some((before, now)) = old_nodes.get(id).and_then(Value::as_object).zip(node.as_object_mut())
        else {
            merged.added.push(id.clone());
            continue;
        };
        for (field, value) in before {
            if !OF_SOURCE.contains(&field.as_str()) && !EDITABLE.contains(&field.as_str()) {
                now.insert(field.clone(), value.clone());
            }
        }
        let kept = keep_edits(&EDITABLE, before, now, &records, id);
        // So are the dependencies on nodes that were added by hand.
        let needs = texts(before.get("depends_on")).into_iter().filter(|on| by_hand.contains(on));
        extend(now, "depends_on", needs);
        merged.renamed.extend(renamed(id, before, now, same));
        let differs = |field: &&str| present(before.get(*field)) != present(now.get(*field));
        let changed = REPORTED.into_iter().chain(EDITABLE).filter(differs).collect();
        note(&mut merged.kept, id, kept);
        note(&mut merged.changed, id, changed);
    }
    for (id, mut node) in old_nodes {
        if by_hand.contains(&id) {
            let above = node["parent"].as_str().map(str::to_owned);
            match above.as_ref().and_then(|above| new_nodes.get_mut(above)).and_then(Value::as_object_mut) {
                Some(above) => {
                    extend(above, "children", [id.clone()]);
                    above.insert("is_leaf".to_owned(), json!(false));
                }
                None if above.is_some_and(|above| !by_hand.contains(&above)) => node["parent"] = Value::Null,
                None => {}
            }
            new_nodes.insert(id, node);
        } else if !new_nodes.contains_key(&id) {
            merged.removed.push(id);
        }
    }
    let kept = keep_edits(&EDITABLE_IN_PLAN, &old, &mut new, &records, OF_PLAN);
    let differs = |field: &&str| present(old.get(*field)) != present(new.get(*field));
    note(&mut merged.kept, PLAN, kept);
    note(&mut merged.changed, PLAN, EDITABLE_IN_PLAN.into_iter().filter(differs).collect());
    merged.text = whole(&old, &new, new_nodes)?;
    Ok(merged)
}

fn take_nodes(file: &mut Map<String, Value>) -> Map<String, Value> {
    match file.shift_remove("nodes") {
        Some(Value::Object(nodes)) => nodes,
        _ => Map::new(),
    }
}

/// The texts of a list.
fn texts(list: Option<&Value>) -> Vec<String> {
    let items = list.and_then(Value::as_array).into_iter().flatten();
    items.filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Adds to a list of texts.
fn extend(node: &mut Map<String, Value>, field: &str, more: impl IntoIterator<Item = String>) {
    if let Some(Value::Array(list)) = node.get_mut(field) {
        list.extend(more.into_iter().map(Value::from));
    }
}

/// Adds a node with these fields to a list, if there are any.
fn note(list: &mut Vec<NodeFields>, id: &str, fields: Vec<&'static str>) {
    if !fields.is_empty() {
        list.push(NodeFields { id: id.to_owned(), fields });
    }
}

/// What a task is called now, if that is another name. That of the same task is kept in its field `was`.
fn renamed(
    id: &str,
    old: &Map<String, Value>,
    now: &mut Map<String, Value>,
    same: &[String],
) -> Option<Renamed> {
    let name = |node: &Map<String, Value>| {
        let name = node.get("name").and_then(Value::as_str).unwrap_or_default();
        name.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let (before, name) = (name(old), name(now));
    if before == name || now.get("is_leaf") != Some(&json!(true)) {
        return None;
    }
    let mut was = texts(old.get("was"));
    let is_same = was.contains(&name) || same.iter().any(|same| same == id);
    if is_same {
        was.retain(|former| *former != name);
        was.push(before.clone());
        now.insert("was".to_owned(), json!(was));
    }
    Some(Renamed { id: id.to_owned(), before, now: name, is_same })
}

/// Keeps the values of these fields that differ from what was written when the file was built. Returns those that have
/// changed in the sources since.
fn keep_edits(
    fields: &[&'static str],
    before: &Map<String, Value>,
    now: &mut Map<String, Value>,
    records: &[BuildRecord; 2],
    id: &str,
) -> Vec<&'static str> {
    let [written, writes] = [&records[0], &records[1]].map(|record| record.fields.get(id));
    let mut kept = Vec::new();
    for &field in fields {
        let in_file = present(before.get(field));
        let written = written.and_then(|fields| fields.get(field));
        if in_file.map(digest).as_ref() == written {
            continue;
        }
        if present(now.get(field)) != in_file && writes.and_then(|fields| fields.get(field)) != written {
            kept.push(field);
        }
        match before.get(field) {
            Some(value) => now.insert(field.to_owned(), value.clone()),
            None => now.shift_remove(field),
        };
    }
    kept
}

/// The text of the whole file, with a new execution order.
fn whole(
    old: &Map<String, Value>,
    new: &Map<String, Value>,
    nodes: Map<String, Value>,
) -> Result<String, Problems> {
    let mut file = Map::new();
    let spec_id = old.get("spec_id").or_else(|| new.get("spec_id")).cloned();
    file.insert("spec_id".to_owned(), spec_id.unwrap_or_default());
    // What is not in the sources any more must not come back from the old file.
    for field in EDITABLE_IN_PLAN {
        file.extend(new.get_key_value(field).map(|(field, value)| (field.clone(), value.clone())));
    }
    file.insert("nodes".to_owned(), Value::Object(nodes));
    for field in ["root_ids", "execution_order", "spec_files", "built"] {
        file.insert(field.to_owned(), Value::Null);
    }
    for (field, value) in old {
        if !file.contains_key(field) && !EDITABLE_IN_PLAN.contains(&field.as_str()) {
            file.insert(field.clone(), value.clone());
        }
    }
    let mut files = texts(new.get("spec_files"));
    let earlier = texts(old.get("spec_files"));
    let gone: Vec<String> = earlier.into_iter().filter(|file| !files.contains(file)).collect();
    files.extend(gone);
    let built = new.get("built").cloned().unwrap_or_default();
    finished(file, &json!({"spec_files": files, "built": built}))
}
