//! Counts what a run has done, for the summary at its end.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use crate::engine::{BranchMerged, StepEnded};
use crate::record::{Outcome, Step, TaskId};
use crate::text::{counted, duration};

/// What a run has done so far.
#[derive(Clone, Debug)]
pub(crate) struct RunTally {
    began: Instant,
    attempts: BTreeSet<(TaskId, u32)>,
    /// The tasks that it has completed. One that could not be merged is completed more than once.
    pub(crate) completed: BTreeSet<TaskId>,
    /// The tasks that have failed in it.
    pub(crate) failed: BTreeSet<TaskId>,
    /// The branches that it has merged and has told no one about, because only this clone has the merges yet.
    pub(crate) held_back: Vec<BranchMerged>,
}

impl RunTally {
    /// Of a run that begins now.
    pub(crate) fn new() -> Self {
        Self {
            began: Instant::now(),
            attempts: BTreeSet::new(),
            completed: BTreeSet::new(),
            failed: BTreeSet::new(),
            held_back: Vec::new(),
        }
    }

    /// Counts a step.
    pub(crate) fn add(&mut self, ended: &StepEnded) {
        let step = ended.result.step;
        if step.is_part_of_an_attempt() {
            self.attempts.insert((ended.task.clone(), ended.attempt.number));
        }
        match ended.result.outcome {
            _ if step != Step::COMPLETE => {}
            Outcome::Fail => {
                self.completed.remove(&ended.task);
                self.failed.insert(ended.task.clone());
            }
            _ => {
                self.failed.remove(&ended.task);
                self.completed.insert(ended.task.clone());
            }
        }
    }

    /// How many attempts were made.
    pub(crate) fn attempts(&self) -> usize {
        self.attempts.len()
    }

    /// How long the run has taken.
    pub(crate) fn duration(&self) -> Duration {
        self.began.elapsed()
    }

    /// What the run has done, in one sentence; `None` if nothing was done.
    pub(crate) fn sentence(&self) -> Option<String> {
        if self.attempts() == 0 {
            return None;
        }
        let tasks = |count, done: &str| (count > 0).then(|| format!("{} {done}", counted(count, "task")));
        let attempts = counted(self.attempts(), "attempt");
        let done =
            [tasks(self.completed.len(), "completed"), tasks(self.failed.len(), "failed"), Some(attempts)];
        let done = done.into_iter().flatten().collect::<Vec<_>>().join(", ");
        Some(format!("In this run: {done}, in {}.", duration(self.duration())))
    }
}
