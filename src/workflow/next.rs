//! What comes next for a task: the one function that the pipeline, `next`, `status` and `--dry-run` share (formats.md §5).

use std::num::NonZeroU32;

use crate::record::{Outcome, Step, StepRecord};

/// The stages that a task passes through, in order; the last is always [`Step::Complete`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stages {
    /// implement → test → review → complete
    Reviewed,
    /// implement → test → complete: reviews are off
    Unreviewed,
}

impl Stages {
    /// The stages as data.
    #[must_use]
    pub fn steps(self) -> &'static [Step] {
        match self {
            Self::Reviewed => &[Step::Implement, Step::Test, Step::Review, Step::Complete],
            Self::Unreviewed => &[Step::Implement, Step::Test, Step::Complete],
        }
    }

    /// The stage that follows `step`, also where `step` itself is not among these stages.
    fn after(self, step: Step) -> Step {
        self.steps().iter().copied().find(|next| *next > step).unwrap_or(Step::Complete)
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

/// What the user has decided about the pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// How many attempts a task has.
    pub max_attempts: NonZeroU32,
    /// Which stages there are.
    pub stages: Stages,
    /// What a failed task gets.
    pub failed: FailedTask,
}

/// The next thing to do for a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextStep {
    /// Do this step; `attempt` counts from 0.
    Run {
        /// Which one.
        step: Step,
        /// In which attempt.
        attempt: u32,
    },
    /// All attempts are used up: record that the task failed.
    GiveUp,
    /// The task is complete.
    Complete,
    /// The task has failed, and nobody asked for it again.
    Failed,
}

/// What comes next after the task's latest counted commit.
#[must_use]
pub fn next_step(latest: Option<&StepRecord>, policy: &Policy) -> NextStep {
    let Some(latest) = latest else {
        return NextStep::Run { step: Step::Implement, attempt: 0 };
    };
    match (latest.step, latest.outcome) {
        (Step::Complete | Step::PhaseComplete, Outcome::Pass) => NextStep::Complete,
        (Step::Complete | Step::PhaseComplete, Outcome::Fail) => match policy.failed {
            FailedTask::Leave => NextStep::Failed,
            FailedTask::StartOver => NextStep::Run { step: Step::Implement, attempt: 0 },
        },
        (step, Outcome::Pass) => NextStep::Run { step: policy.stages.after(step), attempt: latest.attempt },
        (_, Outcome::Fail) => match latest.attempt.checked_add(1) {
            Some(attempt) if attempt < policy.max_attempts.get() => {
                NextStep::Run { step: Step::Implement, attempt }
            }
            _ => NextStep::GiveUp,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Outcome::{Fail, Pass};
    use proptest::prelude::*;

    fn policy(stages: Stages, failed: FailedTask) -> Policy {
        Policy { max_attempts: NonZeroU32::new(3).unwrap(), stages, failed }
    }

    fn run(step: Step, attempt: u32) -> NextStep {
        NextStep::Run { step, attempt }
    }

    #[test]
    fn the_table_of_where_a_run_goes_on() {
        let cases = [
            (None, run(Step::Implement, 0)),
            (Some((Step::Implement, Pass, 1)), run(Step::Test, 1)),
            (Some((Step::Implement, Fail, 0)), run(Step::Implement, 1)),
            (Some((Step::Test, Fail, 1)), run(Step::Implement, 2)),
            (Some((Step::Review, Fail, 1)), run(Step::Implement, 2)),
            (Some((Step::Implement, Fail, 2)), NextStep::GiveUp),
            (Some((Step::Test, Fail, 2)), NextStep::GiveUp),
            (Some((Step::Review, Fail, 2)), NextStep::GiveUp),
            (Some((Step::Review, Fail, 7)), NextStep::GiveUp),
            (Some((Step::Review, Fail, u32::MAX)), NextStep::GiveUp),
            (Some((Step::Test, Pass, 2)), run(Step::Review, 2)),
            (Some((Step::Review, Pass, 2)), run(Step::Complete, 2)),
            (Some((Step::Complete, Pass, 0)), NextStep::Complete),
            (Some((Step::Complete, Fail, 0)), NextStep::Failed),
        ];
        for (latest, expected) in cases {
            let latest = latest.map(|(step, outcome, attempt)| StepRecord { step, outcome, attempt });
            let policy = policy(Stages::Reviewed, FailedTask::Leave);
            assert_eq!(next_step(latest.as_ref(), &policy), expected, "{latest:?}");
        }
    }

    #[test]
    fn without_reviews_passed_tests_lead_to_complete() {
        let policy = policy(Stages::Unreviewed, FailedTask::Leave);
        let tested = StepRecord { step: Step::Test, outcome: Pass, attempt: 1 };
        assert_eq!(next_step(Some(&tested), &policy), run(Step::Complete, 1));
        let reviewed = StepRecord { step: Step::Review, ..tested };
        assert_eq!(next_step(Some(&reviewed), &policy), run(Step::Complete, 1));
    }

    #[test]
    fn a_failed_task_starts_over_only_when_the_user_asks() {
        let failed = StepRecord { step: Step::Complete, outcome: Fail, attempt: 0 };
        let asked = policy(Stages::Reviewed, FailedTask::StartOver);
        assert_eq!(next_step(Some(&failed), &asked), run(Step::Implement, 0));
    }

    proptest! {
        /// Whatever the outcomes are, a task ends: complete, or failed after all its attempts.
        #[test]
        fn every_sequence_of_outcomes_ends(outcomes in proptest::collection::vec(any::<bool>(), 60)) {
            let policy = policy(Stages::Reviewed, FailedTask::Leave);
            let mut latest = None;
            let mut implements = 0;
            for pass in outcomes {
                latest = match next_step(latest.as_ref(), &policy) {
                    NextStep::Run { step, attempt } => {
                        implements += u32::from(step == Step::Implement);
                        prop_assert!(attempt < 3);
                        let outcome = if pass || step == Step::Complete { Pass } else { Fail };
                        Some(StepRecord { step, outcome, attempt })
                    }
                    NextStep::GiveUp => Some(StepRecord { step: Step::Complete, outcome: Fail, attempt: 0 }),
                    NextStep::Complete | NextStep::Failed => break,
                };
            }
            prop_assert!(matches!(next_step(latest.as_ref(), &policy), NextStep::Complete | NextStep::Failed));
            prop_assert!(implements <= 3);
        }
    }
}
