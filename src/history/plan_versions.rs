//! Finds the version of the plan at each commit of a run, and with that which steps count for the plan.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::bits::Bits;
use super::graph::{Graph, Known, Node, Said};
use super::path::RepoPath;
use super::plan_tracker::PlanTracker;
use super::plan_version::{PlanRelation, PlanVersion, Scope, VersionName};
use super::raw::ObjectId;
use super::run_begin::versions_at_parents;
use crate::error::Result;
use crate::record::PlanClaim;

/// The versions of the plan at the commits of a range, on all paths within the run.
pub(super) struct PlanVersions {
    scope: Scope,
    /// The versions at each commit and at the one that began the run, usually only one, and the same as at its child; none if there
    /// is no file to follow.
    seen: Option<Vec<Rc<Vec<PlanVersion>>>>,
    /// For each version at a commit that has another one at a parent: what it is at the parents.
    changes: HashMap<At, Vec<At>>,
    /// Whether a merge has another version at a parent.
    has_merged_versions: bool,
    /// The version at the head and one for each other path that the plan had.
    places: Vec<PlanVersion>,
}

/// One of the versions at a commit.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct At {
    node: Node,
    number: usize,
}

impl PlanVersions {
    /// Follows the plan through the commits of a range, which come with children before parents.
    pub(super) fn follow(
        graph: &mut Graph<'_>,
        tracker: Option<&PlanTracker>,
        scope: Scope,
        order: &[Node],
        anchor: Option<Node>,
    ) -> Result<Self> {
        let mut versions = Self {
            scope,
            seen: None,
            changes: HashMap::new(),
            has_merged_versions: false,
            places: Vec::new(),
        };
        let Some(tracker) = tracker else { return Ok(versions) };
        versions.places.push(tracker.head.clone());
        let mut seen: Vec<Rc<Vec<PlanVersion>>> = vec![Rc::default(); graph.len()];
        let mut is_inside = vec![false; graph.len()];
        order.iter().chain(&anchor).for_each(|&node| is_inside[node] = true);
        let leads_to_step = leading_to_steps(graph, order, anchor);
        if let Some(&head) = order.first().or(anchor.as_ref()) {
            seen[head] = Rc::new(vec![tracker.head.clone()]);
        }
        for &node in order {
            let parents: Vec<Node> = graph.known_parents(node).collect();
            // Without a step further down, the plan makes no difference.
            if !parents.iter().any(|&parent| leads_to_step[parent]) {
                continue;
            }
            let here = seen[node].clone();
            for (number, version) in here.iter().enumerate() {
                let on = versions_at_parents(graph, tracker, node, version)?;
                let is_same = |on: &Option<PlanVersion>| on.as_ref().is_some_and(|on| on.is_same(version));
                let is_plain = on.iter().all(is_same);
                versions.has_merged_versions |= parents.len() > 1 && !is_plain;
                for (&parent, on) in parents.iter().zip(on).filter(|(parent, _)| is_inside[**parent]) {
                    let Some(on) = on else { continue };
                    if !versions.places.iter().any(|place| place.path == on.path) {
                        versions.places.push(on.clone());
                    }
                    let known = &mut seen[parent];
                    let there = known.iter().position(|known| known.is_same(&on)).unwrap_or(known.len());
                    if known.is_empty() && here.len() == 1 && is_plain {
                        *known = here.clone();
                    } else if there == known.len() {
                        Rc::make_mut(known).push(on);
                    }
                    if !is_plain {
                        let there = At { node: parent, number: there };
                        versions.changes.entry(At { node, number }).or_default().push(there);
                    }
                }
            }
        }
        versions.seen = Some(seen);
        Ok(versions)
    }

    /// The versions at a commit.
    pub(super) fn at(&self, node: Node) -> &[PlanVersion] {
        self.seen.as_ref().map_or(&[], |seen| &seen[node])
    }

    /// Where the plan is in the tree of another commit, such as the tip of a run that was landed: where it is or was in this range.
    pub(super) fn path_in(&self, graph: &mut Graph<'_>, tree: ObjectId) -> Result<Option<RepoPath>> {
        let Some(head) = self.places.first() else { return Ok(None) };
        let now = match &head.content {
            Some(entry) if self.places.len() > 1 => graph.outline(entry)?,
            _ => None,
        };
        for PlanVersion { path, .. } in self.places.iter().filter(|_| self.places.len() > 1) {
            let Some(entry) = graph.file(path, tree)? else { continue };
            let then = graph.outline(&entry)?;
            // Another plan may be there where this one was before, or is now.
            if now.as_ref().zip(then).is_none_or(|(now, then)| now.spec_id == then.spec_id) {
                return Ok(Some(RepoPath::clone(path)));
            }
        }
        Ok(Some(RepoPath::clone(&head.path)))
    }

    /// How a step of this task or phase relates to the plan.
    pub(super) fn judge(&self, node: Node, id: &str, claim: &PlanClaim) -> PlanRelation {
        let relations = self.at(node).iter().map(|version| version.judge(id, claim));
        relations.min().unwrap_or_else(|| match self.scope.judge(claim) {
            PlanRelation::Counts if self.seen.is_some() => PlanRelation::OtherRun,
            relation => relation,
        })
    }

    /// Whether the plan requires something else of the task of this step since.
    pub(super) fn is_edited_since(&self, node: Node, id: &str) -> bool {
        let counting = self.at(node).iter().filter(|version| version.name(id) == VersionName::AsAtHead);
        let mut edited = counting.map(|version| version.requires_otherwise(id)).peekable();
        edited.peek().is_some() && edited.all(|is_edited| is_edited)
    }

    /// What a version is at the parents of its commit, as far as they belong to the run and lead to steps.
    fn at_parents(&self, graph: &Known, from: At) -> Vec<At> {
        let here = &self.at(from.node)[from.number];
        let same = |node: Node| {
            let number = self.at(node).iter().position(|there| there.is_same(here))?;
            Some(At { node, number })
        };
        let change = self.changes.get(&from).cloned();
        change.unwrap_or_else(|| graph.known_parents(from.node).filter_map(same).collect())
    }
}

/// Which commits of a range, given with children before parents, concern us or have such ancestors. The commit that began the run may
/// have landed work. Where there are landed commits, all do: the runs that they name may have found the plan anywhere.
fn leading_to_steps(graph: &Known, order: &[Node], anchor: Option<Node>) -> Vec<bool> {
    let has_landed = |node: &Node| graph.said(*node).is_some_and(|said| !said.landings.is_empty());
    let mut leads = vec![order.iter().chain(&anchor).any(has_landed); graph.len()];
    for &node in anchor.iter().chain(order.iter().rev()) {
        let concerns_tasks = graph.said(node).is_some_and(Said::concerns_tasks);
        leads[node] = leads[node] || concerns_tasks || graph.known_parents(node).any(|parent| leads[parent]);
    }
    leads
}

/// Finds out which work under another name a merge has dropped.
///
/// If a plan gives a task another name, and work is done under it, then earlier work does not count any more, even if the
/// task gets its old name back. But if this happened on a branch, and the merge kept the name that the task has on another
/// parent, then the other name never came to the run, and that work takes nothing back.
pub(super) struct DroppedNames<'r> {
    versions: &'r PlanVersions,
    head: Option<Node>,
    /// The commits whose work was not dropped by a merge, for each task for which this was asked.
    taken: HashMap<String, Bits>,
}

impl<'r> DroppedNames<'r> {
    /// For a range with this order of commits, children before parents.
    pub(super) fn new(versions: &'r PlanVersions, order: &[Node]) -> Self {
        Self { versions, head: order.first().copied(), taken: HashMap::new() }
    }

    /// Whether the work of this commit on the task was dropped.
    pub(super) fn contain(&mut self, graph: &Known, node: Node, task: &str) -> bool {
        if !self.versions.has_merged_versions {
            return false;
        }
        if !self.taken.contains_key(task) {
            let taken = self.taken(graph, task);
            self.taken.insert(task.to_owned(), taken);
        }
        !self.taken[task].contains(node)
    }

    /// The commits to which a line of commits leads from the head on which no merge dropped the name of the task.
    fn taken(&self, graph: &Known, task: &str) -> Bits {
        let head = self.head.filter(|head| !self.versions.at(*head).is_empty());
        let mut open = Vec::from_iter(head.map(|node| At { node, number: 0 }));
        let (mut taken, mut seen) = (Bits::default(), HashSet::new());
        while let Some(here) = open.pop() {
            if !seen.insert(here) {
                continue;
            }
            taken.insert(here.node);
            let name = |at: &At| self.versions.at(at.node)[at.number].name(task);
            let on = self.versions.at_parents(graph, here);
            let is_kept = on.iter().any(|there| name(there) == name(&here));
            open.extend(on.into_iter().filter(|there| !is_kept || name(there) == name(&here)));
        }
        taken
    }
}
