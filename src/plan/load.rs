//! Turns the bytes of a file into a valid tree, or into a list of all its problems.

use std::collections::HashMap;
use std::sync::Arc;

use super::assemble::Assembled;
use super::cycle;
use super::draft::Draft;
use super::fields::Mentions;
use super::index::DraftIndex;
use super::json::JsonFile;
use super::links::Links;
use super::node::Node;
use super::node_ix::NodeIx;
use super::notes::Notes;
use super::order;
use super::problem::{Problems, circle, shown};
use super::source::Source;
use super::task_field::FieldSet;
use super::{TaskId, TaskTree};

/// A tree, and warnings about its file.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The tree.
    pub tree: TaskTree,
    /// Warnings for the user, in the order of the file.
    pub warnings: Problems,
}

impl TaskTree {
    /// Reads the bytes of a `task-tree.json` (docs/plans.md).
    ///
    /// Only `nodes` and, in every node, `id` and `name` are required. Null means absent, but a null `parent` means that
    /// there is no parent. Unknown fields are ignored. Either `parent` or `children` is enough; if both are given, they
    /// must agree. `root_ids`, `execution_order` and `is_leaf` follow from the rest: if they are wrong in the file,
    /// they are computed and a warning says so.
    ///
    /// # Errors
    /// All problems of the file. Broken JSON is a single problem.
    pub fn from_json(bytes: &[u8]) -> Result<Loaded, Problems> {
        let source = Source::decode(bytes)?;
        let document = JsonFile::read(&source)?;
        let mut notes = Notes::new(source);
        let tree = Draft::read(document, &mut notes).and_then(|draft| build(draft, &mut notes));
        notes.conclude(tree).map(|(tree, warnings)| Loaded { tree, warnings })
    }
}

/// Checks the draft and turns it into a tree; `None`, after recording why, if that is not possible.
fn build(draft: Draft<'_>, notes: &mut Notes<'_>) -> Option<TaskTree> {
    let links = {
        let index = DraftIndex::new(&draft);
        let links = Links::new(&index, notes);
        warn_about_twins(&index, notes);
        warn_about_leaf_flags(&index, &links, notes);
        links
    };
    let Draft { spec_id, spec_files, suite, about, defaults, nodes, execution_order, .. } = draft;
    let assembled = Assembled::new(nodes, &links, notes);
    let sequence = order::sequence(&assembled.nodes)
        .map_err(|placed| note_cycles(&assembled, &placed, notes))
        .ok()
        .filter(|_| notes.is_sound())?;
    let Assembled { mut nodes, roots, .. } = assembled;
    let defaults = Arc::new(defaults);
    hand_down(&mut nodes, &defaults);
    let by_id: HashMap<TaskId, NodeIx> =
        nodes.iter().enumerate().map(|(at, node)| (node.id.clone(), NodeIx::new(at))).collect();
    let order = execution_order
        .and_then(|given| use_given(&given, &nodes, &by_id, notes))
        .unwrap_or_else(|| order::leaves(&sequence, &nodes));
    Some(TaskTree { spec_id, spec_files, suite, about, nodes, by_id, roots, order, sequence })
}

/// Gives every node the fields of the nodes above it. A parent comes before its children.
fn hand_down(nodes: &mut [Node], defaults: &Arc<FieldSet>) {
    for own in 0..nodes.len() {
        let above = nodes[own].parent.map_or(defaults, |parent| &nodes[parent.position()].fields);
        let above = Arc::clone(above);
        nodes[own].inherit(NodeIx::new(own), &above);
    }
}

/// Ids that differ only in case name the same file and the same branch on some systems.
fn warn_about_twins(index: &DraftIndex<'_, '_>, notes: &mut Notes<'_>) {
    let mut first: HashMap<String, &str> = HashMap::with_capacity(index.draft.nodes.len());
    for node in &index.draft.nodes {
        let id = node.node.id.as_str();
        if let Some(earlier) = first.insert(id.to_ascii_lowercase(), id) {
            let what = format!("the ids {earlier} and {id} differ only in case");
            let remedy = "Rename one: some file systems treat them as the same name.";
            notes.warning(node.at, what, remedy);
        }
    }
}

fn warn_about_leaf_flags(index: &DraftIndex<'_, '_>, links: &Links, notes: &mut Notes<'_>) {
    for (pos, children) in links.children.iter().enumerate() {
        let (what, remedy) = match (index.node(pos).is_leaf, children.is_empty()) {
            (Some((false, _)), true) => (
                "has no children, so it is executed, though is_leaf is false",
                "Give it children, remove it, or set is_leaf to true.",
            ),
            (Some((true, _)), false) => {
                ("has children, so it is not executed, though is_leaf is true", "Set is_leaf to false.")
            }
            _ => continue,
        };
        let at = index.node(pos).is_leaf.map_or(0, |(_, at)| at);
        notes.warning(at, format!("{} {what}", index.noun(pos)), remedy);
    }
}

/// How many steps between a node and one of its parents, or back, a message about a cycle explains.
const MOST_EXPLAINED: usize = 4;

fn note_cycles(assembled: &Assembled, placed: &[bool], notes: &mut Notes<'_>) {
    let nodes = &assembled.nodes;
    let node = |ix: NodeIx| &nodes[ix.position()];
    for cycle in cycle::cycles(nodes, placed) {
        let ids: Vec<&str> = cycle.iter().map(|ix| node(*ix).id.as_str()).collect();
        let steps = || cycle.iter().zip(cycle.iter().cycle().skip(1));
        let parts: Vec<String> = steps()
            .filter_map(|(here, next)| {
                let (here, next) = match (node(*here).parent, node(*next).parent) {
                    (Some(parent), _) if parent == *next => (here, next),
                    (_, Some(parent)) if parent == *here => (next, here),
                    _ => return None,
                };
                Some(format!("{} is part of {}", node(*here).id, node(*next).id))
            })
            .take(MOST_EXPLAINED)
            .collect();
        let parts = if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) };
        let at = steps().find_map(|(here, next)| assembled.position_of(*here, *next)).unwrap_or(0);
        let what = format!("the dependencies form a cycle: {}{parts}", circle(&ids));
        notes.problem(at, what, "Remove one of these dependencies.");
    }
}

/// The order in the file, if it contains exactly the leaves and respects the dependencies. Otherwise a warning says why
/// it is not used.
fn use_given(
    given: &Mentions<'_>,
    nodes: &[Node],
    by_id: &HashMap<TaskId, NodeIx>,
    notes: &mut Notes<'_>,
) -> Option<Vec<NodeIx>> {
    match check_given(given, nodes, by_id) {
        Ok(order) => Some(order),
        Err((at, fault)) => {
            let remedy = "Correct it or remove it; the order is computed instead.";
            notes.warning(at, format!("execution_order {fault}"), remedy);
            None
        }
    }
}

fn check_given(
    given: &Mentions<'_>,
    nodes: &[Node],
    by_id: &HashMap<TaskId, NodeIx>,
) -> Result<Vec<NodeIx>, (usize, String)> {
    let mut named = vec![false; nodes.len()];
    let mut order = Vec::with_capacity(given.items.len());
    for mention in &given.items {
        let fault = match by_id.get(&*mention.text) {
            None => "which is not in the plan",
            Some(ix) if !nodes[ix.position()].is_leaf() => "which is not a task: it has children",
            Some(ix) if named[ix.position()] => "which it has named already",
            Some(ix) => {
                named[ix.position()] = true;
                order.push(*ix);
                continue;
            }
        };
        return Err((mention.at, format!("names {}, {fault}", shown(&mention.text))));
    }
    if let Some((_, left_out)) = named.iter().zip(nodes).find(|(named, node)| node.is_leaf() && !**named) {
        return Err((given.at, format!("leaves out {}", left_out.id)));
    }
    match order::first_violation(&order, nodes) {
        None => Ok(order),
        Some((own, dependency)) => {
            let (own, dependency) = (&nodes[own.position()], &nodes[dependency.position()]);
            Err((given.at, format!("lists {} before {}, which it depends on", own.id, dependency.id)))
        }
    }
}
