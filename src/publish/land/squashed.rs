//! Up to which step a commit that does not say so has the work of a task, as the landed branch shows that was squashed into it.

use crate::error::Result;
use crate::git::{Git, MergedTree};
use crate::history::Repository;
use crate::record::{CommitId, Landing, TaskId};
use crate::run::landed_name;

/// The branch that is landed from the one which is checked out, here and in remote repositories.
#[derive(Debug, Default)]
pub(super) struct SquashedBranch {
    /// The commits of each copy that the base does not have, newest first. What was fetched is before what is here, because a forge
    /// squashes what was pushed.
    copies: Vec<Vec<BranchCommit>>,
}

/// A commit of that branch.
#[derive(Debug)]
struct BranchCommit {
    id: CommitId,
    time: i64,
    landings: Vec<Landing>,
}

impl BranchCommit {
    /// The tip of the run up to which this commit lands a task.
    fn tip(&self, task: &TaskId) -> Option<CommitId> {
        let lands = |landing: &&Landing| landing.landed.is_none() && landing.tasks.contains(task);
        self.landings.iter().find(lands).map(|landing| landing.tip)
    }
}

impl SquashedBranch {
    /// Reads the commits that these do not reach.
    pub(super) fn read(git: &Git, repository: &Repository, before: &[CommitId]) -> Result<Self> {
        let Ok(head) = repository.branch() else { return Ok(Self::default()) };
        let name = landed_name(head.branch_name());
        let is_copy = |full: &str| {
            let branch = full.strip_prefix("refs/remotes/").and_then(|copy| copy.split_once('/'));
            branch.is_some_and(|(_, branch)| branch == name)
        };
        let fetched = repository.remote_branches()?.into_iter().filter(|(full, _)| is_copy(full));
        let mut copies = Vec::new();
        for tip in fetched.map(|(_, tip)| tip).chain(repository.tip_of(&name)?) {
            let mut commits = Vec::new();
            for ids in git.first_parents(before, &tip)? {
                let commit = repository.commit(&ids[0])?;
                let landings = Landing::all_in(&commit.message);
                commits.push(BranchCommit { id: ids[0], time: commit.time, landings });
            }
            copies.push(commits);
        }
        Ok(Self { copies })
    }

    /// The tip of the run up to which a squash has the work of a task; `None` if the branch does not say so.
    ///
    /// The squash is of the newest commit that makes the same change. If none does, because somebody has settled a conflict, it is of
    /// those that are as old.
    pub(super) fn landed_tip(
        &self,
        git: &Git,
        repository: &Repository,
        task: &TaskId,
        squash: CommitId,
    ) -> Result<Option<CommitId>> {
        let Some(parent) = repository.first_parent(&squash)? else { return Ok(None) };
        let files = git.tree_of(&squash)?;
        for commits in &self.copies {
            // Where git cannot merge them, it says nothing.
            let makes_it = |commit: &BranchCommit| matches!(git.merge_of(&parent, &commit.id), Ok(MergedTree::Clean(tree)) if tree == files);
            if let Some(squashed) = commits.iter().position(makes_it) {
                return Ok(commits[squashed..].iter().find_map(|commit| commit.tip(task)));
            }
        }
        let time = repository.commit(&squash)?.time;
        for commit in self.copies.iter().flatten().filter(|commit| commit.time < time) {
            if let Some(tip) = commit.tip(task)
                && !repository.reaches(commit.id, squash)?
            {
                return Ok(Some(tip));
            }
        }
        Ok(None)
    }

    /// The tips of the run up to which a task was landed on top of a squash, which therefore does not have that.
    pub(super) fn tips_on_top(
        &self,
        repository: &Repository,
        task: &TaskId,
        squash: CommitId,
    ) -> Result<Vec<CommitId>> {
        let mut tips = Vec::new();
        for commit in self.copies.iter().flatten() {
            if let Some(tip) = commit.tip(task)
                && repository.reaches(commit.id, squash)?
            {
                tips.push(tip);
            }
        }
        Ok(tips)
    }
}
