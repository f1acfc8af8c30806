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
//! Several tasks are tested together. If their tests fail, the first half of them is tried, down to the task whose merge breaks
//! something. What passes is merged. The task is sent back, and an
//! attempt to merge it follows.

mod build;
mod parts;
mod red_cause;
mod tests_of;

use std::collections::VecDeque;

pub(crate) use self::build::BuildInputs;
use self::parts::TestedPart;
pub(crate) use self::parts::{FinishedTask, NewTip, Trial};
use self::red_cause::{Blame, FailedMerge, Suspicion};
use crate::engine::FailedIntegration;
use crate::error::Result;
use crate::history::Run;
use crate::plan::NodeIx;
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
    Nothing,
}

/// Tasks that are integrated together.
#[derive(Clone, Debug)]
struct MergeGroup {
    candidates: Vec<FinishedTask>,
    /// Whether their tests are known to fail.
    is_red: bool,
}

/// Tests that run, or are about to.
#[derive(Debug)]
enum Testing {
    /// The merged tree is tested.
    Merged(TestedPart),
    /// The first half of a red batch is tested.
    Half { part: TestedPart, rest: Vec<FinishedTask> },
    /// The merge of one task has failed tests of others. Those that failed are tried on the tip of the run, to know whether
    /// they fail there too.
    Base { tip: NewTip, suspicion: Suspicion },
}

/// Merges finished tasks, one group after the other.
#[derive(Debug, Default)]
pub(crate) struct Integration {
    queue: VecDeque<MergeGroup>,
    testing: Option<Testing>,
    /// The tip to which the branch is being moved.
    moving: Option<NewTip>,
    failed: Vec<FailedIntegration>,
    /// The awaited tests that may fail in the tree that is tested.
    awaited: AwaitedTests,
    /// Sentences about tests that fail without any of the tasks.
    warnings: Vec<String>,
}

impl Integration {
    /// An integration of these tasks, together. They are in the order in which they are to be merged.
    #[must_use]
    pub(crate) fn of(candidates: Vec<FinishedTask>) -> Self {
        let mut all = Self::default();
        all.put_first(candidates, false);
        all
    }

    /// Deals with these tasks before all others that wait.
    fn put_first(&mut self, candidates: Vec<FinishedTask>, is_red: bool) {
        if !candidates.is_empty() {
            self.queue.push_front(MergeGroup { candidates, is_red });
        }
    }

    /// Leaves out all other tasks that are not being tested or merged now.
    pub(crate) fn keep_only(&mut self, leaf: NodeIx) {
        for MergeGroup { candidates, is_red } in &mut self.queue {
            candidates.retain(|candidate| candidate.leaf == leaf);
            *is_red = false;
        }
        self.queue.retain(|group| !group.candidates.is_empty());
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
        if let Some(Testing::Base { tip, suspicion }) = &self.testing {
            // The tasks that are merged may be the last ones that can make an awaited test pass. Without them, it may fail.
            self.awaited = inputs.awaited(run, tip.from)?.may_fail;
            let trial = tip.trial(suspicion.commands());
            return Ok(IntegrationNeed::Tests(Trial { commit: tip.from, ..trial }));
        }
        while let Some(MergeGroup { candidates, is_red }) = self.queue.pop_front() {
            let built = inputs.build(run, &candidates)?;
            self.failed.extend(built.conflicts);
            let Some(tip) = built.tip else { continue };
            if is_red && tip.merged.len() > 1 {
                return self.search(inputs, run, &tip);
            }
            let commands = tests_of::commands(inputs, run, &tip)?;
            if commands.is_empty() {
                self.moving = Some(tip.clone());
                return Ok(IntegrationNeed::Move(tip));
            }
            self.awaited = inputs.awaited(run, tip.to)?.may_fail;
            let part = TestedPart { tip, commands };
            let trial = part.trial();
            self.testing = Some(Testing::Merged(part));
            return Ok(IntegrationNeed::Tests(trial));
        }
        Ok(IntegrationNeed::Nothing)
    }

    /// Begins to search in the tasks of a red tip.
    fn search(&mut self, inputs: &BuildInputs<'_>, run: &Run, tip: &NewTip) -> Result<IntegrationNeed> {
        let mut rest = tip.finished();
        rest.drain(..tip.merged.len() / 2);
        let tip = inputs.beginning(run, tip, tip.merged.len() / 2)?;
        let part = TestedPart { commands: tests_of::commands(inputs, run, &tip)?, tip };
        let trial = part.trial();
        self.awaited = inputs.awaited(run, trial.commit)?.may_fail;
        self.testing = Some(Testing::Half { part, rest });
        Ok(IntegrationNeed::Tests(trial))
    }

    /// Takes the results of the tests that were asked for.
    pub(crate) fn tested(&mut self, inputs: &BuildInputs<'_>, results: &TestResults) {
        let testing = self.testing.take().expect("results come only for tests that were asked for");
        let has_passed = results.first_failed().is_none() || excuses(&self.awaited, results);
        match testing {
            Testing::Merged(part) if has_passed => self.moving = Some(part.tip),
            Testing::Merged(part) if part.count() == 1 => self.blame(inputs, part, results),
            Testing::Merged(part) => self.put_first(part.tip.finished(), true),
            Testing::Half { part, rest } if has_passed => {
                self.put_first(rest, true);
                self.moving = Some(part.tip);
            }
            Testing::Half { part, rest } => {
                self.put_first(rest, false);
                match part.count() {
                    1 => self.blame(inputs, part, results),
                    _ => self.put_first(part.tip.finished(), true),
                }
            }
            Testing::Base { tip, suspicion } => match suspicion.confirmed_by(results, &self.awaited) {
                Some(failure) => self.failed.push(failure.clone()),
                None => {
                    self.warnings.extend(tip.merged.iter().map(|only| suspicion.not_its_fault(&only.task)));
                    let keeps_open = suspicion.has_any(&tests_of::of_phases(inputs, &tip.phases));
                    self.moving = Some(if keeps_open { tip.without_phases() } else { tip });
                }
            },
        }
    }

    /// Finds out whether a single task is to blame for the results of its merge.
    fn blame(&mut self, inputs: &BuildInputs<'_>, part: TestedPart, results: &TestResults) {
        let failed = FailedMerge { plan: inputs.plan, part: &part, results, awaited: &self.awaited };
        match failed.blame() {
            Blame::Task(failure) => self.failed.push(failure),
            Blame::Unknown(suspicion) => self.testing = Some(Testing::Base { tip: part.tip, suspicion }),
        }
    }

    /// The branch of the run was moved to the new tip.
    pub(crate) fn moved(&mut self) {
        self.moving = None;
    }

    /// The branch of the run could not be moved, because it is elsewhere by now. The tasks are merged anew.
    pub(crate) fn refused(&mut self) {
        let tip = self.moving.take().expect("only a move that was asked for can be refused");
        self.put_first(tip.finished(), false);
    }
}
