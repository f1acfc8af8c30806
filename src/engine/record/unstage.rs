//! Takes the files of a finished step out of the index if the step could not be committed. Otherwise, the next commit
//! of the user would contain them unnoticed.

use super::finished::FinishedStep;
use crate::engine::tree::workspace::Workspace;
use crate::error::Result;
use crate::git::Selection;

/// Restores the index entries of the files of a step to what they were before the step or, if an earlier run kept the
/// step, before this run. So what the user had staged stays staged. Returns the files of the step that git ignores:
/// they stay staged, because nothing else would show them.
///
/// # Errors
/// If git cannot read the work tree or write the index.
pub(crate) fn unstage_step(workspace: &Workspace<'_>, finished: &FinishedStep<'_>) -> Result<Vec<Vec<u8>>> {
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
