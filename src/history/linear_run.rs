//! Reads the state of a run from a single line of commits.

use std::collections::{BTreeSet, HashMap};

use super::linear::{VisitedCommit, WalkControl};
use super::plan_version::PlanRelation;
use super::range::Range;
use super::run::{
    Index, IndexSlot, Note, OutdatedStep, Run, UnknownClaim, UnknownStep, completes, old_plan, outdated,
};
use super::squash::{Squashes, is_numbered};
use crate::plan::OpenBranches;
use crate::record::{Outdated, StepCommit, Subject};

/// Builds a run from commits that come newest first, each an ancestor of all before it: the first step of a task is
/// its latest, and nothing after it needs to be read.
pub(super) struct LinearRun<'a> {
    index: &'a Index<'a>,
    tasks: Vec<TaskSoFar>,
    phases: Vec<LinearPhase>,
    unknown: Vec<UnknownStep>,
    undecided: usize,
    /// Whether a commit may have landed work without saying so.
    has_numbered: bool,
}

#[derive(Clone, Debug, Default)]
struct TaskSoFar {
    latest: Option<StepCommit>,
    /// Whether the task was completed and edited since.
    is_edited: bool,
    /// The newest step after the last one that counts.
    outdated: Option<OutdatedStep>,
    /// Whether nothing older counts.
    is_decided: bool,
}

#[derive(Clone, Debug)]
enum LinearPhase {
    Nothing,
    Marked(StepCommit),
    /// A step of one of its tasks came first.
    Open,
}

impl<'a> LinearRun<'a> {
    pub(super) fn new(index: &'a Index<'a>) -> Self {
        Self {
            index,
            tasks: vec![TaskSoFar::default(); index.leaf_count()],
            phases: vec![LinearPhase::Nothing; index.phase_count()],
            unknown: Vec::new(),
            undecided: index.leaf_count(),
            has_numbered: false,
        }
    }

    /// Takes the next commit. Once each task has a step, nothing older can change the answer: each phase has one too.
    pub(super) fn take(&mut self, commit: &VisitedCommit<'_>) -> WalkControl {
        self.has_numbered |= is_numbered(commit.message);
        if self.is_open(commit.subject) {
            self.note(commit);
        }
        if self.undecided == 0 { WalkControl::Enough } else { WalkControl::More }
    }

    /// Whether a commit may have landed work without saying so.
    pub(super) fn has_numbered(&self) -> bool {
        self.has_numbered
    }

    fn is_open(&self, subject: Subject<'_>) -> bool {
        match self.index.slot(subject) {
            Some(IndexSlot::Leaf(leaf)) => !self.tasks[leaf].is_decided,
            Some(IndexSlot::Phase(phase)) => matches!(self.phases[phase], LinearPhase::Nothing),
            None => false,
        }
    }

    fn note(&mut self, commit: &VisitedCommit<'_>) {
        let relation = commit.relation();
        if relation == PlanRelation::OtherPlan {
            return;
        }
        let step = |record| StepCommit { id: commit.id, time: commit.time, record };
        match self.index.note(commit.subject, commit.message) {
            Note::Step(leaf, record) => {
                let task = &mut self.tasks[leaf];
                if let Some(why) = outdated(relation) {
                    task.outdated.get_or_insert(OutdatedStep { id: commit.id, why });
                    // A task with another name is another task, and it was worked on since.
                    task.is_decided = why == Outdated::OtherName;
                    self.undecided -= usize::from(task.is_decided);
                    return;
                }
                task.latest = Some(step(record));
                task.is_edited = completes(&record) && commit.is_edited_since();
                task.is_decided = true;
                self.undecided -= 1;
                let phase = &mut self.phases[self.index.phase_of(leaf)];
                if matches!(phase, LinearPhase::Nothing) {
                    *phase = LinearPhase::Open;
                }
            }
            _ if relation != PlanRelation::Counts => {}
            Note::Marker(phase, record) => self.phases[phase] = LinearPhase::Marked(step(record)),
            Note::Unknown(_, claim) => {
                let UnknownClaim { task, word } = *claim;
                self.unknown.push(UnknownStep { id: commit.id, task, word });
            }
            // A landed commit would have ended the pass.
            Note::Landed(_) | Note::Remark | Note::Plain => {}
        }
    }

    pub(super) fn finish(self, range: Range) -> Run {
        let Self { index, tasks, phases, unknown, .. } = self;
        let mut latest = HashMap::new();
        let mut edited = BTreeSet::new();
        let mut doubts = Vec::new();
        for (leaf, task) in tasks.into_iter().enumerate() {
            doubts.extend(old_plan(index.leaf_id(leaf), task.latest.as_ref(), task.outdated));
            edited.extend(task.is_edited.then(|| index.leaf_id(leaf)));
            latest.extend(task.latest.map(|step| (index.leaf_id(leaf), step)));
        }
        doubts.sort();
        let marked = phases.into_iter().enumerate().filter_map(|(phase, state)| match state {
            LinearPhase::Marked(step) => Some((phase, step)),
            LinearPhase::Nothing | LinearPhase::Open => None,
        });
        let marks = index.marks(&latest, marked);
        // In a single line of commits, each step descends from the one before, and a revert would have ended the pass.
        Run {
            range,
            tasks: latest,
            phases: marks.complete,
            failed_phases: marks.failed,
            unknown,
            doubts,
            edited,
            branches: OpenBranches::default(),
            squashes: Squashes::default(),
        }
    }
}
