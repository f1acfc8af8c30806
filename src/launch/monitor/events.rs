//! Prints the events of a run as JSON, one object per line, for programs that watch it (docs/schema.json).
//!
//! A stream always ends with an `end` event, even if a run stops before its first step.

use super::ending::{EndWords, RunEnding};
use super::tally::RunTally;
use crate::agents::Secrets;
use crate::config::Environment;
use crate::engine::{Event, EventLine, RunEnd, StreamEnd};
use crate::error::{Error, Kind, Result};
use crate::plan::NodeIx;
use crate::record::{UsageTotal, rounded_seconds};
use crate::report;
use crate::run::Plan;
use crate::session::Exit;
use crate::worktree::secret_search::SecretSearch;

/// What is known of a run at its end. What an error has kept from being known is null in the last event.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunSummary {
    /// What the last event says, without how the command ends.
    known: StreamEnd,
    /// How many tasks it has worked on.
    pub(crate) worked_on: u32,
    /// Why it ended; `None` for an error.
    ending: Option<RunEnding>,
}

impl RunSummary {
    /// Of a run that has done this.
    pub(crate) fn new(end: &RunEnd, plan: &Plan, ending: RunEnding, tally: &RunTally) -> Self {
        let tree = &plan.tree;
        let ids = |nodes: &[NodeIx]| Some(nodes.iter().map(|ix| tree.node(*ix).id.to_string()).collect());
        let known = StreamEnd {
            complete: Some(end.complete),
            total: Some(tree.order().len()),
            failed: ids(&end.failed),
            failed_phases: ids(&end.failed_phases),
            open: ids(&end.open),
            ..Self::of_error(end.used, tally).known
        };
        Self { known, worked_on: end.worked_on, ending: Some(ending) }
    }

    /// Of a run that an error has ended.
    pub(crate) fn of_error(used: UsageTotal, tally: &RunTally) -> Self {
        let known = StreamEnd {
            used: Some(used),
            attempts: Some(tally.attempts()),
            duration: Some(rounded_seconds(tally.duration())),
            ..StreamEnd::default()
        };
        Self { known, ..Self::default() }
    }
}

/// Prints an event. The run continues even if the reader has gone away or the disk is full.
pub(crate) fn print(line: &EventLine) {
    // The end of the stream says whether events are missing.
    let _ = report::print(&report::json_line(line));
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
    let RunSummary { known, ending, .. } = summary.cloned().unwrap_or_default();
    let reason = ending.as_ref().map(|ending| ending.cause.word().to_owned());
    let words = match result {
        Err(error) => Some(EndWords { message: error.what().to_owned(), remedy: error.remedy().to_owned() }),
        Ok(_) => ending.and_then(|ending| ending.words),
    };
    let status = match result {
        Err(error) => error.kind().exit_status(),
        Ok(Exit::No) => Kind::No.exit_status(),
        Ok(Exit::NeedsPerson) => Kind::Person.exit_status(),
        Ok(_) => 0,
    };
    let (message, remedy) = words.map(|words| (words.message, words.remedy)).unzip();
    let end = StreamEnd { status, reason, message, remedy, ..known };
    report::print(&report::json_line(&EventLine::now(Event::End(end))))
}
