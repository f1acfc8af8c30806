//! Hooks of others, beside which ours are installed.

use std::fs;
use std::path::Path;

use super::sandbox::{Sandbox, step};

/// Everything in a folder of hooks, with contents.
pub(crate) fn snapshot(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<_> = entries
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().is_file())
        .map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap()))
        .collect();
    files.sort();
    files
}

/// Asserts that we refuse a broken step, and that the foreign hook ran, which writes down `foreign`.
#[track_caller]
pub(crate) fn both_run(sandbox: &Sandbox) {
    let record = sandbox.root().join("foreign");
    let _ = fs::remove_file(&record);
    sandbox.commit("a person's\n").ok();
    assert_eq!(fs::read_to_string(&record).unwrap_or_default().trim(), "foreign");
    let said = sandbox.commit("task(T1): no trailers\n").refused();
    assert!(format!("{}{}", said.out, said.err).contains("A005"), "{said:?}");
    sandbox.commit(&step("T1", "implement", "pass")).ok();
}

pub(crate) fn foreign(sandbox: &Sandbox) -> String {
    format!("echo foreign > '{}'", sandbox.root().join("foreign").display())
}
