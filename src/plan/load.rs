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
use super::problem::Problems;
use super::source::Source;
use super::{TaskId, TaskTree};

/// A tree, and warnings about its file.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The tree.
    pub tree: TaskTree,
    /// Warnings for the user, in the order of the file.
    pub warnings: Problems,
    /// For each node, the line on which it begins, from 1.
    pub lines: Vec<usize>,
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
    pub fn from_json(bytes: &[u8]) -> Result<Loaded, Problems> {
        let source = Source::decode(bytes)?;
        let value = Value::of(&source)?;
        let mut notes = Notes::new(source);
        let tree = Draft::read(value, &mut notes).and_then(|draft| build(draft, &mut notes));
        notes.conclude(tree).map(|((tree, lines), warnings)| Loaded { tree, warnings, lines })
    }
}

/// Checks the draft and turns it into a tree and the lines of its nodes; `None`, after recording why, if that is not possible.
fn build(mut draft: Draft<'_>, notes: &mut Notes<'_>) -> Option<(TaskTree, Vec<usize>)> {
    let (spec_id, suite) = (draft.spec_id.take(), draft.suite.take());
    let (spec_files, about) = (std::mem::take(&mut draft.spec_files), std::mem::take(&mut draft.about));
    let (defaults, given) = (Arc::new(std::mem::take(&mut draft.defaults)), draft.execution_order.take());
    let mut linked = Linked::new(draft, notes);
    // A parent comes before its children.
    for own in 0..linked.nodes.len() {
        let parent = linked.nodes[own].parent;
        let above = parent.map_or(&defaults, |parent| &linked.nodes[parent.position()].fields);
        let above = Arc::clone(above);
        linked.nodes[own].inherit(NodeIx::new(own), &above);
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
    let rank = |ix| (place.get(&ix).copied(), node(ix).fields.priority().unwrap_or(u32::MAX));
    let sequence = moments
        .sequence(rank)
        .map_err(|placed| moments.cycles(&placed).iter().for_each(|cycle| note_cycle(&linked, cycle, notes)))
        .ok()
        .filter(|_| notes.is_sound())?;
    let order = leaves(&sequence, &moments);
    if let Some((early, _)) = own_order.iter().flatten().zip(&order).find(|(own, real)| own != real) {
        let what = format!("execution_order lists {} before a task that must come first", node(*early).id);
        notes.warning(
            given.map_or(0, |given| given.at),
            what,
            "Correct the order; that task is done first all the same.",
        );
    }
    let lines = linked.starts.iter().map(|at| notes.line(*at)).collect();
    let Linked { nodes, roots, .. } = linked;
    Some((TaskTree { spec_id, spec_files, suite, about, nodes, by_id, roots, order, sequence }, lines))
}

fn note_cycle(linked: &Linked, cycle: &[NodeIx], notes: &mut Notes<'_>) {
    let node = |ix: NodeIx| &linked.nodes[ix.position()];
    let what = told(cycle, |ix| node(ix).id.as_str(), |ix| node(ix).parent);
    notes.problem(linked.starts[cycle[0].position()], what, "Remove one of these dependencies.");
}
