//! Foresees the steps of a task, decided by the same function as in a real run.

use crate::record::{Outcome, Step, StepRecord};
use crate::workflow::{FailedTask, NextAction, Policy, next_action};

/// The steps of a task from its latest one to its end, if each of them passes.
pub(super) struct Foreseen {
    pub(super) steps: Vec<ForeseenStep>,
    /// Whether the task is complete then. Otherwise it has failed, or waits for a person.
    pub(super) is_done: bool,
}

/// A step that comes, the number of its attempt, and how it ends.
pub(super) struct ForeseenStep {
    pub(super) step: Step,
    pub(super) number: u32,
    pub(super) outcome: Outcome,
}

impl Foreseen {
    pub(super) fn of(mut latest: Option<StepRecord>, mut policy: Policy) -> Self {
        let mut steps = Vec::new();
        loop {
            let next = next_action(latest.as_ref(), &policy);
            policy.failed = FailedTask::Leave;
            match next {
                NextAction::Run { step, attempt: number, .. } => {
                    steps.push(ForeseenStep { step, number, outcome: Outcome::Pass });
                    latest = Some(StepRecord::of_run(step, Outcome::Pass, number));
                }
                NextAction::GiveUp => {
                    let number = latest.map_or(0, |record| record.attempt);
                    steps.push(ForeseenStep { step: Step::COMPLETE, number, outcome: Outcome::Fail });
                    return Self { steps, is_done: false };
                }
                NextAction::Done => return Self { steps, is_done: true },
                NextAction::AwaitApproval { .. } | NextAction::AwaitAnswer | NextAction::Failed => {
                    return Self { steps, is_done: false };
                }
            }
        }
    }
}
