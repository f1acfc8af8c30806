//! The end of a task: its report, and the commit that says whether it is complete (docs/commits.md).

use std::time::Duration;

use chrono::{DateTime, SecondsFormat, Utc};
use serde::Serialize;

use crate::engine::record::finished::FinishedStep;
use crate::engine::record::recorder::Recorder;
use crate::engine::step::assignment::Assignment;
use crate::engine::tree::artifact::{Artifact, ArtifactKind, committed_artifact};
use crate::engine::tree::workspace::Workspace;
use crate::error::Result;
use crate::git::Selection;
use crate::history::{FollowedRun, StepValidity, TaskStep};
use crate::record::{
    AttemptSteps, AwaitedChange, Counts, Finding, Goal, Outcome, ProofRecord, StepFacts, StepMessage,
    UNREVIEWED_SENTENCE, Usage, UsageTotal, by_attempt, rounded_seconds,
};
use crate::run::steps::findings::findings;

/// The JSON report of a task.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Report<'a> {
    version: u32,
    /// The id of the task.
    task_id: &'a str,
    /// Its name.
    name: &'a str,
    /// How it ended.
    result: &'static str,
    /// How many attempts failed before.
    retries: u32,
    /// When its first step began.
    started: Option<String>,
    /// When it ended.
    finished: String,
    #[serde(flatten)]
    usage: UsageTotal,
    /// The attempts, oldest first.
    attempts: Vec<AttemptReport>,
}

/// An attempt.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct AttemptReport {
    /// Its number, counted from 0.
    attempt: u32,
    /// The attempt to merge the finished task, counted from 0, if it is one. It is no further attempt at the task.
    #[serde(skip_serializing_if = "Option::is_none")]
    merge: Option<u32>,
    /// Its steps, oldest first.
    steps: Vec<StepReport>,
}

/// A step.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct StepReport {
    /// The step.
    step: &'static str,
    /// How it ended.
    outcome: &'static str,
    /// Its commit.
    commit: String,
    /// The committer date.
    time: Option<String>,
    /// The runner that did it.
    runner: Option<String>,
    /// How long it took, in seconds.
    duration: Option<f64>,
    #[serde(flatten)]
    usage: Usage,
    tests: Option<TestReport>,
    /// The names of findings that a person should look at.
    findings: Vec<String>,
    /// What the step has found itself.
    found: Vec<Finding>,
}

/// The test counts.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct TestReport {
    /// Tests that passed.
    passed: u32,
    /// Tests that failed.
    failed: u32,
    /// Tests that were skipped.
    skipped: u32,
}

/// Why a task has failed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum GivenUp<'w> {
    /// Its attempts are used up.
    Attempts,
    /// A finding says so.
    Finding(&'w Finding),
    /// It was complete and could not be merged, and no attempt is left. The sentence says why.
    NotMerged(&'w str),
}

/// Ends a task.
pub(crate) struct Completer<'e, 'a> {
    /// The state of the plan, read from history.
    pub(crate) followed: &'e FollowedRun<'a>,
    /// The work tree.
    pub(crate) workspace: &'e mut Workspace<'a>,
}

impl Completer<'_, '_> {
    /// Writes the report of a task, and commits that it is complete.
    ///
    /// # Errors
    /// Every failure that does not count as an attempt (docs/agents.md).
    pub(crate) fn complete(&mut self, job: Assignment<'_>) -> Result<()> {
        let run = self.workspace.run;
        let unit = self.workspace.begin(self.followed, job)?;
        run.announce(job, None);
        let all = self.followed.steps_of(job.task.id)?;
        let findings = findings(run.repository, &run.git, &all)?;
        let newest_first = all.clone();
        let mut steps = all;
        steps.retain(|step| step.validity == StepValidity::Counts);
        steps.reverse();
        let attempts = job.attempt.number.saturating_add(1);
        let name = run.shown_name(job.task.name);
        let report = Report {
            version: 1,
            task_id: job.task.id.as_str(),
            name: &name,
            result: "pass",
            retries: job.attempt.number,
            started: steps.first().and_then(began),
            finished: Utc::now().to_rfc3339_opts(SecondsFormat::Secs, false),
            usage: total(&newest_first),
            attempts: attempt_reports(&steps),
        };
        let mut json = serde_json::to_vec_pretty(&report)
            .expect("a report has only text and numbers as keys and values");
        json.push(b'\n');
        let path = Artifact::of_step(run, ArtifactKind::Report, job.task)?.write(&json)?;
        let message = StepMessage::new(job.step, job.task, job.attempt, Outcome::Pass)
            .with_report(&path, attempts)
            .with_findings(&findings);
        let tested = newest_test(&newest_first).map(|step| AwaitedChange::recorded_in(&step.message));
        let message = message.with_awaited(&tested.unwrap_or_default().to_complete());
        let message = if ends_with_tests(&steps) {
            // Whoever has a clone does not have the settings.
            message.with_sentence(UNREVIEWED_SENTENCE)
        } else {
            message
        };
        let proof = newest_test(&newest_first).and_then(|step| ProofRecord::recorded_in(&step.message));
        let message = match proof {
            Some(proof) => message.with_proof(&proof),
            None => message,
        };
        let finished = FinishedStep {
            job,
            outcome: Outcome::Pass,
            head: unit.head,
            selection: committed_artifact(&run.git, &path)?,
            message,
            duration: Duration::ZERO,
            detail: format!("after {attempts} attempt{}", if attempts == 1 { "" } else { "s" }),
            reason: None,
        };
        Recorder { followed: self.followed, workspace: self.workspace }.record(&finished)
    }

    /// Records that a task has failed, because its attempts are used up or because of a finding. Changes that its attempts
    /// could not commit do not become part of later tasks.
    ///
    /// # Errors
    /// Every failure that does not count as an attempt (docs/agents.md).
    pub(crate) fn give_up(&mut self, job: Assignment<'_>, why: GivenUp<'_>) -> Result<()> {
        let head = self.workspace.run.repository.branch()?;
        let Workspace { tree_changes, foreign, .. } = &*self.workspace;
        let left = tree_changes.clone().apart_from(&foreign.users).apart_from(&foreign.tests);
        self.workspace.name_as_left(&format!("the attempts at {}", job.task.id), left);
        let message = StepMessage::new(job.step, job.task, job.attempt, Outcome::Fail);
        let (message, detail) = match why {
            GivenUp::Attempts => (message, String::new()),
            GivenUp::Finding(finding) => (message.with_finding(finding), finding.clause()),
            GivenUp::NotMerged(sentence) => {
                (message.with_sentence(sentence), "it could not be merged".to_owned())
            }
        };
        let finished = FinishedStep {
            job,
            outcome: Outcome::Fail,
            head,
            selection: Selection::default(),
            message,
            duration: Duration::ZERO,
            detail,
            reason: None,
        };
        Recorder { followed: self.followed, workspace: self.workspace }.record(&finished)
    }
}

/// Whether the last of these steps was the tests: reviews are switched off.
fn ends_with_tests(oldest_first: &[TaskStep]) -> bool {
    let last = oldest_first.iter().rfind(|step| !step.step.record.step.leaves_the_work_as_it_was());
    last.is_some_and(|step| step.step.record.step.row().goal == Goal::TestsPass)
}

/// The newest test step.
fn newest_test(newest_first: &[TaskStep]) -> Option<&TaskStep> {
    newest_first.iter().find(|step| {
        step.validity == StepValidity::Counts && step.step.record.step.row().goal == Goal::TestsPass
    })
}

/// Groups the steps, oldest first, by attempt. A task that starts over begins a new attempt with the number 0.
fn attempt_reports(steps: &[TaskStep]) -> Vec<AttemptReport> {
    let attempt = |attempt: AttemptSteps<'_, TaskStep>| AttemptReport {
        attempt: attempt.number_of(|step| step.step.record),
        merge: attempt.merge,
        steps: attempt.steps.iter().map(report_of).collect(),
    };
    by_attempt(steps, |step| step.step.record).into_iter().map(attempt).collect()
}

/// What all steps of a task in the run have used, even those that do not count any more.
fn total(steps: &[TaskStep]) -> UsageTotal {
    let mut total = UsageTotal::default();
    for step in steps.iter().filter(|step| step.validity != StepValidity::Outdated) {
        total.add(&step.step.record, StepFacts::of(&step.message).usage);
    }
    total
}

fn report_of(step: &TaskStep) -> StepReport {
    let StepFacts { runner, duration, usage, tests, findings, found, .. } = StepFacts::of(&step.message);
    let record = &step.step.record;
    StepReport {
        step: record.step.word(),
        outcome: record.outcome.word(record.step),
        commit: step.step.id.to_string(),
        time: rfc3339(step.step.time),
        runner,
        duration: duration.map(rounded_seconds),
        usage,
        tests: tests.map(|Counts { passed, failed, skipped }| TestReport { passed, failed, skipped }),
        findings,
        found,
    }
}

/// When a step began, calculated from its duration: its commit was made when it ended.
fn began(step: &TaskStep) -> Option<String> {
    let took = StepFacts::of(&step.message).duration.unwrap_or_default().as_secs_f64().round();
    #[expect(clippy::cast_possible_truncation, reason = "no step takes more seconds than an i64 can hold")]
    rfc3339(step.step.time.saturating_sub(took as i64))
}

fn rfc3339(seconds: i64) -> Option<String> {
    DateTime::from_timestamp(seconds, 0).map(|time| time.to_rfc3339_opts(SecondsFormat::Secs, false))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_is_that_of_the_document() {
        crate::schema::assert_committed::<Report<'_>>("report", "spec/reports/TASK_run_TIME.json");
    }
}
