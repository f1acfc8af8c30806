//! What an integration deals with: finished tasks, tests, and the next tip of the branch of the run.

use crate::plan::{NodeIx, TaskBranch, TestCommand};
use crate::record::{CommitId, TaskId};

/// A finished task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The task.
    pub leaf: NodeIx,
    /// Its branch, on which it is complete.
    pub branch: TaskBranch,
}

/// Commands that have to run on a commit.
#[derive(Clone, Debug)]
pub struct Trial {
    /// The commit.
    pub commit: CommitId,
    /// The commands.
    pub commands: Vec<TestCommand>,
    /// The tasks for which they run.
    pub tasks: Vec<TaskId>,
}

/// The next tip of the branch of the run.
#[derive(Clone, Debug)]
pub struct NewTip {
    /// Its present tip.
    pub from: CommitId,
    /// Its next tip, which descends from the present one.
    pub to: CommitId,
    /// The tasks that it contains now, with their branches.
    pub merged: Vec<Merged>,
    /// The phases that are complete with them.
    pub phases: Vec<TaskId>,
}

/// A task that a new tip contains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Merged {
    /// The task.
    pub leaf: NodeIx,
    /// Its id.
    pub task: TaskId,
    /// Its branch.
    pub branch: TaskBranch,
    /// The merge commit.
    pub commit: CommitId,
}

impl NewTip {
    /// The same tip without the ends of phases, whose tests fail.
    pub(super) fn without_phases(mut self) -> Self {
        self.phases.clear();
        self.to = self.merged.last().map_or(self.to, |merged| merged.commit);
        self
    }
}

impl Merged {
    pub(super) fn candidate(self) -> Candidate {
        Candidate { leaf: self.leaf, branch: self.branch }
    }
}
