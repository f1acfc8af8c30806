//! Records finished steps and the decisions of persons as commits. What cannot be committed now is kept for the next run.

pub(crate) mod decision;
mod kept_step;
pub(crate) mod place;
pub(crate) mod plan_file;
pub(crate) mod recorder;

use std::time::Duration;

use crate::engine::run_context::Assignment;
use crate::engine::tree::pending::Pending;
use crate::engine::tree::workspace::Workspace;
use crate::error::Result;
use crate::git::{Head, HookRefusal, Selection};
use crate::record::StepDraft;
use crate::worktree::PathStates;
use crate::worktree::secret_search::SecretSearch;

/// A finished step, with everything that its commit needs.
#[derive(Clone, Debug)]
pub(crate) struct FinishedStep<'p> {
    /// The task and the step.
    pub(crate) job: Assignment<'p>,
    /// What it was, how it ended, and what its message says.
    pub(crate) draft: StepDraft,
    /// The head of the branch, on top of which the commit is made.
    pub(crate) head: Head,
    /// The files that are committed.
    pub(crate) selection: Selection,
    /// How long the work took.
    pub(crate) duration: Duration,
    /// A few words for a progress line; may be empty.
    pub(crate) detail: String,
    /// Why it failed: the first line of that; `None` if the detail says it, or nothing does.
    pub(crate) reason: Option<String>,
}

impl<'p> FinishedStep<'p> {
    /// A step that commits no file and took no time, with nothing to tell besides its message.
    pub(crate) fn new(job: Assignment<'p>, head: Head, draft: StepDraft) -> Self {
        Self {
            job,
            draft,
            head,
            selection: Selection::default(),
            duration: Duration::ZERO,
            detail: String::new(),
            reason: None,
        }
    }

    /// The step as the journal keeps it; `files` is the current state of its files. It has no secrets: the next run need not have
    /// the same ones, and could not mask them.
    pub(crate) fn pending(
        &self,
        secrets: SecretSearch<'_>,
        files: PathStates,
        refusal: Option<HookRefusal>,
    ) -> Pending {
        Pending {
            draft: self.draft.masked(|text| secrets.mask(text)),
            branch: self.head.branch.clone(),
            head: self.head.commit.to_string(),
            files,
            duration: self.duration,
            detail: self.detail.clone(),
            reason: self.reason.clone(),
            refusal,
        }
    }
}

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
