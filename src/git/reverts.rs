//! Reverts commits in one new commit.

use super::Git;
use crate::error::{Error, Kind, Result};
use crate::record::CommitId;
use crate::text::one_line;

impl Git {
    /// Takes back the changes of these commits, the newest first, and commits that with this message, even if nothing is left
    /// to change. The caller has made sure that the work tree is clean.
    ///
    /// # Errors
    /// [`Kind::No`] if later changes are in the way; everything is then as it was before. Otherwise if git refuses.
    pub(crate) fn revert(&self, commits: &[CommitId], message: &str) -> Result<CommitId> {
        if !commits.is_empty() {
            let ids = commits.iter().map(CommitId::to_string);
            let words = ["revert", "--no-commit"].map(str::to_owned).into_iter().chain(ids);
            let reverted = self.call(words)?;
            if !reverted.status.success() {
                let conflicts = self.unmerged_paths()?;
                self.demand(["reset", "-q", "--merge", "HEAD"])?;
                // What is left of several reverts that git had begun; there may be nothing.
                let _ = self.call(["revert", "--quit"])?;
                let files: Vec<String> =
                    conflicts.iter().map(|path| one_line(&String::from_utf8_lossy(path))).collect();
                return Err(Error::new(
                    Kind::No,
                    format!("later changes are in the way of these reverts: {}", files.join(", ")),
                    "Everything is as it was before. Without --yes, the same command prints the commands with which you can do \
                     it by hand and resolve the conflicts.",
                ));
            }
        }
        self.demand(["commit", "-q", "--allow-empty", "-m", message])?;
        let head = self.commit_named("HEAD")?;
        Ok(head.expect("git has just made a commit"))
    }
}
