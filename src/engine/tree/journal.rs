//! Records what a run is doing, so that the next one knows, if it was killed, whose changes are in the work tree and
//! which processes were ours.
//!
//! The journal is evidence in the git directory, not state: without it, only a hint is lost. It records a running step
//! with what was dirty before, and what tests left behind until it is removed.

use std::path::Path;

use chrono::Utc;
use serde::{Deserialize, Serialize};

use super::pending::{OtherChanges, Pending};
use super::preflight::users_copy::UsersCopy;
use super::tips::RunTips;
use super::unit::{StoredUnit, WorkUnit};
use super::unread::UnreadCommit;
use crate::error::{Error, Result};
use crate::files::Folder;
use crate::git::{Git, Head, OwedReferences, WorkTree};
use crate::history::Repository;
use crate::record::{CommitId, Step, TaskId};
use crate::run::journal::{JOURNAL, LeftAlone, RunEntry, WaitingRun, journal_file, read_journal};
use crate::run::undecided::Undecided;
use crate::worktree::branch_watch::forged_since;
use crate::worktree::changes::Foreign;
use crate::worktree::moved_ref::put_back_owed;
use crate::worktree::snapshot::SnapshotSource;
use crate::worktree::{PathStates, WorktreeChanges};

/// The journal of a work tree.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Journal {
    /// The run that is active, or was active when it was killed.
    pub run: Option<RunEntry>,
    /// The step in progress.
    pub unit: Option<StoredUnit>,
    /// The accounts with which the runners of this run do not work now.
    pub left_alone: Vec<LeftAlone>,
    /// What the step in progress waits for.
    pub waits: Option<WaitingRun>,
    /// The files that test commands left behind, with their state at that time.
    pub leftovers: PathStates,
    /// A finished step whose commit could not be made.
    pub pending: Option<Pending>,
    /// The step commit that a run has asked git for. It is noted only while git makes it.
    pub(crate) unread: Option<UnreadCommit>,
    /// The files that an implement step left behind and that must not be committed, with their state at that time.
    pub blocked: PathStates,
    /// An interrupted step whose worker made commits that belong to it.
    pub(crate) interrupted: Option<InterruptedStep>,
    /// The commits about which the user has to decide before a run continues.
    #[serde(flatten)]
    pub(crate) undecided: Undecided,
    /// A copy of the user's changes, made when the run began.
    pub(crate) copy: Option<UsersCopy>,
    /// The commit of the branch of the run that the step in progress, or the one that waits for its commit, merges.
    pub(crate) merging: Option<CommitId>,
    /// A change of branches. It is noted only while git makes it.
    pub(crate) branch_change: Option<OwnBranchChange>,
    /// What the branches of the run must be, while each task has its own branch.
    pub(crate) tips: Option<RunTips>,
    /// The references that could not be put back. It is the list of the git of this process, as soon as a run has begun.
    pub(crate) owed: OwedReferences,
}

/// A switch of branches or a merge, which changes files of the work tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OwnBranchChange {
    /// Its name in messages, such as `the switch to main`.
    pub(crate) what: String,
    /// The commit that is merged.
    pub(crate) merged: Option<CommitId>,
    /// The changes that were in the work tree before.
    pub(crate) before: PathStates,
}

/// A step that changes files and was interrupted after its worker had made commits. These have not been checked yet, so
/// the step is done again from the head before them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct InterruptedStep {
    pub(crate) task: TaskId,
    pub(crate) step: Step,
    /// The head of the branch when it began.
    pub(crate) head: Head,
}

impl Journal {
    /// The journal in a git directory; an empty one if there is none that can be read.
    #[must_use]
    pub fn read(git_dir: &Path) -> Self {
        read_journal(git_dir)
    }

    /// Puts back what earlier runs could not put back, and shares the list with git from now on. Returns messages.
    ///
    /// # Errors
    /// [`Kind::Unsafe`](crate::error::Kind::Unsafe), naming what still cannot be put back.
    pub(crate) fn put_back_owed(&mut self, git: &Git) -> Result<Vec<String>> {
        self.owed = self.owed.joined_to(git.owed());
        put_back_owed(git)
    }

    /// Records that this process is at work.
    pub fn begin_run(&mut self) {
        self.run = Some(RunEntry { pid: std::process::id(), since: Utc::now().timestamp() });
        self.left_alone = Vec::new();
        self.waits = None;
    }

    /// Records that nothing is at work any more, and what is left behind.
    pub fn end_step(&mut self, tree_changes: &WorktreeChanges, foreign: &Foreign) {
        self.unit = None;
        self.merging = None;
        self.interrupted = None;
        self.pending = None;
        self.leftovers = tree_changes.matching(&foreign.tests.path_states()).path_states();
        self.blocked = tree_changes
            .except(&foreign.tests.path_states())
            .except(&foreign.users.path_states())
            .path_states();
    }

    /// Whether a step or a change of branches was interrupted, or a finished step waits for its commit.
    #[must_use]
    pub fn has_open_work(&self) -> bool {
        self.unit.is_some()
            || self.pending.is_some()
            || self.unread.is_some()
            || self.interrupted.is_some()
            || self.branch_change.is_some()
    }

    /// The head of the branch when this step was begun earlier and interrupted.
    pub(crate) fn resumed_head(&self, task: &TaskId, step: Step) -> Option<Head> {
        let before = self.interrupted.as_ref()?;
        (before.task == *task && before.step == step).then(|| before.head.clone())
    }

    /// The changes in the work tree that do not belong to the pending step.
    pub(crate) fn others(&self) -> OtherChanges<'_> {
        let before = self.unit.as_ref().map(|stored| &stored.unit.opened.tree_changes);
        OtherChanges { before, leftovers: &self.leftovers, blocked: &self.blocked }
    }

    /// Records the commits since the step began, which may have changed the plan. No program is started for that.
    pub(crate) fn note_plan_commits(&mut self, repository: &Repository) {
        let before = self.unit.as_ref().and_then(|stored| stored.unit.opened.plan.clone());
        // If the branch cannot be read, the code that needs it reports that.
        if let (Some(before), Ok(Some(tip))) = (before, repository.head()) {
            self.undecided.note_plan(before, tip);
        }
    }

    /// Records whether an interrupted step has made commits, if commits can be part of its work.
    pub(crate) fn note_commits(&mut self, unit: &WorkUnit, made_some: bool) {
        let WorkUnit { task, step, head, .. } = unit.clone();
        let is_work = made_some && step.changes_files();
        self.interrupted = is_work.then_some(InterruptedStep { task, step, head });
    }

    /// Forgets the commits of an interrupted step if the branch has moved on, so that they cannot be told apart from
    /// others.
    ///
    /// # Errors
    /// If history cannot be read.
    pub(crate) fn keep_commits_of(&mut self, source: SnapshotSource<'_>, now: &Head) -> Result<()> {
        let Some(InterruptedStep { head, .. }) = &self.interrupted else { return Ok(()) };
        let follows = head.branch == now.branch && source.git.is_ancestor(&head.commit, &now.commit)?;
        if !follows || !forged_since(source.git, source.repository, head)?.is_empty() {
            self.interrupted = None;
        }
        Ok(())
    }

    /// Whether a killed run left something on the branch that the next run has to look at first: a commit that was not
    /// read back, or commits since its step began.
    pub(crate) fn is_behind(&self, now: &Head) -> bool {
        let moved = |stored: &StoredUnit| stored.unit.head.commit != now.commit;
        self.unread.is_some() || self.pending.is_none() && self.unit.as_ref().is_some_and(moved)
    }

    /// Records that a commit which changes no file was made on top of `before`, so that it does not count as the work
    /// of an interrupted step. Returns whether that changes anything.
    pub(crate) fn moves_to(&mut self, before: &Head, commit: CommitId) -> bool {
        let mut moved = false;
        if let Some(pending) =
            self.pending.as_mut().filter(|pending| pending.head == before.commit.to_string())
        {
            pending.head = commit.to_string();
            moved = true;
        }
        if let Some(stored) = self.unit.as_mut().filter(|stored| stored.unit.head == *before) {
            stored.unit.moves_to(commit);
            moved = true;
        }
        moved
    }

    /// Writes the journal, whole or not at all.
    ///
    /// # Errors
    /// [`Kind::Environment`](crate::error::Kind::Environment) if the git directory cannot be written.
    pub fn write(&self, git_dir: &Path) -> Result<()> {
        let file = journal_file(git_dir);
        let json = serde_json::to_vec(self).expect("maps with keys of text can be written as JSON");
        // Its parents are not created: if the git directory is gone, nothing must look as if there were one.
        Folder::make_own(git_dir, "")
            .and_then(|folder| folder.replace(JOURNAL, &json))
            .map_err(|error| Error::not_written(file.display(), &error))
    }
}

/// [`Journal::put_back_owed`] for a command that begins no run, but reads branches.
///
/// # Errors
/// As there, and if the journal cannot be written.
pub fn put_back_owed_by_runs(git: &Git, work_tree: &WorkTree) -> Result<Vec<String>> {
    let mut journal = Journal::read(&work_tree.git_dir);
    if journal.owed.all().is_empty() {
        return Ok(Vec::new());
    }
    let put_back = journal.put_back_owed(git);
    journal.write(&work_tree.git_dir)?;
    put_back
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_journal_survives_writing_and_reading_and_a_broken_one_is_none() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(Journal::read(dir.path()), Journal::default());
        let mut journal = Journal::default();
        journal.begin_run();
        journal.write(dir.path()).unwrap();
        assert_eq!(Journal::read(dir.path()), journal);
        std::fs::write(journal_file(dir.path()), "{").unwrap();
        assert_eq!(Journal::read(dir.path()), Journal::default());
    }
}
