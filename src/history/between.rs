//! Shows the messages of all commits that one commit reaches and another does not, in the order of git.

use super::graph::{Annotate, Graph, Node};
use super::order::line_by_line;
use super::raw::RawCommit;
use super::reachability::paint;
use super::repository::Repository;
use super::source::Source;
use super::worker::{Desk, beside};
use crate::error::Result;
use crate::record::{CommitId, RevertClaim};

/// The commit behind which a range begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Behind {
    /// None: it begins with the first commits of all.
    Nothing,
    /// This one.
    Commit(CommitId),
    /// The ancestor of the head that so many first parents lead to: `HEAD~N`.
    Ancestor(usize),
}

/// A commit as it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stored<'a> {
    /// Its id.
    pub id: CommitId,
    /// How many parents it has.
    pub parents: usize,
    /// Its message, up to a NUL if it holds one, as git reads it.
    pub message: &'a [u8],
    /// Whether git recodes the message before it shows it: the commit says that it is not UTF-8.
    pub is_recoded: bool,
}

/// What `look` makes of the commits that `head` reaches and the one does not behind which the range begins, in the order
/// of `git rev-list --topo-order`. It must be a pure function, for it may be shown other commits too.
///
/// `None` where git alone can say which commits there are: in a shallow clone, where libgit2 cannot open the repository or
/// read a commit, and where the commit is not there behind which the range begins.
pub fn read_between<T: Send>(
    repository: &Repository,
    (behind, head): (Behind, CommitId),
    look: impl Fn(&Stored<'_>) -> Option<T> + Send,
) -> Option<Vec<T>> {
    let read = |desk: &Desk| repository.read_here(|source| numbers_between(source, (behind, head), desk));
    let (numbers, mut seen) = beside(look, read)?;
    Some(numbers??.into_iter().filter_map(|number| seen[number].take()).collect())
}

/// The numbers that the commits of a range got when they were handed over, in order.
fn numbers_between(
    source: &mut dyn Source,
    (behind, head): (Behind, CommitId),
    desk: &Desk,
) -> Result<Option<Vec<usize>>> {
    let mut graph = Graph::new(source, desk)?;
    if graph.is_shallow() {
        return Ok(None);
    }
    let head = graph.load(head)?;
    let start = match behind {
        Behind::Nothing => None,
        Behind::Commit(id) => Some(graph.load(id)?),
        Behind::Ancestor(count) => match ancestor(&mut graph, head, count)? {
            None => return Ok(None),
            found => found,
        },
    };
    let painted = paint(&mut graph, head, start)?;
    let order = line_by_line(&graph, &painted, head);
    Ok(Some(order.into_iter().map(|node| graph.commit(node).note).collect()))
}

fn ancestor<A: Annotate>(graph: &mut Graph<'_, A>, head: Node, count: usize) -> Result<Option<Node>> {
    let mut node = head;
    for _ in 0..count {
        match graph.parent(node, 0)? {
            Some(parent) => node = parent,
            None => return Ok(None),
        }
    }
    Ok(Some(node))
}

impl Annotate for Desk {
    type Note = usize;

    fn note(&self, id: CommitId, commit: &RawCommit<'_>) -> usize {
        self.put(id, commit)
    }

    fn reverts(&self, _: &[u8]) -> Vec<RevertClaim> {
        Vec::new()
    }

    fn is_step(_: &usize) -> bool {
        false
    }
}
