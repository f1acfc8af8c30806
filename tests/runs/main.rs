//! Whole runs of the real programs, with real git and scripted agents.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[path = "../support/garden.rs"]
mod garden;

mod bad_input;
mod dirty;
mod history;
mod hostile;
mod killed;
mod lessons;
mod mask;
mod outcomes;
mod output;
mod paths;
mod phases;
mod retries;
mod runners;
mod secrets;
mod signals;
