//! Tests with real test runners what git-arborist checks before it believes that a task is done.

mod canaries;
mod dishonest;
mod honest;
mod kept_tests;
mod kinds;
mod matrix;
mod packages;

use std::process::Command;

use crate::support::skip::missing;

/// Whether the Python of the system has pytest, which is not the one on PATH where there are several.
#[track_caller]
fn has_pytest() -> bool {
    let output = Command::new("/usr/bin/python3").args(["-m", "pytest", "--version"]).output();
    let is_there = output.is_ok_and(|output| output.status.success());
    if !is_there {
        missing("pytest is not installed");
    }
    is_there
}
