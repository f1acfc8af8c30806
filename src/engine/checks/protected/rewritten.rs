//! Finds tests of a task that failed in an attempt and that a later attempt changed.

use std::collections::BTreeSet;

use super::{NAMED, remedied};
use crate::engine::run_context::context::RunContext;
use crate::error::Result;
use crate::git::Git;
use crate::history::{
    Repository, StepValidity, TaskStep, TreeComparison, changed_paths, content_of, files_at,
};
use crate::record::{By, Check, CommitId, Finding, Goal, Outcome, Owner, Severity, StepFacts};
use crate::run::body_of;
use crate::run::change::trace::{ChangedFile, tests_in};
use crate::run::steps::implement_commits::implement_commits;
use crate::text::CUT_MARK;
use crate::trust::files::is_test_side;
use crate::trust::inline::is_rust;

/// The findings about the tests of a task. `steps` are its steps, newest first.
///
/// # Errors
/// If an object cannot be read.
pub(crate) fn rewritten_tests(run: &RunContext<'_>, steps: &[TaskStep]) -> Result<Vec<Finding>> {
    let head = run.repository.branch()?.commit;
    let found = rewritten(&run.git, run.repository, steps)?;
    let seen = "Tests that failed in an earlier attempt were changed since";
    let finding = |file: &ChangedFile| {
        remedied(Finding::new(Check::RewrittenTests, Severity::Warning, seen), file, &head)
    };
    Ok(found.iter().take(NAMED).map(finding).collect())
}

/// The files of tests that differ from those of a failed attempt, each with the first such attempt.
fn rewritten(git: &Git, repository: &Repository, steps: &[TaskStep]) -> Result<Vec<ChangedFile>> {
    let counted: Vec<TaskStep> = steps
        .iter()
        .filter(|step| step.validity == StepValidity::Counts)
        .take_while(|step| !step.step.record.restarts())
        .cloned()
        .collect();
    let head = repository.branch()?.commit;
    let mut found: Vec<ChangedFile> = Vec::new();
    for (place, failed) in counted.iter().enumerate().rev().filter(|(_, step)| is_failed_test(step)) {
        let by_run = |step: &&TaskStep| step.step.record.by == By::Run;
        let later: Vec<TaskStep> = counted[..place].iter().filter(by_run).cloned().collect();
        let paths = |commits: &[TreeComparison]| changed_paths(repository, commits);
        let mut own: BTreeSet<Vec<u8>> =
            paths(&implement_commits(git, &counted[place..]))?.into_iter().collect();
        own.retain(|path| may_have_tests(path));
        let mut touched = paths(&implement_commits(git, &later))?;
        touched.retain(|path| own.contains(path) && !found.iter().any(|file| file.path == *path));
        let changed = changed_tests(repository, [&failed.step.id, &head], touched)?;
        let may_have_failed = may_have_failed(git, failed, &own);
        found.extend(changed.into_iter().filter(|file| may_have_failed(&file.path)));
    }
    Ok(found)
}

fn is_failed_test(step: &TaskStep) -> bool {
    let record = &step.step.record;
    let row = record.step.row();
    // An attempt can fail although all of its tests pass, because they are not good enough. Then they have to change.
    let may_have_failed = || StepFacts::of(&step.message).tests.is_none_or(|counts| counts.failed > 0);
    row.goal == Goal::TestsPass
        && row.owner == Owner::Task
        && record.outcome == Outcome::Fail
        && may_have_failed()
}

/// Those of `paths` that had tests in the older commit and have other ones in the newer.
fn changed_tests(
    repository: &Repository,
    [old, new]: [&CommitId; 2],
    paths: Vec<Vec<u8>>,
) -> Result<Vec<ChangedFile>> {
    let (before, after) = (files_at(repository, old, &paths)?, files_at(repository, new, &paths)?);
    let mut changed = Vec::new();
    for (path, (before, after)) in paths.into_iter().zip(before.into_iter().zip(after)) {
        let Some(before) = before.filter(|before| after.as_ref() != Some(before)) else { continue };
        let before = content_of(repository, before)?;
        let after = after.map(|after| content_of(repository, after)).transpose()?;
        let tests = |content| tests_in(&String::from_utf8_lossy(&path), content);
        let had = tests(Some(before.as_slice()));
        if had != tests(after.as_deref()) && had.is_some_and(|had| !had.is_empty()) {
            changed.push(ChangedFile { path, base: *old, before: Some(before), after });
        }
    }
    Ok(changed)
}

fn may_have_tests(path: &[u8]) -> bool {
    let path = String::from_utf8_lossy(path);
    is_test_side(&path) || is_rust(&path)
}

/// Tells which files may have the tests that failed in a step: those that its output names. If it names none of the task's
/// own ones, or not all of it is known, any of them may.
fn may_have_failed(git: &Git, failed: &TaskStep, own: &BTreeSet<Vec<u8>>) -> impl Fn(&[u8]) -> bool + use<> {
    let log = StepFacts::of(&failed.message)
        .test_log
        .and_then(|path| git.blob(&format!("{}:{path}", failed.step.id)).ok());
    let output = match log {
        Some(log) => String::from_utf8_lossy(&log).into_owned(),
        None => body_of(&failed.message),
    };
    let is_named = |path: &[u8]| {
        let path = String::from_utf8_lossy(path);
        output.contains(path.rsplit('/').next().unwrap_or(&path))
    };
    let named: BTreeSet<Vec<u8>> = own.iter().filter(|path| is_named(path)).cloned().collect();
    let any = named.is_empty() || output.contains(CUT_MARK);
    move |path| any || named.contains(path)
}
