//! Finds the start of a run in a history with merges, and the version of the plan at each commit of it.

use std::collections::HashMap;
use std::rc::Rc;

use super::graph::{Graph, Known, Node, Said};
use super::plan_tracker::{Edge, PlanTracker, has_plan};
use super::plan_version::{PlanRelation, PlanVersion, VersionName};
use super::source::shallow_cut;
use crate::error::Result;
use crate::record::PlanClaim;

fn carries_step(graph: &Known, node: Node) -> bool {
    graph.said(node).is_some_and(|said| said.text.carries_step)
}

/// The commit that begins the run. From each commit, the walk goes to the first parent that belongs to the same run.
/// The commit at which there is no such parent begins the run.
pub(super) fn find_anchor(
    graph: &mut Graph<'_>,
    tracker: PlanTracker,
    head: Node,
    version: &PlanVersion,
) -> Result<Option<Node>> {
    let (mut node, mut version) = (head, version.clone());
    loop {
        if graph.commit(node).is_cut {
            return Err(shallow_cut(&graph.commit(node).id));
        }
        graph.parents(node)?;
        if let Some(parent) = parent_of_step(graph, node) {
            node = parent;
            continue;
        }
        let parents: Vec<Node> = graph.known_parents(node).collect();
        if parents.is_empty() {
            let tree = graph.commit(node).tree;
            let adds = has_plan(graph, &version, tree)? && !carries_step(graph, node);
            return Ok(adds.then_some(node));
        }
        // Usually the first parent of a merge has the same plan, so the others need not be looked at.
        if let [first, _, ..] = parents[..] {
            let edge = Edge { child: graph.commit(node).tree, parent: graph.commit(first).tree };
            if tracker.version_at_parent(graph, &version, edge)?.is_some_and(|on| on.is_same(&version)) {
                node = first;
                continue;
            }
        }
        let on = versions_at_parents(graph, tracker, node, &version)?;
        match parents.into_iter().zip(on).find_map(|(parent, on)| Some((parent, on?))) {
            Some(next) => (node, version) = next,
            None => return Ok(Some(node)),
        }
    }
}

/// The only parent of a step. A step never begins a run, even if it changed the tree file: it counts as having left the plan alone.
fn parent_of_step(graph: &Known, node: Node) -> Option<Node> {
    let mut parents = graph.known_parents(node);
    let only = parents.next().filter(|_| parents.next().is_none())?;
    carries_step(graph, node).then_some(only)
}

/// The version of the plan at each parent of a commit, whose parents were read; `None` for a parent that belongs to an
/// earlier run.
///
/// A step that is a merge none of whose parents belongs to the run does not begin it either: its first parent counts as belonging
/// to it.
fn versions_at_parents(
    graph: &mut Graph<'_>,
    tracker: PlanTracker,
    node: Node,
    version: &PlanVersion,
) -> Result<Vec<Option<PlanVersion>>> {
    let parents: Vec<Node> = graph.known_parents(node).collect();
    let child = graph.commit(node).tree;
    let mut on = Vec::with_capacity(parents.len());
    for parent in parents {
        let edge = Edge { child, parent: graph.commit(parent).tree };
        on.push(tracker.version_at_parent(graph, version, edge)?);
    }
    let is_plain = match on.as_slice() {
        [Some(only)] => only.is_same(version),
        several => several.iter().any(Option::is_some),
    };
    if !is_plain
        && carries_step(graph, node)
        && let Some(first) = on.first_mut()
    {
        *first = Some(version.clone());
    }
    Ok(on)
}

/// Which commits of a range, given with children before parents, concern us or have such ancestors.
fn leading_to_steps(graph: &Known, order: &[Node]) -> Vec<bool> {
    let mut leads = vec![false; graph.len()];
    for &node in order.iter().rev() {
        let concerns_tasks = graph.said(node).is_some_and(Said::concerns_tasks);
        leads[node] = concerns_tasks || graph.known_parents(node).any(|parent| leads[parent]);
    }
    leads
}

/// The versions of the plan at the parents of a commit, given the one at the commit; `None` for a parent that belongs to
/// an earlier run.
struct Change {
    here: PlanVersion,
    on: Vec<Option<PlanVersion>>,
}

/// The versions of the plan at the commits of a range, on all paths within the run.
pub(super) struct PlanVersions {
    /// The versions at each commit, usually only one, and the same as at its child.
    seen: Vec<Rc<Vec<PlanVersion>>>,
    head: PlanVersion,
    /// For each commit with another version at a parent, what is seen at its parents from each of its own versions.
    changes: HashMap<Node, Vec<Change>>,
    /// The versions at the commit that began the run.
    at_anchor: Vec<PlanVersion>,
    /// Whether a merge has another version at a parent.
    has_merged_versions: bool,
}

impl PlanVersions {
    /// Follows the plan through the commits of a range, which come with children before parents.
    pub(super) fn follow(
        graph: &mut Graph<'_>,
        tracker: PlanTracker,
        version: PlanVersion,
        order: &[Node],
        anchor: Option<Node>,
    ) -> Result<Self> {
        let (mut at_anchor, mut has_merged_versions): (Vec<PlanVersion>, _) = (Vec::new(), false);
        let mut seen: Vec<Rc<Vec<PlanVersion>>> = vec![Rc::default(); graph.len()];
        let mut is_inside = vec![false; graph.len()];
        order.iter().for_each(|&node| is_inside[node] = true);
        let mut changes: HashMap<Node, Vec<Change>> = HashMap::new();
        let mut leads_to_step = leading_to_steps(graph, order);
        if let Some(anchor) = anchor
            && graph.said(anchor).is_some_and(|said| !said.landings.is_empty())
        {
            // Then every commit leads to what it says.
            leads_to_step.fill(true);
        }
        if let Some(&head) = order.first() {
            seen[head] = Rc::new(vec![version.clone()]);
        }
        for &node in order {
            // Without a step further down, the plan makes no difference.
            if !graph.known_parents(node).any(|parent| leads_to_step[parent]) {
                continue;
            }
            let versions = seen[node].clone();
            if let Some(parent) = parent_of_step(graph, node).filter(|&parent| is_inside[parent])
                && seen[parent].is_empty()
            {
                seen[parent] = versions;
                continue;
            }
            let parents: Vec<Node> = graph.known_parents(node).collect();
            for here in versions.iter() {
                let mut on = versions_at_parents(graph, tracker, node, here)?;
                for (&parent, on) in parents.iter().zip(&mut on) {
                    if Some(parent) == anchor {
                        at_anchor.extend(on.clone());
                    }
                    on.take_if(|_| !is_inside[parent]);
                    let Some(on) = on else { continue };
                    if !seen[parent].iter().any(|known| known.is_same(on)) {
                        Rc::make_mut(&mut seen[parent]).push(on.clone());
                    }
                }
                if !on.iter().all(|on| on.as_ref().is_some_and(|on| on.is_same(here))) {
                    has_merged_versions |= parents.len() > 1;
                    changes.entry(node).or_default().push(Change { here: here.clone(), on });
                }
            }
        }
        if order.is_empty() {
            at_anchor.push(version.clone());
        }
        Ok(Self { seen, head: version, changes, at_anchor, has_merged_versions })
    }

    /// Whether the plan requires something else of the task of this step since.
    pub(super) fn is_edited_since(&self, node: Node, id: &str) -> bool {
        let counting = self.seen[node].iter().filter(|version| version.name(id) == VersionName::AsAtHead);
        let mut edited = counting.map(|version| version.requires_otherwise(id)).peekable();
        edited.peek().is_some() && edited.all(|is_edited| is_edited)
    }

    /// The version at the head.
    pub(super) fn at_head(&self) -> &PlanVersion {
        &self.head
    }

    /// The parents of a commit that belong to the run, and the versions of the plan there, given the one at the commit.
    /// Parents below which there are no steps may be left out or have the version of the commit.
    pub(super) fn at_parents(
        &self,
        graph: &Known,
        node: Node,
        here: &PlanVersion,
    ) -> Vec<(Node, PlanVersion)> {
        let changes = self.changes.get(&node);
        let change = changes.and_then(|changes| changes.iter().find(|change| change.here.is_same(here)));
        let parents = graph.known_parents(node);
        match change {
            Some(change) => {
                parents.zip(&change.on).filter_map(|(parent, on)| Some((parent, on.clone()?))).collect()
            }
            None => parents.map(|parent| (parent, here.clone())).collect(),
        }
    }

    /// Whether a merge may have dropped the name that a task had on a branch.
    pub(super) fn has_merged_versions(&self) -> bool {
        self.has_merged_versions
    }

    /// How what the commit that began the run says of a task relates to the plan. That commit is not part of the run.
    pub(super) fn judge_anchor(&self, id: &str, claim: &PlanClaim) -> PlanRelation {
        let relations = self.at_anchor.iter().map(|version| version.judge(id, claim));
        relations.min().unwrap_or_else(|| self.head.judge(id, claim))
    }

    /// How a step of this task or phase relates to the plan.
    pub(super) fn judge(&self, node: Node, id: &str, claim: &PlanClaim) -> PlanRelation {
        let relations = self.seen[node].iter().map(|version| version.judge(id, claim));
        relations.min().unwrap_or_else(|| match self.head.judge(id, claim) {
            PlanRelation::OtherPlan => PlanRelation::OtherPlan,
            _ => PlanRelation::OtherRun,
        })
    }
}
