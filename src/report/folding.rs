//! Decides which nodes of a plan get a line of their own, so that a large plan stays readable: what is finished is
//! folded, and if the rest is too long, what is far from the work is left out.

use super::document::RunDocument;
use super::mark::TaskMark;
use crate::plan::{NodeIx, Readiness};

/// How many tasks right before and after the running one matter more than other phases.
const NEIGHBOURS: usize = 3;
/// What was done before is less interesting than what comes next, by this factor.
const PAST: usize = 2;

/// How much of a plan is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Every node.
    Everything,
    /// At most this many lines, with what is finished folded.
    Lines(usize),
}

/// One line of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TreeRow {
    pub(super) shown: ShownLine,
    /// How many nodes are above it.
    pub(super) depth: usize,
    /// Whether nothing follows it below the same parent.
    pub(super) is_last: bool,
}

/// What a line shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ShownLine {
    /// A task.
    Task(NodeIx),
    /// A node, and lines for what is below it.
    Open(NodeIx),
    /// A node, and nothing of what is below it.
    Folded(NodeIx),
    /// Several nodes with the same parent, from the first to the last of them, and everything below them.
    Several(NodeIx, NodeIx),
}

/// The lines of a plan in which these nodes are running. Each of them gets a line, as long as there is room for one.
pub(super) fn fold(document: &RunDocument<'_>, extent: Extent, running: &[NodeIx]) -> Vec<TreeRow> {
    let folding = Folding { document, running };
    match extent {
        Extent::Everything => rows(document, &vec![true; document.plan.nodes().len()]),
        Extent::Lines(most) => folding.in_lines(most),
    }
}

/// The lines of these tasks and of the nodes above them, and of nothing else.
pub(super) fn only(document: &RunDocument<'_>, tasks: &[NodeIx]) -> Vec<TreeRow> {
    let kept = kept(document, tasks.iter().copied());
    let mut rows = rows(document, &kept);
    rows.retain(|row| {
        matches!(row.shown, ShownLine::Open(_))
            || matches!(row.shown, ShownLine::Task(task) if kept[task.position()])
    });
    // The last one below a parent may be left out now.
    let mut follows: Vec<bool> = Vec::new();
    for row in rows.iter_mut().rev() {
        follows.resize(row.depth + 1, false);
        row.is_last = !std::mem::replace(&mut follows[row.depth], true);
    }
    rows
}

/// Leaves out a line. What is below it moves up a level, into its place.
fn leave_out(rows: &mut Vec<TreeRow>, place: usize) {
    let TreeRow { depth, is_last, .. } = rows.remove(place);
    for row in rows[place..].iter_mut().take_while(|row| row.depth > depth) {
        row.depth -= 1;
        row.is_last &= row.depth > depth || is_last;
    }
}

struct Folding<'f> {
    document: &'f RunDocument<'f>,
    running: &'f [NodeIx],
}

impl Folding<'_> {
    fn in_lines(&self, most: usize) -> Vec<TreeRow> {
        let candidates = self.candidates();
        let with = |count: usize| {
            let nodes = self.running.iter().chain(&candidates[..count]).copied();
            rows(self.document, &kept(self.document, nodes))
        };
        let all = with(candidates.len());
        if all.len() <= most {
            return all;
        }
        // One more node never takes fewer lines, so the largest number that fits can be found by halving.
        let counts: Vec<usize> = (1..candidates.len()).collect();
        let fits = counts.partition_point(|count| with(*count).len() <= most);
        self.cut(with(fits), most)
    }

    /// At most `most` of these lines: those of what is running, and then those of the nodes above it, the nearest ones longest.
    /// Of the lines for several nodes, those of what comes later stay longest.
    fn cut(&self, mut rows: Vec<TreeRow>, most: usize) -> Vec<TreeRow> {
        let worth = |row: &TreeRow| match row.shown {
            ShownLine::Several(..) => 0,
            ShownLine::Task(node) | ShownLine::Folded(node) | ShownLine::Open(node)
                if self.running.contains(&node) =>
            {
                3
            }
            ShownLine::Task(_) | ShownLine::Folded(_) => 1,
            ShownLine::Open(_) => 2,
        };
        while rows.len() > most {
            let least = rows.iter().map(worth).min().unwrap_or(0);
            let is_least = |row: &TreeRow| worth(row) == least;
            let place = if least == 3 { rows.len() - 1 } else { rows.iter().position(is_least).unwrap_or(0) };
            leave_out(&mut rows, place);
        }
        rows
    }

    /// The nodes that may have a line, the most important ones first. What is below a finished node has none.
    fn candidates(&self) -> Vec<NodeIx> {
        let tree = self.document.plan;
        let mut hidden_until = 0;
        let mut candidates = Vec::new();
        for (ix, node) in tree.nodes() {
            if ix.position() < hidden_until {
                continue;
            }
            candidates.push(ix);
            if !node.is_leaf() && self.document.readiness.of(ix) == Readiness::Done {
                hidden_until = self.end(ix) + 1;
            }
        }
        let focus = self.focus();
        candidates
            .sort_by_cached_key(|ix| (self.class(*ix, focus), self.distance(*ix, focus), ix.position()));
        candidates
    }

    /// The node around which everything is shown.
    fn focus(&self) -> Option<NodeIx> {
        let first_in = |wanted: TaskMark| {
            let mut order = self.document.plan.order().iter().copied();
            order.find(|leaf| self.document.task(*leaf).mark() == wanted)
        };
        let running = self.running.first().copied();
        running
            .or_else(|| first_in(TaskMark::Active))
            .or(self.document.next_leaf)
            .or_else(|| first_in(TaskMark::Failed))
    }

    /// How important a node is; less is more.
    fn class(&self, ix: NodeIx, focus: Option<NodeIx>) -> usize {
        let document = self.document;
        if !document.plan.is_leaf(ix) {
            return if document.plan.node(ix).parent.is_none() { 4 } else { 5 };
        }
        match (document.task(ix).mark(), document.task(ix).readiness) {
            (TaskMark::Failed, _) => 1,
            (TaskMark::Active, _) | (_, Readiness::Held | Readiness::Asked) => 2,
            _ if document.next_leaf == Some(ix) => 2,
            _ if focus.is_some_and(|focus| self.are_neighbours(ix, focus)) => 3,
            _ => 6,
        }
    }

    fn are_neighbours(&self, ix: NodeIx, focus: NodeIx) -> bool {
        let tree = self.document.plan;
        let parent = tree.node(ix).parent;
        // Tasks without a parent are neighbours of each other, too.
        parent == tree.node(focus).parent && ix.position().abs_diff(focus.position()) <= NEIGHBOURS
    }

    fn distance(&self, ix: NodeIx, focus: Option<NodeIx>) -> usize {
        let Some(focus) = focus else { return 0 };
        let (start, end, focus) = (ix.position(), self.end(ix), focus.position());
        match focus.checked_sub(end) {
            Some(before) if before > 0 => before * PAST,
            _ => start.saturating_sub(focus),
        }
    }

    /// The position of the last node below it.
    fn end(&self, ix: NodeIx) -> usize {
        self.document.plan.leaves_below(ix).next_back().map_or(ix.position(), NodeIx::position)
    }
}

/// Marks these nodes and those above them.
fn kept(document: &RunDocument<'_>, nodes: impl Iterator<Item = NodeIx>) -> Vec<bool> {
    let mut kept = vec![false; document.plan.nodes().len()];
    for node in nodes {
        let mut next = Some(node);
        while let Some(ix) = next.filter(|ix| !kept[ix.position()]) {
            kept[ix.position()] = true;
            next = document.plan.node(ix).parent;
        }
    }
    kept
}

/// Nodes with the same parent, of which the first few are done.
struct Siblings<'t> {
    nodes: &'t [NodeIx],
    done: usize,
}

/// A line for each node that is kept. Nodes beside each other that are not kept share a line.
fn rows(document: &RunDocument<'_>, kept: &[bool]) -> Vec<TreeRow> {
    let tree = document.plan;
    let mut rows = Vec::new();
    // A tree may be too deep for a recursion.
    let mut open = vec![Siblings { nodes: tree.roots(), done: 0 }];
    while let Some(siblings) = open.last_mut() {
        let rest = &siblings.nodes[siblings.done..];
        let Some(first) = rest.first().copied() else {
            open.pop();
            continue;
        };
        let left_out = rest.iter().take_while(|ix| !kept[ix.position()]).count();
        let taken = left_out.max(1);
        siblings.done += taken;
        let is_last = taken == rest.len();
        let last = rest[taken - 1];
        let depth = open.len() - 1;
        let children = &tree.node(first).children;
        let shown = match left_out {
            2.. => ShownLine::Several(first, last),
            // The line of a single node says more than one that stands for it.
            _ if children.is_empty() => ShownLine::Task(first),
            _ if children.iter().any(|ix| kept[ix.position()]) => ShownLine::Open(first),
            _ => ShownLine::Folded(first),
        };
        rows.push(TreeRow { shown, depth, is_last });
        if matches!(shown, ShownLine::Open(_)) {
            open.push(Siblings { nodes: children, done: 0 });
        }
    }
    rows
}

#[cfg(test)]
mod tests;
