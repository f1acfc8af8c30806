//! Follows the tree file of a plan from a commit to its parents, through edits and moves, and finds out where a run
//! begins.

use std::collections::HashMap;
use std::rc::Rc;

use super::moves::{Arrival, Outlines, moved_from};
use super::path::{PathLookup, RepoPath};
use super::plan_version::{AnchorRule, OutlinePair, PlanFileVersion, PlanVersion, Scope};
use super::raw::{Entry, ObjectId};
use super::source::Source;
use crate::error::Result;
use crate::plan::Outline;

/// The known state of the tree file while a history is read.
pub(super) struct PlanTracker {
    rule: AnchorRule,
    lookups: HashMap<Rc<RepoPath>, PathLookup>,
    outlines: Outlines,
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
    pub(super) fn begin(
        source: &mut dyn Source,
        scope: &Scope,
        tree: ObjectId,
    ) -> Result<(Self, PlanVersion)> {
        let rule = match scope {
            Scope::Plan(plan) => plan.rule,
            Scope::Everything | Scope::Outside => AnchorRule::default(),
        };
        let (lookups, outlines) = (HashMap::new(), Outlines::default());
        let mut tracker = Self { rule, lookups, outlines, at_head: None };
        let version = match scope {
            Scope::Everything => PlanVersion::Everything,
            Scope::Outside => PlanVersion::Outside,
            Scope::Plan(plan) => {
                let path = Rc::new(plan.path.clone());
                tracker.at_head = tracker.entry(source, &path, tree)?;
                PlanVersion::Plan(PlanFileVersion { path, content: tracker.at_head, outlines: None })
            }
        };
        Ok((tracker, version))
    }

    /// Whether the tree file is in the tree of a commit.
    pub(super) fn is_there(
        &mut self,
        source: &mut dyn Source,
        version: &PlanVersion,
        tree: ObjectId,
    ) -> Result<bool> {
        match version {
            PlanVersion::Everything | PlanVersion::Outside => Ok(false),
            PlanVersion::Plan(version) => Ok(self.entry(source, &version.path, tree)?.is_some()),
        }
    }

    /// The version of the plan at a parent, given the one at the child; `None` if a run begins at the child.
    pub(super) fn version_at_parent(
        &mut self,
        source: &mut dyn Source,
        version: &PlanVersion,
        edge: Edge,
    ) -> Result<Option<PlanVersion>> {
        let PlanVersion::Plan(here) = version else { return Ok(Some(version.clone())) };
        if edge.child == edge.parent {
            return Ok(Some(version.clone()));
        }
        let now = self.entry(source, &here.path, edge.child)?;
        let before = self.entry(source, &here.path, edge.parent)?;
        if now == before {
            return Ok(Some(version.clone()));
        }
        let (path, before) = match (self.rule, now, before) {
            (AnchorRule::File, ..) | (_, None, _) => return Ok(None),
            (AnchorRule::Plan, Some(entry), None) => {
                let arrival = Arrival { path: &here.path, entry, tree: edge.child, before: edge.parent };
                let Some(moved) = moved_from(source, &arrival, &mut self.outlines)? else { return Ok(None) };
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
                if !self.continues(source, &now, &before)? {
                    return Ok(None);
                }
                (here.path.clone(), before)
            }
        };
        let outlines = self.outline_pair(source, before)?;
        Ok(Some(PlanVersion::Plan(PlanFileVersion { path, content: Some(before), outlines })))
    }

    /// Whether an edit of the tree file continues the run: the old content was a plan with the same `spec_id`.
    fn continues(&mut self, source: &mut dyn Source, now: &Entry, before: &Entry) -> Result<bool> {
        let Some(before) = self.outlines.read(source, before)? else { return Ok(false) };
        // A change that breaks the file is an edit too, but the change that repairs it begins a run.
        let now = self.outlines.read(source, now)?;
        Ok(now.is_none_or(|now| now.spec_id == before.spec_id))
    }

    /// An older version and the one at the head, unless both are the same or the one at the head cannot be read.
    fn outline_pair(&mut self, source: &mut dyn Source, then: Entry) -> Result<Option<OutlinePair>> {
        let Some(head) = self.at_head.filter(|head| head.id != then.id) else { return Ok(None) };
        let Some(now) = self.outlines.read(source, &head)? else { return Ok(None) };
        let then: Option<Rc<Outline>> = self.outlines.read(source, &then)?;
        Ok(Some(OutlinePair { then, now }))
    }

    fn entry(
        &mut self,
        source: &mut dyn Source,
        path: &Rc<RepoPath>,
        tree: ObjectId,
    ) -> Result<Option<Entry>> {
        let lookup = self.lookups.entry(path.clone()).or_insert_with(|| PathLookup::new(path.clone()));
        lookup.entry(source, tree)
    }
}
