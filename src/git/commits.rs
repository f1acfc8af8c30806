//! Asks which commits lead to which, and what they say.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::sync::PoisonError;

use super::output::{commits_in, linked_commits_in, text_of};
use super::program::Search;
use super::{Git, Revisions};
use crate::error::Result;
use crate::record::CommitId;

impl Git {
    /// The commits of `base..head`, newest first.
    ///
    /// # Errors
    /// If an object cannot be read.
    pub fn commits_between(&self, base: &CommitId, head: &CommitId) -> Result<Vec<CommitId>> {
        let out = self.demand(["rev-list", "--topo-order", &format!("{base}..{head}")])?;
        Ok(commits_in(&out))
    }

    /// The commits of `base..head`, or all that lead to `head`, whose messages contain this text, newest first.
    ///
    /// # Errors
    /// If an object cannot be read.
    pub fn commits_saying(
        &self,
        text: &str,
        base: Option<CommitId>,
        head: &CommitId,
    ) -> Result<Vec<CommitId>> {
        let base = base.map(|base| format!("^{base}"));
        let arguments: Vec<String> =
            [format!("--grep={text}"), head.to_string()].into_iter().chain(base).collect();
        // A review asks for its prompt and for its commit.
        let mut last = self.known.search.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(last) = last.as_ref().filter(|last| last.arguments == arguments) {
            return Ok(last.found.clone());
        }
        let fixed = ["rev-list", "--topo-order", "--fixed-strings"];
        let found = commits_in(&self.demand(fixed.into_iter().chain(arguments.iter().map(String::as_str)))?);
        *last = Some(Search { arguments, found: found.clone() });
        Ok(found)
    }

    /// The best common ancestor of two commits, if they have one.
    ///
    /// # Errors
    /// If an object cannot be read.
    pub fn merge_base(&self, one: &CommitId, other: &CommitId) -> Result<Option<CommitId>> {
        let output = self.call(["merge-base", &one.to_string(), &other.to_string()])?;
        match output.status.code() {
            Some(0 | 1) => Ok(CommitId::from_hex(output.stdout.trim_ascii_end())),
            _ => Err(output.into_error()),
        }
    }

    /// The commits from `head` along first parents, newest first, each followed by its parents. Commits that one of
    /// `bases` reaches are left out.
    ///
    /// # Errors
    /// If an object cannot be read.
    pub fn first_parents(&self, bases: &[CommitId], head: &CommitId) -> Result<Vec<Vec<CommitId>>> {
        self.linked(&["--first-parent"], bases, head)
    }

    /// All commits of `bases..head`, parents before their children, each followed by its parents.
    ///
    /// # Errors
    /// If an object cannot be read.
    pub fn with_parents(&self, bases: &[CommitId], head: &CommitId) -> Result<Vec<Vec<CommitId>>> {
        self.linked(&["--topo-order", "--reverse"], bases, head)
    }

    fn linked(&self, how: &[&str], bases: &[CommitId], head: &CommitId) -> Result<Vec<Vec<CommitId>>> {
        let (head, bases) =
            (head.to_string(), bases.iter().map(|base| format!("^{base}")).collect::<Vec<_>>());
        let fixed = ["rev-list", "--parents"].into_iter().chain(how.iter().copied()).chain([head.as_str()]);
        let out = self.demand(fixed.chain(bases.iter().map(String::as_str)))?;
        Ok(linked_commits_in(&out))
    }

    /// The commits of `base..head` that change one of these paths, newest first.
    ///
    /// # Errors
    /// If an object cannot be read.
    pub fn commits_changing(
        &self,
        base: &CommitId,
        head: &CommitId,
        paths: &[Vec<u8>],
    ) -> Result<Vec<CommitId>> {
        if paths.is_empty() {
            return Ok(Vec::new());
        }
        let range = format!("{base}..{head}");
        let args = ["rev-list", "--topo-order", &range, "--"].map(OsStr::new);
        let out = self.demand(args.into_iter().chain(paths.iter().map(|path| OsStr::from_bytes(path))))?;
        Ok(commits_in(&out))
    }

    /// Whether `ancestor` is `commit` or an ancestor of it.
    ///
    /// # Errors
    /// If an object cannot be read.
    pub fn is_ancestor(&self, ancestor: &CommitId, commit: &CommitId) -> Result<bool> {
        self.call(["merge-base", "--is-ancestor", &ancestor.to_string(), &commit.to_string()])?.yes_or_no()
    }

    /// Whether a commit, which may be gone, is in the history of another one.
    ///
    /// # Errors
    /// If git cannot say so. That is no answer.
    pub fn is_still_in(&self, commit: &CommitId, head: &CommitId) -> Result<bool> {
        Ok(self.has_object(commit)? && self.is_ancestor(commit, head)?)
    }

    /// The commits that lead to `tip` and not to any of those that are known, oldest first.
    ///
    /// # Errors
    /// If an object cannot be read.
    pub fn commits_beside<'a>(
        &self,
        tip: &CommitId,
        known: impl IntoIterator<Item = &'a CommitId>,
    ) -> Result<Vec<CommitId>> {
        let mut wanted = format!("{tip}\n");
        for commit in known {
            wanted.push_str(&format!("^{commit}\n"));
        }
        let args = ["rev-list", "--topo-order", "--reverse", "--ignore-missing", "--stdin"];
        Ok(commits_in(&self.command(args).stdin(wanted).demand()?))
    }

    /// The commits that `head` has and `base` has not, or all of them, oldest first.
    ///
    /// # Errors
    /// If one of them does not exist.
    pub fn commits_oldest_first(&self, base: Option<CommitId>, head: CommitId) -> Result<Vec<CommitId>> {
        let range = base.map_or_else(|| head.to_string(), |base| format!("{base}..{head}"));
        Ok(commits_in(&self.demand(["rev-list", "--topo-order", "--reverse", &range, "--"])?))
    }

    /// How many commits a revision has that another has not.
    ///
    /// # Errors
    /// If one of them does not exist.
    pub fn count_commits(&self, not: &str, of: &str) -> Result<usize> {
        let range = format!("{not}..{of}");
        let text = text_of(&self.demand(["rev-list", "--count", "--end-of-options", &range, "--"])?);
        Ok(text.trim().parse().expect("git counts in decimal"))
    }

    /// Whether there are any commits to read.
    ///
    /// # Errors
    /// If git cannot read them.
    pub fn has_commits(&self, revisions: &Revisions) -> Result<bool> {
        let lines = revisions.lines().iter().map(String::as_str);
        let args = ["rev-list", "--max-count=1"].into_iter().chain(lines).chain(["--"]);
        Ok(!self.demand(args)?.trim_ascii().is_empty())
    }
}
