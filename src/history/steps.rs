//! Reads the step commits of a range one by one, with their messages, for `show`, feedback, reports and `prune`.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use super::dropped_names::DroppedNames;
use super::graph::{Annotate, Graph};
use super::linear::{VisitedCommit, WalkControl, WalkEnd, walk};
use super::order::OrderedRange;
use super::order::fold_ancestors;
use super::plan_version::PlanRelation;
use super::range::Range;
use super::raw::RawCommit;
use super::repository::Repository;
use super::reversals::Reversals;
use super::reverts::resolve;
use super::source::Source;
use super::union::read_from_top;
use crate::error::Result;
use crate::record::{
    CommitId, CommitKind, Effect, PlanClaim, RevertClaim, StepCommit, Subject, TaskId, carries_step,
    commit_kind,
};

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
    // The messages of other tasks need not be read.
    let pick = |commit: &VisitedCommit<'_>| match commit.subject {
        Subject::Task(id) if id == task.as_str() => match commit_kind(commit.message) {
            CommitKind::Task(_, record) => Some((record, commit.message.to_vec())),
            _ => None,
        },
        _ => None,
    };
    let picked = pick_values(repository, range, &pick)?;
    let step = |Picked { id, time, validity, value: (record, message) }: Picked<_>| TaskStep {
        step: StepCommit { id, time, record },
        validity,
        message,
    };
    Ok(picked.into_iter().map(step).collect())
}

/// The same for all tasks at once: history is read once, however many tasks there are.
///
/// # Errors
/// As for [`super::read_run`].
pub fn read_all_steps(repository: &Repository, range: &Range) -> Result<HashMap<TaskId, Vec<TaskStep>>> {
    let picked = pick_steps(repository, range, |kind, message| match kind {
        CommitKind::Task(task, record) => Some((task.clone(), *record, message.to_vec())),
        _ => None,
    })?;
    let mut steps: HashMap<TaskId, Vec<TaskStep>> = HashMap::new();
    for Picked { id, time, validity, value: (task, record, message) } in picked {
        let step = StepCommit { id, time, record };
        steps.entry(task).or_default().push(TaskStep { step, validity, message });
    }
    Ok(steps)
}

/// The values that `pick` returns for the step commits of a range, children before parents. Steps of other plans are
/// left out, but tasks and phases that are not in the tree and unknown steps are included. `pick` gets the step and its
/// whole message. It must be a pure function, because it may see a commit more than once.
///
/// # Errors
/// As for [`super::read_run`].
pub fn pick_steps<T>(
    repository: &Repository,
    range: &Range,
    pick: impl Fn(&CommitKind, &[u8]) -> Option<T>,
) -> Result<Vec<Picked<T>>> {
    let pick = |commit: &VisitedCommit<'_>| match commit.subject {
        Subject::Other => None,
        _ => match commit_kind(commit.message) {
            CommitKind::Other => None,
            kind => pick(&kind, commit.message),
        },
    };
    pick_values(repository, range, &pick)
}

/// Picks values of any type. The history is read by code that sees only their numbers, so that it is compiled once and not
/// for each type.
pub(super) fn pick_values<T>(
    repository: &Repository,
    range: &Range,
    pick: &dyn Fn(&VisitedCommit<'_>) -> Option<T>,
) -> Result<Vec<Picked<T>>> {
    repository.read_with(|source| pick_from(source, range, pick))
}

/// The values that `pick` returns for the commits of a range, children before parents ([`pick_steps`]).
pub(super) fn pick_from<T>(
    source: &mut dyn Source,
    range: &Range,
    pick: &dyn Fn(&VisitedCommit<'_>) -> Option<T>,
) -> Result<Vec<Picked<T>>> {
    let values = RefCell::new(Vec::new());
    let number = |commit: &VisitedCommit<'_>| {
        let value = pick(commit)?;
        let mut values = values.borrow_mut();
        values.push(Some(value));
        Some(values.len() - 1)
    };
    let picked = pick_commits(source, range, &number)?;
    let mut values = values.into_inner();
    let picked = picked.into_iter().map(|Picked { id, time, validity, value }| {
        let value = values[value].take().expect("a history contains each commit once");
        Picked { id, time, validity, value }
    });
    Ok(picked.collect())
}

/// Picks a number from a commit.
type PickNumber<'p> = &'p dyn Fn(&VisitedCommit<'_>) -> Option<usize>;

fn pick_commits(source: &mut dyn Source, range: &Range, pick: PickNumber<'_>) -> Result<Vec<Picked<usize>>> {
    let mut found = Vec::new();
    let mut closed = HashSet::new();
    let end = walk(source, range, &mut |commit| {
        let relation = commit.relation();
        if let (Some(validity), Some(value)) = (validity(relation), pick(commit)) {
            let is_closed = name_of(commit.subject).is_some_and(|name| closed.contains(name));
            let validity = if is_closed { StepValidity::Outdated } else { validity };
            found.push(Picked { id: commit.id, time: commit.time, validity, value });
        }
        if relation == PlanRelation::OtherName && is_work(commit.message) {
            closed.extend(name_of(commit.subject).map(str::to_owned));
        }
        WalkControl::More
    })?;
    if end != WalkEnd::NeedsGraph {
        return Ok(found);
    }
    read_from_top(source, range, |source| pick_merged(source, range, pick))
}

/// Whether a message is that of a step that we know and on which the state of its task depends.
fn is_work(message: &[u8]) -> bool {
    matches!(commit_kind(message), CommitKind::Task(_, record) if record.step.row().effect != Effect::None)
}

/// Whether a step counts by the plan alone; `None` for a step of another plan.
fn validity(relation: PlanRelation) -> Option<StepValidity> {
    match relation {
        PlanRelation::Counts => Some(StepValidity::Counts),
        PlanRelation::OtherName | PlanRelation::NotNamed | PlanRelation::OtherRun => {
            Some(StepValidity::Outdated)
        }
        PlanRelation::OtherPlan => None,
    }
}

/// The task or phase of a step.
fn name_of(subject: Subject<'_>) -> Option<&str> {
    match subject {
        Subject::Task(id) | Subject::Phase(id) => Some(id),
        Subject::Other => None,
    }
}

/// Picks values while the graph is read, because the messages are then available.
struct Picker<'a>(PickNumber<'a>);

/// The value picked from a commit.
struct Pickable {
    value: Option<usize>,
    is_step: bool,
    /// Whether it is a step that we know and on which the state of its task depends.
    is_work: bool,
    /// The task or phase of the step.
    name: Option<String>,
    claim: PlanClaim,
}

impl Annotate for Picker<'_> {
    type Note = Pickable;

    fn note(&self, id: CommitId, commit: &RawCommit<'_>) -> Self::Note {
        let RawCommit { time, message, .. } = *commit;
        let subject = Subject::of(message);
        let value = (self.0)(&VisitedCommit::alone(id, time, subject, message));
        let is_step = subject != Subject::Other && carries_step(message);
        let claim = if is_step { PlanClaim::of(message) } else { PlanClaim::default() };
        let is_work = is_step && is_work(message);
        Pickable { value, is_step, is_work, name: name_of(subject).map(str::to_owned), claim }
    }

    fn reverts(&self, message: &[u8]) -> Vec<RevertClaim> {
        RevertClaim::all_in(message)
    }

    fn is_step(note: &Self::Note) -> bool {
        note.is_step
    }
}

fn pick_merged(source: &mut dyn Source, range: &Range, pick: PickNumber<'_>) -> Result<Vec<Picked<usize>>> {
    let picker = Picker(pick);
    let mut graph = Graph::new(source, &picker)?;
    let OrderedRange { reachability, order, versions, .. } = OrderedRange::read(&mut graph, range)?;
    let reverts = resolve(&mut graph, &reachability, &order)?;
    let mut validities = Vec::with_capacity(order.len());
    let mut reversals = Reversals::new(&reverts, 0);
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    let mut dropped = DroppedNames::new(&versions, &order);
    fold_ancestors(&graph, &reachability, &order, |node, descendants| {
        let counts = reversals.visit(node, descendants).counts;
        let Pickable { name: Some(name), is_work, claim, .. } = &graph.commit(node).note else {
            let validity = if counts { StepValidity::Counts } else { StepValidity::Reverted };
            return validities.push(Some(validity));
        };
        let relation = versions.judge(node, name, claim);
        let is_closed = numbers.get(name.as_str()).is_some_and(|&number| descendants.contains(number));
        validities.push(match validity(relation) {
            Some(_) if !counts => Some(StepValidity::Reverted),
            Some(_) if is_closed => Some(StepValidity::Outdated),
            by_plan => by_plan,
        });
        let is_other = relation == PlanRelation::OtherName && *is_work && counts;
        if is_other && !dropped.contain(&graph, node, name) {
            descendants.insert(*numbers.entry(name).or_insert_with(|| reversals.fresh()));
        }
    });
    let mut found = Vec::new();
    for (node, validity) in order.into_iter().zip(validities) {
        let commit = graph.commit(node);
        if let (Some(validity), Some(value)) = (validity, commit.note.value) {
            found.push(Picked { id: commit.id, time: commit.time, validity, value });
        }
    }
    Ok(found)
}
