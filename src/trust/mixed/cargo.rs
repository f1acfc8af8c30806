//! `Cargo.toml`.

use toml::{Table, Value};

use super::tables::{Path, path};

/// What judges: which targets are tests, whether they run, by what harness, and how they are compiled. Files of tests and
/// benchmarks belong to their tables, so a table without its file would not load.
pub(super) fn judging(manifest: &Table) -> Vec<Path> {
    let mut paths: Vec<Path> = [
        "test",
        "bench",
        "package.autotests",
        "package.autobenches",
        "lib.test",
        "lib.harness",
        "lib.doctest",
        "lib.bench",
        "profile.test",
        "profile.bench",
        "profile.dev.debug-assertions",
        "profile.dev.overflow-checks",
        "profile.dev.panic",
    ]
    .map(path)
    .to_vec();
    // Without such a table in either version there is nothing to compare.
    paths.retain(|path| path.len() == 1 || manifest.get(&path[0]).and_then(Value::as_table).is_some());
    paths
}
