//! Integrates finished tasks: merges their branches into the branch of the run, after their tests have passed on the merged
//! tree (docs/parallel.md).
//!
//! An [`Integration`] says what has to be done next, and its owner does it: it runs tests in a slot, and it moves the branch, in
//! this repository or in another. Nothing but objects is written before the branch is moved, so it can be killed at any
//! moment, and begins anew.
//!
//! Several tasks are tested together. If their tests fail, each half of them is tried alone, down to the task whose merge
//! breaks something. Its integration has failed, which is a failed attempt at the task.

mod build;
mod failure;
mod parts;
mod tests_of;

use std::collections::VecDeque;

pub use self::build::BuildInputs;
pub use self::failure::FailedIntegration;
pub use self::parts::{Candidate, Merged, NewTip, Trial};
use crate::error::Result;
use crate::history::{Run, read_awaited_at};
use crate::record::AwaitedTests;
use crate::suite::TestResults;
use crate::trust::awaited::excuses;

/// What has to be done next.
#[derive(Clone, Debug)]
pub enum IntegrationNeed {
    /// These commands have to run on this commit. [`Integration::tested`] takes the results.
    Tests(Trial),
    /// The branch of the run has to be moved. [`Integration::moved`] or [`Integration::refused`] takes the answer.
    Move(NewTip),
    /// Nothing.
    Nothing,
}

/// Tasks that are integrated together.
#[derive(Clone, Debug)]
struct Group(Vec<Candidate>);

/// Tests that run, or are about to.
#[derive(Debug)]
enum Testing {
    /// The merged tree is tested.
    Merged { group: Group, tip: NewTip },
    /// The merge of one task has failed the tests. Those that failed are tried on the tip of the run, to know whether they
    /// fail there too.
    Base { tip: NewTip, failure: FailedIntegration },
}

/// Merges finished tasks, one group after the other.
#[derive(Debug, Default)]
pub struct Integration {
    queue: VecDeque<Group>,
    testing: Option<Testing>,
    /// The tip to which the branch is being moved.
    moving: Option<NewTip>,
    failed: Vec<FailedIntegration>,
    /// The tests that are awaited in the merged tree that is tested: they may fail.
    awaited: AwaitedTests,
    /// Sentences about tests that fail without any of the tasks.
    warnings: Vec<String>,
}

impl Integration {
    /// An integration of these tasks, together. They are in the order in which they are to be merged.
    #[must_use]
    pub fn of(candidates: Vec<Candidate>) -> Self {
        let queue = if candidates.is_empty() { VecDeque::new() } else { VecDeque::from([Group(candidates)]) };
        Self { queue, ..Self::default() }
    }

    /// Whether nothing is left to be done.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.queue.is_empty() && self.testing.is_none() && self.moving.is_none()
    }

    /// The tasks that could not be integrated since the last call.
    pub fn take_failed(&mut self) -> Vec<FailedIntegration> {
        std::mem::take(&mut self.failed)
    }

    /// What the user ought to know since the last call.
    pub fn take_warnings(&mut self) -> Vec<String> {
        std::mem::take(&mut self.warnings)
    }

    /// What has to be done next. `run` is the state of the plan at the tip of the branch of the run. While tests run or the
    /// branch is being moved, this is not called.
    ///
    /// # Errors
    /// If objects cannot be read or written.
    pub fn next(&mut self, inputs: &BuildInputs<'_>, run: &Run) -> Result<IntegrationNeed> {
        if let Some(tip) = &self.moving {
            return Ok(IntegrationNeed::Move(tip.clone()));
        }
        if let Some(Testing::Base { tip, failure }) = &self.testing {
            return Ok(IntegrationNeed::Tests(Trial {
                commit: tip.from,
                commands: failure.commands(inputs.plan, inputs.suite.as_deref()),
                tasks: vec![failure.task.clone()],
            }));
        }
        while let Some(Group(candidates)) = self.queue.pop_front() {
            let built = inputs.build(run, &candidates)?;
            self.failed.extend(built.conflicts);
            let Some(tip) = built.tip else { continue };
            let commands = tests_of::commands(inputs, run, &tip)?;
            if commands.is_empty() {
                self.moving = Some(tip.clone());
                return Ok(IntegrationNeed::Move(tip));
            }
            let tasks = tip.merged.iter().map(|merged| merged.task.clone()).collect();
            self.awaited = read_awaited_at(inputs.repository, &run.range, tip.to)?;
            let trial = Trial { commit: tip.to, commands, tasks };
            self.testing = Some(Testing::Merged { group: Group(built.merged), tip });
            return Ok(IntegrationNeed::Tests(trial));
        }
        Ok(IntegrationNeed::Nothing)
    }

    /// Takes the results of the tests that were asked for.
    pub fn tested(&mut self, results: &TestResults) {
        let testing = self.testing.take().expect("results come only for tests that were asked for");
        let has_passed = results.first_failed().is_none() || excuses(&self.awaited, results);
        match testing {
            Testing::Merged { tip, .. } if has_passed => self.moving = Some(tip),
            Testing::Merged { group: Group(candidates), tip } => match candidates.as_slice() {
                [only] => {
                    let task = tip.merged.first().expect("one task was merged").task.clone();
                    let failure = FailedIntegration::of_tests(only.leaf, task, tip.from, results);
                    self.testing = Some(Testing::Base { tip, failure });
                }
                several => {
                    let (first, second) = several.split_at(several.len() / 2);
                    self.queue.push_front(Group(second.to_vec()));
                    self.queue.push_front(Group(first.to_vec()));
                }
            },
            Testing::Base { failure, .. } if has_passed => self.failed.push(failure),
            Testing::Base { tip, failure } => {
                self.warnings.push(failure.not_its_fault());
                self.moving = Some(tip);
            }
        }
    }

    /// The branch of the run was moved to the new tip.
    pub fn moved(&mut self) {
        self.moving = None;
    }

    /// The branch of the run could not be moved, because it is elsewhere by now. The tasks are merged anew.
    pub fn refused(&mut self) {
        let tip = self.moving.take().expect("only a move that was asked for can be refused");
        self.queue.push_front(Group(tip.merged.into_iter().map(Merged::candidate).collect()));
    }
}
