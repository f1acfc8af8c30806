//! The integration tests: the real programs with real git in temporary folders, and whatever needs more than one module.
//!
//! They are one program, so that only one has to be linked. `cargo test --test it -- NAME` runs the tests whose path
//! contains NAME. Those that take longer are in `tests/slow`.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test says what it skips, and names its seed"
)]

mod advice;
mod agent_streams;
mod autopilot;
mod bins;
mod briefs;
mod build;
mod check;
mod clean_up;
mod clones;
mod completions;
mod coverage_readers;
mod demo;
mod doctor;
mod doctor_agents;
mod edges;
mod export;
mod follow;
mod git;
mod history;
mod hooks;
mod init;
mod init_parts;
mod interventions;
mod land;
mod layering;
mod manual;
mod matrix;
mod mcp;
mod next;
mod pr;
#[cfg(target_os = "linux")]
mod process;
mod put_back;
mod readme;
mod report;
mod report_body;
mod rescue;
mod run_folder;
mod runs;
#[cfg(target_os = "linux")]
mod sandboxes;
mod schemas;
mod show;
mod snapshots;
mod status;
mod status_forms;
mod status_watch;
mod suite_readers;
#[allow(dead_code, reason = "the other tests use the rest of it")]
mod support;
mod trailers;
mod trust;
mod usage;
mod views;
mod words;
