//! Commits everything that has changed in the work tree, as `git commit` does after `git add --all`.

use super::Git;
use crate::error::Result;

impl Git {
    /// Commits all changes with this message, with the user's hooks and settings. Returns false if nothing has changed.
    ///
    /// # Errors
    /// If git or a hook refuses.
    pub fn commit_all(&self, message: &str) -> Result<bool> {
        if self.status()?.is_empty() {
            return Ok(false);
        }
        self.demand(["add", "--all"])?;
        self.command(["commit", "--quiet", "--file=-"]).with_hooks_of_user().stdin(message).demand()?;
        Ok(true)
    }

    /// Makes a branch that does not exist yet at a commit and switches to it. Its name is given without `refs/heads/`.
    ///
    /// # Errors
    /// If git refuses, for example because an untracked file is in the way.
    pub fn switch_to_new(&self, name: &str, start: &crate::record::CommitId) -> Result<()> {
        let start = start.to_string();
        let args = ["switch", "--quiet", "--no-track", "--create", name, &start];
        self.command(args).with_hooks_of_user().demand().map(drop)
    }
}
