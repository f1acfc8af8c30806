//! What landed commits are believed to contain, which steps of a task count beside them, and which a revert takes back together with
//! them (docs/landing.md).

use std::collections::{HashMap, HashSet};

use super::graph::{Known, Node};
use super::reading::{Entry, Reading};
use super::run::completes;
use crate::record::{
    CommitId, CommitKind, Disbelief, Outcome, Step, StepCommit, StepRecord, StepValidity, TaskId,
};

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

/// The steps that are taken back although no revert names them: those that a reverted landed commit stands for, where both had come
/// together in a commit that the revert is not an ancestor of. The files of that commit have the work once, and the revert removes
/// it from them. Where the two have never been together, the merge of the run brings the work again.
pub(super) fn taken_back(graph: &Known, reading: &Reading, verdicts: &Verdicts) -> HashSet<Node> {
    let mut taken = HashSet::new();
    let reverted = reading.reverted_by.iter();
    for (landed, revert) in reverted.flat_map(|(node, by)| by.iter().map(move |revert| (*node, *revert))) {
        for (task, steps) in shown(landed, verdicts) {
            // All landed commits of a task are one change.
            let others =
                reading.entries.iter().filter(|entry| entry.landing.is_some() && entry.name == *task);
            let others =
                others.filter(|entry| entry.is_reverted).flat_map(|entry| shown(entry.node, verdicts));
            let of_others = others.filter(|(other, _)| *other == task).flat_map(|(_, steps)| steps);
            let contained: HashSet<CommitId> = steps.iter().chain(of_others).copied().collect();
            let is_step = |entry: &&Entry| entry.landing.is_none() && !entry.is_phase && entry.name == *task;
            let of_task = reading.entries.iter().filter(is_step).map(|entry| entry.node);
            let steps = of_task.filter(|node| contained.contains(&graph.commit(*node).id));
            taken.extend(steps.filter(|&step| were_together(graph, reading, [landed, step], revert)));
        }
    }
    taken
}

/// The steps of each task for which the claims of a landed commit stand.
fn shown(landed: Node, verdicts: &Verdicts) -> impl Iterator<Item = (&String, &Vec<CommitId>)> {
    verdicts.get(&landed).into_iter().flatten().flat_map(|verdict| match verdict {
        LandingVerdict::Shown(steps) => Some(steps).into_iter().flatten(),
        LandingVerdict::Believed | LandingVerdict::Disbelieved => None.into_iter().flatten(),
    })
}

/// Whether a commit of the range that does not descend from `revert` is or descends from both of these.
fn were_together(graph: &Known, reading: &Reading, both: [Node; 2], revert: Node) -> bool {
    const ALL: u8 = 0b11;
    const REVERT: u8 = 0b100;
    let mut behind = vec![0_u8; graph.len()];
    both.iter().enumerate().for_each(|(at, node)| behind[*node] |= 1 << at);
    behind[revert] |= REVERT;
    reading.order.iter().rev().any(|&node| {
        let of_parents = graph.known_parents(node).fold(0, |bits, parent| bits | behind[parent]);
        behind[node] |= of_parents;
        behind[node] & (ALL | REVERT) == ALL
    })
}

/// The verdict on each claim of a landed commit.
pub(super) type Verdicts = HashMap<Node, Vec<LandingVerdict>>;

/// The verdict on a claim of a landed commit.
#[derive(Clone, Debug)]
pub(super) enum LandingVerdict {
    /// It is believed.
    Believed,
    /// It is believed of these tasks, which the run that it names has completed or, if it says so, skipped. These are their steps there.
    Shown(HashMap<String, Vec<CommitId>>),
    /// It is not believed.
    Disbelieved,
}

impl LandingVerdict {
    /// Whether the claim counts for a task.
    pub(super) fn on(&self, task: &str) -> std::result::Result<(), Disbelief> {
        match self {
            Self::Believed => Ok(()),
            Self::Shown(steps) if steps.contains_key(task) => Ok(()),
            Self::Shown(_) => Err(Disbelief::NotComplete),
            Self::Disbelieved => Err(Disbelief::OtherHistory),
        }
    }
}
