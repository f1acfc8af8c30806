//! Prints the events of a run as JSON, one object per line, for programs that watch it (docs/schema/event.json).
//!
//! A stream always ends with an `end` event, even if a run stops before its first step.

use chrono::{SecondsFormat, Utc};
use serde::Serialize;

use super::ending::Ending;
use super::tally::RunTally;
use crate::agents::Secrets;
use crate::config::Environment;
use crate::engine::RunEnd;
use crate::error::{Error, Kind, Result};
use crate::plan::NodeIx;
use crate::record::{UsageTotal, rounded_seconds};
use crate::report;
use crate::run::Plan;
use crate::session::Exit;
use crate::worktree::secret_search::SecretSearch;

/// Fields may be added to an event of this version, but never renamed or removed.
const VERSION: u32 = 1;

/// The envelope of every event.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct EventLine<'a, E> {
    version: u32,
    #[serde(flatten)]
    event: &'a E,
    /// When it happened.
    time: String,
}

/// What is known of a run at its end, as the last event has it. What an error has kept from being known is null.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct RunSummary {
    /// How many tasks are complete; `None`, like the other counts, if the run ended before this was known.
    complete: Option<usize>,
    /// How many tasks there are.
    total: Option<usize>,
    /// The failed tasks.
    failed: Option<Vec<String>>,
    /// The phases whose own tests failed.
    failed_phases: Option<Vec<String>>,
    /// The tasks that are neither complete nor failed.
    open: Option<Vec<String>>,
    /// What the agents of the run have used.
    used: Option<UsageTotal>,
    /// How many attempts the run has made.
    attempts: Option<usize>,
    /// How long it has taken, in seconds.
    duration: Option<f64>,
    /// How many tasks it has worked on.
    #[serde(skip)]
    pub(crate) worked_on: u32,
    /// Why it ended; `None` for an error.
    #[serde(skip)]
    ending: Option<Ending>,
}

impl RunSummary {
    /// Of a run that has done this.
    pub(crate) fn new(end: &RunEnd, plan: &Plan, ending: Ending, tally: &RunTally) -> Self {
        let tree = &plan.tree;
        let ids = |nodes: &[NodeIx]| Some(nodes.iter().map(|ix| tree.node(*ix).id.to_string()).collect());
        Self {
            complete: Some(end.complete),
            total: Some(tree.order().len()),
            failed: ids(&end.failed),
            failed_phases: ids(&end.failed_phases),
            open: ids(&end.open),
            worked_on: end.worked_on,
            ending: Some(ending),
            ..Self::of_error(end.used, tally)
        }
    }

    /// Of a run that an error has ended.
    pub(crate) fn of_error(used: UsageTotal, tally: &RunTally) -> Self {
        Self {
            used: Some(used),
            attempts: Some(tally.attempts()),
            duration: Some(rounded_seconds(tally.duration())),
            ..Self::default()
        }
    }
}

/// The run has ended. This is the last event of every stream.
#[derive(Serialize)]
#[serde(tag = "event", rename = "end")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct EndEvent<'a> {
    /// The exit status of the command.
    status: u8,
    /// Why the run ended; `None` for an error.
    #[cfg_attr(test, schemars(extend("enum" = ["complete", "failed", "phase-failed", "suite-failed", "waiting", "question", "approval", "until", "max-time", "max-cost", "max-tokens", "task-budget", "max-tasks", "gate", "stop", null])))]
    reason: Option<&'static str>,
    /// The error, or why the run ended before everything was complete; `None` if there is nothing to say.
    message: Option<&'a str>,
    /// What to do next; `None` if there is nothing to say.
    remedy: Option<&'a str>,
    #[serde(flatten)]
    summary: &'a RunSummary,
}

/// Prints an event. The run continues even if the reader has gone away or the disk is full.
pub(crate) fn print(event: &impl Serialize) {
    // The end of the stream says whether events are missing.
    let _ = try_print(event);
}

fn try_print(event: &impl Serialize) -> Result<()> {
    let time = Utc::now().to_rfc3339_opts(SecondsFormat::Millis, false);
    report::print(&report::json_line(&EventLine { version: VERSION, event, time }))
}

/// Prints the end of a stream that has no other event, because of an error in the arguments.
///
/// # Errors
/// If it cannot be written.
pub(crate) fn end_of_events(error: &Error, environment: &Environment) -> Result<()> {
    let secrets = Secrets::of(environment.variables());
    end(&Err(SecretSearch::of(&secrets).redact_error(error)), None)
}

/// Prints the end of a run with its result, and its summary if there is one.
///
/// # Errors
/// If it cannot be written, because readers of the events would not know how the run ended.
pub(crate) fn end(result: &Result<Exit>, summary: Option<&RunSummary>) -> Result<()> {
    let error: Option<&Error> = result.as_ref().err();
    let status = match (result, error) {
        (_, Some(error)) => error.kind().exit_status(),
        (Ok(Exit::No), None) => Kind::No.exit_status(),
        (Ok(Exit::NeedsPerson), None) => Kind::Person.exit_status(),
        (_, None) => 0,
    };
    let unknown = RunSummary::default();
    let summary = summary.unwrap_or(&unknown);
    let ending = summary.ending.as_ref();
    let advice = ending.and_then(|ending| ending.advice.as_ref());
    try_print(&EndEvent {
        status,
        reason: ending.map(|ending| ending.cause.word()),
        message: error.map(Error::what).or_else(|| advice.map(|advice| advice.message.as_str())),
        remedy: error.map(Error::remedy).or_else(|| advice.map(|advice| advice.remedy.as_str())),
        summary,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Event;

    /// An event of a run.
    #[derive(Serialize, schemars::JsonSchema)]
    #[serde(untagged)]
    #[expect(dead_code, reason = "only its schema is of interest")]
    enum AnyEvent<'a> {
        Event(Event),
        End(End<'a>),
    }

    /// The end of a run, with the tag that its type does not have in the eyes of schemars.
    #[derive(Serialize, schemars::JsonSchema)]
    #[serde(tag = "event", rename_all = "kebab-case")]
    #[expect(dead_code, reason = "only its schema is of interest")]
    enum End<'a> {
        /// The run has ended. This is the last event of every stream.
        End(EndEvent<'a>),
    }

    #[test]
    fn the_schema_is_that_of_the_events() {
        crate::schema::assert_committed::<EventLine<'_, AnyEvent<'_>>>(
            "event",
            "git arborist gardener --json: one event a line",
        );
    }
}
