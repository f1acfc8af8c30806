//! What the journal of a work tree says to commands that only read: which run is at work, in which step, and which commits it
//! has found that a person has to decide about. The engine writes the journal, which says more.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::undecided::Undecided;
use super::undecided::plan_commits::PlanBefore;
use crate::error::Result;
use crate::files;
use crate::git::Head;
use crate::history::Repository;
use crate::record::{Attempt, CommitId, CommitKind, Goal, Step, TaskId, commit_kind};

/// The part of a journal that others than the engine read.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct JournalView {
    /// The run that is active, or was active when it was killed.
    pub run: Option<RunEntry>,
    /// The step in progress.
    pub unit: Option<StepInProgress>,
    /// The accounts with which its runners do not work now.
    pub left_alone: Vec<LeftAlone>,
    /// What the step in progress waits for.
    pub waits: Option<WaitingRun>,
    /// The commits about which the user has to decide before a run continues.
    #[serde(flatten)]
    pub(crate) undecided: Undecided,
    /// What the branches of the run must be, if a scheduler is at work or was killed.
    tips: Option<NotedTips>,
}

/// What a scheduler knew of the branches of its run.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct NotedTips {
    /// What they must name, by their full names.
    branches: BTreeMap<String, CommitId>,
    /// Those that a worker moves, or on which one was interrupted.
    at_work: BTreeSet<String>,
}

/// A run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunEntry {
    /// Its process.
    pub pid: u32,
    /// When it began, in seconds since the epoch.
    pub since: i64,
}

/// An account with which the runners of a run do not work now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftAlone {
    /// The name of the runners that have it.
    pub account: String,
    /// Why, as a clause.
    pub reason: String,
    /// Until when, in seconds since the epoch; `None` for the rest of the run.
    pub until: Option<i64>,
}

/// A wait for a runner that cannot work now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitingRun {
    /// Why it cannot work, as a clause.
    pub reason: String,
    /// Until when, in seconds since the epoch.
    pub until: i64,
}

/// A step in progress.
#[derive(Clone, Debug, Deserialize)]
pub struct StepInProgress {
    /// The step.
    pub unit: UnitInProgress,
    /// When it began, in seconds since the epoch.
    pub began: i64,
    /// The state of the repository before it; `None` if it was already compared.
    snapshot: Option<IgnoredAny>,
}

/// The unit of work of a step in progress.
#[derive(Clone, Debug, Deserialize)]
pub struct UnitInProgress {
    /// Which step of which task it is.
    #[serde(flatten)]
    pub begun: BegunStep,
    opened: TreeInProgress,
}

/// A step that was begun.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct BegunStep {
    /// The task.
    pub task: TaskId,
    /// The step.
    pub step: Step,
    /// The attempt.
    #[serde(flatten)]
    pub attempt: Attempt,
    /// The head of the branch when it began.
    pub(crate) head: Head,
}

#[derive(Clone, Debug, Deserialize)]
struct TreeInProgress {
    /// The plan when the step began.
    plan: Option<PlanBefore>,
}

/// The name of the journal in our folder of a git directory.
pub(crate) const JOURNAL: &str = "journal.json";

/// The journal in a git directory.
pub(crate) fn journal_file(git_dir: &Path) -> PathBuf {
    git_dir.join("arborist").join(JOURNAL)
}

/// What a journal in a git directory says. A field that another version has written in another way is left out, and no other one
/// with it.
pub(crate) fn read_journal<T: DeserializeOwned + Default>(git_dir: &Path) -> T {
    let bytes = files::read(&journal_file(git_dir), files::LARGE).unwrap_or_default();
    if let Ok(whole) = serde_json::from_slice(&bytes) {
        return whole;
    }
    let mut fields: Map<String, Value> = serde_json::from_slice(&bytes).unwrap_or_default();
    fields.retain(|name, value| {
        let alone = Map::from_iter([(name.clone(), value.clone())]);
        serde_json::from_value::<T>(alone.into()).is_ok()
    });
    serde_json::from_value(fields.into()).unwrap_or_default()
}

impl JournalView {
    /// The journal in a git directory; an empty one if there is none that can be read. It is evidence, not state: without it,
    /// only a hint is lost.
    #[must_use]
    pub fn read(git_dir: &Path) -> Self {
        read_journal(git_dir)
    }

    /// The branches of the run, by their names without `refs/heads/`, as its scheduler has left them. What another program has
    /// written to them since does not count, and the next run takes it back; so it must not be read before that.
    pub(crate) fn as_left(&self, mut found: BTreeMap<String, CommitId>) -> BTreeMap<String, CommitId> {
        let Some(NotedTips { branches, at_work }) = &self.tips else { return found };
        found.retain(|name, tip| {
            let full = format!("refs/heads/{name}");
            if at_work.contains(&full) {
                return true;
            }
            branches.get(&full).inspect(|known| *tip = **known).is_some()
        });
        found
    }
}

impl RunEntry {
    /// When it began.
    #[must_use]
    pub fn began(&self) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(u64::try_from(self.since).unwrap_or(0))
    }
}

impl StepInProgress {
    /// Whether the repository was not compared yet with its state before the step.
    pub(crate) fn is_open(&self) -> bool {
        self.snapshot.is_some()
    }

    /// The plan when the step began.
    pub(crate) fn plan(&self) -> Option<&PlanBefore> {
        self.unit.opened.plan.as_ref()
    }
}

impl BegunStep {
    /// Whether the branch ends with the commit of this step: then the run was killed before it could note that.
    ///
    /// # Errors
    /// If history cannot be read.
    pub(crate) fn is_committed(&self, repository: &Repository) -> Result<bool> {
        let Some(head) = repository.head()? else { return Ok(false) };
        let (CommitKind::Task(task, record) | CommitKind::Phase(task, record)) =
            commit_kind(&repository.commit(&head)?.message)
        else {
            return Ok(false);
        };
        // A report does not name an attempt.
        let same_attempt = record.attempt == self.attempt.number || self.step.row().goal == Goal::Report;
        Ok(head != self.head.commit && task == self.task && record.step == self.step && same_attempt)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_that_another_version_wrote_is_lost_by_itself() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = journal_file(folder.path());
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("written");
        for (text, is_known) in [
            (r#"{"run": {"pid": 7, "since": 1}, "unit": {"task": 3}, "pending": {"message": "x"}}"#, true),
            (r#"{"run": {"pid": "seven"}}"#, false),
            ("[]", false),
            ("{", false),
        ] {
            std::fs::write(&file, text).expect("written");
            assert_eq!(JournalView::read(folder.path()).run.is_some(), is_known, "{text}");
        }
    }
}
