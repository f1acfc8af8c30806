//! A step as its commit records it, and what steps have taken.

use std::time::Duration;

use chrono::DateTime;
use serde::{Serialize, Serializer};

use crate::record::{
    AttemptSteps, By, CommitId, Counts, Effect, Finding, Goal, Outcome, ProofCost, Remark, Step, StepEffort,
    StepFacts, StepRecord, StepValidity, UNTESTED, Usage, UsageTotal, by_attempt, rounded_seconds,
};
use crate::report::text::rfc3339;
use crate::text::tail;

/// How many characters of the body of a message are kept. Those of our own runs are shorter.
const BODY: usize = 16_000;

/// A step and everything that its commit says.
#[derive(Clone, Debug)]
pub struct StepView {
    /// The commit.
    pub commit: CommitId,
    /// The committer date, in seconds since the epoch.
    pub time: i64,
    /// The step, outcome and attempt according to its trailers.
    pub record: StepRecord,
    /// Whether it counts.
    pub validity: StepValidity,
    /// What its trailers and sentences say besides.
    pub facts: StepFacts,
    /// The body of its message.
    pub body: String,
}

/// An attempt at a task.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RunAttempt<'a> {
    /// Its number, from 0; `None` if there were only decisions and notes of a person, or it is an attempt to merge.
    pub attempt: Option<u32>,
    /// Its number among the attempts to merge the finished task, from 0, if it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub merge: Option<u32>,
    /// Its steps, oldest first.
    pub steps: Vec<RunStep<'a>>,
}

/// A step.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RunStep<'a> {
    /// The step.
    pub step: Step,
    /// How it ended.
    pub outcome: &'static str,
    /// Whose work or decision it is.
    pub by: By,
    /// The attempt, counted from 0.
    pub attempt: u32,
    /// Its commit.
    pub commit: CommitId,
    /// When it was committed.
    pub time: Moment,
    /// Whether a later commit reverts it, so that it does not count.
    pub reverted: bool,
    /// Whether it was made under an earlier plan, so that it does not count.
    pub outdated: bool,
    /// The runner that did it.
    pub runner: Option<&'a str>,
    /// Who has claimed the task, if the step is a claim.
    pub claimant: Option<&'a str>,
    /// Why the finished task could not be merged before this step, as a clause.
    pub not_merged: Option<&'a str>,
    /// How long the agent or the tests took, in seconds.
    #[serde(serialize_with = "maybe_seconds")]
    #[cfg_attr(test, schemars(with = "Option<f64>"))]
    pub duration: Option<Duration>,
    /// What its proof has cost in addition; `None` if there was none, or it is not known.
    pub proof: Option<ProofCost>,
    /// What agents have used.
    #[serde(flatten)]
    pub usage: Usage,
    /// The counts of its tests.
    pub tests: Option<Counts>,
    /// The names of findings that a person should look at.
    pub findings: &'a [String],
    /// What the step has found itself.
    pub found: &'a [Finding],
    /// What reviewers have found.
    pub remarks: Vec<Remark>,
    /// Why a person decided so; `None` if nobody said why.
    pub reason: Option<&'a str>,
    /// The path of its report or log, in its commit.
    pub artifact: Option<&'a str>,
    /// What it has changed, if it changes files and that is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change: Option<&'a CodeChange>,
    /// The body of its message; a very long one is cut at its beginning.
    pub body: String,
    #[serde(skip)]
    pub(crate) record: StepRecord,
    #[serde(skip)]
    pub(crate) facts: &'a StepFacts,
}

/// How a step ended, for its colour and its sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    /// It passed.
    Good,
    /// It failed.
    Bad,
    /// It is a decision, a note or a claim, or it was reverted.
    Quiet,
}

/// What a commit has changed.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CodeChange {
    /// The commit with which it is compared; `None` for its parent.
    pub base: Option<CommitId>,
    /// The files.
    pub files: Vec<ChangedFile>,
    /// The patch; `None` if it was not read.
    #[serde(skip)]
    pub patch: Option<String>,
}

/// A file that a commit has changed.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ChangedFile {
    /// Its path.
    pub path: String,
    /// How many lines were added; `None` for a binary file.
    pub added: Option<u64>,
    /// How many lines were removed.
    pub removed: Option<u64>,
}

impl CodeChange {
    /// The command that shows it.
    pub(crate) fn command(&self, commit: &CommitId) -> String {
        match &self.base {
            Some(base) => format!("git diff {} {}", base.short(), commit.short()),
            None => format!("git show {}", commit.short()),
        }
    }
}

impl<'a> RunStep<'a> {
    /// The step of a commit, and what it has changed if that was read.
    #[must_use]
    pub fn of(step: &'a StepView, change: Option<&'a CodeChange>) -> Self {
        let StepView { commit, time, record, validity, facts, body } = step;
        Self {
            step: record.step,
            outcome: record.outcome.word(record.step),
            by: record.by,
            attempt: record.attempt,
            commit: *commit,
            time: Moment(*time),
            reverted: *validity == StepValidity::Reverted,
            outdated: *validity == StepValidity::Outdated,
            runner: facts.runner.as_deref(),
            claimant: facts.claimant.as_deref(),
            not_merged: facts.not_merged.as_deref(),
            duration: facts.took(),
            proof: facts.proof_cost(),
            usage: facts.usage,
            tests: facts.tests,
            findings: &facts.findings,
            found: &facts.found,
            remarks: facts.remarks(),
            reason: facts.reason.as_deref(),
            artifact: facts.artifacts().next().map(|(_, path)| path),
            change,
            body: tail(body, BODY),
            record: *record,
            facts,
        }
    }

    /// How it ended.
    pub(crate) fn tone(&self) -> Tone {
        let is_quiet = matches!(self.step.row().goal, Goal::Record | Goal::Claim | Goal::Answer);
        match self.record.outcome {
            _ if self.reverted || is_quiet => Tone::Quiet,
            Outcome::Pass => Tone::Good,
            Outcome::Fail => Tone::Bad,
            Outcome::Skip => Tone::Quiet,
        }
    }
}

impl RunStep<'_> {
    /// Whether it has passed although no test ran in it.
    pub(crate) fn is_untested(&self) -> bool {
        self.facts.is_untested() && self.record.outcome == Outcome::Pass
    }

    /// Whether it asks a question, so that nothing has passed in it.
    pub(crate) fn is_question(&self) -> bool {
        self.step.row().effect == Effect::Question
    }

    /// How it ended, as people read it; empty for a question.
    pub(crate) fn shown_outcome(&self) -> &'static str {
        match (self.is_untested(), self.is_question()) {
            (true, _) => UNTESTED,
            (false, true) => "",
            (false, false) => self.outcome,
        }
    }
}

/// The steps in their attempts.
pub(super) fn in_attempts<'a>(steps: &[RunStep<'a>]) -> Vec<RunAttempt<'a>> {
    let attempts = by_attempt(steps, |step| step.record);
    let attempt = |AttemptSteps { number, merge, steps }: AttemptSteps<'_, _>| RunAttempt {
        attempt: number,
        merge,
        steps: steps.to_vec(),
    };
    attempts.into_iter().map(attempt).collect()
}

/// A step of a task, as far as it tells what was taken.
#[derive(Clone, Debug)]
pub struct WorkedStep {
    /// The step.
    pub record: StepRecord,
    /// What it has taken.
    pub effort: StepEffort,
}

/// What the steps of a task have taken, even those that do not count any more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Effort {
    /// How many attempts there were, even if they do not count any more.
    #[serde(rename = "attempt_count")]
    pub attempts: usize,
    /// How long agents, tests and proofs have worked, in seconds; `None` if that is not known.
    #[serde(rename = "duration", serialize_with = "known_seconds")]
    #[cfg_attr(test, schemars(with = "Option<f64>"))]
    pub worked: Duration,
    /// What agents have used.
    #[serde(flatten)]
    pub usage: UsageTotal,
}

impl Effort {
    /// The effort of these steps of one task, oldest first.
    #[must_use]
    pub fn of(steps: &[WorkedStep]) -> Self {
        let attempts = by_attempt(steps, |step| step.record);
        let mut effort = Self {
            attempts: attempts.iter().filter(|steps| steps.number.is_some()).count(),
            ..Self::default()
        };
        for WorkedStep { record, effort: StepEffort { usage, worked } } in steps {
            effort.usage.add(record, *usage);
            effort.worked = effort.worked.saturating_add(*worked);
        }
        effort
    }

    /// All of these together.
    pub(super) fn sum(efforts: impl Iterator<Item = Self>) -> Self {
        let mut sum = Self::default();
        for Self { attempts, worked, usage } in efforts {
            sum.usage.add_all(usage);
            sum.attempts += attempts;
            sum.worked = sum.worked.saturating_add(worked);
        }
        sum
    }
}

fn known_seconds<S: Serializer>(worked: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    maybe_seconds(&Some(*worked).filter(|worked| !worked.is_zero()), serializer)
}

fn maybe_seconds<S: Serializer>(duration: &Option<Duration>, serializer: S) -> Result<S::Ok, S::Error> {
    duration.map(rounded_seconds).serialize(serializer)
}

/// A point in time, in seconds since the epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Moment(#[cfg_attr(test, schemars(with = "Option<crate::schema::Time>"))] pub i64);

impl Moment {
    /// For people, in UTC: `22 Nov 2026, 14:05`.
    pub(crate) fn shown(self) -> String {
        let time = DateTime::from_timestamp(self.0, 0);
        time.map_or_else(
            || "at an unknown time".to_owned(),
            |time| time.format("%-d %b %Y, %H:%M").to_string(),
        )
    }
}

impl Serialize for Moment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        rfc3339(self.0).serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::StepText;

    #[test]
    fn the_sum_of_durations_is_a_number_that_people_can_read() {
        let step = |step, outcome, attempt, text: &str| WorkedStep {
            record: StepRecord::of_run(step, outcome, attempt),
            effort: StepText::of(format!("task(T1): {text}Arborist-Step: test\n").as_bytes()).effort,
        };
        let effort = Effort::of(&[
            step(Step::IMPLEMENT, Outcome::Pass, 0, "x\n\nArborist-Duration: 0.1\nArborist-Cost: 0.1\n"),
            step(Step::TEST, Outcome::Fail, 0, "x\n\nArborist-Test-Runtime: 0.2\n"),
            step(Step::IMPLEMENT, Outcome::Pass, 1, "x\n\nArborist-Duration: 0.3\nArborist-Cost: 0.2\n"),
        ]);
        let document = serde_json::to_value(effort).unwrap();
        assert_eq!(document["duration"].to_string(), "0.6");
        assert_eq!(document["cost"].to_string(), "0.3");
        assert_eq!(document["attempt_count"], 2);
        assert!(serde_json::to_value(Effort::default()).unwrap()["duration"].is_null());
    }

    #[test]
    fn the_approval_at_a_gate_belongs_to_the_attempt_that_it_approves() {
        let step = |step, by, outcome| WorkedStep {
            record: StepRecord { by, ..StepRecord::of_run(step, outcome, 0) },
            effort: StepEffort::default(),
        };
        let (run, user) = (By::Run, By::User);
        for (review, decision, attempts) in [
            (Outcome::Pass, (user, Outcome::Pass), 1),
            (Outcome::Pass, (user, Outcome::Fail), 1),
            (Outcome::Pass, (run, Outcome::Pass), 2),
        ] {
            let steps = [
                step(Step::IMPLEMENT, run, Outcome::Pass),
                step(Step::TEST, run, Outcome::Pass),
                step(Step::REVIEW, run, review),
                step(Step::REVIEW, decision.0, decision.1),
            ];
            assert_eq!(Effort::of(&steps).attempts, attempts, "{decision:?}");
        }
    }

    #[test]
    fn steps_are_grouped_by_attempt_even_if_a_failed_task_starts_over() {
        type Case<'a> = (&'a [(Step, u32)], &'a [usize]);
        let cases: [Case<'_>; 5] = [
            (&[], &[]),
            (&[(Step::IMPLEMENT, 0), (Step::TEST, 0), (Step::REVIEW, 0), (Step::COMPLETE, 0)], &[4]),
            (
                &[
                    (Step::IMPLEMENT, 0),
                    (Step::TEST, 0),
                    (Step::IMPLEMENT, 1),
                    (Step::TEST, 1),
                    (Step::COMPLETE, 0),
                ],
                &[2, 3],
            ),
            (&[(Step::IMPLEMENT, 0), (Step::COMPLETE, 0), (Step::IMPLEMENT, 0), (Step::TEST, 0)], &[2, 2]),
            (&[(Step::TEST, 1), (Step::TEST, 2), (Step::REVIEW, 2)], &[1, 2]),
        ];
        for (steps, expected) in cases {
            let steps: Vec<StepView> = steps
                .iter()
                .map(|(step, attempt)| StepView {
                    commit: CommitId::from_bytes(&[0; 20]).unwrap(),
                    time: 0,
                    record: StepRecord::of_run(*step, Outcome::Pass, *attempt),
                    validity: StepValidity::Counts,
                    facts: StepFacts::default(),
                    body: String::new(),
                })
                .collect();
            let attempts = in_attempts(&steps.iter().map(|step| RunStep::of(step, None)).collect::<Vec<_>>());
            let sizes: Vec<_> = attempts.into_iter().map(|attempt| attempt.steps.len()).collect();
            assert_eq!(sizes, expected);
        }
    }
}
