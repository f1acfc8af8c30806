//! Whole runs of the real programs, with real git and scripted agents.

#[path = "../support/garden.rs"]
mod garden;

mod bad_input;
mod dirty;
mod history;
mod hostile;
mod killed;
mod outcomes;
mod phases;
mod retries;
mod runners;
mod secrets;
mod signals;
