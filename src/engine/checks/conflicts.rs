//! Keeps unresolved conflicts out of commits. git refuses to commit a conflict, but no longer recognises it once the
//! file is staged.

use super::secret_files::FilesBefore;
use crate::engine::run_context::context::RunContext;
use crate::engine::tree::workspace::Workspace;
use crate::error::Result;
use crate::git::Selection;
use crate::record::CommitId;
use crate::text::show_path;
use crate::worktree::path_kind::joined;
use crate::worktree::suspects::beginning;
use crate::worktree::{Obstacle, StepChanges};

/// Takes files out of the commit if they have conflict markers that are not in HEAD.
///
/// # Errors
/// If git cannot read the earlier version of a file, or write the index.
pub(crate) fn hold_back_conflicts(
    workspace: &mut Workspace<'_>,
    changed: &mut StepChanges,
    head: &CommitId,
) -> Result<()> {
    let held = conflicts_among(workspace.run, &changed.selection.there, head)?;
    if held.is_empty() {
        return Ok(());
    }
    changed.selection.there.retain(|path| !held.contains(path));
    // What tests left behind does not count against the runner.
    let left = |path: &&Vec<u8>| !workspace.foreign.tests.has(path);
    changed.obstacles.extend(held.iter().filter(left).map(|path| Obstacle::Conflict(show_path(path))));
    changed.obstacles.sort_by_key(ToString::to_string);
    // git makes no commit while the index has an unmerged entry.
    workspace.run.git.unstage(head, &Selection { there: held, ..Selection::default() })?;
    workspace.refresh()
}

/// The files that have conflict markers in the work tree but not in `head`.
///
/// # Errors
/// If git cannot read the earlier version of a file.
pub(crate) fn conflicts_among(
    run: &RunContext<'_>,
    paths: &[Vec<u8>],
    head: &CommitId,
) -> Result<Vec<Vec<u8>>> {
    let mut before = FilesBefore::new(&run.git, head);
    let mut found = Vec::new();
    for path in paths {
        if has_markers(&beginning(&joined(&run.work_tree.top, path)))
            && !before.content(path)?.is_some_and(|content| has_markers(&content))
        {
            found.push(path.clone());
        }
    }
    Ok(found)
}

/// Whether a text has the three lines of a conflict, in their order, as git writes them.
pub(crate) fn has_markers(content: &[u8]) -> bool {
    let mut wanted = [&b"<<<<<<< "[..], b"=======", b">>>>>>> "].into_iter().peekable();
    for line in content.split(|byte| *byte == b'\n') {
        let Some(next) = wanted.peek() else { break };
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if if next.ends_with(b" ") { line.starts_with(next) } else { line == *next } {
            wanted.next();
        }
    }
    wanted.peek().is_none()
}

#[cfg(test)]
mod tests {
    use super::has_markers;

    #[test]
    fn a_conflict_has_all_three_lines_in_their_order() {
        assert!(has_markers(b"a\n<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> topic\nb\n"));
        assert!(has_markers(b"<<<<<<< HEAD\r\nours\r\n=======\r\ntheirs\r\n>>>>>>> topic\r\n"));
        for whole in [
            &b"Title\n=======\n"[..],
            b"    <<<<<<< HEAD\n=======\n>>>>>>> x\n",
            b">>>>>>> x\n=======\n<<<<<<< y\n",
            b"",
        ] {
            assert!(!has_markers(whole), "{}", String::from_utf8_lossy(whole));
        }
    }
}
