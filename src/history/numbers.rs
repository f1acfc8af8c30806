//! Numbers the commits of a graph that have been read.
//!
//! As long as only one line of commits is followed, each new commit is an ancestor of all the others and therefore not
//! among them, so no lookup is needed. Most histories are like this to their end.

use std::collections::HashMap;

use crate::record::CommitId;

/// The number of a commit in a graph.
pub(super) type Node = usize;

/// The numbers of the commits of a graph.
#[derive(Debug)]
pub(super) enum Numbers {
    /// At most one line of commits is followed.
    Line {
        /// The commits that were requested individually.
        starts: Vec<(CommitId, Node)>,
        /// The last commit of the line, once there is one.
        end: Option<Node>,
    },
    /// Any other set of commits.
    All(HashMap<CommitId, Node>),
}

impl Default for Numbers {
    fn default() -> Self {
        Self::Line { starts: Vec::new(), end: None }
    }
}

impl Numbers {
    /// The number of a commit, if it was read. `child` is the commit whose parent is requested, if any, and `all` are
    /// the commits by number.
    pub(super) fn find<I: Iterator<Item = CommitId>>(
        &mut self,
        id: &CommitId,
        child: Option<Node>,
        all: impl Fn() -> I,
    ) -> Option<Node> {
        match self {
            Self::Line { starts, end } if end.is_none() || *end == child => {
                starts.iter().find(|(start, _)| start == id).map(|(_, node)| *node)
            }
            Self::Line { .. } => {
                let numbers: HashMap<CommitId, Node> = all().zip(0..).collect();
                let found = numbers.get(id).copied();
                *self = Self::All(numbers);
                found
            }
            Self::All(numbers) => numbers.get(id).copied(),
        }
    }

    /// Adds a commit that was not found.
    pub(super) fn enter(&mut self, id: CommitId, node: Node, child: Option<Node>) {
        match self {
            Self::Line { starts, .. } if child.is_none() => starts.push((id, node)),
            Self::Line { end, .. } => *end = Some(node),
            Self::All(numbers) => {
                numbers.insert(id, node);
            }
        }
    }
}
