//! What an integration deals with: finished tasks, tests, and the next tip of the branch of the run.

use crate::plan::{NodeIx, TaskBranch, TestCommand};
use crate::record::{CommitId, TaskId};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FinishedTask {
    /// The task.
    pub(crate) leaf: NodeIx,
    /// Its branch, on which it is complete.
    pub(crate) branch: TaskBranch,
}

/// Commands that have to run on a commit.
#[derive(Clone, Debug)]
pub(crate) struct Trial {
    pub(crate) commit: CommitId,
    pub(crate) commands: Vec<TestCommand>,
    /// The tasks for which they run.
    pub(crate) tasks: Vec<TaskId>,
}

/// The next tip of the branch of the run.
#[derive(Clone, Debug)]
pub(crate) struct NewTip {
    /// Its present tip.
    pub(crate) from: CommitId,
    /// Its next tip, which descends from the present one.
    pub(crate) to: CommitId,
    /// The tasks that it contains now, with their branches.
    pub(crate) merged: Vec<TaskInTip>,
    /// The phases that are complete with them.
    pub(crate) phases: Vec<TaskId>,
}

/// A task that a new tip contains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TaskInTip {
    /// The task, with its branch.
    pub(crate) finished: FinishedTask,
    pub(crate) task: TaskId,
    /// The merge commit.
    pub(crate) commit: CommitId,
}

/// A merge of tasks that is tested: of all of them, or of the first half of a red batch.
#[derive(Debug)]
pub(super) struct TestedPart {
    pub(super) tip: NewTip,
    pub(super) commands: Vec<TestCommand>,
}

impl TestedPart {
    /// How many tasks it has.
    pub(super) fn count(&self) -> usize {
        self.tip.merged.len()
    }

    pub(super) fn trial(&self) -> Trial {
        self.tip.trial(&self.commands)
    }
}

impl NewTip {
    /// The tasks that it contains, as they are to be merged again.
    pub(super) fn finished(&self) -> Vec<FinishedTask> {
        self.merged.iter().map(|merged| merged.finished.clone()).collect()
    }

    /// These commands, to be run on it.
    pub(super) fn trial(&self, commands: &[TestCommand]) -> Trial {
        let tasks = self.merged.iter().map(|merged| merged.task.clone()).collect();
        Trial { commit: self.to, commands: commands.to_vec(), tasks }
    }

    /// The same tip without the ends of phases, whose tests fail.
    pub(super) fn without_phases(mut self) -> Self {
        self.phases.clear();
        self.to = self.merged.last().map_or(self.to, |merged| merged.commit);
        self
    }
}
