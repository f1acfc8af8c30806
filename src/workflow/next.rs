//! Decides what comes next for a task, with one function that the pipeline, `next`, `status` and `--dry-run` share
//! (docs/agents.md).

use std::num::NonZeroU32;

use crate::record::{OnFailure, Outcome, Role, Step, StepRecord};

/// The steps that a task passes through, in order: rows of the table of steps. The last one ends the task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pipeline(&'static [Step]);

impl Pipeline {
    /// implement → test → review → complete
    pub const REVIEWED: Self = Self(&[Step::IMPLEMENT, Step::TEST, Step::REVIEW, Step::COMPLETE]);
    /// implement → test → complete: reviews are off.
    pub const UNREVIEWED: Self = Self(&[Step::IMPLEMENT, Step::TEST, Step::COMPLETE]);
    /// After the review comes a step that exists only in tests.
    #[cfg(test)]
    pub(crate) const AUDITED: Self =
        Self(&[Step::IMPLEMENT, Step::TEST, Step::REVIEW, Step::AUDIT, Step::COMPLETE]);

    /// Its steps.
    #[must_use]
    pub fn steps(self) -> &'static [Step] {
        self.0
    }

    /// Whether one of its steps needs an agent in this role.
    #[must_use]
    pub fn asks(self, role: Role) -> bool {
        self.0.iter().any(|step| step.role() == Some(role))
    }

    /// The first step of a task.
    #[must_use]
    pub fn first(self) -> Step {
        *self.0.first().expect("every pipeline has steps")
    }

    fn last(self) -> Step {
        *self.0.last().expect("every pipeline has steps")
    }

    /// The step that follows `step`, even if `step` is not in this pipeline, for example a review while reviews are
    /// off.
    #[must_use]
    pub fn after(self, step: Step) -> Step {
        match self.0.iter().position(|own| *own == step) {
            Some(place) => self.0.get(place + 1).copied(),
            None => self.0.iter().copied().find(|next| *next > step),
        }
        .unwrap_or(self.last())
    }
}

/// What to do with a task that has failed for good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailedTask {
    /// Leave it: nothing happens by itself.
    Leave,
    /// The user asked for it again: start over with attempt 0.
    StartOver,
}

/// The user's settings for the pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// How many attempts a task has.
    pub max_attempts: NonZeroU32,
    /// Which steps there are.
    pub pipeline: Pipeline,
    /// What to do with a failed task.
    pub failed: FailedTask,
}

/// The next thing to do for a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextAction {
    /// Do this step; `attempt` counts from 0.
    Run {
        /// The step.
        step: Step,
        /// The attempt.
        attempt: u32,
    },
    /// All attempts are used up: record that the task failed.
    GiveUp,
    /// The task is complete.
    Complete,
    /// The task has failed, and the user has not asked for it again.
    Failed,
}

/// What comes next after the task's latest counted commit.
#[must_use]
pub fn next_action(latest: Option<&StepRecord>, policy: &Policy) -> NextAction {
    let begin = NextAction::Run { step: policy.pipeline.first(), attempt: 0 };
    let Some(latest) = latest else { return begin };
    match (latest.outcome, latest.step.row().on_failure) {
        (Outcome::Pass, OnFailure::End) => NextAction::Complete,
        (Outcome::Pass, OnFailure::Retry(_)) => {
            NextAction::Run { step: policy.pipeline.after(latest.step), attempt: latest.attempt }
        }
        (Outcome::Fail, OnFailure::End) => match policy.failed {
            FailedTask::Leave => NextAction::Failed,
            FailedTask::StartOver => begin,
        },
        (Outcome::Fail, OnFailure::Retry(step)) => match latest.attempt.checked_add(1) {
            Some(attempt) if attempt < policy.max_attempts.get() => NextAction::Run { step, attempt },
            _ => NextAction::GiveUp,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Outcome::{Fail, Pass};
    use proptest::prelude::*;

    fn policy(pipeline: Pipeline, failed: FailedTask) -> Policy {
        Policy { max_attempts: NonZeroU32::new(3).unwrap(), pipeline, failed }
    }

    fn run(step: Step, attempt: u32) -> NextAction {
        NextAction::Run { step, attempt }
    }

    #[test]
    fn the_next_step_follows_from_the_latest_one() {
        let cases = [
            (None, run(Step::IMPLEMENT, 0)),
            (Some((Step::IMPLEMENT, Pass, 1)), run(Step::TEST, 1)),
            (Some((Step::IMPLEMENT, Fail, 0)), run(Step::IMPLEMENT, 1)),
            (Some((Step::TEST, Fail, 1)), run(Step::IMPLEMENT, 2)),
            (Some((Step::REVIEW, Fail, 1)), run(Step::IMPLEMENT, 2)),
            (Some((Step::IMPLEMENT, Fail, 2)), NextAction::GiveUp),
            (Some((Step::TEST, Fail, 2)), NextAction::GiveUp),
            (Some((Step::REVIEW, Fail, 2)), NextAction::GiveUp),
            (Some((Step::REVIEW, Fail, 7)), NextAction::GiveUp),
            (Some((Step::REVIEW, Fail, u32::MAX)), NextAction::GiveUp),
            (Some((Step::TEST, Pass, 2)), run(Step::REVIEW, 2)),
            (Some((Step::REVIEW, Pass, 2)), run(Step::COMPLETE, 2)),
            (Some((Step::COMPLETE, Pass, 0)), NextAction::Complete),
            (Some((Step::COMPLETE, Fail, 0)), NextAction::Failed),
        ];
        for (latest, expected) in cases {
            let latest = latest.map(|(step, outcome, attempt)| StepRecord { step, outcome, attempt });
            let policy = policy(Pipeline::REVIEWED, FailedTask::Leave);
            assert_eq!(next_action(latest.as_ref(), &policy), expected, "{latest:?}");
        }
    }

    #[test]
    fn without_reviews_passed_tests_lead_to_complete() {
        let policy = policy(Pipeline::UNREVIEWED, FailedTask::Leave);
        let tested = StepRecord { step: Step::TEST, outcome: Pass, attempt: 1 };
        assert_eq!(next_action(Some(&tested), &policy), run(Step::COMPLETE, 1));
        let reviewed = StepRecord { step: Step::REVIEW, ..tested };
        assert_eq!(next_action(Some(&reviewed), &policy), run(Step::COMPLETE, 1));
    }

    #[test]
    fn a_failed_task_starts_over_only_when_the_user_asks() {
        let failed = StepRecord { step: Step::COMPLETE, outcome: Fail, attempt: 0 };
        let asked = policy(Pipeline::REVIEWED, FailedTask::StartOver);
        assert_eq!(next_action(Some(&failed), &asked), run(Step::IMPLEMENT, 0));
    }

    proptest! {
        /// For all outcomes, a task ends: it is complete, or it has failed after all its attempts.
        #[test]
        fn every_sequence_of_outcomes_ends(outcomes in proptest::collection::vec(any::<bool>(), 60)) {
            let policy = policy(Pipeline::REVIEWED, FailedTask::Leave);
            let mut latest = None;
            let mut implements = 0;
            for pass in outcomes {
                latest = match next_action(latest.as_ref(), &policy) {
                    NextAction::Run { step, attempt } => {
                        implements += u32::from(step == Step::IMPLEMENT);
                        prop_assert!(attempt < 3);
                        let outcome = if pass || step == Step::COMPLETE { Pass } else { Fail };
                        Some(StepRecord { step, outcome, attempt })
                    }
                    NextAction::GiveUp => Some(StepRecord { step: Step::COMPLETE, outcome: Fail, attempt: 0 }),
                    NextAction::Complete | NextAction::Failed => break,
                };
            }
            prop_assert!(matches!(next_action(latest.as_ref(), &policy), NextAction::Complete | NextAction::Failed));
            prop_assert!(implements <= 3);
        }
    }
}
