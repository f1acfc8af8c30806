//! Finds out what was pushed from here, and made here, while another program was at work.

use super::Git;
use super::moved_refs::MOST_LOGGED;
use super::output::text_of;
use crate::error::Result;
use crate::record::CommitId;

/// How git logs that a push from here has moved a reference to what another repository has.
const BY_PUSH: &str = "update by push";

/// What the log of `HEAD` says of commits that were made here. A fetch and a fast-forward bring those of others.
const MADE: [&str; 3] = ["commit", "cherry-pick", "revert"];
const MERGED: &str = "Merge made by";

impl Git {
    /// What pushes from here have made a reference to what another repository has name since it named `before`, newest first.
    /// Without a reflog, nothing is known.
    ///
    /// # Errors
    /// If git cannot be called.
    pub fn pushed_since(&self, name: &str, before: Option<&CommitId>) -> Result<Vec<CommitId>> {
        self.logged_since(name, before, |why| why == BY_PUSH)
    }

    /// The commits that were made on top of each other or elsewhere in this work tree since `HEAD` named `before`, newest first.
    /// Without a reflog, nothing is known.
    ///
    /// # Errors
    /// If git cannot be called.
    pub fn made_since(&self, before: &CommitId) -> Result<Vec<CommitId>> {
        let is_made = |why: &str| MADE.iter().any(|made| why.starts_with(made)) || why.contains(MERGED);
        self.logged_since("HEAD", Some(before), is_made)
    }

    /// What a reference has named since it named `before`, for such a reason.
    fn logged_since(
        &self,
        name: &str,
        before: Option<&CommitId>,
        is_such: impl Fn(&str) -> bool,
    ) -> Result<Vec<CommitId>> {
        let args =
            ["log", "--walk-reflogs", "--no-show-signature", "--format=%H %gs", MOST_LOGGED, name, "--"];
        let output = self.call(args)?;
        let text = text_of(&output.stdout);
        let entries = text.lines().filter_map(|line| {
            let (id, why) = line.split_once(' ')?;
            Some((CommitId::from_hex(id.as_bytes())?, why))
        });
        // After a commit, a program may go back to where it began, and commit again.
        let since = entries.take_while(|(id, why)| Some(id) != before || why.starts_with("reset: "));
        Ok(since.filter(|(_, why)| is_such(why)).map(|(id, _)| id).collect())
    }

    /// The branches and tags of another repository, by their full names; none if it cannot be read.
    ///
    /// # Errors
    /// If git cannot be called.
    pub fn references_of(&self, address: &str) -> Result<Vec<(String, CommitId)>> {
        let output = self.call(["ls-remote", "--refs", "--", address])?;
        let line = |line: &str| {
            let (id, name) = line.split_once('\t')?;
            Some((name.to_owned(), CommitId::from_hex(id.as_bytes())?))
        };
        Ok(text_of(&output.stdout).lines().filter_map(line).collect())
    }
}
