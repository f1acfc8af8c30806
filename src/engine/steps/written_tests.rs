//! The files that a red step may write: tests and nothing else, and none that was there before the task.

use std::collections::BTreeSet;

use crate::engine::run_context::Assignment;
use crate::engine::run_context::context::RunContext;
use crate::error::{Error, Kind, Result};
use crate::git::{Entry, EntryKind, Selection};
use crate::history::{TaskStep, changed_paths};
use crate::record::{Check, CommitId, Finding, Severity};
use crate::run::change::trace::tests_in;
use crate::run::steps::implement_commits::implement_commits;
use crate::text::{pathspec_word, shell_word, show_path};
use crate::trust::files::is_test_side;
use crate::trust::inline::{differ_only_in_tests, is_rust};
use crate::trust::weakened::only_adds_lines;
use crate::worktree::path_kind::joined;

/// The files that are different than before the first attempt to write failing tests.
pub(super) struct Written {
    base: CommitId,
    pub(super) tests: Vec<Vec<u8>>,
    pub(super) others: Vec<Vec<u8>>,
}

impl Written {
    /// Those of `paths` that differ from the commit `base`.
    ///
    /// # Errors
    /// If a file or an object cannot be read.
    pub(super) fn since(run: &RunContext<'_>, base: CommitId, paths: BTreeSet<Vec<u8>>) -> Result<Self> {
        let top = &run.work_tree.top;
        let is_there = |path: &Vec<u8>| joined(top, path).symlink_metadata().is_ok();
        let (there, gone) = paths.iter().cloned().partition(is_there);
        let unchanged = run.git.without_change(&run.work_tree.git_dir, &base, &Selection { there, gone })?;
        let mut written = Self { base, tests: Vec::new(), others: Vec::new() };
        let changed: Vec<Vec<u8>> = paths.into_iter().filter(|path| !unchanged.contains(path)).collect();
        let before = run.git.entries(&base, &changed)?;
        for path in changed {
            let name = String::from_utf8_lossy(&path);
            let are_tests =
                is_test_side(&name) || is_rust(&name) && changes_only_tests(run, &path, before.get(&path))?;
            if are_tests { &mut written.tests } else { &mut written.others }.push(path);
        }
        Ok(written)
    }

    /// What is wrong with the choice of files. `leaves_tests` says that an agent may leave the tests as they are.
    pub(super) fn complaint(&self, leaves_tests: bool) -> Option<Finding> {
        let Self { base, tests, others } = self;
        let shown = |paths: &[Vec<u8>]| -> Vec<String> { paths.iter().map(|path| show_path(path)).collect() };
        if !others.is_empty() {
            let base = base.short();
            let seen = format!(
                "This step may change only tests, but other files are not as they were in {base}; put them back"
            );
            let others = shown(others);
            let words: Vec<_> = others.iter().map(|path| shell_word(path)).collect();
            return Some(problem(&seen).look(&format!("git diff {base} -- {}", words.join(" "))).at(others));
        }
        (tests.is_empty() && !leaves_tests).then(nothing_written)
    }

    /// Whether nothing is different.
    pub(super) fn is_empty(&self) -> bool {
        self.tests.is_empty() && self.others.is_empty()
    }
}

/// Whether a file of source was changed in nothing but the tests that it contains.
fn changes_only_tests(run: &RunContext<'_>, path: &[u8], before: Option<&Entry>) -> Result<bool> {
    let old = read_entry(run, before)?;
    Ok(differ_only_in_tests(&String::from_utf8_lossy(path), &old, &read_now(run, path)))
}

/// The content of a file in a commit; empty if there is none.
fn read_entry(run: &RunContext<'_>, entry: Option<&Entry>) -> Result<Vec<u8>> {
    let mut content = Vec::new();
    if let Some(entry) = entry.filter(|entry| entry.kind != EntryKind::Submodule) {
        let read = run.git.cat_file()?.read(&entry.id, &mut content);
        read.map_err(|why| Error::new(Kind::Repository, format!("{} cannot be read: {why}", entry.id), ""))?;
    }
    Ok(content)
}

/// The content of a file in the work tree. What is no file, or too large for one of source, is empty.
fn read_now(run: &RunContext<'_>, path: &[u8]) -> Vec<u8> {
    crate::files::read(&joined(&run.work_tree.top, path), crate::files::LARGE).unwrap_or_default()
}

/// What is wrong with changes to tests that were there before the task: lines may be added to them, and nothing else. Tests
/// that earlier steps of the task have written may be written again. `steps` are those of the task, newest first.
pub(super) fn changed_tests(
    run: &RunContext<'_>,
    job: Assignment<'_>,
    steps: &[TaskStep],
    written: &Written,
) -> Result<Option<Finding>> {
    let commits = implement_commits(&run.git, steps);
    let own = changed_paths(run.repository, &commits)?;
    let first = commits.last().map(|first| first.before(run.repository)).transpose()?.flatten();
    let before_task = first.unwrap_or(written.base);
    let may_change = run.plan.tree.may_change(job.leaf);
    let mut changed: Vec<String> = Vec::new();
    for path in &written.tests {
        let name = String::from_utf8_lossy(path);
        let base = if own.contains(path) { before_task } else { written.base };
        let entry = run.git.entries(&base, std::slice::from_ref(path))?.remove(path);
        if entry.is_none() || may_change.iter().any(|pattern| pattern.matches(&name)) {
            continue;
        }
        let tests = |content: Vec<u8>| tests_in(&name, Some(&content)).unwrap_or_default();
        let (before, after) = (tests(read_entry(run, entry.as_ref())?), tests(read_now(run, path)));
        if !only_adds_lines(&before, &after) {
            changed.push(show_path(path));
        }
    }
    if changed.is_empty() {
        return Ok(None);
    }
    let seen =
        "Tests that were there before the task were changed, moved or deleted; this step may only add tests";
    let is_own = |path: &String| own.iter().any(|own| show_path(own) == *path);
    let base = if changed.iter().any(is_own) { before_task } else { written.base }.short();
    let words = changed.iter().map(|path| pathspec_word(path)).collect::<Vec<_>>().join(" ");
    let finding = problem(seen)
        .look(&format!("git diff {base} -- {words}"))
        .undo(&format!("git restore --source={base} -- {words}"))
        .allow(&format!("\"may_change\": {}", serde_json::Value::from(changed.clone())));
    Ok(Some(finding.at(changed)))
}

/// The finding of a step that has written no test.
pub(super) fn nothing_written() -> Finding {
    problem("No test was written or changed")
}

/// A finding that fails the step.
pub(super) fn problem(seen: &str) -> Finding {
    Finding::new(Check::Red, Severity::Error, seen)
}
