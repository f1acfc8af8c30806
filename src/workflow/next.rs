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

    /// The pipeline with these steps in addition to those that every task passes through.
    #[must_use]
    pub fn with(steps: OptionalSteps) -> Self {
        match (steps.is_test_first, steps.is_reviewed) {
            (false, true) => Self::REVIEWED,
            (false, false) => Self::UNREVIEWED,
            (true, true) => Self::TEST_FIRST,
            (true, false) => Self::TEST_FIRST_UNREVIEWED,
        }
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
    /// How many attempts a finished task has that could not be merged.
    pub merge_attempts: NonZeroU32,
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
        /// The attempt to merge the finished task, if the step belongs to one.
        merge: Option<u32>,
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
    let begin = NextAction::Run { step: policy.pipeline.first(), attempt: 0, merge: None };
    let Some(latest) = latest else { return begin };
    let merge = latest.merge;
    match (latest.step.row().effect, latest.outcome) {
        // The attempts that the task has had count.
        (Effect::Restart, _) if latest.goes_on() => retry(latest, Step::IMPLEMENT, policy),
        (Effect::Restart | Effect::None, _) => begin,
        (Effect::End, Outcome::Pass | Outcome::Skip) => NextAction::Done,
        (Effect::End, Outcome::Fail) => match policy.failed {
            FailedTask::Leave => NextAction::Failed,
            // What could not be merged is merged first.
            FailedTask::StartOver if merge.is_some() => {
                NextAction::Run { step: Step::IMPLEMENT, attempt: 0, merge: Some(0) }
            }
            FailedTask::StartOver => begin,
        },
        // A reviewer judges what an implementer says of the tests.
        (Effect::Question, _) if latest.is_about_claim && policy.pipeline.has(Step::REVIEW) => {
            NextAction::Run { step: Step::REVIEW, attempt: latest.attempt, merge }
        }
        (Effect::Question, _) => NextAction::AwaitAnswer,
        (Effect::Stage { retry }, Outcome::Fail) if latest.is_about_claim => {
            NextAction::Run { step: policy.pipeline.back_to(latest, retry), attempt: latest.attempt, merge }
        }
        (Effect::Stage { .. }, Outcome::Pass | Outcome::Skip) => {
            let (step, attempt) = (policy.pipeline.after(latest.step), latest.attempt);
            let is_approved = latest.step.row().goal == Goal::Approval && latest.by == By::User;
            if step == policy.pipeline.last() && policy.gate == Gate::Closed && !is_approved {
                NextAction::AwaitApproval { attempt }
            } else {
                NextAction::Run { step, attempt, merge }
            }
        }
        (Effect::Stage { .. }, Outcome::Fail) if merge.is_some() => {
            merge_action(latest.attempt, merge.and_then(|merge| merge.checked_add(1)), policy)
        }
        (Effect::Stage { retry: step }, Outcome::Fail) => retry(latest, step, policy),
    }
}

/// The attempt after one that has failed, from this step on, if there is one left.
fn retry(failed: &StepRecord, step: Step, policy: &Policy) -> NextAction {
    match failed.attempt.checked_add(1) {
        Some(attempt) if attempt < policy.max_attempts.get() => {
            NextAction::Run { step: policy.pipeline.back_to(failed, step), attempt, merge: None }
        }
        _ => NextAction::GiveUp,
    }
}

/// What comes next for a complete task that could not be merged: an attempt to merge it. Its steps come newest first.
#[must_use]
pub fn after_failed_merge<'s>(
    steps: impl Iterator<Item = &'s StepRecord> + Clone,
    policy: &Policy,
) -> NextAction {
    let attempt = steps.clone().find(|record| record.step.is_part_of_an_attempt());
    let merges = since_restart(steps).find_map(|record| record.merge);
    let merge = merges.map_or(Some(0), |merge| merge.checked_add(1));
    merge_action(attempt.map_or(0, |record| record.attempt), merge, policy)
}

/// The attempt to merge a finished task with this number, if there is one.
fn merge_action(attempt: u32, merge: Option<u32>, policy: &Policy) -> NextAction {
    match merge {
        Some(merge) if merge < policy.merge_attempts.get() => {
            NextAction::Run { step: Step::IMPLEMENT, attempt, merge: Some(merge) }
        }
        _ => NextAction::GiveUp,
    }
}

/// Whether a task that is finished, or that is merged with the branch of the run now, was sent back twice: others were merged
/// first each time. Its steps come newest first.
#[must_use]
pub fn was_overtaken_twice<'s>(steps: impl Iterator<Item = &'s StepRecord>) -> bool {
    since_restart(steps).filter(|record| record.step.is_end() && record.outcome == Outcome::Pass).count() > 1
}

/// The steps since a task has begun again, newest first.
fn since_restart<'s>(steps: impl Iterator<Item = &'s StepRecord>) -> impl Iterator<Item = &'s StepRecord> {
    steps.take_while(|record| {
        let has_failed = record.step.is_end() && record.outcome == Outcome::Fail;
        !has_failed && record.step.row().effect != Effect::Restart
    })
}

/// The state of a task whose latest counted commit this is. A claim about its tests is a question to a person if
/// there are no reviews.
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
mod tests;
