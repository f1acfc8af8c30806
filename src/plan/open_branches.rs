//! The branches on which the work on a plan is while it is not merged.

use std::collections::BTreeMap;

use super::ready::WorkPlace;
use crate::record::{CommitId, TaskId};

/// The branches on which phases or tasks are worked on, one for each, until they are merged into the base branch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenBranches {
    /// The base branch, without `refs/heads/`; `None` if no phase has a branch, or if it is not known.
    pub base: Option<String>,
    /// The branch of each phase that is not merged into the base branch, without `refs/heads/`.
    pub phases: BTreeMap<TaskId, String>,
    /// The branch of each task that is not merged into the branch of the run.
    pub tasks: BTreeMap<TaskId, TaskBranch>,
}

/// A branch on which one task is worked on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskBranch {
    /// Its name, without `refs/heads/`.
    pub name: String,
    /// Its newest commit.
    pub tip: CommitId,
}

impl OpenBranches {
    /// Where the work on a task of a phase is.
    pub fn place_of(&self, task: &TaskId, phase: &TaskId) -> WorkPlace {
        if self.tasks.contains_key(task) {
            WorkPlace::TaskBranch
        } else if self.phases.contains_key(phase) {
            WorkPlace::PhaseBranch
        } else {
            WorkPlace::RunBranch
        }
    }

    /// The branch of its own on which a task of a phase is worked on, without `refs/heads/`.
    pub fn branch_for(&self, task: &TaskId, phase: &TaskId) -> Option<&str> {
        let of_task = self.tasks.get(task).map(|branch| branch.name.as_str());
        of_task.or_else(|| self.phases.get(phase).map(String::as_str))
    }
}
