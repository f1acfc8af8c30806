//! Finds files that were staged or committed during a step although they are not its work: ignored files of the user,
//! and files of editors.

use super::unit::WorkUnit;
use crate::engine::run_context::context::RunContext;
use crate::error::Result;
use crate::git::{Change, PathEntry};
use crate::history::{TreeComparison, changed_paths};
use crate::record::CommitId;
use crate::text::{listed, show_path};
use crate::worktree::WorktreeChanges;
use crate::worktree::branch_watch::BranchChange;
use crate::worktree::ignored_before::{IgnoredBefore, UNSTAGED};

/// Takes out of the index the files among these changes that git ignored before a step and that have not changed since, and
/// names them in a warning. Returns whether there were any.
///
/// # Errors
/// If git cannot write the index.
pub(crate) fn unstage_ignored(run: &RunContext<'_>, unit: &WorkUnit, changes: &[Change]) -> Result<bool> {
    let Some(before) = unit.ignored_before() else { return Ok(false) };
    let unstaged = before.unstage(changes, &run.git, &run.work_tree.top)?;
    if !unstaged.is_empty() {
        run.warn(&format!("{}: {UNSTAGED}: {}", unit.task, listed(&unstaged)));
    }
    Ok(!unstaged.is_empty())
}

/// A sentence that names the ignored files of the user that a runner committed during a step; `None` if there are none.
/// `before` is what git ignored when the step began. If it was interrupted and begun again, there is one for each
/// beginning.
///
/// # Errors
/// If the commits cannot be compared.
pub(crate) fn committed_ignored(
    run: &RunContext<'_>,
    base: &CommitId,
    watched: &BranchChange,
    before: &[&IgnoredBefore],
) -> Result<Option<String>> {
    if watched.adopted.is_empty() {
        return Ok(None);
    }
    let made = TreeComparison { commit: watched.head.commit, base: Some(*base) };
    let mut paths = changed_paths(run.repository, &[made])?;
    paths.retain(|path| before.iter().any(|before| before.holds(&run.work_tree.top, path)));
    let known = run.git.entries(base, &paths)?;
    let new: Vec<String> =
        paths.iter().filter(|path| !known.contains_key(*path)).map(|path| show_path(path)).collect();
    Ok((!new.is_empty()).then(|| {
        format!(
            "The runner has committed files that git ignores and that were there before: {}.",
            listed(&new)
        )
    }))
}

/// Takes files of editors, such as swap files, out of the index and out of `after` if they were staged during the step.
/// `git add -A` stages them, for example. They stay on disk.
///
/// # Errors
/// If git cannot write the index.
pub(crate) fn unstage_editor_files(
    run: &RunContext<'_>,
    unit: &WorkUnit,
    after: &mut WorktreeChanges,
) -> Result<()> {
    let staged = after.take_staged_editor_files(&unit.opened.tree_changes);
    if staged.is_empty() {
        return Ok(());
    }
    let shown: Vec<String> = staged.iter().map(|path| show_path(path)).collect();
    let entries: Vec<PathEntry> = staged.into_iter().map(|path| PathEntry { path, entry: None }).collect();
    run.git.set_index(&entries)?;
    run.warn(&format!(
        "{}: these files of an editor were staged during the step; they are taken out of the index again and stay on \
         disk: {}",
        unit.task,
        listed(&shown)
    ));
    Ok(())
}
