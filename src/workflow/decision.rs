//! Decides which step a person's decision about a task is, and whether the task can take it (docs/intervening.md).

use crate::record::{By, Effect, Goal, Outcome, Step, StepRecord};
use crate::text::advice;

/// What a person decides about a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Leave it out; tasks that depend on it do not wait for it.
    Skip,
    /// Vouch for it.
    Complete,
    /// Begin it again, with the feedback so far.
    Reopen,
    /// Approve the change, in place of a reviewer or at a gate.
    Approve,
    /// Reject the change, in place of a reviewer.
    Reject,
    /// Write something for the next prompts.
    Note,
}

/// The steps of a task on which a decision depends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// The latest step that counts for the state of the task.
    pub latest: Option<StepRecord>,
    /// The latest step that is part of an attempt, if the task has not begun again since.
    pub attempt: Option<StepRecord>,
}

impl Decision {
    /// The step that records it, and how that ends.
    #[must_use]
    pub fn recorded_as(self) -> (Step, Outcome) {
        match self {
            Self::Skip => (Step::COMPLETE, Outcome::Skip),
            Self::Complete => (Step::COMPLETE, Outcome::Pass),
            Self::Reopen => (Step::REOPEN, Outcome::Pass),
            Self::Approve => (Step::REVIEW, Outcome::Pass),
            Self::Reject => (Step::REVIEW, Outcome::Fail),
            Self::Note => (Step::NOTE, Outcome::Pass),
        }
    }

    /// The step that records it.
    ///
    /// # Errors
    /// If the task cannot take it now: why not, as a clause after the id of the task.
    pub fn step(self, standing: &Standing) -> Result<StepRecord, Unfit> {
        let (step, outcome) = self.recorded_as();
        let of_attempt = |attempt| StepRecord { by: By::User, ..StepRecord::of_run(step, outcome, attempt) };
        let ended = standing.latest.filter(|latest| latest.step.is_end()).map(|latest| latest.outcome);
        match self {
            Self::Note => Ok(of_attempt(0)),
            Self::Skip | Self::Complete => match ended {
                Some(Outcome::Pass) => Err(Unfit::Complete),
                Some(Outcome::Skip) if self == Self::Skip => Err(Unfit::Skipped),
                _ => Ok(of_attempt(0)),
            },
            Self::Reopen => match standing.latest {
                Some(latest) if !latest.restarts() => Ok(of_attempt(0)),
                _ => Err(Unfit::Pending),
            },
            Self::Approve => {
                let judged = standing.judged_step(ended)?;
                match (judged.step.row().goal, judged.outcome) {
                    (Goal::Approval, Outcome::Pass) if judged.by == By::User => Err(Unfit::Approved),
                    (Goal::Approval, _) | (Goal::TestsPass, Outcome::Pass) => {
                        Ok(StepRecord { merge: judged.merge, ..of_attempt(judged.attempt) })
                    }
                    _ => Err(Unfit::Untested),
                }
            }
            Self::Reject => {
                // A person may look at a complete task the next morning, and reject it. Then it is merged, and begins again.
                let is_complete = ended == Some(Outcome::Pass);
                let judged = standing.judged_step(ended.filter(|_| !is_complete))?;
                if judged.outcome == Outcome::Fail {
                    return Err(Unfit::AlreadyFailed);
                }
                Ok(StepRecord {
                    // Before there is any code, only the tests can be meant.
                    rejects_tests: judged.step.row().goal == Goal::TestsFail,
                    merge: judged.merge.filter(|_| !is_complete),
                    ..of_attempt(judged.attempt)
                })
            }
        }
    }
}

impl Standing {
    /// The step that a verdict is about.
    ///
    /// # Errors
    /// If the task has ended, or there is no change to judge.
    fn judged_step(&self, ended: Option<Outcome>) -> Result<StepRecord, Unfit> {
        match ended {
            Some(Outcome::Pass) => Err(Unfit::Complete),
            Some(Outcome::Skip) => Err(Unfit::Skipped),
            Some(Outcome::Fail) => Err(Unfit::Failed),
            None => self.attempt.ok_or(Unfit::NothingToJudge),
        }
    }
}

/// Why a task cannot take a decision now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// It is complete.
    Complete,
    /// It is skipped.
    Skipped,
    /// It has failed for good.
    Failed,
    /// It has not begun, or has just been opened again.
    Pending,
    /// There is no change to judge yet.
    NothingToJudge,
    /// The tests of its latest change have not passed.
    Untested,
    /// A person has approved it already.
    Approved,
    /// Its latest attempt has failed already.
    AlreadyFailed,
}

impl Unfit {
    /// It as a clause that follows the id of the task.
    #[must_use]
    pub fn what(self) -> &'static str {
        match self {
            Self::Complete => "is already complete",
            Self::Skipped => "is already skipped",
            Self::Failed => "has failed",
            Self::Pending => "is pending, so there is nothing to open again",
            Self::NothingToJudge => "has no change that could be judged",
            Self::Untested => "has a change whose tests have not passed",
            Self::Approved => "is already approved by a person",
            Self::AlreadyFailed => "has already failed in this attempt",
        }
    }

    /// What to do instead, as sentences.
    #[must_use]
    pub fn remedy(self, id: &str) -> String {
        match self {
            Self::Complete | Self::Skipped => {
                format!("{} opens it again.", advice::reopen(id))
            }
            Self::Failed => format!(
                "{} vouches for it anyway; {} lets an agent try again.",
                advice::complete(id),
                advice::reopen(id)
            ),
            Self::Pending | Self::NothingToJudge => {
                format!("{} shows what has happened to it.", advice::show(id))
            }
            Self::Untested => format!(
                "{} runs its tests; {} vouches for it without them.",
                advice::garden(id),
                advice::complete(id)
            ),
            Self::Approved => format!("{} completes it.", advice::garden(id)),
            Self::AlreadyFailed => {
                format!("{} adds something to the next prompt.", advice::note(id))
            }
        }
    }
}

/// The attempt in which a person does the implement step of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Takeover {
    /// The number of the attempt.
    pub attempt: u32,
    /// Whether a change is committed already, and only its tests are missing. If the person has made no other changes,
    /// it is this one that is done.
    pub is_committed: bool,
}

impl Takeover {
    /// The attempt after the task's latest counted step. A person is not limited to a number of attempts.
    ///
    /// # Errors
    /// If nothing is left to do for the task.
    pub fn of(latest: Option<StepRecord>) -> Result<Self, Unfit> {
        let at = |attempt| Ok(Self { attempt, is_committed: false });
        let Some(latest) = latest else { return at(0) };
        match (latest.step.row().effect, latest.outcome) {
            (Effect::Restart, _) if latest.goes_on() => at(latest.attempt.saturating_add(1)),
            (Effect::Restart | Effect::None, _) | (Effect::End, Outcome::Fail) => at(0),
            (Effect::Question, _) => at(latest.attempt),
            (Effect::End, Outcome::Pass) => Err(Unfit::Complete),
            (Effect::End, Outcome::Skip) => Err(Unfit::Skipped),
            (Effect::Stage { .. }, Outcome::Fail) => at(latest.attempt.saturating_add(1)),
            (Effect::Stage { .. }, Outcome::Pass | Outcome::Skip) => {
                Ok(Self { attempt: latest.attempt, is_committed: latest.step.row().goal == Goal::Change })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Outcome::{Fail, Pass, Skip};

    fn standing(latest: Option<(Step, Outcome)>, attempt: Option<(Step, Outcome)>) -> Standing {
        let record = |(step, outcome)| StepRecord::of_run(step, outcome, 1);
        Standing { latest: latest.map(record), attempt: attempt.or(latest).map(record) }
    }

    #[test]
    fn a_decision_is_recorded_only_where_it_has_an_effect() {
        let reopened = |by| Standing {
            latest: Some(StepRecord { by, ..StepRecord::of_run(Step::REOPEN, Pass, 1) }),
            attempt: None,
        };
        let tested = standing(Some((Step::TEST, Pass)), None);
        let complete = standing(Some((Step::COMPLETE, Pass)), Some((Step::REVIEW, Pass)));
        let failed = standing(Some((Step::COMPLETE, Fail)), Some((Step::REVIEW, Fail)));
        let skipped = standing(Some((Step::COMPLETE, Skip)), Some((Step::TEST, Fail)));
        let cases = [
            (Decision::Skip, Standing::default(), Ok((Step::COMPLETE, Skip))),
            (Decision::Skip, failed, Ok((Step::COMPLETE, Skip))),
            (Decision::Skip, complete, Err(Unfit::Complete)),
            (Decision::Skip, skipped, Err(Unfit::Skipped)),
            (Decision::Complete, skipped, Ok((Step::COMPLETE, Pass))),
            (Decision::Complete, complete, Err(Unfit::Complete)),
            (Decision::Reopen, Standing::default(), Err(Unfit::Pending)),
            (Decision::Reopen, reopened(By::User), Err(Unfit::Pending)),
            // The run has not given it its attempts back.
            (Decision::Reopen, reopened(By::Run), Ok((Step::REOPEN, Pass))),
            (Decision::Reopen, complete, Ok((Step::REOPEN, Pass))),
            (Decision::Approve, tested, Ok((Step::REVIEW, Pass))),
            (Decision::Approve, standing(Some((Step::REVIEW, Fail)), None), Ok((Step::REVIEW, Pass))),
            (Decision::Approve, standing(Some((Step::REVIEW, Pass)), None), Ok((Step::REVIEW, Pass))),
            (Decision::Approve, standing(Some((Step::TEST, Fail)), None), Err(Unfit::Untested)),
            (Decision::Approve, standing(Some((Step::IMPLEMENT, Pass)), None), Err(Unfit::Untested)),
            (Decision::Approve, Standing::default(), Err(Unfit::NothingToJudge)),
            (Decision::Approve, failed, Err(Unfit::Failed)),
            (Decision::Reject, complete, Ok((Step::REVIEW, Fail))),
            (Decision::Reject, tested, Ok((Step::REVIEW, Fail))),
            (Decision::Reject, standing(Some((Step::TEST, Fail)), None), Err(Unfit::AlreadyFailed)),
            (Decision::Reject, skipped, Err(Unfit::Skipped)),
            (Decision::Note, complete, Ok((Step::NOTE, Pass))),
        ];
        for (decision, standing, expected) in cases {
            let found = decision.step(&standing).map(|record| (record.step, record.outcome));
            assert_eq!(found, expected, "{decision:?} {standing:?}");
        }
    }

    #[test]
    fn a_person_works_in_the_next_attempt_or_continues_the_present_one() {
        let latest = |step, outcome, by| Some(StepRecord { by, ..StepRecord::of_run(step, outcome, 4) });
        let (user, run) = (By::User, By::Run);
        let at = |attempt, is_committed| Ok(Takeover { attempt, is_committed });
        let cases = [
            (None, at(0, false)),
            (latest(Step::TEST, Fail, run), at(5, false)),
            (latest(Step::REVIEW, Fail, user), at(5, false)),
            (latest(Step::RED, Pass, run), at(4, false)),
            (latest(Step::RED, Fail, run), at(5, false)),
            (latest(Step::IMPLEMENT, Pass, run), at(4, true)),
            (latest(Step::IMPLEMENT, Pass, user), at(4, true)),
            (latest(Step::TEST, Pass, run), at(4, false)),
            (latest(Step::TEST, Pass, user), at(4, false)),
            (latest(Step::BLOCK, Pass, run), at(4, false)),
            (latest(Step::COMPLETE, Fail, run), at(0, false)),
            (latest(Step::REOPEN, Pass, user), at(0, false)),
            (latest(Step::REOPEN, Pass, run), at(5, false)),
            (latest(Step::COMPLETE, Pass, run), Err(Unfit::Complete)),
            (latest(Step::COMPLETE, Skip, user), Err(Unfit::Skipped)),
        ];
        for (latest, expected) in cases {
            assert_eq!(Takeover::of(latest), expected, "{latest:?}");
        }
    }

    #[test]
    fn a_verdict_belongs_to_the_attempt_that_it_judges() {
        let tested = Standing {
            latest: Some(StepRecord::of_run(Step::TEST, Pass, 3)),
            attempt: Some(StepRecord::of_run(Step::TEST, Pass, 3)),
        };
        for decision in [Decision::Approve, Decision::Reject] {
            let record = decision.step(&tested).unwrap();
            assert_eq!((record.attempt, record.by), (3, By::User));
        }
    }
}
