//! The integration tests that take longer: kills, faults and forgeries at many moments, several tasks and several machines at
//! once, branches of phases, and proofs, which run the tests of a task again and again.
//!
//! They need nothing but git and a shell, as those in `tests/it` do. `cargo test --test slow -- NAME` runs the tests whose path
//! contains NAME.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test says what it skips, and names its seed"
)]

mod claims;
#[cfg(target_os = "linux")]
mod faults;
mod guard;
mod jobs;
mod landings;
mod parallel_views;
mod runs;
#[path = "../it/support/mod.rs"]
#[allow(dead_code, reason = "the other tests use the rest of it")]
mod support;
mod trust;
