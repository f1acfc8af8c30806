//! The step commits of a range one by one, with their messages: for `show`, for feedback, for reports, for `prune`.

use super::graph::{Annotate, Graph};
use super::linear::{End, Flow, Seen, walk};
use super::merged::start_of;
use super::order::{children_first, fold_ancestors};
use super::range::Range;
use super::raw::RawCommit;
use super::reachability::paint;
use super::repository::Repository;
use super::reverts::resolve;
use super::source::Source;
use super::standing::Reversals;
use crate::error::Result;
use crate::record::{
    CommitId, CommitKind, RevertClaim, StepCommit, Subject, TaskId, carries_step, commit_kind,
};

/// Whether a step counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Standing {
    /// It counts.
    Counts,
    /// A later commit of the range reverts it, and that revert stands.
    Reverted,
}

/// A step of a task, with all that its commit says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskStep {
    /// The step and its commit.
    pub step: StepCommit,
    /// Whether it counts.
    pub standing: Standing,
    /// The commit's whole message.
    pub message: Vec<u8>,
}

/// What was picked from a commit of a range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picked<T> {
    /// The commit.
    pub id: CommitId,
    /// The committer date, in seconds since the epoch.
    pub time: i64,
    /// Whether the commit counts.
    pub standing: Standing,
    /// What was picked.
    pub value: T,
}

/// All steps of one task in a range, newest first: children before parents.
///
/// # Errors
/// As for [`super::read_run`].
pub fn read_steps(repository: &Repository, range: &Range, task: &TaskId) -> Result<Vec<TaskStep>> {
    let pick = |commit: &Seen<'_>| {
        if commit.subject != Subject::Task(task.as_str()) {
            return None;
        }
        match commit_kind(commit.message) {
            CommitKind::Task(_, record) => Some((record, commit.message.to_vec())),
            _ => None,
        }
    };
    let picked = repository.read_with(|source| pick_commits(source, range, &pick))?;
    let step = |picked: Picked<_>| {
        let (record, message) = picked.value;
        TaskStep {
            step: StepCommit { id: picked.id, time: picked.time, record },
            standing: picked.standing,
            message,
        }
    };
    Ok(picked.into_iter().map(step).collect())
}

/// What `pick` takes from the step commits of a range: of tasks and phases, in or out of the tree, and of steps that
/// we do not know. Children before parents. `pick` is given what the commit is and its whole message; it must be a
/// pure function, for it may see a commit more than once.
///
/// # Errors
/// As for [`super::read_run`].
pub fn pick_steps<T>(
    repository: &Repository,
    range: &Range,
    pick: impl Fn(&CommitKind, &[u8]) -> Option<T>,
) -> Result<Vec<Picked<T>>> {
    let pick = |commit: &Seen<'_>| match commit.subject {
        Subject::Other => None,
        _ => match commit_kind(commit.message) {
            CommitKind::Other => None,
            kind => pick(&kind, commit.message),
        },
    };
    repository.read_with(|source| pick_commits(source, range, &pick))
}

fn pick_commits<T>(
    source: &mut dyn Source,
    range: &Range,
    pick: &dyn Fn(&Seen<'_>) -> Option<T>,
) -> Result<Vec<Picked<T>>> {
    let mut found = Vec::new();
    let end = walk(source, range.head(), range.until(), &mut |commit| {
        if let Some(value) = pick(commit) {
            found.push(Picked { id: commit.id, time: commit.time, standing: Standing::Counts, value });
        }
        Flow::More
    })?;
    if end == End::NeedsGraph { pick_merged(source, range, pick) } else { Ok(found) }
}

/// Picks while the graph is read, when the messages are at hand.
struct Picker<'a, T>(&'a dyn Fn(&Seen<'_>) -> Option<T>);

impl<T> Annotate for Picker<'_, T> {
    type Note = (Option<T>, bool);

    fn note(&self, id: CommitId, commit: &RawCommit<'_>) -> Self::Note {
        let RawCommit { time, message, .. } = *commit;
        let commit = Seen { id, time, subject: Subject::of(message), message };
        ((self.0)(&commit), commit.subject != Subject::Other && carries_step(message))
    }

    fn reverts(&self, message: &[u8]) -> Vec<RevertClaim> {
        RevertClaim::all_in(message)
    }

    fn is_step((_, is_step): &Self::Note) -> bool {
        *is_step
    }
}

fn pick_merged<T>(
    source: &mut dyn Source,
    range: &Range,
    pick: &dyn Fn(&Seen<'_>) -> Option<T>,
) -> Result<Vec<Picked<T>>> {
    let picker = Picker(pick);
    let mut graph = Graph::new(source, &picker)?;
    let head = graph.load(range.head())?;
    let anchor = start_of(&mut graph, head, range.until())?;
    let painted = paint(&mut graph, head, anchor)?;
    let order = children_first(&graph, &painted, head);
    let reverts = resolve(&mut graph, &painted, &order)?;
    let mut standings = Vec::with_capacity(order.len());
    let mut reversals = Reversals::new(&reverts, 0);
    fold_ancestors(&graph, &painted, &order, |node, descendants| {
        let counts = reversals.visit(node, descendants).counts;
        standings.push(if counts { Standing::Counts } else { Standing::Reverted });
    });
    let mut found = Vec::new();
    for (node, standing) in order.into_iter().zip(standings) {
        let commit = graph.commit_mut(node);
        if let Some(value) = commit.note.0.take() {
            found.push(Picked { id: commit.id, time: commit.time, standing, value });
        }
    }
    Ok(found)
}
