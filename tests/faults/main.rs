//! The fault matrix: kills, concurrency, disks, agents and tests that misbehave; each test begins with the id of its row.
//!
//! What holds after every case: the repository is sound, the branch has only grown, nothing of ours still runs, no byte
//! that was in the work tree is lost, no panic is shown, and the exit status is one of the documented ones.

#![allow(clippy::print_stdout, reason = "a test that is skipped, or measures something, says so")]
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::print_stdout, reason = "what was skipped, and what was measured")]

#[path = "../support/garden.rs"]
mod garden;

mod harness;

mod agents;
mod chance;
mod concurrency;
mod disk;
mod kills;
mod shim;
mod signals;
mod suite;
