//! The tests that need other programs than git and a shell: shells, terminals, browsers, test runners, clients of protocols
//! and what packages are made with.
//!
//! `cargo test --test tools` runs them. A test whose program is missing is skipped and says so; with `SKIP_NOTHING`, as in CI,
//! it fails.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::print_stdout, reason = "a test says what it has counted")]

mod completions;
mod export;
mod hook_managers;
mod live;
mod manual;
mod mcp;
mod packaging;
mod pager;
mod pages;
mod questions;
#[cfg(target_os = "linux")]
mod sandboxes;
mod shell;
mod status_watch;
#[path = "../it/support/mod.rs"]
#[allow(dead_code, reason = "the other tests use the rest of it")]
mod support;
mod terminal;
mod trust;
