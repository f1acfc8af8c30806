//! Ends a switch of branches or a merge during which a run was killed. What git had changed in the work tree is saved and
//! taken back, so that the run can begin the change anew.

use crate::engine::tree::journal::{Journal, OwnBranchChange};
use crate::error::{Error, Kind, Result};
use crate::git::{Git, WorkTree};
use crate::text::{listed, show_path};
use crate::worktree::PathStates;
use crate::worktree::{Interrupted, rescue, save_untouched};

/// The name under which files are saved.
const SAVED_AS: &str = "branches";

/// Ends the change of branches that a journal names.
pub(super) struct BranchChangeToEnd<'a> {
    /// git, called at the top of the work tree.
    pub(super) git: &'a Git,
    /// The work tree.
    pub(super) work_tree: &'a WorkTree,
}

impl BranchChangeToEnd<'_> {
    /// Takes back what an interrupted change has left in the work tree. Returns messages for the user.
    ///
    /// # Errors
    /// If something cannot be saved or taken back, or if a merge has conflicts. The journal then still names the change.
    pub(super) fn end(&self, journal: &mut Journal) -> Result<Vec<String>> {
        let Self { git, work_tree } = *self;
        let Some(change) = journal.branch_change.clone() else { return Ok(Vec::new()) };
        let OwnBranchChange { what, merged, before } = &change;
        let interrupted = Interrupted {
            task: SAVED_AS,
            what: format!("{what}, which was interrupted"),
            before: before.clone(),
            leftovers: &PathStates::default(),
            ignored: None,
        };
        let mut told = Vec::new();
        if merged.is_some() && work_tree.merge_head() == *merged {
            let conflicts = git.unmerged_paths()?;
            if !conflicts.is_empty() {
                // A person may be resolving them already.
                return Err(open_conflicts(what, &conflicts));
            }
            if !git.is_as_index()? {
                return Ok(told);
            }
            told.extend(save_untouched(git, work_tree, &interrupted)?.sentences);
            git.abort_merge(&work_tree.git_dir)?;
        } else if work_tree.in_progress().is_none()
            && let Some(head) = git.commit_named("HEAD")?
        {
            told.extend(rescue(git, work_tree, &head, &interrupted)?.sentences);
        }
        journal.branch_change = None;
        journal.write(&work_tree.git_dir)?;
        Ok(told)
    }
}

/// The error for a merge that git had begun when the run was killed, and that only a person can end.
fn open_conflicts(what: &str, files: &[Vec<u8>]) -> Error {
    let files: Vec<String> = files.iter().map(|path| show_path(path)).collect();
    Error::new(
        Kind::Repository,
        format!("{what} was interrupted and has conflicts in {}", listed(&files)),
        "`git merge --abort` takes it back. Or resolve the conflicts, stage the files with `git add`, and finish it with `git \
         commit`. Then run the same command again.",
    )
}
