//! Prints the events of a run as JSON, one object per line, for programs that watch it (docs/schema/event.json).
//!
//! A stream always ends with an `end` event, even if a run stops before its first step.

use std::time::Duration;

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
struct EventLine<'a, E> {
    version: u32,
    #[serde(flatten)]
    event: &'a E,
    time: String,
}

/// What is known of a run at its end.
#[derive(Clone, Debug)]
pub(crate) struct RunSummary {
    used: UsageTotal,
    attempts: usize,
    duration: Duration,
    /// How many tasks it has worked on.
    pub(crate) worked_on: u32,
    /// `None` after an error.
    state: Option<EndState>,
}

/// The state of a run at its end.
#[derive(Clone, Debug)]
struct EndState {
    complete: usize,
    total: usize,
    failed: Vec<String>,
    failed_phases: Vec<String>,
    open: Vec<String>,
    ending: Ending,
}

impl RunSummary {
    pub(crate) fn new(end: &RunEnd, plan: &Plan, ending: Ending) -> Self {
        let tree = &plan.tree;
        let ids = |nodes: &[NodeIx]| nodes.iter().map(|ix| tree.node(*ix).id.to_string()).collect();
        let state = EndState {
            complete: end.complete,
            total: tree.order().len(),
            failed: ids(&end.failed),
            failed_phases: ids(&end.failed_phases),
            open: ids(&end.open),
            ending,
        };
        let (used, worked_on) = (end.used, end.worked_on);
        Self { used, attempts: 0, duration: Duration::ZERO, worked_on, state: Some(state) }
    }

    /// Of a run that an error has ended.
    pub(crate) fn of_error(used: UsageTotal, tally: &RunTally) -> Self {
        Self { used, attempts: 0, duration: Duration::ZERO, worked_on: 0, state: None }.with(tally)
    }

    /// The same of a run that has done this.
    pub(crate) fn with(self, tally: &RunTally) -> Self {
        Self { attempts: tally.attempts(), duration: tally.duration(), ..self }
    }
}

#[derive(Serialize)]
#[serde(tag = "event", rename = "end")]
struct EndEvent<'a> {
    /// The exit status of the command.
    status: u8,
    /// Why the run ended; `None` for an error.
    reason: Option<&'static str>,
    message: Option<&'a str>,
    remedy: Option<&'a str>,
    complete: Option<usize>,
    total: Option<usize>,
    failed: Option<&'a [String]>,
    failed_phases: Option<&'a [String]>,
    open: Option<&'a [String]>,
    /// What the agents of the run have used.
    used: Option<UsageTotal>,
    /// How many attempts the run has made.
    attempts: Option<usize>,
    /// How long it has taken, in seconds.
    duration: Option<f64>,
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
    let state = summary.and_then(|summary| summary.state.as_ref());
    let ending = state.map(|state| &state.ending);
    let advice = ending.and_then(|ending| ending.advice.as_ref());
    try_print(&EndEvent {
        status,
        reason: ending.map(|ending| ending.cause.word()),
        message: error.map(Error::what).or_else(|| advice.map(|advice| advice.message.as_str())),
        remedy: error.map(Error::remedy).or_else(|| advice.map(|advice| advice.remedy.as_str())),
        complete: state.map(|state| state.complete),
        total: state.map(|state| state.total),
        failed: state.map(|state| state.failed.as_slice()),
        failed_phases: state.map(|state| state.failed_phases.as_slice()),
        open: state.map(|state| state.open.as_slice()),
        used: summary.map(|summary| summary.used),
        attempts: summary.map(|summary| summary.attempts),
        duration: summary.map(|summary| rounded_seconds(summary.duration)),
    })
}
