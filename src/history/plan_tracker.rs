//! Follows the tree file of a plan from a commit to its parents, through edits and moves, and finds out where a run
//! begins.

use std::rc::Rc;

use super::graph::Graph;
use super::moves::{Arrival, moved_from};
use super::plan_version::{AnchorRule, OutlinePair, PlanFileVersion, PlanVersion, Scope};
use super::raw::{Entry, ObjectId};
use crate::error::Result;
use crate::plan::Outline;

/// What is followed while a history is read.
#[derive(Clone, Copy)]
pub(super) struct PlanTracker {
    rule: AnchorRule,
    at_head: Option<Entry>,
}

/// The root trees of a commit and of one of its parents.
#[derive(Clone, Copy)]
pub(super) struct Edge {
    pub(super) child: ObjectId,
    pub(super) parent: ObjectId,
}

impl PlanTracker {
    /// Begins at the commit with this tree, and returns the version of the plan there.
    pub(super) fn begin(graph: &mut Graph<'_>, scope: &Scope, tree: ObjectId) -> Result<(Self, PlanVersion)> {
        let rule = match scope {
            Scope::Plan(plan) => plan.rule,
            Scope::Everything | Scope::Naming(_) | Scope::Outside => AnchorRule::default(),
        };
        let mut tracker = Self { rule, at_head: None };
        let version = match scope {
            Scope::Everything => PlanVersion::Everything,
            Scope::Outside => PlanVersion::Outside,
            Scope::Naming(path) => PlanVersion::Naming(Rc::new(path.clone())),
            Scope::Plan(plan) => {
                let path = Rc::new(plan.path.clone());
                tracker.at_head = graph.file(&path, tree)?;
                PlanVersion::Plan(PlanFileVersion { path, content: tracker.at_head, outlines: None })
            }
        };
        Ok((tracker, version))
    }

    /// The version of the plan at a parent, given the one at the child; `None` if a run begins at the child.
    pub(super) fn version_at_parent(
        &self,
        graph: &mut Graph<'_>,
        version: &PlanVersion,
        edge: Edge,
    ) -> Result<Option<PlanVersion>> {
        let PlanVersion::Plan(here) = version else { return Ok(Some(version.clone())) };
        if edge.child == edge.parent {
            return Ok(Some(version.clone()));
        }
        let now = graph.file(&here.path, edge.child)?;
        let before = graph.file(&here.path, edge.parent)?;
        if now == before {
            return Ok(Some(version.clone()));
        }
        let (path, before) = match (self.rule, now, before) {
            (AnchorRule::File, ..) | (_, None, _) => return Ok(None),
            (AnchorRule::Plan, Some(entry), None) => {
                let arrival = Arrival { path: &here.path, entry, tree: edge.child, before: edge.parent };
                let Some(moved) = moved_from(graph, &arrival)? else { return Ok(None) };
                if moved.entry.id == entry.id {
                    let outlines = here.outlines.clone();
                    let path = Rc::new(moved.path);
                    return Ok(Some(PlanVersion::Plan(PlanFileVersion {
                        path,
                        content: here.content,
                        outlines,
                    })));
                }
                (Rc::new(moved.path), moved.entry)
            }
            (AnchorRule::Plan, Some(now), Some(before)) => {
                if now.id == before.id && now.is_file() && before.is_file() {
                    return Ok(Some(version.clone()));
                }
                if !continues(graph, &now, &before)? {
                    return Ok(None);
                }
                (here.path.clone(), before)
            }
        };
        let outlines = self.outline_pair(graph, before)?;
        Ok(Some(PlanVersion::Plan(PlanFileVersion { path, content: Some(before), outlines })))
    }

    /// An older version and the one at the head, unless both are the same or the one at the head cannot be read.
    fn outline_pair(&self, graph: &mut Graph<'_>, then: Entry) -> Result<Option<OutlinePair>> {
        let Some(head) = self.at_head.filter(|head| head.id != then.id) else { return Ok(None) };
        let Some(now) = graph.outline(&head)? else { return Ok(None) };
        let then: Option<Rc<Outline>> = graph.outline(&then)?;
        Ok(Some(OutlinePair { then, now }))
    }
}

/// Whether the tree file is in the tree of a commit.
pub(super) fn has_plan(graph: &mut Graph<'_>, version: &PlanVersion, tree: ObjectId) -> Result<bool> {
    match version {
        PlanVersion::Everything | PlanVersion::Naming(_) | PlanVersion::Outside => Ok(false),
        PlanVersion::Plan(version) => Ok(graph.file(&version.path, tree)?.is_some()),
    }
}

/// Whether an edit of the tree file continues the run: the old content was a plan with the same `spec_id`.
fn continues(graph: &mut Graph<'_>, now: &Entry, before: &Entry) -> Result<bool> {
    let Some(before) = graph.outline(before)? else { return Ok(false) };
    // A change that breaks the file is an edit too, but the change that repairs it begins a run.
    let now = graph.outline(now)?;
    Ok(now.is_none_or(|now| now.spec_id == before.spec_id))
}
