//! Whole runs of the real programs, with real git and scripted agents.

mod bad_input;
mod busy;
mod circuit;
mod dirty;
mod empty;
mod hidden;
mod history;
mod hostile;
mod killed;
mod lessons;
pub(crate) mod mask;
mod named;
mod outcomes;
mod output;
mod paths;
mod pending;
mod phases;
mod prune;
mod read_back;
mod refusals;
mod retries;
mod reverts;
mod runners;
mod secret_files;
mod secrets;
mod signals;
mod verdicts;
