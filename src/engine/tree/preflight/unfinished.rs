//! Handles a merge, a rebase or a similar operation that was begun during a step and is still open. Aborting it may
//! remove the work of the step, so that work is saved before any advice is given.

use crate::engine::tree::unit::StoredUnit;
use crate::error::{Error, Kind, Result};
use crate::git::{Git, Operation, RESCUE, WorkTree};
use crate::record::CommitId;
use crate::text::advice;
use crate::worktree::PathStates;
use crate::worktree::save_untouched;

/// A step during which an operation was begun that is still open.
#[derive(Clone, Copy)]
pub(crate) struct UnfinishedOperation<'a> {
    /// git, called at the top of the work tree.
    pub(crate) git: &'a Git,
    /// The work tree.
    pub(crate) work_tree: &'a WorkTree,
    /// The operation that is open.
    pub(crate) operation: &'static Operation,
    /// The step.
    pub(crate) stored: &'a StoredUnit,
    /// The files that earlier tests had left behind.
    pub(crate) leftovers: &'a PathStates,
}

/// What was done to save the work of such a step.
pub(crate) struct SavedStep {
    /// Messages for the user.
    pub(crate) sentences: Vec<String>,
    /// The error for a command that cannot continue while the operation is open.
    pub(crate) error: Error,
}

impl UnfinishedOperation<'_> {
    /// Saves the work of the step. Work tree, index and branch stay as they are. `how` says in a message how the step
    /// ended.
    ///
    /// # Errors
    /// If it cannot be saved.
    pub(crate) fn save(&self, how: &str) -> Result<SavedStep> {
        let interrupted = self.stored.interrupted(how, self.leftovers);
        let mut rescue = save_untouched(self.git, self.work_tree, &interrupted)?;
        let mut name = rescue.saved.map(|saved| saved.name);
        if name.is_none() {
            name = self.keep_commits(interrupted.task, &self.stored.unit.head.commit)?;
            rescue.sentences.extend(name.iter().map(|name| {
                format!("the commits that were made in {} are kept by {name}", interrupted.what)
            }));
        }
        let what = format!("{} is in progress in {}", self.operation.name, self.work_tree.top.display());
        let error = Error::new(Kind::Repository, what, self.remedy(name.as_deref()));
        Ok(SavedStep { sentences: rescue.sentences, error })
    }

    /// Keeps the commits that were made since the step began, because aborting the operation may leave them behind.
    fn keep_commits(&self, task: &str, before: &CommitId) -> Result<Option<String>> {
        match self.git.commit_named("HEAD")? {
            Some(head) if !self.git.is_ancestor(&head, before)? => self.git.keep(&head, task).map(Some),
            Some(_) | None => Ok(None),
        }
    }

    fn remedy(&self, name: Option<&str>) -> String {
        let take_back = self.operation.taken_back_by();
        let Some(name) = name else {
            return format!(
                "The step left nothing that could be lost. End the operation with {take_back}, then run the same command again."
            );
        };
        let short = name.strip_prefix(RESCUE).unwrap_or(name);
        format!(
            "Nothing was touched, and all that the step did is saved: {} shows it. {take_back} takes back what was begun; \
             then run the same command again, and the step is done again. {} restores the saved files at any time.",
            advice::rescue_show(short),
            advice::rescue_apply(short)
        )
    }
}
