//! Reads from history which tests are awaited: those that tasks of a run have written, that failed when their task was complete,
//! and that have passed in no task and no phase since.

use std::collections::HashSet;

use super::graph::Node;
use super::range::Range;
use super::reading::Entry;
use super::repository::Repository;
use super::run::{Run, completes};
use super::steps::StepValidity;
use crate::error::Result;
use crate::record::{AwaitedTests, CommitId, CommitKind, Doubt, Landing, StepFacts, TaskId};

/// The tests that are awaited at the end of a run. Steps and landed commits that do not count say nothing.
///
/// # Errors
/// As for [`super::read_run`].
pub fn read_awaited(repository: &Repository, run: &Run) -> Result<AwaitedTests> {
    Reader::new(repository, run).read(&run.range)
}

/// The same at a commit of the run, or one that descends from its end.
///
/// # Errors
/// As for [`super::read_run`].
pub fn read_awaited_at(repository: &Repository, run: &Run, commit: CommitId) -> Result<AwaitedTests> {
    Reader::new(repository, run).read(&run.range.moved_to(commit))
}

struct Reader<'a> {
    repository: &'a Repository,
    /// The commits that complete tasks.
    ends: HashSet<CommitId>,
    /// The landed commits that are not believed, each with the task.
    doubted: HashSet<(CommitId, TaskId)>,
}

impl<'a> Reader<'a> {
    fn new(repository: &'a Repository, run: &'a Run) -> Self {
        let complete = run.tasks.values().filter(|step| completes(&step.record));
        let doubted = run.doubts.iter().filter_map(|doubt| match doubt {
            Doubt::Landing { task, commit, .. } => Some((*commit, task.clone())),
            _ => None,
        });
        Self { repository, ends: complete.map(|step| step.id).collect(), doubted: doubted.collect() }
    }

    fn read(&self, range: &Range) -> Result<AwaitedTests> {
        self.repository.read_range(range, |graph, reading| {
            let mut tests = AwaitedTests::default();
            let counts = |entry: &&Entry| entry.validity() == Some(StepValidity::Counts);
            let counted = reading.entries.iter().rev().filter(counts).map(|entry| entry.node);
            let of_own_steps = reading.entries.iter().filter(counts).filter(|entry| entry.landing.is_none());
            let is_complete = |entry: &&Entry| {
                let kind = graph.said(entry.node).map(|said| &said.text.kind);
                matches!(kind, Some(CommitKind::Task(_, record)) if completes(record))
            };
            let has_own_steps: HashSet<&str> =
                of_own_steps.filter(is_complete).map(|entry| entry.name.as_str()).collect();
            // The commit with which the run began is not part of it, but may have landed work.
            let is_landed = |node: &Node| graph.said(*node).is_some_and(|said| !said.landings.is_empty());
            let begins = |node: &Node| is_landed(node) && self.ends.contains(&graph.commit(*node).id);
            let mut nodes: Vec<Node> = reading.anchor.into_iter().filter(begins).chain(counted).collect();
            nodes.dedup();
            for node in nodes {
                let Some(said) = graph.said(node) else { continue };
                match &said.text.kind {
                    CommitKind::Task(task, record) if AwaitedTests::counts(record) => {
                        tests.take(task, StepFacts::of(&said.message).awaited);
                    }
                    CommitKind::Phase(_, record) if AwaitedTests::counts(record) => {
                        tests.take_phase(&StepFacts::of(&said.message).awaited);
                    }
                    CommitKind::Other if !said.landings.is_empty() => {
                        let change = Landing::awaited_in(&said.message);
                        let tasks = said.landings.iter().flat_map(|landing| &landing.tasks);
                        let id = graph.commit(node).id;
                        // Where the steps of a task are here, they have said it in their place.
                        let open = tasks.filter(|task| {
                            !has_own_steps.contains(task.as_str())
                                && !self.doubted.contains(&(id, (*task).clone()))
                        });
                        open.for_each(|task| tests.take(task, change.clone()));
                    }
                    _ => {}
                }
            }
            tests
        })
    }
}
