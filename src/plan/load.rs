//! Turns the bytes of a file into a valid tree, or into a list of all its problems.

use std::collections::HashMap;
use std::sync::Arc;

use super::cycle::told;
use super::draft::Draft;
use super::json::Value;
use super::links::{Linked, exactly};
use super::node_ix::NodeIx;
use super::notes::Notes;
use super::order::{Moments, leaves};
use super::problem::{Problem, write_a_plan};
use super::source::Source;
use super::{FieldValue, TaskField, TaskId, TaskTree};

/// A tree, and warnings about its file.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The tree.
    pub tree: TaskTree,
    /// Warnings for the user, in the order of the file.
    pub warnings: Vec<Problem>,
}

impl TaskTree {
    /// Reads the bytes of a `task-tree.json` (docs/plans.md).
    ///
    /// Only `nodes` and, in every node, `id` and `name` are required. Null means absent. Unknown fields are ignored. Either
    /// `parent` or `children` is enough; they must not contradict each other. `root_ids`, `execution_order` and `is_leaf` follow
    /// from the rest: if they are wrong in the file, they are computed and a warning says so.
    ///
    /// # Errors
    /// All problems of the file. Broken JSON is a single problem.
    pub fn from_json(bytes: &[u8]) -> Result<Loaded, Vec<Problem>> {
        let source = Source::decode(bytes, &write_a_plan()).map_err(|only| vec![only])?;
        let value = Value::of(&source).map_err(|only| vec![only])?;
        let mut notes = Notes { source, problems: Vec::new(), warnings: Vec::new() };
        let tree = Draft::read(value, &mut notes).and_then(|draft| build(draft, &mut notes));
        let Notes { mut problems, mut warnings, .. } = notes;
        problems.sort_by_key(|problem| problem.line);
        warnings.sort_by_key(|warning| warning.line);
        tree.filter(|_| problems.is_empty()).map(|tree| Loaded { tree, warnings }).ok_or(problems)
    }
}

/// Checks the draft and turns it into a tree; `None`, after recording why, if that is not possible.
fn build(mut draft: Draft<'_>, notes: &mut Notes<'_>) -> Option<TaskTree> {
    let (tree, given) = (std::mem::take(&mut draft.tree), draft.execution_order.take());
    let defaults = Arc::new(std::mem::take(&mut draft.defaults));
    let mut linked = Linked::new(draft, notes);
    // A parent comes before its children.
    for own in 0..linked.nodes.len() {
        let parent = linked.nodes[own].parent;
        let above = parent.map_or(&defaults, |parent| &linked.nodes[parent.position()].fields);
        let above = Arc::clone(above);
        let fields = &mut linked.nodes[own].fields;
        *fields = match fields.0.is_empty() && above.iter().all(|entry| entry.field.is_inherited()) {
            true => above,
            false => Arc::new(fields.of_node(NodeIx::new(own), &above)),
        };
    }
    let by_id: HashMap<TaskId, NodeIx> =
        linked.nodes.iter().enumerate().map(|(at, node)| (node.id.clone(), NodeIx::new(at))).collect();
    let node = |ix: NodeIx| &linked.nodes[ix.position()];
    let moments = Moments::new(linked.nodes.iter().map(|node| (node.parent, node.depends_on.as_slice())));
    let tasks: Vec<NodeIx> =
        (0..linked.nodes.len()).map(NodeIx::new).filter(|ix| node(*ix).is_leaf()).collect();
    let own_order = given.as_ref().and_then(|given| {
        let not_a_task = "is not a task: it has children";
        let found =
            exactly(given, &tasks, |id| by_id.get(id).copied(), not_a_task, |ix| node(ix).id.as_str());
        let note = |(at, fault)| {
            let remedy = "Correct it or remove it; the order is computed instead.";
            notes.warning(at, format!("execution_order {fault}"), remedy);
        };
        found.map_err(note).ok()
    });
    let place: HashMap<NodeIx, usize> = own_order.iter().flatten().copied().zip(0..).collect();
    let priority = |ix| match node(ix).fields.get(TaskField::Priority).map(|entry| &*entry.value) {
        Some(FieldValue::Count(count)) => count.get(),
        _ => u32::MAX,
    };
    let rank = |ix| (place.get(&ix).copied(), priority(ix));
    let sequence = moments
        .sequence(rank)
        .map_err(|placed| {
            for cycle in moments.cycles(&placed) {
                let what = told(&cycle, |ix| node(ix).id.as_str(), |ix| node(ix).parent);
                let line = Some(node(cycle[0]).line);
                notes.problems.push(Problem::new(line, what, "Remove one of these dependencies."));
            }
        })
        .ok()
        .filter(|_| notes.problems.is_empty())?;
    let order = leaves(&sequence, &moments);
    if let Some((early, _)) = own_order.iter().flatten().zip(&order).find(|(own, real)| own != real) {
        let what = format!("execution_order lists {} before a task that must come first", node(*early).id);
        let remedy = "Correct the order; that task is done first all the same.";
        notes.warning(given.map_or(0, |given| given.at), what, remedy);
    }
    let Linked { nodes, roots } = linked;
    Some(TaskTree { nodes, by_id, roots, order, sequence, ..tree })
}
