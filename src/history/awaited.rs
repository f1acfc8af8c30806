//! Reads from history which tests are awaited: those that tasks of a run have written, that failed when their task was complete,
//! and that have passed in no task and no phase since.

use std::collections::HashSet;

use super::linear::VisitedCommit;
use super::range::Range;
use super::repository::Repository;
use super::run::{Run, completes};
use super::steps::{Picked, StepValidity, pick_values};
use crate::error::Result;
use crate::record::{
    AwaitedChange, AwaitedTests, CommitId, CommitKind, Landing, Subject, TaskId, commit_kind,
};

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

/// What a commit says about awaited tests.
enum Said {
    /// It completes this task or, without one, a phase.
    Step(Option<TaskId>, AwaitedChange),
    /// It has landed these tasks.
    Landed(Vec<TaskId>, AwaitedChange),
    /// Its message says nothing, but it has landed the work of this run.
    Squash(Landing),
}

struct Reader<'a> {
    repository: &'a Repository,
    run: &'a Run,
    /// The commits that complete tasks.
    ends: HashSet<CommitId>,
}

impl<'a> Reader<'a> {
    fn new(repository: &'a Repository, run: &'a Run) -> Self {
        let complete = run.tasks.values().filter(|step| completes(&step.record));
        Self { repository, run, ends: complete.map(|step| step.id).collect() }
    }

    fn read(&self, range: &Range) -> Result<AwaitedTests> {
        let mut tests = AwaitedTests::default();
        // The commit with which the run began is not part of it, but may have landed work.
        if let Some(anchor) = range.anchor().filter(|anchor| self.ends.contains(anchor)) {
            let message = self.repository.commit(&anchor)?.message;
            self.landed(&anchor, &message).map_or(Ok(()), |said| self.take(&mut tests, said))?;
        }
        let pick = |commit: &VisitedCommit<'_>| match commit.subject {
            Subject::Other => self.landed(&commit.id, commit.message),
            _ => of_step(commit.message),
        };
        self.take_all(&mut tests, pick_values(self.repository, range, &pick)?)?;
        Ok(tests)
    }

    /// What a commit says that has landed work and counts.
    fn landed(&self, id: &CommitId, message: &[u8]) -> Option<Said> {
        self.ends.contains(id).then_some(())?;
        match self.run.squashes.landing_of(id) {
            Some(landing) => Some(Said::Squash(landing.clone())),
            None => of_landed(message),
        }
    }

    /// Takes in what commits say, which come newest first.
    fn take_all(&self, tests: &mut AwaitedTests, picked: Vec<Picked<Said>>) -> Result<()> {
        let counted = picked.into_iter().rev().filter(|said| said.validity == StepValidity::Counts);
        counted.map(|said| said.value).try_for_each(|said| self.take(tests, said))
    }

    fn take(&self, tests: &mut AwaitedTests, said: Said) -> Result<()> {
        match said {
            Said::Step(Some(task), change) => tests.take(&task, change),
            Said::Step(None, change) => tests.take_phase(&change),
            Said::Landed(tasks, change) => tasks.iter().for_each(|task| tests.take(task, change.clone())),
            Said::Squash(landing) => {
                let pick = |commit: &VisitedCommit<'_>| match commit.subject {
                    Subject::Other => of_landed(commit.message),
                    _ => of_step(commit.message),
                };
                let range = Range::behind(landing.base(), landing.tip());
                self.take_all(tests, pick_values(self.repository, &range, &pick)?)?;
            }
        }
        Ok(())
    }
}

fn of_step(message: &[u8]) -> Option<Said> {
    let (task, record) = match commit_kind(message) {
        CommitKind::Task(task, record) => (Some(task), record),
        CommitKind::Phase(_, record) => (None, record),
        CommitKind::UnknownStep(..) | CommitKind::Other => return None,
    };
    AwaitedTests::counts(&record).then(|| Said::Step(task, AwaitedChange::recorded_in(message)))
}

fn of_landed(message: &[u8]) -> Option<Said> {
    let tasks: Vec<TaskId> =
        Landing::all_in(message).iter().flat_map(|landing| landing.tasks().to_vec()).collect();
    (!tasks.is_empty()).then(|| Said::Landed(tasks, Landing::awaited_in(message)))
}
