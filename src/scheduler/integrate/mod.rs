//! Integrates finished tasks: merges their branches into the branch of the run, after their tests have passed on the merged
//! tree (docs/parallel.md).
//!
//! An [`Integration`] says what has to be done next, and its owner does it: it runs tests in a slot, and it moves the branch, in
//! this repository or in another. Nothing but objects is written before the branch is moved, so it can be killed at any
//! moment, and begins anew.
//!
//! A task's own tests have to pass on the merged tree, and so have those of everything that was merged since its branch began,
//! even if the branch has merged that itself. What fails without the task as well is not its fault.
//!
//! Several tasks are tested together. If their tests fail, each half of them is tried alone, down to the task whose merge
//! breaks something. It is sent back, and an attempt to merge it follows.

mod blame;
mod build;
mod parts;
mod tests_of;

use std::collections::VecDeque;

use self::blame::{Blame, FailedMerge, Suspicion};
pub(crate) use self::build::BuildInputs;
pub(crate) use self::parts::{Candidate, Merged, NewTip, Trial};
use crate::engine::FailedIntegration;
use crate::error::Result;
use crate::history::{Run, read_awaited_at};
use crate::plan::{NodeIx, TestCommand};
use crate::record::AwaitedTests;
use crate::suite::TestResults;
use crate::trust::awaited::excuses;

/// What has to be done next.
#[derive(Clone, Debug)]
pub(crate) enum IntegrationNeed {
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
    Merged { group: Group, tip: NewTip, commands: Vec<TestCommand> },
    /// The merge of one task has failed tests of others. Those that failed are tried on the tip of the run, to know whether
    /// they fail there too.
    Base { only: Candidate, tip: NewTip, suspicion: Suspicion },
}

/// Merges finished tasks, one group after the other.
#[derive(Debug, Default)]
pub(crate) struct Integration {
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
    pub(crate) fn of(candidates: Vec<Candidate>) -> Self {
        let queue = if candidates.is_empty() { VecDeque::new() } else { VecDeque::from([Group(candidates)]) };
        Self { queue, ..Self::default() }
    }

    /// Leaves out all other tasks that are not being tested or merged now.
    pub(crate) fn keep_only(&mut self, leaf: NodeIx) {
        for Group(candidates) in &mut self.queue {
            candidates.retain(|candidate| candidate.leaf == leaf);
        }
        self.queue.retain(|Group(candidates)| !candidates.is_empty());
    }

    /// Whether nothing is left to be done.
    #[must_use]
    pub(crate) fn is_over(&self) -> bool {
        self.queue.is_empty() && self.testing.is_none() && self.moving.is_none()
    }

    /// The tasks that could not be integrated since the last call.
    pub(crate) fn take_failed(&mut self) -> Vec<FailedIntegration> {
        std::mem::take(&mut self.failed)
    }

    /// What the user ought to know since the last call.
    pub(crate) fn take_warnings(&mut self) -> Vec<String> {
        std::mem::take(&mut self.warnings)
    }

    /// What has to be done next. `run` is the state of the plan at the tip of the branch of the run. While tests run or the
    /// branch is being moved, this is not called.
    ///
    /// # Errors
    /// If objects cannot be read or written.
    pub(crate) fn next(&mut self, inputs: &BuildInputs<'_>, run: &Run) -> Result<IntegrationNeed> {
        if let Some(tip) = &self.moving {
            return Ok(IntegrationNeed::Move(tip.clone()));
        }
        if let Some(Testing::Base { only, tip, suspicion }) = &self.testing {
            return Ok(IntegrationNeed::Tests(Trial {
                commit: tip.from,
                commands: suspicion.commands().to_vec(),
                tasks: vec![inputs.plan.tree.node(only.leaf).id.clone()],
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
            self.awaited = read_awaited_at(inputs.repository, run, tip.to)?;
            let trial = Trial { commit: tip.to, commands: commands.clone(), tasks };
            self.testing = Some(Testing::Merged { group: Group(built.merged), tip, commands });
            return Ok(IntegrationNeed::Tests(trial));
        }
        Ok(IntegrationNeed::Nothing)
    }

    /// Takes the results of the tests that were asked for.
    pub(crate) fn tested(&mut self, inputs: &BuildInputs<'_>, results: &TestResults) {
        let testing = self.testing.take().expect("results come only for tests that were asked for");
        let has_passed = results.first_failed().is_none() || excuses(&self.awaited, results);
        match testing {
            Testing::Merged { tip, .. } if has_passed => self.moving = Some(tip),
            Testing::Merged { group: Group(candidates), tip, commands } => match candidates.as_slice() {
                [only] => {
                    let (plan, awaited, onto) = (inputs.plan, &self.awaited, tip.from);
                    let failed =
                        FailedMerge { plan, merged: only, onto, commands: &commands, results, awaited };
                    match failed.blame() {
                        Blame::Task(failure) => self.failed.push(failure),
                        Blame::Unknown(suspicion) => {
                            self.testing = Some(Testing::Base { only: only.clone(), tip, suspicion });
                        }
                    }
                }
                several => {
                    let (first, second) = several.split_at(several.len() / 2);
                    self.queue.push_front(Group(second.to_vec()));
                    self.queue.push_front(Group(first.to_vec()));
                }
            },
            Testing::Base { only, tip, suspicion } => match suspicion.confirmed_by(results, &self.awaited) {
                Some(failure) => self.failed.push(failure.clone()),
                None => {
                    self.warnings.push(suspicion.not_its_fault(&only, inputs.plan));
                    let keeps_open = suspicion.has_any(&tests_of::of_phases(inputs, &tip.phases));
                    self.moving = Some(if keeps_open { tip.without_phases() } else { tip });
                }
            },
        }
    }

    /// The branch of the run was moved to the new tip.
    pub(crate) fn moved(&mut self) {
        self.moving = None;
    }

    /// The branch of the run could not be moved, because it is elsewhere by now. The tasks are merged anew.
    pub(crate) fn refused(&mut self) {
        let tip = self.moving.take().expect("only a move that was asked for can be refused");
        self.queue.push_front(Group(tip.merged.into_iter().map(Merged::candidate).collect()));
    }
}
