//! The step commits of a range one by one, with their messages, for `show`, feedback, reports and `prune`.

use std::collections::HashMap;

use super::graph::{Known, Said};
use super::range::Range;
use super::reading::Entry;
use super::repository::Repository;
use crate::error::Result;
use crate::record::{CommitId, CommitKind, Goal, StepCommit, StepEffort, StepRecord, TaskId};

pub use crate::record::StepValidity;

/// A step of a task, with everything that its commit says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskStep {
    /// The step and its commit.
    pub step: StepCommit,
    /// Whether it counts.
    pub validity: StepValidity,
    /// The commit's whole message.
    pub message: Vec<u8>,
}

impl TaskStep {
    /// What the step says.
    #[must_use]
    pub fn record(&self) -> &StepRecord {
        &self.step.record
    }

    /// What the step is for.
    #[must_use]
    pub fn goal(&self) -> Goal {
        self.step.record.step.row().goal
    }

    /// Whether it counts.
    #[must_use]
    pub fn counts(&self) -> bool {
        self.validity == StepValidity::Counts
    }
}

/// Those of these steps that count.
pub fn counted(steps: &[TaskStep]) -> impl DoubleEndedIterator<Item = &TaskStep> + Clone {
    steps.iter().filter(|step| step.counts())
}

/// A value picked from a commit of a range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picked<T> {
    /// The commit.
    pub id: CommitId,
    /// The committer date, in seconds since the epoch.
    pub time: i64,
    /// Whether the commit counts.
    pub validity: StepValidity,
    /// The value.
    pub value: T,
}

/// All steps of one task in a range, newest first: children before parents.
///
/// # Errors
/// As for [`super::read_run`].
pub fn read_steps(repository: &Repository, range: &Range, task: &TaskId) -> Result<Vec<TaskStep>> {
    repository.read_range(range, |graph, reading| {
        let of_task = |entry: &&Entry| !entry.is_phase && entry.name == task.as_str();
        reading.entries.iter().filter(of_task).filter_map(|entry| task_step(graph, entry)).collect()
    })
}

/// The same for all tasks at once.
///
/// # Errors
/// As for [`super::read_run`].
pub fn read_all_steps(repository: &Repository, range: &Range) -> Result<HashMap<TaskId, Vec<TaskStep>>> {
    repository.read_range(range, |graph, reading| {
        let mut steps: HashMap<TaskId, Vec<TaskStep>> = HashMap::new();
        for entry in &reading.entries {
            if let (Some(step), Ok(task)) = (task_step(graph, entry), TaskId::parse(&entry.name)) {
                steps.entry(task).or_default().push(step);
            }
        }
        steps
    })
}

fn task_step(graph: &Known, entry: &Entry) -> Option<TaskStep> {
    let (commit, said) = (graph.commit(entry.node), graph.said(entry.node)?);
    match &said.text.kind {
        CommitKind::Task(_, record) => Some(TaskStep {
            step: StepCommit { id: commit.id, time: commit.time, record: *record },
            validity: entry.validity()?,
            message: said.message.clone(),
        }),
        _ => None,
    }
}

/// The values that `pick` returns for the step commits of a range, children before parents. Steps of other plans are
/// left out, but tasks and phases that are not in the tree and unknown steps are included. `pick` gets the step and its
/// whole message.
///
/// # Errors
/// As for [`super::read_run`].
pub fn pick_steps<T>(
    repository: &Repository,
    range: &Range,
    pick: impl Fn(&CommitKind, &[u8]) -> Option<T>,
) -> Result<Vec<Picked<T>>> {
    pick_said(repository, range, |said| match &said.text.kind {
        CommitKind::Other => None,
        kind => pick(kind, &said.message),
    })
}

/// The steps of tasks in a range, with what each has taken, in the same order.
///
/// # Errors
/// As for [`super::read_run`].
pub fn pick_efforts(
    repository: &Repository,
    range: &Range,
) -> Result<Vec<Picked<(TaskId, StepRecord, StepEffort)>>> {
    pick_said(repository, range, |said| match &said.text.kind {
        CommitKind::Task(task, record) => Some((task.clone(), *record, said.text.effort)),
        _ => None,
    })
}

fn pick_said<T>(
    repository: &Repository,
    range: &Range,
    pick: impl Fn(&Said) -> Option<T>,
) -> Result<Vec<Picked<T>>> {
    repository.read_range(range, |graph, reading| {
        let picked = reading.entries.iter().filter(|entry| entry.landing.is_none()).filter_map(|entry| {
            let (commit, said) = (graph.commit(entry.node), graph.said(entry.node)?);
            let validity = entry.validity()?;
            Some(Picked { id: commit.id, time: commit.time, validity, value: pick(said)? })
        });
        picked.collect()
    })
}
