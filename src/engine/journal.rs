//! Records what a run is doing, so that the next one knows, if it was killed, whose changes are in the work tree and
//! which processes were ours.
//!
//! The journal is evidence in the git directory, not state: without it, only a hint is lost. It records a running step
//! with what was dirty before, and what tests left behind until it is removed.

use super::unit::StoredUnit;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use chrono::Utc;
use serde::{Deserialize, Serialize};

use super::commit::WrongCommit;
use super::pending::{OtherChanges, Pending};
use super::plan_commits::UnsettledPlan;
use super::unread_commit::UnreadCommit;
use super::users_copy::UsersCopy;
use crate::error::{Error, Kind, Result};
use crate::files;
use crate::git::Head;
use crate::record::{CommitId, Step, TaskId};
use crate::worktree::changes::{Foreign, PathStates, WorktreeChanges};
use crate::worktree::ignored_before::IgnoredBefore;

/// The journal of a work tree.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Journal {
    /// The run that is active, or was active when it was killed.
    pub run: Option<RunEntry>,
    /// The step in progress.
    pub unit: Option<StoredUnit>,
    /// The files that test commands left behind, with their state at that time.
    pub leftovers: PathStates,
    /// The ids of commits that a program of the run made and for which the run was stopped.
    pub refused: Vec<String>,
    /// A finished step whose commit could not be made.
    pub pending: Option<Pending>,
    /// The step commit that a run has asked git for. It is noted only while git makes it.
    pub(super) unread: Option<UnreadCommit>,
    /// A commit that has to be taken back before a run continues: it differs from the intended one, or it contains
    /// changes of the user.
    pub wrong: Option<WrongCommit>,
    /// The files that an implement step left behind and that must not be committed, with their state at that time.
    pub blocked: PathStates,
    /// An interrupted step whose worker made commits that belong to it.
    pub(super) interrupted: Option<InterruptedStep>,
    /// Commits that may have changed the plan during a step that did not end well.
    pub(super) unsettled_plan: Option<UnsettledPlan>,
    /// A copy of the user's changes, made when the run began.
    pub(super) copy: Option<UsersCopy>,
}

/// A step that changes files and was interrupted after its worker had made commits. These have not been checked yet, so
/// the step is done again from the head before them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct InterruptedStep {
    pub(super) task: TaskId,
    pub(super) step: Step,
    /// The head of the branch when it began.
    pub(super) head: Head,
    /// What git ignored at that time.
    #[serde(default)]
    pub(super) ignored: Option<IgnoredBefore>,
}

/// A run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunEntry {
    /// Its process.
    pub pid: u32,
    /// When it began, in seconds since the epoch.
    pub since: i64,
}

impl RunEntry {
    /// When it began.
    #[must_use]
    pub fn began(&self) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(u64::try_from(self.since).unwrap_or(0))
    }
}

impl Journal {
    /// The journal in a git directory; an empty one if there is none that can be read.
    #[must_use]
    pub fn read(git_dir: &Path) -> Self {
        let bytes = files::read(&file_in(git_dir), files::LARGE).unwrap_or_default();
        serde_json::from_slice(&bytes).unwrap_or_default()
    }

    /// Records that this process is at work.
    pub fn begin_run(&mut self) {
        self.run = Some(RunEntry { pid: std::process::id(), since: Utc::now().timestamp() });
    }

    /// Records that nothing is at work any more, and what is left behind.
    pub fn end_step(&mut self, tree_changes: &WorktreeChanges, foreign: &Foreign) {
        self.unit = None;
        self.interrupted = None;
        self.pending = None;
        self.leftovers = tree_changes.matching(&foreign.tests.path_states()).path_states();
        self.blocked = tree_changes
            .except(&foreign.tests.path_states())
            .except(&foreign.users.path_states())
            .path_states();
    }

    /// The head of the branch when this step was begun earlier and interrupted.
    pub(super) fn resumed_head(&self, task: &TaskId, step: Step) -> Option<Head> {
        let before = self.interrupted.as_ref()?;
        (before.task == *task && before.step == step).then(|| before.head.clone())
    }

    /// The changes in the work tree that do not belong to the pending step.
    pub(super) fn others(&self) -> OtherChanges<'_> {
        let before = self.unit.as_ref().map(|stored| &stored.unit.opened.tree_changes);
        OtherChanges { before, leftovers: &self.leftovers, blocked: &self.blocked }
    }

    /// The commits in [`Journal::refused`].
    #[must_use]
    pub fn refused(&self) -> Vec<CommitId> {
        self.refused.iter().filter_map(|id| CommitId::from_hex(id.as_bytes())).collect()
    }

    /// Writes the journal, whole or not at all.
    ///
    /// # Errors
    /// [`Kind::Environment`] if the git directory cannot be written.
    pub fn write(&self, git_dir: &Path) -> Result<()> {
        let file = file_in(git_dir);
        let json = serde_json::to_vec(self).expect("maps with keys of text can be written as JSON");
        // Its parents are not created: if the git directory is gone, nothing must look as if there were one.
        let folder = match std::fs::create_dir(git_dir.join("arborist")) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error),
            _ => Ok(()),
        };
        folder
            .and_then(|()| files::replace(&file, &json))
            .map_err(|error| Error::not_written(file.display(), &error))
    }

    /// Removes the journal.
    ///
    /// # Errors
    /// [`Kind::Environment`] if it cannot be removed.
    pub fn remove(git_dir: &Path) -> Result<()> {
        match std::fs::remove_file(file_in(git_dir)) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(Error::new(
                Kind::Environment,
                format!("{} could not be removed: {error}", file_in(git_dir).display()),
                "Make the git directory writable.",
            )),
            _ => Ok(()),
        }
    }
}

fn file_in(git_dir: &Path) -> PathBuf {
    git_dir.join("arborist").join("journal.json")
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
        std::fs::write(file_in(dir.path()), "{").unwrap();
        assert_eq!(Journal::read(dir.path()), Journal::default());
        Journal::remove(dir.path()).unwrap();
        Journal::remove(dir.path()).unwrap();
    }
}
