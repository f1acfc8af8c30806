//! Manifests in TOML.

use toml::{Table, Value};

/// A key that judges: the names of the tables that lead to it, and its own.
type Path = Vec<String>;

/// The manifest `source` with those values of `judging` that judge. `paths` lists where they are in a manifest.
pub(super) fn combined(
    paths: fn(&Table) -> Vec<Path>,
    judging: Option<&str>,
    source: &str,
) -> Option<Vec<u8>> {
    let mut manifest: Table = source.parse().ok()?;
    let judging: Table = judging.unwrap_or_default().parse().ok()?;
    let mut all = paths(&manifest);
    all.extend(paths(&judging));
    let mut is_same = true;
    for path in all {
        let value = get(&judging, &path);
        if get(&manifest, &path) != value {
            is_same = false;
            set(&mut manifest, &path, value.cloned());
            if get(&manifest, &path) != value {
                // The source has something else where a table is expected.
                return None;
            }
        }
    }
    if is_same {
        return Some(source.as_bytes().to_vec());
    }
    Some(toml::to_string(&manifest).ok()?.into_bytes())
}

fn get<'t>(table: &'t Table, path: &[String]) -> Option<&'t Value> {
    let (last, above) = path.split_last()?;
    let table = above.iter().try_fold(table, |table, name| table.get(name)?.as_table())?;
    table.get(last)
}

/// Sets or removes a value. Tables that are missing are made. A value where a table is expected is left alone.
fn set(table: &mut Table, path: &[String], value: Option<Value>) {
    let Some((last, above)) = path.split_last() else { return };
    let mut table = table;
    for name in above {
        let next = table.entry(name.clone()).or_insert_with(|| Value::Table(Table::new()));
        let Some(next) = next.as_table_mut() else { return };
        table = next;
    }
    match value {
        Some(value) => table.insert(last.clone(), value),
        None => table.remove(last),
    };
}

/// A path from its names with points between them.
fn path(names: &str) -> Path {
    names.split('.').map(str::to_owned).collect()
}

/// What judges in a `pyproject.toml`: the configuration of runners and of coverage, plugins of pytest, and tasks.
pub(super) fn judging_of_pyproject(manifest: &Table) -> Vec<Path> {
    let mut paths: Vec<Path> = [
        "project.entry-points.pytest11",
        "tool.poetry.plugins.pytest11",
        "tool.pdm.scripts",
        "tool.hatch.envs",
        "tool.rye.scripts",
    ]
    .map(path)
    .to_vec();
    let tools = manifest.get("tool").and_then(Value::as_table);
    let starts = ["pytest", "coverage", "tox", "nox", "poe", "taskipy", "mutmut", "unittest"];
    for tool in tools.into_iter().flat_map(Table::keys) {
        if starts.iter().any(|start| tool.starts_with(start)) {
            paths.push(vec!["tool".to_owned(), tool.clone()]);
        }
    }
    paths
}

/// What judges in a `Cargo.toml`: which targets are tests, whether they run, by what harness, and how they are compiled. Files of tests and
/// benchmarks belong to their tables, so a table without its file would not load.
pub(super) fn judging_of_cargo(manifest: &Table) -> Vec<Path> {
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
