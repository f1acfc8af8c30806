//! Finds changes that a test or a reviewer made to tracked files in which git was told to overlook changes
//! (`--assume-unchanged`, `--skip-worktree`). `git status` does not show them.

use super::unit::WorkUnit;
use crate::engine::run_context::Assignment;
use crate::engine::run_context::context::RunContext;
use crate::error::Result;
use crate::record::{Check, NamedFiles};
use crate::text::show_path;
use crate::worktree::hidden::Hidden;
use crate::worktree::hidden::before::HiddenBefore;

/// The files in which git overlooks changes, as they are before a test or a review.
///
/// # Errors
/// If git cannot list files.
pub(crate) fn overlooked_before(run: &RunContext<'_>, job: Assignment<'_>) -> Result<Hidden> {
    HiddenBefore::of_check(job.task.id, job.step, &run.git, &run.work_tree)
}

/// The paths of tracked files that were changed since a step began and whose change git does not show.
///
/// # Errors
/// If git cannot list files, or a file cannot be read.
pub(crate) fn overlooked_since(run: &RunContext<'_>, unit: &WorkUnit) -> Result<Vec<Vec<u8>>> {
    // A unit that an older version handed out does not say what was overlooked before.
    let Some(before) = &unit.opened.overlooked else { return Ok(Vec::new()) };
    let (git, top) = (&run.git, &run.work_tree.top);
    Hidden::overlooked(git, top)?.changed_since(before, git, top)
}

/// Warns of the files that the tests of a step have changed and whose change git does not show. Returns them for the
/// message of the commit.
///
/// # Errors
/// If git cannot list files, or a file cannot be read.
pub(crate) fn name_overlooked(run: &RunContext<'_>, unit: &WorkUnit) -> Result<NamedFiles> {
    let mut named = NamedFiles::default();
    named.add(Check::OverlookedChanges, overlooked_since(run, unit)?.iter().map(|path| show_path(path)));
    for finding in named.findings() {
        run.warn(&format!("{}: {}", unit.task, finding.sentence()));
    }
    Ok(named)
}
