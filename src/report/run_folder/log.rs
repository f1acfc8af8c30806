//! The log of a run: an event for each step, in the order of time.

use serde::Serialize;

use super::run_file::{AroundPhase, AroundStep};
use crate::record::{By, CommitId, Counts, Outcome, Step};
use crate::report::document::{Moment, RunAttempt, RunDocument, RunStep, RunTask};

/// An event.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Event<'a> {
    version: u32,
    /// When it ended.
    ts: Moment,
    /// The step, `green` for tests; or what `autopilot` has done around the steps.
    #[cfg_attr(test, schemars(with = "String"))]
    phase: Phase,
    /// The task; `None` around the steps.
    subtask: Option<&'a str>,
    /// How it ended.
    #[cfg_attr(test, schemars(extend("enum" = ["ok", "error", "skipped"])))]
    status: &'static str,
    /// The attempt, from 1; `None` for decisions of a person.
    attempt: Option<u32>,
    /// The counts of the tests; `None` if they are not known.
    tests: Option<Counts>,
    /// The agent.
    runner: Option<&'a str>,
    /// `user` if a person did it.
    #[cfg_attr(test, schemars(extend("enum" = ["user", null])))]
    by: Option<&'static str>,
    /// Why a person decided so.
    reason: Option<&'a str>,
    /// The first error that a check has found.
    error: Option<String>,
    /// What there is to say of something around the steps.
    details: Option<&'a str>,
    /// The commit; `None` around the steps.
    sha: Option<CommitId>,
    /// Whether a later commit reverts it.
    reverted: bool,
}

/// What an event is about.
#[derive(Serialize)]
#[serde(untagged)]
enum Phase {
    Step(&'static str),
    Around(AroundPhase),
}

/// The events.
pub(super) fn events<'a>(report: &'a RunDocument<'a>, around: &'a [AroundStep]) -> Vec<Event<'a>> {
    let attempts =
        report.tasks.iter().flat_map(|task| task.attempts().iter().map(move |attempt| (task, attempt)));
    let steps =
        attempts.flat_map(|(task, attempt)| attempt.steps.iter().map(|step| of_step(task, attempt, step)));
    let mut events: Vec<Event<'_>> = steps.chain(around.iter().map(of_around)).collect();
    events.sort_by_key(|event| event.ts);
    events
}

fn of_step<'a>(task: &'a RunTask<'a>, attempt: &RunAttempt<'a>, step: &'a RunStep<'a>) -> Event<'a> {
    let is_test = step.step == Step::TEST;
    Event {
        version: 1,
        ts: step.time,
        // The word of test-driven development, where there is one.
        phase: Phase::Step(if is_test { "green" } else { step.step.word() }),
        subtask: Some(task.id.as_str()),
        status: match step.record.outcome {
            Outcome::Fail => "error",
            Outcome::Skip => "skipped",
            // No test ran.
            Outcome::Pass if is_test && step.is_untested() => "skipped",
            Outcome::Pass => "ok",
        },
        attempt: attempt.attempt.map(|number| number + 1),
        tests: step.tests,
        runner: step.runner,
        by: (step.by == By::User).then_some("user"),
        reason: step.reason,
        error: step.error(),
        details: None,
        sha: Some(step.commit),
        reverted: step.reverted,
    }
}

fn of_around(step: &AroundStep) -> Event<'_> {
    Event {
        version: 1,
        ts: Moment(step.at),
        phase: Phase::Around(step.phase),
        subtask: None,
        status: if step.ok { "ok" } else { "error" },
        attempt: None,
        tests: None,
        runner: None,
        by: None,
        reason: None,
        error: None,
        details: Some(&step.details),
        sha: None,
        reverted: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_is_that_of_the_document() {
        crate::schema::assert_committed::<Event<'_>>(
            "run-log",
            "git arborist report --run-folder: log.jsonl, one event a line",
        );
    }
}
