//! Puts right what a worker does by mistake to the branch on which it works, if it has changed nothing else: the files stay, and
//! what was committed is kept.

use std::collections::HashSet;

use super::WatchedBranch;
use crate::error::{Error, Kind, Result};
use crate::git::Head;
use crate::record::CommitId;
use crate::text::shell_word;
use crate::worktree::moved_ref::keep;
use crate::worktree::task_commits::{claim_of, first_claim};

impl WatchedBranch<'_> {
    /// Whether the newest commit was replaced by one that still changes all files that it had changed, and what replaces it claims
    /// no more than it did. Otherwise the work of that commit may have been thrown away.
    pub(super) fn is_amended(&self, tip: &CommitId) -> bool {
        let Self { git, repository, before, .. } = *self;
        let is = || -> Result<bool> {
            let new = git.commits_beside(tip, [&before.commit])?;
            let Some((first, later)) = new.split_first() else { return Ok(false) };
            let (old, amended) = (repository.commit(&before.commit)?, repository.commit(first)?);
            let changed = |commit: &CommitId| match old.parents.first() {
                Some(parent) => git.paths_between(parent, commit),
                None => git.paths_in(commit),
            };
            let kept: HashSet<Vec<u8>> = changed(tip)?.into_iter().collect();
            Ok(amended.parents == old.parents
                && changed(&before.commit)?.iter().all(|path| kept.contains(path))
                && (amended.message == old.message || claim_of(repository, first)?.is_none())
                && first_claim(repository, later)?.is_none()
                && self.newest() == before.commit)
        };
        is().unwrap_or(false)
    }

    /// Puts the branch back whose newest commit was replaced; all files stay. Returns what was done, as a clause.
    pub(super) fn unamended(&self, tip: CommitId) -> Result<String> {
        let Self { before, .. } = *self;
        let back = self.put_back(before.commit, Some(tip));
        if !back.is_done {
            return Err(self.rewritten(tip, before.commit));
        }
        Ok(format!(
            "the newest commit of the branch {} was replaced, which no step may do. {} All files stay as they were left",
            before.branch_name(),
            back.told
        ))
    }

    /// HEAD is not on the branch, whose newest commit is `tip`. It is put back if nothing else was changed, or if it is at commits
    /// that claim to be steps. Returns what was done, as a clause.
    pub(super) fn back_from(&self, here: &Result<Head>, tip: Option<CommitId>) -> Result<String> {
        let Self { git, repository, before, during } = *self;
        let name = before.branch_name();
        let what = match here {
            Ok(now) => format!(
                "something switched the branch from {name} to {} while {} was at work",
                now.branch_name(),
                during.who
            ),
            Err(error) => format!(
                "the branch {name} cannot be found after {} was at work: {}",
                during.who,
                error.what()
            ),
        };
        let there = git.commit_named("HEAD").ok().flatten();
        let new = there
            .and_then(|there| git.commits_beside(&there, during.known.iter().chain([&before.commit])).ok())
            .unwrap_or_default();
        let is_forged = !matches!(first_claim(repository, &new), Ok(None));
        if let Some(there) = there.filter(|_| is_forged && git.set_head(&before.branch).is_ok()) {
            let short = there.short();
            let kept = keep(git, &there).unwrap_or_else(|| short.clone());
            return Err(Error::new(
                Kind::Unsafe,
                what,
                format!(
                    "There are commits there that claim to be steps, so HEAD is on {name} again. They are kept as {kept}. Run the \
                     same command again."
                ),
            ));
        }
        // Once another branch is checked out, nothing may lead to what is there.
        let beside = there.filter(|there| git.is_reachable(there).is_ok_and(|reachable| !reachable));
        let kept =
            beside.and_then(|there| Some(format!(" {} is kept as {}.", there.short(), keep(git, &there)?)));
        let kept = kept.unwrap_or_default();
        if let (true, Some(there), Some(tip)) = (during.rights, there, tip)
            && self.goes_back(&there, &tip, &new)
        {
            let there = here.as_ref().map_or("a commit", Head::branch_name);
            return Ok(format!(
                "HEAD was switched from {name} to {there}, which no step may do. It is on {name} again, with what was not \
                 committed.{kept}"
            ));
        }
        Err(Error::new(Kind::Unsafe, what, go_back(before, &kept)))
    }

    /// Puts HEAD back on the branch. What was committed on top of the branch by this step, all of which is `new`, stays in the
    /// files; from elsewhere, git takes what is not committed along, unless it is in the way.
    fn goes_back(&self, there: &CommitId, tip: &CommitId, new: &[CommitId]) -> bool {
        let Self { git, repository, before, .. } = *self;
        let is_on_top = git.is_ancestor(tip, there).unwrap_or(false)
            && git.commits_between(tip, there).is_ok_and(|above| above.iter().all(|it| new.contains(it)));
        let moved = if is_on_top { git.set_head(&before.branch) } else { git.switch(before.branch_name()) };
        moved.is_ok() && repository.branch().is_ok_and(|now| now.branch == before.branch)
    }
}

/// `kept` is a sentence about the commits there, with a blank before it.
fn go_back(before: &Head, kept: &str) -> String {
    format!(
        "The step was not committed.{kept} Go back with `git switch {}` and run the same command again.",
        shell_word(before.branch_name())
    )
}
