//! The JSON report of a task, which is committed when it is complete.

use chrono::{DateTime, SecondsFormat, Utc};
use serde::Serialize;

use crate::engine::run_context::Assignment;
use crate::history::{StepValidity, TaskStep};
use crate::record::{
    AttemptSteps, Counts, Finding, StepFacts, Usage, UsageTotal, by_attempt, rounded_seconds,
};

/// The JSON report of a task.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct CompletionReport<'a> {
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

impl<'a> CompletionReport<'a> {
    /// The report of a task that is complete. `counted` are its steps that count, oldest first.
    pub(super) fn of_complete(
        job: Assignment<'a>,
        name: &'a str,
        newest_first: &[TaskStep],
        counted: &[TaskStep],
    ) -> Self {
        Self {
            version: 1,
            task_id: job.task.id.as_str(),
            name,
            result: "pass",
            retries: job.attempt.number,
            started: counted.first().and_then(began),
            finished: Utc::now().to_rfc3339_opts(SecondsFormat::Secs, false),
            usage: total(newest_first),
            attempts: attempt_reports(counted),
        }
    }

    /// The content of its file.
    pub(super) fn json(&self) -> Vec<u8> {
        let mut json =
            serde_json::to_vec_pretty(self).expect("a report has only text and numbers as keys and values");
        json.push(b'\n');
        json
    }
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
    let facts = StepFacts::of(&step.message);
    let duration = facts.took();
    let StepFacts { runner, usage, tests, findings, found, .. } = facts;
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
    let took = StepFacts::of(&step.message).took().unwrap_or_default().as_secs_f64().round();
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
        crate::schema::assert_committed::<CompletionReport<'_>>("report", "spec/reports/TASK_run_TIME.json");
    }
}
