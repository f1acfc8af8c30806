//! Takes a finished step whose commit was not made out of the index again: what the user commits next must not take it along
//! unseen.

use super::finished::FinishedStep;
use crate::engine::workspace::Workspace;
use crate::error::Result;
use crate::git::Selection;

/// Makes the index hold what it held before the step at the files of the step, or, if an earlier run has kept it, before
/// this run: what the user has staged stays staged. Returns the files that git ignores. They stay staged, because
/// nothing else would show them.
///
/// # Errors
/// If git cannot read the work tree or write the index.
pub(super) fn unstage_step(workspace: &Workspace<'_>, finished: &FinishedStep<'_>) -> Result<Vec<Vec<u8>>> {
    let git = &workspace.run.git;
    let before = match (&workspace.journal.pending, &workspace.journal.unit) {
        (None, Some(stored)) => &stored.unit.opened.tree_changes,
        _ => &workspace.tree_changes,
    };
    let paths: Vec<Vec<u8>> = finished.selection.paths().map(<[u8]>::to_vec).collect();
    let committed = git.entries(&finished.head.commit, &paths)?;
    git.set_index(&before.in_index(&paths, &committed))?;
    let now = workspace.changes_now()?;
    let mut ignored = finished.selection.there.clone();
    ignored.retain(|path| !now.has(path) && !committed.contains_key(path));
    git.stage(&Selection { there: ignored.clone(), gone: Vec::new() })?;
    Ok(ignored)
}
