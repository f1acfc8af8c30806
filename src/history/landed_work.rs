//! Which steps of a task count beside landed commits that contain some of its work.

use std::collections::HashSet;

use super::graph::{Known, Node};
use super::reading::{Entry, Reading};
use super::run::completes;
use crate::record::{CommitId, CommitKind, Outcome, Step, StepCommit, StepRecord, StepValidity, TaskId};

/// A step that no other counted step of its task descends from.
#[derive(Clone, Copy)]
pub(super) struct Head {
    pub(super) node: Node,
    pub(super) step: StepCommit,
}

/// A landed commit that is believed.
#[derive(Clone)]
pub(super) struct LandedWork {
    pub(super) commit: CommitId,
    /// The steps of the task in the run that it names, if the commits of that run are here.
    pub(super) contained: Option<HashSet<CommitId>>,
}

impl LandedWork {
    /// Whether steps of the task are in the range for which it stands: those of the run that it names or, where they are not known, any
    /// that has completed the task.
    pub(super) fn is_beside_steps(&self, graph: &Known, reading: &Reading, task: &str) -> bool {
        let Some(contained) = &self.contained else {
            let has_completed = |entry: &Entry| {
                let kind = graph.said(entry.node).map(|said| &said.text.kind);
                matches!(kind, Some(CommitKind::Task(_, record)) if completes(record))
                    && entry.validity() == Some(StepValidity::Counts)
            };
            let is_step = |entry: &Entry| entry.name == task && entry.landing.is_none() && !entry.is_phase;
            return reading.entries.iter().any(|entry| is_step(entry) && has_completed(entry));
        };
        let is_inside = |node| reading.reachability.is_inside(node);
        contained.iter().any(|step| graph.number(step).is_some_and(is_inside))
    }
}

/// The steps of a task that no other one descends from, and the landed commits that count for it.
pub(super) struct Heads<'a> {
    pub(super) graph: &'a Known,
    pub(super) reading: &'a Reading,
    pub(super) task: &'a TaskId,
    pub(super) landed: &'a [LandedWork],
}

impl Heads<'_> {
    /// A landed commit says what was true at the end of the run that it names: it stands for the steps that this run contains,
    /// and steps that were made later win over it, whatever the dates say (rework is not lost when the base comes back). Where the
    /// commits of that run are not here, or a person has said so, a line of steps wins that has opened the task again: nobody works
    /// on a complete task otherwise, so that every other line was there before.
    pub(super) fn without_what_was_landed(&self, mut heads: Vec<Head>) -> Vec<StepCommit> {
        let landed = self.landed;
        let is_contained = |head: &Head| {
            landed.iter().flat_map(|work| &work.contained).any(|steps| steps.contains(&head.step.id))
        };
        if !heads.iter().all(is_contained) {
            heads.retain(|head| !is_contained(head));
        }
        let work_of = |head: &Head| landed.iter().find(|work| work.commit == head.step.id);
        let is_beaten = |head: &Head| match work_of(head) {
            None => false,
            Some(LandedWork { contained: Some(_), .. }) => heads.iter().any(|other| work_of(other).is_none()),
            Some(LandedWork { contained: None, .. }) => {
                let mut others = heads.iter().filter(|other| work_of(other).is_none());
                others.any(|other| self.has_opened_again(other.node, head.node))
            }
        };
        let left: Vec<&Head> = heads.iter().filter(|head| !is_beaten(head)).collect();
        let stands_for_all = |head: &&Head| work_of(head).is_some_and(|work| work.contained.is_none());
        let only_landed = left.iter().any(stands_for_all);
        left.into_iter()
            .filter(|head| !only_landed || work_of(head).is_some())
            .map(|head| head.step)
            .collect()
    }

    /// Whether a step of the task that a head reaches, and a landed commit does not, has opened the task again.
    fn has_opened_again(&self, head: Node, landed: Node) -> bool {
        let opens = |entry: &&Entry| {
            let is_step = entry.name == self.task.as_str() && entry.landing.is_none() && !entry.is_phase;
            let kind = self.graph.said(entry.node).map(|said| &said.text.kind);
            is_step
                && entry.validity() == Some(StepValidity::Counts)
                && matches!(kind, Some(CommitKind::Task(_, record)) if opens_again(record))
        };
        let reached = |from: Node| self.reading.reachability.reached_from(self.graph, from);
        let (of_head, of_landed) = (reached(head), reached(landed));
        let mut opening = self.reading.entries.iter().filter(opens);
        opening.any(|entry| of_head.contains(entry.node) && !of_landed.contains(entry.node))
    }
}

/// Whether a step says that a task which was complete is not.
fn opens_again(record: &StepRecord) -> bool {
    record.step == Step::REOPEN || record.step == Step::REVIEW && record.outcome == Outcome::Fail
}
