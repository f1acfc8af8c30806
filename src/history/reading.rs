//! Reads the commits of a range in one pass, and decides which of them count: which a revert has taken back, and which belong to
//! an earlier version of the plan (docs/plans.md). Everything else that a history is asked follows from this.

use std::collections::HashMap;

use super::graph::{Graph, Node};
use super::order::{children_first, fold_ancestors};
use super::plan_tracker::PlanTracker;
use super::plan_version::{PlanRelation, Scope};
use super::plan_versions::{DroppedNames, PlanVersions};
use super::range::{Range, RangeStart};
use super::reachability::{Reachability, reachability};
use super::reverts::{Reverts, resolve, reverted_by, work_taken_back};
use super::run_begin::find_anchor;
use crate::error::Result;
use crate::record::{Landing, StepValidity, Subject};

/// The commits of a range, children before parents, and what they say about tasks.
pub(super) struct Reading {
    /// The commit after which the range begins.
    pub(super) anchor: Option<Node>,
    pub(super) reachability: Reachability,
    pub(super) order: Vec<Node>,
    pub(super) versions: PlanVersions,
    pub(super) reverts: Reverts,
    /// What the commits say, in their order.
    pub(super) entries: Vec<Entry>,
    /// For each commit that reverts have taken back, these reverts. They count themselves.
    pub(super) reverted_by: HashMap<Node, Vec<Node>>,
}

/// What one commit says about one task or phase.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) node: Node,
    /// The task or phase.
    pub(super) name: String,
    pub(super) is_phase: bool,
    /// The claim of a landed commit with this number; a step says it otherwise.
    pub(super) landing: Option<usize>,
    pub(super) is_reverted: bool,
    pub(super) relation: PlanRelation,
    /// Whether the task was worked on under another name since.
    is_closed: bool,
    /// Whether nothing older counts for the task.
    pub(super) closes: bool,
}

impl Entry {
    pub(super) fn is_of_other_plan(&self) -> bool {
        self.relation == PlanRelation::OtherPlan
    }

    /// Whether it counts; `None` if it is about another plan.
    pub(super) fn validity(&self) -> Option<StepValidity> {
        match self.relation {
            PlanRelation::OtherPlan => None,
            _ if self.is_reverted => Some(StepValidity::Reverted),
            PlanRelation::Counts if !self.is_closed => Some(StepValidity::Counts),
            _ => Some(StepValidity::Outdated),
        }
    }
}

impl Reading {
    /// Reads a range.
    pub(super) fn of(graph: &mut Graph<'_>, range: &Range) -> Result<Self> {
        let head = graph.top(range)?;
        let tree = graph.commit(head).tree;
        let tracker = match range.scope() {
            Scope::Plan(plan) => Some(PlanTracker::begin(graph, plan, tree)?),
            Scope::Everything | Scope::Naming(_) | Scope::Outside => None,
        };
        let anchor = match (range.start(), &tracker) {
            (RangeStart::Anchor(id), _) => Some(graph.load(id)?),
            (RangeStart::RunBegins, Some(tracker)) => find_anchor(graph, tracker, head)?,
            (RangeStart::RunBegins | RangeStart::Root, _) => None,
        };
        let reachability = reachability(graph, head, anchor)?;
        let order = children_first(graph, &reachability, head);
        let names_plan = |node: &Node| graph.said(*node).is_some_and(|said| said.text.plan.is_made());
        let tracker = match range.scope() {
            // Where no commit names a plan, it does not matter where that was.
            Scope::Naming(path) if order.iter().chain(&anchor).any(names_plan) => {
                Some(PlanTracker::of_landed(path))
            }
            _ => tracker,
        };
        let versions = PlanVersions::follow(graph, tracker.as_ref(), range.scope().clone(), &order, anchor)?;
        let reverts = resolve(graph, &reachability, &order, anchor)?;
        let reverted_by = reverted_by(&reverts, &order);
        let mut reading =
            Self { anchor, reachability, order, versions, reverts, entries: Vec::new(), reverted_by };
        reading.entries = reading.judged(graph);
        Ok(reading)
    }

    /// What each commit says, children before parents, and whether it counts.
    fn judged(&self, graph: &Graph<'_>) -> Vec<Entry> {
        let Self { reachability, order, versions, reverts, reverted_by, .. } = self;
        let mut entries = Vec::new();
        let mut dropped = DroppedNames::new(versions, order);
        // The numbers of tasks in the sets of descendants: an even one says that it had another name, and an odd one that a landed
        // commit of it was reverted.
        let (mut closed, mut taken_back) = (HashMap::<String, usize>::new(), HashMap::<String, usize>::new());
        fold_ancestors(graph, reachability, order, |node, descendants| {
            let is_reverted = reverted_by.contains_key(&node);
            // All landed commits of a task are one change: with one of them, a revert takes back those before it and those that were added
            // since.
            let meant = if is_reverted { [node].into() } else { work_taken_back(reverts, node) };
            for said in meant.into_iter().filter_map(|node| graph.said(node)) {
                for task in said.landings.iter().flat_map(Landing::named) {
                    let next = 2 * taken_back.len() + 1;
                    descendants.insert(*taken_back.entry(task.to_string()).or_insert(next));
                }
            }
            let Some(said) = graph.said(node) else { return };
            // Where a forge repeats the claims about a task, the last one counts.
            let landed = said.landings.iter().enumerate().rev();
            let landed = landed.flat_map(|(at, landing)| {
                landing.named().map(move |task| (Subject::Task(task.as_str()), Some(at)))
            });
            for (subject, landing) in said.step_of().map(|subject| (subject, None)).into_iter().chain(landed)
            {
                let (Subject::Task(name) | Subject::Phase(name)) = subject else { continue };
                let is_phase = matches!(subject, Subject::Phase(_));
                let relation = versions.judge(node, name, &said.text.plan);
                let is_closed = closed.get(name).is_some_and(|&number| descendants.contains(number));
                let closes = relation == PlanRelation::OtherName
                    && !is_reverted
                    && said.is_work()
                    && !dropped.contain(graph, node, name);
                if closes {
                    let next = 2 * closed.len();
                    descendants.insert(*closed.entry(name.to_owned()).or_insert(next));
                }
                let is_part = landing.is_some()
                    && taken_back.get(name).is_some_and(|&number| descendants.contains(number));
                let (name, is_reverted) = (name.to_owned(), is_reverted || is_part);
                entries.push(Entry {
                    node,
                    name,
                    is_phase,
                    landing,
                    is_reverted,
                    relation,
                    is_closed,
                    closes,
                });
            }
        });
        entries
    }
}
