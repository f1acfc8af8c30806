//! Reads the current run of the plan from history, and refuses a run that this version cannot understand.

use super::branches::with_branches;
use super::plan::Plan;
use crate::error::{Error, Kind, Result};
use crate::git::WorkTree;
use crate::history::{Cache, Repository, Run, read_run as read_history};
use crate::record::CommitId;
use crate::text::pathspec_word;

/// Reads the state of a plan from history, including that of branches of its phases that are not merged yet.
///
/// # Errors
/// If history cannot be read completely, or contains a step that this version does not know.
pub fn read_run(repository: &Repository, plan: &Plan, work_tree: &WorkTree) -> Result<Run> {
    let cache = Cache::of(&work_tree.common_dir);
    let here = cache.read_run(repository, tip_of(repository, plan)?, &plan.query())?;
    let run = with_branches(repository, plan, here, Some(&cache))?;
    refuse_unknown(&run)?;
    Ok(run)
}

/// Like [`read_run`], but accepts steps that this version does not know, and reads everything anew.
///
/// # Errors
/// If history cannot be read completely.
pub fn read_run_to_check(repository: &Repository, plan: &Plan) -> Result<Run> {
    let here = read_history(repository, tip_of(repository, plan)?, &plan.query())?;
    with_branches(repository, plan, here, None)
}

/// Reads the state of a plan from the history of `HEAD` alone.
///
/// # Errors
/// As for [`read_run`].
pub(super) fn read_here(repository: &Repository, plan: &Plan, work_tree: &WorkTree) -> Result<Run> {
    let cache = Cache::of(&work_tree.common_dir);
    let run = cache.read_run(repository, tip_of(repository, plan)?, &plan.query())?;
    refuse_unknown(&run)?;
    Ok(run)
}

pub(super) fn tip_of(repository: &Repository, plan: &Plan) -> Result<CommitId> {
    repository.head()?.ok_or_else(|| {
        Error::new(
            Kind::Repository,
            "this branch has no commits yet",
            format!(
                "Commit the plan first: `git add -- {0} && git commit -m \"Add the task tree\"`.",
                pathspec_word(&plan.shown)
            ),
        )
    })
}

pub(super) fn refuse_unknown(run: &Run) -> Result<()> {
    let Some(unknown) = run.unknown.first() else { return Ok(()) };
    Err(Error::new(
        Kind::Repository,
        format!(
            "the commit {} records the step `{}` of {}, which this version of git-arborist does not know",
            unknown.id.short(),
            crate::text::one_line(&unknown.word),
            unknown.task
        ),
        format!(
            "If a newer version wrote it, update git-arborist. If it is a mistake, run `git revert --no-edit {}`, so \
             that it does not count; if git then finds nothing to commit, run `git commit --allow-empty --no-edit` \
             as well.",
            unknown.id.short()
        ),
    ))
}
