//! Decides what comes next for a task, with one function that the pipeline, `next`, `status` and `--dry-run` share
//! (docs/agents.md).

use std::num::NonZeroU32;

use crate::record::{By, Effect, Goal, Outcome, Role, State, Step, StepRecord};

/// The steps that a task passes through, in order: rows of the table of steps. The last one ends the task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pipeline(&'static [Step]);

impl Pipeline {
    /// implement → test → review → complete
    pub const REVIEWED: Self = Self(&[Step::IMPLEMENT, Step::TEST, Step::REVIEW, Step::COMPLETE]);
    /// red → implement → test → review → complete: tests are written first.
    pub const TEST_FIRST: Self =
        Self(&[Step::RED, Step::IMPLEMENT, Step::TEST, Step::REVIEW, Step::COMPLETE]);
    /// red → implement → test → complete
    pub const TEST_FIRST_UNREVIEWED: Self = Self(&[Step::RED, Step::IMPLEMENT, Step::TEST, Step::COMPLETE]);
    /// implement → test → complete: reviews are off.
    pub const UNREVIEWED: Self = Self(&[Step::IMPLEMENT, Step::TEST, Step::COMPLETE]);
    /// After the review comes a step that exists only in tests.
    #[cfg(test)]
    pub(crate) const AUDITED: Self =
        Self(&[Step::IMPLEMENT, Step::TEST, Step::REVIEW, Step::AUDIT, Step::COMPLETE]);

    /// The pipeline with these steps besides those that every task passes through.
    #[must_use]
    pub fn with(steps: OptionalSteps) -> Self {
        match (steps.is_test_first, steps.is_reviewed) {
            (false, true) => Self::REVIEWED,
            (false, false) => Self::UNREVIEWED,
            (true, true) => Self::TEST_FIRST,
            (true, false) => Self::TEST_FIRST_UNREVIEWED,
        }
    }

    /// Its steps.
    #[must_use]
    pub fn steps(self) -> &'static [Step] {
        self.0
    }

    /// Whether a step is one of them.
    #[must_use]
    pub fn has(self, step: Step) -> bool {
        self.0.contains(&step)
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

    /// The step to which a failed one leads back. If it is not in this pipeline, because the tests of the task are no
    /// longer written first, that is the first one.
    fn back_to(self, failed: &StepRecord, retry: Step) -> Step {
        let wanted = if failed.rejects_tests { Step::RED } else { retry };
        match (self.has(wanted), failed.rejects_tests) {
            (true, _) => wanted,
            (false, true) => retry,
            (false, false) => self.first(),
        }
    }
}

/// The steps that not every task passes through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OptionalSteps {
    /// Whether failing tests are written before the code.
    pub is_test_first: bool,
    /// Whether the change is reviewed.
    pub is_reviewed: bool,
}

/// What to do with a task that has failed for good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailedTask {
    /// Leave it: nothing happens by itself.
    Leave,
    /// The user asked for it again: start over with attempt 0.
    StartOver,
}

/// Whether a person must approve a task before it is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// No.
    Open,
    /// Yes: the plan has a gate there.
    Closed,
}

/// The user's settings for the pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// How many attempts a task has.
    pub max_attempts: NonZeroU32,
    /// Which steps there are.
    pub pipeline: Pipeline,
    /// Whether a person must approve the task.
    pub gate: Gate,
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
    /// A person has to approve the task before it is complete.
    AwaitApproval {
        /// The attempt to approve.
        attempt: u32,
    },
    /// A person has to answer the question of an agent.
    AwaitAnswer,
    /// Nothing is left to do: the task is complete or skipped.
    Done,
    /// The task has failed, and the user has not asked for it again.
    Failed,
}

/// What comes next after the task's latest counted commit.
#[must_use]
pub fn next_action(latest: Option<&StepRecord>, policy: &Policy) -> NextAction {
    let begin = NextAction::Run { step: policy.pipeline.first(), attempt: 0 };
    let Some(latest) = latest else { return begin };
    match (latest.step.row().effect, latest.outcome) {
        (Effect::Restart | Effect::None, _) => begin,
        (Effect::End, Outcome::Pass | Outcome::Skip) => NextAction::Done,
        (Effect::End, Outcome::Fail) => match policy.failed {
            FailedTask::Leave => NextAction::Failed,
            FailedTask::StartOver => begin,
        },
        // A reviewer judges what an implementer says of the tests.
        (Effect::Question, _) if latest.is_about_claim && policy.pipeline.has(Step::REVIEW) => {
            NextAction::Run { step: Step::REVIEW, attempt: latest.attempt }
        }
        (Effect::Question, _) => NextAction::AwaitAnswer,
        (Effect::Stage { retry }, Outcome::Fail) if latest.is_about_claim => {
            NextAction::Run { step: policy.pipeline.back_to(latest, retry), attempt: latest.attempt }
        }
        (Effect::Stage { .. }, Outcome::Pass | Outcome::Skip) => {
            let (step, attempt) = (policy.pipeline.after(latest.step), latest.attempt);
            let is_approved = latest.step.row().goal == Goal::Approval && latest.by == By::User;
            if step == policy.pipeline.last() && policy.gate == Gate::Closed && !is_approved {
                NextAction::AwaitApproval { attempt }
            } else {
                NextAction::Run { step, attempt }
            }
        }
        (Effect::Stage { retry: step }, Outcome::Fail) => match latest.attempt.checked_add(1) {
            Some(attempt) if attempt < policy.max_attempts.get() => {
                NextAction::Run { step: policy.pipeline.back_to(latest, step), attempt }
            }
            _ => NextAction::GiveUp,
        },
    }
}

/// The state of a task whose latest counted commit this is. A claim about its tests is a question to a person if nobody
/// reviews them.
#[must_use]
pub fn state_of(latest: Option<&StepRecord>, policy: &Policy) -> State {
    match next_action(latest, policy) {
        NextAction::AwaitAnswer => State::Asked,
        _ => latest.map_or(State::Pending, StepRecord::state),
    }
}

/// Whether a task only waits for a person's approval.
#[must_use]
pub fn awaits_approval(latest: Option<&StepRecord>, policy: &Policy) -> bool {
    matches!(next_action(latest, policy), NextAction::AwaitApproval { .. })
}

#[cfg(test)]
mod tests {
    use super::*;
    use Outcome::{Fail, Pass};
    use proptest::prelude::*;

    fn policy(pipeline: Pipeline, failed: FailedTask) -> Policy {
        Policy { max_attempts: NonZeroU32::new(3).unwrap(), pipeline, gate: Gate::Open, failed }
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
            (Some((Step::COMPLETE, Pass, 0)), NextAction::Done),
            (Some((Step::COMPLETE, Outcome::Skip, 0)), NextAction::Done),
            (Some((Step::REOPEN, Pass, 0)), run(Step::IMPLEMENT, 0)),
            (Some((Step::COMPLETE, Fail, 0)), NextAction::Failed),
            (Some((Step::BLOCK, Pass, 2)), NextAction::AwaitAnswer),
        ];
        for (latest, expected) in cases {
            let latest = latest.map(|(step, outcome, attempt)| StepRecord::of_run(step, outcome, attempt));
            let policy = policy(Pipeline::REVIEWED, FailedTask::Leave);
            assert_eq!(next_action(latest.as_ref(), &policy), expected, "{latest:?}");
        }
    }

    #[test]
    fn in_a_test_first_task_failing_tests_come_before_the_code() {
        let rejected =
            |attempt| StepRecord { rejects_tests: true, ..StepRecord::of_run(Step::REVIEW, Fail, attempt) };
        let of_run = StepRecord::of_run;
        let cases = [
            (None, run(Step::RED, 0)),
            (Some(of_run(Step::REOPEN, Pass, 0)), run(Step::RED, 0)),
            (Some(of_run(Step::RED, Pass, 1)), run(Step::IMPLEMENT, 1)),
            (Some(of_run(Step::RED, Fail, 0)), run(Step::RED, 1)),
            (Some(of_run(Step::RED, Fail, 2)), NextAction::GiveUp),
            (Some(of_run(Step::IMPLEMENT, Pass, 1)), run(Step::TEST, 1)),
            (Some(of_run(Step::IMPLEMENT, Fail, 1)), run(Step::IMPLEMENT, 2)),
            (Some(of_run(Step::TEST, Fail, 0)), run(Step::IMPLEMENT, 1)),
            (Some(of_run(Step::REVIEW, Fail, 0)), run(Step::IMPLEMENT, 1)),
            (Some(rejected(0)), run(Step::RED, 1)),
            (Some(rejected(2)), NextAction::GiveUp),
        ];
        for pipeline in [Pipeline::TEST_FIRST, Pipeline::TEST_FIRST_UNREVIEWED] {
            let policy = policy(pipeline, FailedTask::Leave);
            for (latest, expected) in cases {
                assert_eq!(next_action(latest.as_ref(), &policy), expected, "{latest:?}");
            }
            let asked = Policy { failed: FailedTask::StartOver, ..policy };
            let failed = of_run(Step::COMPLETE, Fail, 0);
            assert_eq!(next_action(Some(&failed), &asked), run(Step::RED, 0));
        }
    }

    #[test]
    fn a_claim_about_the_tests_goes_to_the_reviewer_and_uses_up_no_attempt() {
        let about_claim = |step, outcome, rejects_tests| StepRecord {
            is_about_claim: true,
            rejects_tests,
            ..StepRecord::of_run(step, outcome, 2)
        };
        let (claim, agreed) = (about_claim(Step::BLOCK, Pass, false), about_claim(Step::REVIEW, Fail, true));
        for (pipeline, after_claim, after_review) in [
            (Pipeline::TEST_FIRST, run(Step::REVIEW, 2), run(Step::RED, 2)),
            (Pipeline::TEST_FIRST_UNREVIEWED, NextAction::AwaitAnswer, run(Step::RED, 2)),
            (Pipeline::REVIEWED, run(Step::REVIEW, 2), run(Step::IMPLEMENT, 2)),
        ] {
            let policy = policy(pipeline, FailedTask::Leave);
            assert_eq!(next_action(Some(&claim), &policy), after_claim, "{pipeline:?}");
            assert_eq!(next_action(Some(&agreed), &policy), after_review, "{pipeline:?}");
            let waits = after_claim == NextAction::AwaitAnswer;
            let state = if waits { State::Asked } else { State::Reviewing };
            assert_eq!(state_of(Some(&claim), &policy), state, "{pipeline:?}");
        }
    }

    #[test]
    fn a_task_that_is_no_longer_test_first_goes_on_with_its_code() {
        let policy = policy(Pipeline::REVIEWED, FailedTask::Leave);
        let rejected = StepRecord { rejects_tests: true, ..StepRecord::of_run(Step::REVIEW, Fail, 0) };
        assert_eq!(next_action(Some(&rejected), &policy), run(Step::IMPLEMENT, 1));
        for (outcome, attempt) in [(Pass, 1), (Fail, 2)] {
            let red = StepRecord::of_run(Step::RED, outcome, 1);
            assert_eq!(next_action(Some(&red), &policy), run(Step::IMPLEMENT, attempt));
        }
    }

    #[test]
    fn without_reviews_passed_tests_lead_to_complete() {
        let policy = policy(Pipeline::UNREVIEWED, FailedTask::Leave);
        let tested = StepRecord::of_run(Step::TEST, Pass, 1);
        assert_eq!(next_action(Some(&tested), &policy), run(Step::COMPLETE, 1));
        let reviewed = StepRecord { step: Step::REVIEW, ..tested };
        assert_eq!(next_action(Some(&reviewed), &policy), run(Step::COMPLETE, 1));
    }

    #[test]
    fn a_failed_task_starts_over_only_when_the_user_asks() {
        let failed = StepRecord::of_run(Step::COMPLETE, Fail, 0);
        let asked = policy(Pipeline::REVIEWED, FailedTask::StartOver);
        assert_eq!(next_action(Some(&failed), &asked), run(Step::IMPLEMENT, 0));
    }

    #[test]
    fn at_a_gate_only_the_approval_of_a_person_leads_to_the_end() {
        for pipeline in [Pipeline::REVIEWED, Pipeline::UNREVIEWED] {
            let policy = Policy { gate: Gate::Closed, ..policy(pipeline, FailedTask::Leave) };
            let last = if pipeline == Pipeline::REVIEWED { Step::REVIEW } else { Step::TEST };
            let passed = StepRecord::of_run(last, Pass, 2);
            assert_eq!(next_action(Some(&passed), &policy), NextAction::AwaitApproval { attempt: 2 });
            let approved = StepRecord { by: By::User, ..StepRecord::of_run(Step::REVIEW, Pass, 2) };
            assert_eq!(next_action(Some(&approved), &policy), run(Step::COMPLETE, 2));
            let begun = StepRecord::of_run(Step::IMPLEMENT, Pass, 2);
            assert_eq!(next_action(Some(&begun), &policy), run(Step::TEST, 2));
        }
    }

    proptest! {
        /// For all outcomes, a task ends: it is complete, or it has failed after all its attempts.
        #[test]
        fn every_sequence_of_outcomes_ends(
            outcomes in proptest::collection::vec(any::<(bool, bool)>(), 60),
            is_test_first in any::<bool>(),
        ) {
            let pipeline = Pipeline::with(OptionalSteps { is_test_first, is_reviewed: true });
            let policy = policy(pipeline, FailedTask::Leave);
            let mut latest = None;
            let mut implements = 0;
            for (pass, rejects_tests) in outcomes {
                latest = match next_action(latest.as_ref(), &policy) {
                    NextAction::Run { step, attempt } => {
                        implements += u32::from(step == Step::IMPLEMENT);
                        prop_assert!(attempt < 3);
                        let outcome = if pass || step == Step::COMPLETE { Pass } else { Fail };
                        let rejects_tests = rejects_tests && step == Step::REVIEW && outcome == Fail;
                        Some(StepRecord { rejects_tests, ..StepRecord::of_run(step, outcome, attempt) })
                    }
                    NextAction::GiveUp => Some(StepRecord::of_run(Step::COMPLETE, Fail, 0)),
                    NextAction::Done | NextAction::Failed => break,
                    NextAction::AwaitApproval { .. } => unreachable!("there is no gate"),
                    NextAction::AwaitAnswer => unreachable!("nobody asks"),
                };
            }
            prop_assert!(matches!(next_action(latest.as_ref(), &policy), NextAction::Done | NextAction::Failed));
            prop_assert!(implements <= 3);
        }
    }
}
