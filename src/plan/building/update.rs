//! Merges a newly built tree into an existing file: what people edited, added or deleted there by hand is kept.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use super::super::TaskTree;
use super::super::node::without_gaps;
use super::super::problem::Problem;
use super::tree_file::{BuildRecord, FIXED, OF_PLAN, finished, mark, object, present, written_to_plan};

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
    /// The ids that are in the sources, but were deleted in the file by hand.
    pub deleted: Vec<String>,
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

/// A node, or the whole plan, and some of its fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeFields {
    /// The id of the node, or `(plan)`.
    pub id: String,
    /// The names of the fields.
    pub fields: Vec<String>,
}

type Object = Map<String, Value>;

/// Merges a newly built tree into an existing one. Both are texts of tree files, and valid trees. `same` has the ids of tasks
/// that are still the same although their names have changed.
///
/// # Errors
/// All problems of the merged tree, for example if a node that was added by hand depends on one that is gone.
pub fn merge(existing: &str, built: &str, same: &[String]) -> Result<MergedPlan, Vec<Problem>> {
    let (mut old, mut new) = (object(existing), object(built));
    let records = [&old, &new].map(|file| BuildRecord::of_file(file).unwrap_or_default());
    let nodes_of = |file: &mut Object| file.get_mut("nodes")?.as_object_mut().map(std::mem::take);
    let [mut old_nodes, mut nodes] = [&mut old, &mut new].map(|file| nodes_of(file).unwrap_or_default());
    let all_old: Vec<String> = old_nodes.keys().cloned().collect();
    let tree = TaskTree::from_json(existing.as_bytes())?.tree;
    // A node may be named by the one above it only.
    for (_, node) in tree.nodes() {
        if let (Some(parent), Some(value)) = (node.parent, old_nodes.get_mut(node.id.as_str())) {
            value["parent"] = tree.node(parent).id.as_str().into();
        }
    }
    let mut merged = MergedPlan::default();
    for (id, node) in &mut nodes {
        match old_nodes.get(id).and_then(Value::as_object).zip(node.as_object_mut()) {
            Some((old, new)) => {
                merged.keep_edits(id, old, new, &records);
                merged.renamed.extend(renamed(id, old, new, same));
            }
            None if records[0].has(id) => merged.deleted.push(id.clone()),
            None => merged.added.push(id.clone()),
        }
    }
    leave_out(&mut nodes, &merged.deleted);
    let sources = texts(new.get("spec_files"));
    let is_of_source = |node: &Value| {
        node["source_file"].as_str().is_some_and(|file| sources.iter().any(|known| known == file))
    };
    old_nodes.retain(|id, _| !nodes.contains_key(id));
    let is_gone = |id: &String, node: &Value| records[0].has(id) && is_of_source(node);
    merged.removed =
        old_nodes.iter().filter(|(id, node)| is_gone(id, node)).map(|(id, _)| id.clone()).collect();
    // What was added by hand stays beside its neighbour, in the plan and in the file.
    let keys = |nodes: &Object| nodes.keys().cloned().collect::<Vec<_>>();
    let before: Vec<String> = tree.nodes().map(|(_, node)| node.id.to_string()).collect();
    let [order, in_file] = [&before, &all_old].map(|old| with_new(&keys(&nodes), old));
    nodes.extend(old_nodes.into_iter().filter(|(id, node)| !is_gone(id, node)));
    nodes = in_file.into_iter().filter_map(|id| nodes.remove_entry(&id)).collect();
    let mut children: HashMap<Option<String>, Vec<String>> = HashMap::new();
    for id in order.into_iter().filter(|id| nodes.contains_key(id)) {
        let above = nodes[&id]["parent"].as_str().filter(|above| nodes.contains_key(*above));
        children.entry(above.map(str::to_owned)).or_default().push(id);
    }
    let roots = children.remove(&None).unwrap_or_default();
    if let Some(written) = new.get_mut("built").and_then(written_to_plan) {
        written.insert("root_ids".to_owned(), mark("root_ids", &roots));
    }
    let roots = edited_order(&old, "root_ids", &roots, &records[0]).unwrap_or(roots);
    new.insert("root_ids".to_owned(), roots.into());
    for node in nodes.values_mut() {
        (node["parent"], node["children"]) = (Value::Null, Value::Null);
    }
    for (above, below) in children {
        below.iter().for_each(|id| nodes[id]["parent"] = above.as_deref().into());
        nodes[&above.unwrap_or_default()]["children"] = below.into();
    }
    merged.keep_edits(OF_PLAN, &old, &mut new, &records);
    let gone = texts(old.get("spec_files")).into_iter().filter(|file| !sources.contains(file));
    new["spec_files"] = sources.iter().cloned().chain(gone).collect();
    new["nodes"] = Value::Object(nodes);
    new["execution_order"] = Value::Null;
    merged.text = finished(new.clone())?;
    let computed = texts(object(&merged.text).get("execution_order"));
    if let Some(order) = edited_order(&old, "execution_order", &computed, &records[0]) {
        new["execution_order"] = order.into();
        merged.text = finished(new)?;
    }
    // The order may follow from what was edited by hand, and is named only if nothing else is.
    if merged.added.is_empty() && merged.removed.is_empty() && merged.changed.is_empty() {
        let (before, after) = (object(&finished(object(existing))?), object(&merged.text));
        let orders = ["root_ids", "execution_order"].into_iter();
        let changed = orders.filter(|field| before.get(*field) != after.get(*field));
        let fields: Vec<String> = changed.map(str::to_owned).collect();
        merged.changed.extend((!fields.is_empty()).then(|| NodeFields { id: "(plan)".to_owned(), fields }));
    }
    Ok(merged)
}

impl MergedPlan {
    /// Takes over the fields of an object that were edited by hand, and notes what differs.
    fn keep_edits(&mut self, id: &str, old: &Object, new: &mut Object, [before, now]: &[BuildRecord; 2]) {
        let fixed: &[&str] = if id == OF_PLAN { &FIXED_IN_PLAN } else { &FIXED };
        let only_old = old.keys().filter(|field| !new.contains_key(*field));
        let fields = new.keys().chain(only_old).filter(|field| !fixed.contains(&field.as_str()));
        let fields: Vec<String> = fields.cloned().collect();
        let (mut kept, mut changed) = (Vec::new(), Vec::new());
        for field in fields {
            let mine = old.get(&field).and_then(present);
            let (was, is) = (before.written(id, &field), now.written(id, &field));
            if mine.map(|value| mark(&field, value)).as_ref() != was {
                let theirs = new.get(&field).and_then(present);
                if field == "depends_on" {
                    let needs = both(&texts(was), &texts(mine), texts(theirs));
                    new.insert(field.clone(), needs.into());
                } else {
                    if theirs != mine && is != was {
                        kept.push(field.clone());
                    }
                    match old.get(&field) {
                        Some(value) => new.insert(field.clone(), value.clone()),
                        None => new.shift_remove(&field),
                    };
                }
            }
            if mine != new.get(&field).and_then(present) {
                changed.push(field);
            }
        }
        for (list, fields) in [(&mut self.kept, kept), (&mut self.changed, changed)] {
            let id = if id == OF_PLAN { "(plan)" } else { id };
            list.extend((!fields.is_empty()).then(|| NodeFields { id: id.to_owned(), fields }));
        }
    }
}

/// The fields of the whole plan that follow from the sources or from the nodes.
const FIXED_IN_PLAN: [&str; 5] = ["nodes", "root_ids", "execution_order", "spec_files", "built"];

/// The texts of a list.
fn texts(list: Option<&Value>) -> Vec<String> {
    let items = list.and_then(Value::as_array).into_iter().flatten();
    items.filter_map(Value::as_str).map(str::to_owned).collect()
}

/// A list of the sources with what was added to it and removed from it by hand since it was written.
fn both(written: &[String], mine: &[String], theirs: Vec<String>) -> Vec<String> {
    let is_removed = |id: &String| written.contains(id) && !mine.contains(id);
    let mut list: Vec<String> = theirs.into_iter().filter(|id| !is_removed(id)).collect();
    let added =
        mine.iter().filter(|id| !written.contains(id) && !list.contains(id)).cloned().collect::<Vec<_>>();
    list.extend(added);
    list
}

/// Leaves out nodes that were deleted by hand. What waited for one of them waits for what it waited for.
fn leave_out(nodes: &mut Object, deleted: &[String]) {
    let deleted: HashSet<&str> = deleted.iter().map(String::as_str).collect();
    let (gone, left): (Object, Object) =
        std::mem::take(nodes).into_iter().partition(|(id, _)| deleted.contains(id.as_str()));
    *nodes = left;
    for node in nodes.values_mut().filter(|_| !gone.is_empty()) {
        while let Some(above) = node["parent"].as_str().and_then(|id| gone.get(id)) {
            node["parent"] = above["parent"].clone();
        }
        let mut open = texts(node.get("depends_on"));
        open.reverse();
        let (mut needs, mut seen) = (Vec::new(), HashSet::new());
        while let Some(id) = open.pop() {
            match gone.get(&id) {
                _ if !seen.insert(id.clone()) => {}
                Some(gone) => open.extend(texts(gone.get("depends_on"))),
                None => needs.push(id),
            }
        }
        node["depends_on"] = needs.into();
    }
}

/// An order of a file that was edited by hand, with what is only in the one that is there now, and without what is not; `None` if it
/// was not edited.
fn edited_order(old: &Object, field: &str, now: &[String], record: &BuildRecord) -> Option<Vec<String>> {
    let order = old.get(field).and_then(present)?;
    if Some(&mark(field, order)) == record.written(OF_PLAN, field) {
        return None;
    }
    let mut order = texts(Some(order));
    order.retain(|id| now.contains(id));
    Some(with_new(&order, now))
}

/// An order, and what is only in another one, each after what it follows there.
fn with_new(order: &[String], other: &[String]) -> Vec<String> {
    let known: HashSet<&String> = order.iter().collect();
    let mut new: HashMap<Option<&String>, Vec<&String>> = HashMap::new();
    let mut last = None;
    for id in other {
        match known.contains(id) {
            true => last = Some(id),
            false => new.entry(last).or_default().push(id),
        }
    }
    let mut whole = Vec::new();
    for place in std::iter::once(None).chain(order.iter().map(Some)) {
        whole.extend(place.cloned());
        whole.extend(new.get(&place).into_iter().flatten().copied().cloned());
    }
    whole
}

/// What a task is called now, if that is another name. That of the same task is kept in its field `was`.
fn renamed(id: &str, old: &Object, now: &mut Object, same: &[String]) -> Option<Renamed> {
    let name = |node: &Object| without_gaps(node.get("name").and_then(Value::as_str).unwrap_or_default());
    let is_task = |node: &Object| node.get("children").and_then(present).is_none();
    let (before, name) = (name(old), name(now));
    if before == name || !is_task(old) || !is_task(now) {
        return None;
    }
    let mut was = texts(old.get("was"));
    let is_same = was.contains(&name) || same.iter().any(|same| same == id);
    if is_same {
        was.retain(|former| *former != name);
        was.push(before.clone());
        now.insert("was".to_owned(), was.into());
    }
    Some(Renamed { id: id.to_owned(), before, now: name, is_same })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_added_by_hand_stays_beside_its_neighbour() {
        let node = |id: &str, more: &str| format!(r#""{id}": {{"id": "{id}", "name": "{id}"{more}}}"#);
        let file = |nodes: &[String]| format!(r#"{{"spec_files": [], "nodes": {{{}}}}}"#, nodes.join(", "));
        let [p, a, b, q] =
            [node("p", ""), node("A", r#", "parent": "p""#), node("B", r#", "parent": "p""#), node("q", "")];
        let (before, between) = (node("H", r#", "parent": "p""#), node("I", r#", "parent": "p""#));
        let by_hand = file(&[p.clone(), before, a.clone(), between, b.clone(), node("r", ""), q.clone()]);
        let built = finished(object(&file(&[p, node("N", r#", "parent": "p""#), a, b, q]))).unwrap();
        let merged = merge(&by_hand, &built, &[]).unwrap().text;
        let tree = TaskTree::from_json(merged.as_bytes()).unwrap().tree;
        let ids: Vec<&str> = tree.nodes().map(|(_, node)| node.id.as_str()).collect();
        assert_eq!(ids, ["p", "H", "N", "A", "I", "B", "r", "q"]);
    }
}
