//! Puts a finished step on record: its commit, and the journal's word that nothing is at work any more.

use super::committed::{Branch, Failure, Left, commit_step};
use super::garden::Garden;
use crate::check::first_error;
use crate::error::{Error, Kind, Result};
use crate::git::{CommitRequest, Head, Selection};
use crate::task::{CommitId, StepMessage};

impl Garden<'_> {
    /// Commits a step, and takes the paths out of what is known to be dirty.
    pub(super) fn commit(
        &mut self,
        head: &Head,
        selection: &Selection,
        message: &StepMessage,
    ) -> Result<CommitId> {
        let text = message.text();
        if let Some(broken) = first_error(text.as_bytes()) {
            return Err(Error::new(
                Kind::Input,
                format!("the message of this step would break rule {}: {}", broken.rule, broken.what),
                "The step was not committed. A setting or a name in the task tree leads to it; correct that, then run the same \
                 command again.",
            ));
        }
        let request =
            CommitRequest { selection, message: &text, staging: self.dirt.staging_beside(selection) };
        let branch = Branch { git: &self.git, work_tree: &self.work_tree, repository: self.repository, head };
        let id = commit_step(branch, &request, message).map_err(|failure| self.note_failure(failure))?;
        self.dirt = std::mem::take(&mut self.dirt).without(selection);
        self.after_commit().map_err(|error| {
            error.stating(&format!("Before that, the step was committed as {}.", id.short()))
        })?;
        Ok(id)
    }

    fn after_commit(&mut self) -> Result<()> {
        if self.snapshot.has_hooks() {
            self.name_leftovers("a hook")?;
        }
        self.ends()
    }

    /// Notes what a failed commit left behind.
    fn note_failure(&mut self, failure: Failure) -> Error {
        if let Left::Wrong(wrong) = failure.left {
            self.journal.wrong = Some(wrong);
            // The failure is the error that counts.
            let _ = self.journal.write(&self.work_tree.git_dir);
        }
        failure.error
    }

    /// Notes that no step is at work any more.
    pub(super) fn ends(&mut self) -> Result<()> {
        self.journal.end_step(&self.dirt, &self.foreign);
        self.journal.write(&self.work_tree.git_dir)
    }
}
