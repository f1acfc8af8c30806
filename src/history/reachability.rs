//! Finds the commits in `anchor..head`, that is, those that `head` reaches and the anchor does not.

use std::collections::{BinaryHeap, HashSet};

use super::bits::Bits;
use super::graph::{Graph, Known, Node};
use super::source::shallow_cut;
use crate::error::Result;

/// How many more commits are read after the dates say that the range is complete. A commit with a date before those of
/// all its ancestors in the range could be missed otherwise. So many such commits in a row do not occur in practice.
const CAUTION: usize = 256;

/// Which commits of a graph belong to a range.
pub(super) struct Reachability {
    visits: Vec<Visit>,
}

/// Which end of the range reaches a commit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Reach {
    /// Neither, as far as is known.
    #[default]
    Unseen,
    /// Only the head, as far as is known.
    Inside,
    /// The anchor.
    Outside,
}

/// The known facts about a commit.
#[derive(Clone, Copy, Debug, Default)]
struct Visit {
    reach: Reach,
    /// Whether its parents have been looked at.
    expanded: bool,
}

impl Reachability {
    /// Whether the commit is in the range.
    pub(super) fn is_inside(&self, node: Node) -> bool {
        self.visits.get(node).is_some_and(|visit| visit.reach == Reach::Inside)
    }

    /// The commits of the range that one of them reaches, and itself.
    pub(super) fn reached_from(&self, graph: &Known, from: Node) -> Bits {
        let (mut open, mut reached) = (vec![from], Bits::default());
        while let Some(node) = open.pop() {
            if self.is_inside(node) && !reached.contains(node) {
                reached.insert(node);
                open.extend(graph.known_parents(node));
            }
        }
        reached
    }
}

/// Finds out which commits are in the range.
///
/// # Errors
/// If a shallow clone left out commits that could belong to the range.
pub(super) fn reachability(graph: &mut Graph<'_>, head: Node, anchor: Option<Node>) -> Result<Reachability> {
    let walk = ReachabilityWalk::between(graph, &[head], anchor)?;
    walk.check_cuts(graph)?;
    Ok(Reachability { visits: walk.visits })
}

/// Which of these commits `head` reaches, as far as they are here.
pub(super) fn reached_from(graph: &mut Graph<'_>, head: Node, wanted: &[Node]) -> Result<HashSet<Node>> {
    let walk = ReachabilityWalk::between(graph, wanted, Some(head))?;
    Ok(wanted.iter().copied().filter(|node| walk.visits[*node].reach == Reach::Outside).collect())
}

/// A walk over the graph, newest commits first.
struct ReachabilityWalk {
    visits: Vec<Visit>,
    /// With the same date, commits inside come first, so that nothing below the anchor is read for them.
    queue: BinaryHeap<(i64, bool, Node)>,
    /// How many commits are inside.
    inside: usize,
    /// How many of them are in the queue.
    open: usize,
    /// The oldest date of a commit that was inside when it was expanded.
    oldest: i64,
    /// Whether a commit that was inside when it was expanded had no parents.
    has_inner_root: bool,
    /// How many commits were expanded since dates said that nothing more would change.
    idle: usize,
}

impl ReachabilityWalk {
    /// Walks down from the heads of a range and from its anchor. Commits are taken newest first, those of the range and the ancestors
    /// of the anchor together, so that little of the old history that both share is read.
    fn between(graph: &mut Graph<'_>, heads: &[Node], anchor: Option<Node>) -> Result<Self> {
        let mut walk = Self {
            visits: vec![Visit::default(); graph.len()],
            queue: BinaryHeap::new(),
            inside: 0,
            open: 0,
            oldest: i64::MAX,
            has_inner_root: false,
            idle: 0,
        };
        if let Some(anchor) = anchor {
            walk.visit(graph, anchor, Reach::Outside);
        }
        for &head in heads {
            walk.visit(graph, head, Reach::Inside);
        }
        while let Some((time, _, node)) = walk.queue.pop() {
            if walk.is_settled(time, anchor == Some(node)) {
                break;
            }
            walk.expand(graph, node)?;
        }
        Ok(walk)
    }

    /// Whether no commit that the queue leads to can still move another one out of the range. `time` is the date of the
    /// next commit in the queue.
    fn is_settled(&mut self, time: i64, is_anchor: bool) -> bool {
        if self.open > 0 || self.inside == 0 {
            return self.inside == 0;
        }
        if is_anchor && self.queue.is_empty() && !self.has_inner_root {
            // Every path down from the head has ended at the anchor.
            return true;
        }
        if time >= self.oldest {
            return false;
        }
        self.idle += 1;
        self.idle > CAUTION
    }

    /// Looks at the parents of a commit.
    fn expand(&mut self, graph: &mut Graph<'_>, node: Node) -> Result<()> {
        graph.parents(node)?;
        let reach = self.visits[node].reach;
        self.visits[node].expanded = true;
        if reach == Reach::Inside {
            self.open -= 1;
            self.oldest = self.oldest.min(graph.commit(node).time);
            self.has_inner_root |= graph.known_parents(node).next().is_none();
        }
        for parent in graph.known_parents(node) {
            self.visit(graph, parent, reach);
        }
        Ok(())
    }

    /// Records which end reaches a commit. Commits that the anchor reaches are outside, even if the head reaches them
    /// too.
    fn visit(&mut self, graph: &Graph<'_>, node: Node, reach: Reach) {
        if self.visits.len() <= node {
            self.visits.resize(graph.len(), Visit::default());
        }
        match (self.visits[node].reach, reach) {
            (Reach::Unseen, _) => {
                self.visits[node].reach = reach;
                self.open += usize::from(reach == Reach::Inside);
                self.inside += usize::from(reach == Reach::Inside);
                self.queue.push((graph.commit(node).time, reach == Reach::Inside, node));
            }
            (Reach::Inside, Reach::Outside) => self.expel(graph, node),
            _ => {}
        }
    }

    /// Moves a commit that seemed to be inside, and all commits that it reaches as far as is known, out of the range.
    fn expel(&mut self, graph: &Graph<'_>, node: Node) {
        self.idle = 0;
        let mut pending = vec![node];
        while let Some(node) = pending.pop() {
            let visit = &mut self.visits[node];
            if visit.reach == Reach::Outside {
                continue;
            }
            visit.reach = Reach::Outside;
            self.inside -= 1;
            if visit.expanded {
                pending.extend(graph.known_parents(node));
            } else {
                self.open -= 1;
            }
        }
    }

    /// Refuses an answer that the missing parents of a boundary commit could change. This matters for a commit in the
    /// range, and for one outside that is not older than everything in the range, as far as dates can be trusted: not where
    /// a commit is older than its own parent.
    fn check_cuts(&self, graph: &Graph<'_>) -> Result<()> {
        let visited = |reach| (0..self.visits.len()).filter(move |&node| self.visits[node].reach == reach);
        let oldest = visited(Reach::Inside).map(|node| graph.commit(node).time).min().unwrap_or(i64::MAX);
        let inside = visited(Reach::Inside).find(|&node| graph.commit(node).is_cut);
        let is_older_than_parent = |node: usize| {
            let is_expanded = self.visits[node].expanded;
            is_expanded
                && graph.known_parents(node).any(|parent| graph.commit(parent).time > graph.commit(node).time)
        };
        let outside = visited(Reach::Outside).find(|&node| {
            let commit = graph.commit(node);
            commit.is_cut
                && self.visits[node].expanded
                && (commit.time >= oldest || (0..self.visits.len()).any(is_older_than_parent))
        });
        inside.or(outside).map_or(Ok(()), |node| Err(shallow_cut(&graph.commit(node).id)))
    }
}
