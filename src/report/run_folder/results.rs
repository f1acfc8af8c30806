//! The results of the tests of a run: a file for each time they ran.

use std::collections::{HashMap, HashSet};

use serde::Serialize;
use serde_json::Value;

use super::run_file::{LoggedTests, RESULTS, RunFile, coverage};
use crate::record::{Check, CommitId, Counts, Finding, Outcome, Step};
use crate::report::document::{Moment, RunDocument, RunStep, RunTask};
use crate::report::json::json_document;
use crate::report::parts::parts;

/// A time that tests ran.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct TestResult<'a> {
    version: u32,
    /// The task; `None` for the suite.
    subtask: Option<&'a str>,
    /// Whether they had to fail, had to pass, or are all tests.
    #[cfg_attr(test, schemars(extend("enum" = ["red", "green", "suite"])))]
    phase: &'static str,
    /// The attempt, from 1; `None` for the suite.
    attempt: Option<u32>,
    /// When they ended.
    timestamp: Moment,
    /// The commit that records them.
    sha: CommitId,
    /// How the step ended, `pass` or `fail`.
    status: &'a str,
    /// The commands.
    commands: Vec<&'a str>,
    /// In milliseconds.
    duration: Option<u64>,
    /// The counts of the tests; `None` if they are not known.
    summary: Option<CountsSummary>,
    /// With which status the first command ended that failed, as far as the log says it; 0 if all passed.
    #[serde(rename = "exitCode")]
    exit_code: Option<i32>,
    /// The commands that failed.
    failures: Vec<String>,
    /// The tests that failed, as far as the log names them.
    #[serde(rename = "failedTests")]
    failed_tests: &'a [String],
    /// The coverage of all the code; `None` if it is not known.
    #[cfg_attr(test, schemars(with = "Option<std::collections::BTreeMap<String, f64>>"))]
    coverage: Option<Value>,
    /// The end of what they printed, as the commit records it.
    output: Vec<PrintedOutput<'a>>,
}

/// Counts.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct CountsSummary {
    /// All tests.
    total: u32,
    /// Those that passed, failed or were skipped.
    #[serde(flatten)]
    counts: Counts,
}

/// A part.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct PrintedOutput<'a> {
    /// The type of the command.
    #[serde(rename = "type")]
    kind: &'a str,
    /// Where it was printed.
    #[cfg_attr(test, schemars(extend("enum" = ["stdout", "stderr"])))]
    stream: &'static str,
    /// The text.
    text: &'a str,
}

/// The logs of test steps that failed: the commit of the step, and the path.
pub fn test_logs<'d>(report: &'d RunDocument<'_>) -> impl Iterator<Item = (CommitId, &'d str)> {
    let steps = report.tasks.iter().flat_map(RunTask::all_steps);
    let tests = steps.filter(|step| step.step == Step::TEST && step.record.outcome == Outcome::Fail);
    tests.filter_map(|step| Some((step.commit, step.artifact?)))
}

/// The files.
pub(super) fn results(report: &RunDocument<'_>, logs: &HashMap<CommitId, LoggedTests>) -> Vec<RunFile> {
    let mut files: Vec<RunFile> = report.tasks.iter().flat_map(|task| of_task(task, logs)).collect();
    files.extend(suite(report));
    files
}

fn of_task(task: &RunTask<'_>, logs: &HashMap<CommitId, LoggedTests>) -> Vec<RunFile> {
    let mut files = Vec::new();
    for (word, phase) in [(Step::RED, "red"), (Step::TEST, "green")] {
        let steps = task.attempts().iter().flat_map(|attempt| {
            let number = attempt.attempt.map(|number| number + 1);
            attempt.steps.iter().map(move |step| (step, number))
        });
        let runs: Vec<_> = steps.filter(|(step, _)| step.step == word && !step.is_untested()).collect();
        let mut names = HashSet::new();
        for (step, attempt) in &runs {
            let name = match runs.len() {
                1 => format!("{}-{phase}", task.id),
                _ => format!("{}-{phase}-attempt{}", task.id, attempt.unwrap_or(1)),
            };
            // After a failure, attempts are counted from the beginning again.
            let again = (2..).map(|number| format!("{name}-{number}"));
            let name = std::iter::once(name.clone()).chain(again).find(|name| !names.contains(name));
            let name = name.expect("there is always another number");
            let result =
                TestResult { attempt: *attempt, ..result(task, step, phase, logs.get(&step.commit)) };
            let text = json_document(&result);
            files.push(RunFile { path: format!("{RESULTS}/{name}.json"), text });
            names.insert(name);
        }
    }
    files
}

/// What a step says of its tests, but for the attempt.
fn result<'a>(
    task: &'a RunTask<'a>,
    step: &'a RunStep<'a>,
    phase: &'static str,
    log: Option<&'a LoggedTests>,
) -> TestResult<'a> {
    let read = parts(&step.body);
    TestResult {
        version: 1,
        subtask: Some(task.id.as_str()),
        phase,
        attempt: None,
        timestamp: step.time,
        sha: step.commit,
        status: step.outcome,
        commands: task.in_plan.iter().flat_map(|plan| &plan.test_commands).map(|test| test.command).collect(),
        duration: step.duration.map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX)),
        summary: step.tests.map(|counts| CountsSummary { total: counts.total(), counts }),
        exit_code: match log {
            Some(log) => log.exit_code,
            None => (step.record.outcome == Outcome::Pass && step.step == Step::TEST).then_some(0),
        },
        failures: step.facts.failed.clone(),
        failed_tests: log.map_or(&[], |log| log.failed.as_slice()),
        coverage: coverage(step.facts.coverage.as_deref()),
        output: read
            .into_iter()
            .filter_map(|part| {
                let stream = if part.is_stderr() { "stderr" } else { "stdout" };
                Some(PrintedOutput { kind: part.test_type()?, stream, text: part.text })
            })
            .collect(),
    }
}

/// What is recorded of the whole suite, at the end of a phase or in the tests of a task. Only a failure is.
fn suite(report: &RunDocument<'_>) -> Option<RunFile> {
    let is_suite = |finding: &&Finding| finding.check == Check::Suite;
    let mut phases = report.phases.iter().filter_map(|phase| {
        Some((phase.failed_tests?.commit, report.report().ended?, phase.findings.iter().find(is_suite)?))
    });
    let steps = report.tasks.iter().flat_map(RunTask::all_steps);
    let steps = steps
        .filter(|step| !step.reverted)
        .filter_map(|step| Some((step.commit, step.time, step.found.iter().find(is_suite)?)));
    let newest_step = steps.max_by_key(|(_, time, _)| *time);
    let (sha, timestamp, finding) = phases.next_back().or(newest_step)?;
    let result = TestResult {
        version: 1,
        subtask: None,
        phase: "suite",
        attempt: None,
        timestamp,
        sha,
        status: "fail",
        commands: finding.look.as_deref().into_iter().collect(),
        duration: None,
        summary: None,
        exit_code: None,
        failed_tests: &[],
        failures: vec![finding.clause()],
        coverage: None,
        output: Vec::new(),
    };
    Some(RunFile { path: format!("{RESULTS}/final-suite.json"), text: json_document(&result) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_is_that_of_the_document() {
        crate::schema::assert_committed::<TestResult<'_>>(
            "run-test-result",
            "git arborist report --run-folder: test-results/*.json",
        );
    }
}
