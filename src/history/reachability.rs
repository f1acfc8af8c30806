//! `anchor..head` in its true meaning: what `head` reaches and the anchor does not.

use std::collections::BinaryHeap;

use super::graph::{Annotate, Graph, Node};
use super::source::shallow_cut;
use crate::error::Result;

/// How many commits more are looked at once dates say that the range is complete. A date that lies before those of
/// all of the commit's ancestors in the range could fool them; so many such commits in a row are not met.
const CAUTION: usize = 256;

/// Which commits of a graph belong to a range.
pub(super) struct Painted {
    marks: Vec<Mark>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Paint {
    #[default]
    Unseen,
    Inside,
    Outside,
}

#[derive(Clone, Copy, Debug, Default)]
struct Mark {
    paint: Paint,
    /// Whether its parents have been looked at.
    expanded: bool,
}

impl Painted {
    /// Whether the commit is in the range.
    pub(super) fn is_inside(&self, node: Node) -> bool {
        self.marks.get(node).is_some_and(|mark| mark.paint == Paint::Inside)
    }
}

/// Reads and paints the range. Commits are taken newest first, those of the range and the ancestors of the anchor
/// together, so that old history that both share is hardly read.
///
/// # Errors
/// If a shallow clone left out commits that could belong to the range.
pub(super) fn paint<A: Annotate>(
    graph: &mut Graph<'_, A>,
    head: Node,
    anchor: Option<Node>,
) -> Result<Painted> {
    let mut painter = Painter {
        marks: Vec::new(),
        queue: BinaryHeap::new(),
        open: 0,
        oldest: i64::MAX,
        has_inner_root: false,
        idle: 0,
    };
    if let Some(anchor) = anchor {
        painter.reach(graph, anchor, Paint::Outside);
    }
    painter.reach(graph, head, Paint::Inside);
    while let Some((time, node)) = painter.queue.pop() {
        if painter.is_settled(time, anchor == Some(node)) {
            break;
        }
        painter.expand(graph, node)?;
    }
    painter.check_cuts(graph)?;
    Ok(Painted { marks: painter.marks })
}

struct Painter {
    marks: Vec<Mark>,
    queue: BinaryHeap<(i64, Node)>,
    /// How many commits in the queue are inside.
    open: usize,
    /// The oldest date of a commit that was inside when it was expanded.
    oldest: i64,
    /// Whether a commit that was inside when it was expanded had no parents.
    has_inner_root: bool,
    /// How many commits were expanded since dates said that nothing more would change.
    idle: usize,
}

impl Painter {
    /// Whether nothing that the queue leads to, first of all a commit of `time`, can still change a colour.
    fn is_settled(&mut self, time: i64, is_anchor: bool) -> bool {
        if self.open > 0 {
            return false;
        }
        if is_anchor && self.queue.is_empty() && !self.has_inner_root {
            // Every way down from the head has ended at the anchor.
            return true;
        }
        if time >= self.oldest {
            return false;
        }
        self.idle += 1;
        self.idle > CAUTION
    }

    /// Looks at the parents of a commit.
    fn expand<A: Annotate>(&mut self, graph: &mut Graph<'_, A>, node: Node) -> Result<()> {
        graph.read_parents(node)?;
        let paint = self.marks[node].paint;
        self.marks[node].expanded = true;
        if paint == Paint::Inside {
            self.open -= 1;
            self.oldest = self.oldest.min(graph.commit(node).time);
            self.has_inner_root |= graph.known_parents(node).next().is_none();
        }
        for parent in graph.known_parents(node) {
            self.reach(graph, parent, paint);
        }
        Ok(())
    }

    /// Gives a commit a colour. What the anchor reaches is outside, whatever else reaches it.
    fn reach<A: Annotate>(&mut self, graph: &Graph<'_, A>, node: Node, paint: Paint) {
        if self.marks.len() <= node {
            self.marks.resize(graph.len(), Mark::default());
        }
        match (self.marks[node].paint, paint) {
            (Paint::Unseen, _) => {
                self.marks[node].paint = paint;
                self.open += usize::from(paint == Paint::Inside);
                self.queue.push((graph.commit(node).time, node));
            }
            (Paint::Inside, Paint::Outside) => self.expel(graph, node),
            _ => {}
        }
    }

    /// Paints a commit that was thought inside, and all that it was seen to reach, outside.
    fn expel<A: Annotate>(&mut self, graph: &Graph<'_, A>, node: Node) {
        self.idle = 0;
        let mut pending = vec![node];
        while let Some(node) = pending.pop() {
            let mark = &mut self.marks[node];
            if mark.paint == Paint::Outside {
                continue;
            }
            mark.paint = Paint::Outside;
            if mark.expanded {
                pending.extend(graph.known_parents(node));
            } else {
                self.open -= 1;
            }
        }
    }

    /// Refuses an answer that the missing parents of a boundary commit could change: those of a commit in the range,
    /// and those of one outside that is not older than all of the range.
    fn check_cuts<A: Annotate>(&self, graph: &Graph<'_, A>) -> Result<()> {
        let marked = |paint| (0..self.marks.len()).filter(move |&node| self.marks[node].paint == paint);
        let oldest = marked(Paint::Inside).map(|node| graph.commit(node).time).min().unwrap_or(i64::MAX);
        let inside = marked(Paint::Inside).find(|&node| graph.commit(node).is_cut);
        let outside = marked(Paint::Outside).find(|&node| {
            let commit = graph.commit(node);
            commit.is_cut && self.marks[node].expanded && commit.time >= oldest
        });
        inside.or(outside).map_or(Ok(()), |node| Err(shallow_cut(&graph.commit(node).id)))
    }
}
