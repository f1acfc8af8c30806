//! Follows the tree file of a plan from a commit to its parents, through edits and moves, and tells where a run begins.

use std::collections::HashMap;
use std::rc::Rc;

use super::moves::{Arrival, moved_from};
use super::outlines::Outlines;
use super::path::{Lookup, RepoPath};
use super::raw::{Entry, ObjectId};
use super::sight::{AnchorRule, PlanSight, Said, Scope, Sight};
use super::source::Source;
use crate::error::Result;
use crate::plan::Outline;

/// What is known of the tree file while a history is read.
pub(super) struct Watch {
    rule: AnchorRule,
    lookups: HashMap<Rc<RepoPath>, Lookup>,
    outlines: Outlines,
    at_head: Option<Entry>,
}

/// The root trees of a commit and of one of its parents.
#[derive(Clone, Copy)]
pub(super) struct Edge {
    pub(super) child: ObjectId,
    pub(super) parent: ObjectId,
}

impl Watch {
    /// Begins at the commit with this tree, and gives what is seen there.
    pub(super) fn begin(source: &mut dyn Source, scope: &Scope, tree: ObjectId) -> Result<(Self, Sight)> {
        let rule = match scope {
            Scope::Plan(plan) => plan.rule,
            Scope::Everything | Scope::Outside => AnchorRule::default(),
        };
        let (lookups, outlines) = (HashMap::new(), Outlines::default());
        let mut watch = Self { rule, lookups, outlines, at_head: None };
        let sight = match scope {
            Scope::Everything => Sight::Everything,
            Scope::Outside => Sight::Outside,
            Scope::Plan(plan) => {
                let path = Rc::new(plan.path.clone());
                watch.at_head = watch.entry(source, &path, tree)?;
                Sight::Plan(PlanSight { path, content: watch.at_head, said: None })
            }
        };
        Ok((watch, sight))
    }

    /// Whether the tree file is in the tree of a commit.
    pub(super) fn is_there(
        &mut self,
        source: &mut dyn Source,
        sight: &Sight,
        tree: ObjectId,
    ) -> Result<bool> {
        match sight {
            Sight::Everything | Sight::Outside => Ok(false),
            Sight::Plan(sight) => Ok(self.entry(source, &sight.path, tree)?.is_some()),
        }
    }

    /// What is seen at a parent, if this is seen at the child; `None` if a run begins at the child.
    pub(super) fn across(
        &mut self,
        source: &mut dyn Source,
        sight: &Sight,
        edge: Edge,
    ) -> Result<Option<Sight>> {
        let Sight::Plan(here) = sight else { return Ok(Some(sight.clone())) };
        if edge.child == edge.parent {
            return Ok(Some(sight.clone()));
        }
        let now = self.entry(source, &here.path, edge.child)?;
        let before = self.entry(source, &here.path, edge.parent)?;
        if now == before {
            return Ok(Some(sight.clone()));
        }
        let (path, before) = match (self.rule, now, before) {
            (AnchorRule::File, ..) | (_, None, _) => return Ok(None),
            (AnchorRule::Plan, Some(entry), None) => {
                let arrival = Arrival { path: &here.path, entry, tree: edge.child, before: edge.parent };
                let Some(moved) = moved_from(source, &arrival, &mut self.outlines)? else { return Ok(None) };
                if moved.entry.id == entry.id {
                    let said = here.said.clone();
                    let path = Rc::new(moved.path);
                    return Ok(Some(Sight::Plan(PlanSight { path, content: here.content, said })));
                }
                (Rc::new(moved.path), moved.entry)
            }
            (AnchorRule::Plan, Some(now), Some(before)) => {
                if now.id == before.id && now.is_file() && before.is_file() {
                    return Ok(Some(sight.clone()));
                }
                if !self.continues(source, &now, &before)? {
                    return Ok(None);
                }
                (here.path.clone(), before)
            }
        };
        let said = self.said(source, before)?;
        Ok(Some(Sight::Plan(PlanSight { path, content: Some(before), said })))
    }

    /// Whether an edit of the tree file goes on with the run: what was there was a plan, and has kept its name.
    fn continues(&mut self, source: &mut dyn Source, now: &Entry, before: &Entry) -> Result<bool> {
        let Some(before) = self.outlines.read(source, before)? else { return Ok(false) };
        // What broke the file is an edit as well; what mends it begins a run.
        let now = self.outlines.read(source, now)?;
        Ok(now.is_none_or(|now| now.spec_id == before.spec_id))
    }

    /// What an older version said, unless it is the one at the head or that one cannot be read.
    fn said(&mut self, source: &mut dyn Source, then: Entry) -> Result<Option<Said>> {
        let Some(head) = self.at_head.filter(|head| head.id != then.id) else { return Ok(None) };
        let Some(now) = self.outlines.read(source, &head)? else { return Ok(None) };
        let then: Option<Rc<Outline>> = self.outlines.read(source, &then)?;
        Ok(Some(Said { then, now }))
    }

    fn entry(
        &mut self,
        source: &mut dyn Source,
        path: &Rc<RepoPath>,
        tree: ObjectId,
    ) -> Result<Option<Entry>> {
        let lookup = self.lookups.entry(path.clone()).or_insert_with(|| Lookup::new(path.clone()));
        lookup.entry(source, tree)
    }
}
