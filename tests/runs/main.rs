//! Whole runs of the real programs, with real git and scripted agents.

#[path = "../support/garden.rs"]
mod garden;

mod history;
mod hostile;
mod killed;
mod phases;
mod retries;
mod runners;
