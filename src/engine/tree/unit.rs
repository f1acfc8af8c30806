//! A unit of work: one step of one task, from its beginning to its commit.
//!
//! `begin` records everything that must not change and words the prompt. Then an agent, the test commands or a person work,
//! and what came back is compared, judged and committed. The journal holds the unit, so that no part of it exists only in
//! memory: the next run finds what a killed one had begun.

use serde::{Deserialize, Serialize};

use crate::git::Head;
use crate::record::{Attempt, CommitId, Step, TaskId};
use crate::run::journal::BegunStep;
use crate::run::undecided::plan_commits::PlanBefore;
use crate::worktree::changes::{Foreign, WorktreeChanges};
use crate::worktree::path_states::IgnoredPaths;
use crate::worktree::snapshot::RepoSnapshot;
use crate::worktree::{Interrupted, PathStates, unfinished_step};

/// A step that is being worked on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkUnit {
    /// The task.
    pub task: TaskId,
    /// Its name when the step began.
    pub name: String,
    /// The step.
    pub step: Step,
    /// The attempt.
    #[serde(flatten)]
    pub attempt: Attempt,
    /// The head of the branch when the step began.
    pub head: Head,
    /// The prompt for the agent; `None` for a step that no agent does.
    pub prompt: Option<String>,
    /// The work tree when the step began.
    pub(crate) opened: TreeAtStart,
}

/// The state of a work tree when a step began.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TreeAtStart {
    /// The changes compared with HEAD.
    pub(crate) tree_changes: WorktreeChanges,
    /// The changes that are not the work of an implement step.
    pub(crate) foreign: Foreign,
    /// What git ignored.
    pub(crate) ignored: IgnoredPaths,
    /// The head of the branch at that time. After an interruption, the step may have begun at an earlier one.
    pub(crate) tip: Option<CommitId>,
    /// The plan. Its commit is newer than the head of the unit if the step was begun before.
    pub(crate) plan: Option<PlanBefore>,
}

/// A unit as the journal keeps it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredUnit {
    /// The unit.
    pub unit: WorkUnit,
    /// When it began, in seconds since the epoch.
    pub began: i64,
    /// The state of the repository; `None` if it was already compared.
    pub(crate) snapshot: Option<RepoSnapshot>,
}

impl StoredUnit {
    /// The step in the form in which its work is saved. `how` says in a message how the step ended.
    pub(crate) fn interrupted<'u>(&'u self, how: &str, leftovers: &'u PathStates) -> Interrupted<'u> {
        let WorkUnit { task, step, .. } = &self.unit;
        self.unit.interrupted_as(unfinished_step(how, *step, task), leftovers)
    }
}

impl WorkUnit {
    /// Which step of which task it is.
    pub(crate) fn begun(&self) -> BegunStep {
        let Self { task, step, attempt, head, .. } = self;
        BegunStep { task: task.clone(), step: *step, attempt: *attempt, head: head.clone() }
    }

    /// Begins it at this commit, which follows the present one and changes no file.
    pub(crate) fn moves_to(&mut self, commit: CommitId) {
        self.head.commit = commit;
        self.opened.tip = self.opened.tip.map(|_| commit);
        if let Some(plan) = &mut self.opened.plan {
            plan.commit = commit;
        }
    }

    /// The step in the form in which its work is saved, under this name in messages.
    pub(crate) fn interrupted_as<'u>(&'u self, what: String, leftovers: &'u PathStates) -> Interrupted<'u> {
        Interrupted {
            task: self.task.as_str(),
            what,
            before: self.opened.tree_changes.path_states(),
            leftovers,
            ignored: Some(&self.opened.ignored),
        }
    }
}
