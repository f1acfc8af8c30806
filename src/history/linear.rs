//! Reads a history without merges, reverts and landed commits quickly: one pass over the commits, which reads each once, looks for the
//! start of the run, and shows every commit of the run on the way.

use std::collections::HashSet;

use super::plan_tracker::{Edge, PlanTracker};
use super::plan_version::{PlanRelation, PlanVersion};
use super::range::{Range, RangeStart};
use super::raw::{ObjectId, RawCommit};
use super::source::{Source, read_commit, shallow_cut, unreadable};
use super::squash::is_numbered;
use crate::error::Result;
use crate::record::{CommitId, Landing, PlanClaim, RevertClaim, Subject, carries_step};

/// A commit of the run, as a pass shows it.
#[derive(Debug)]
pub(super) struct VisitedCommit<'a> {
    pub(super) id: CommitId,
    pub(super) time: i64,
    pub(super) subject: Subject<'a>,
    pub(super) message: &'a [u8],
    /// The version of the plan at that commit; `None` if the caller does not need it.
    version: Option<&'a PlanVersion>,
}

impl<'a> VisitedCommit<'a> {
    /// A commit without the plan.
    pub(super) fn alone(id: CommitId, time: i64, subject: Subject<'a>, message: &'a [u8]) -> Self {
        Self { id, time, subject, message, version: None }
    }

    /// Whether the plan requires something else of the task of this step since.
    pub(super) fn is_edited_since(&self) -> bool {
        match (self.subject, self.version) {
            (Subject::Task(id), Some(version)) => version.requires_otherwise(id),
            _ => false,
        }
    }

    /// How a step relates to the plan.
    pub(super) fn relation(&self) -> PlanRelation {
        match (self.subject, self.version) {
            (Subject::Task(id) | Subject::Phase(id), Some(version)) => {
                version.judge(id, &PlanClaim::of(self.message))
            }
            _ => PlanRelation::Counts,
        }
    }
}

/// Whether a visitor wants more commits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WalkControl {
    More,
    Enough,
}

/// Where a walk ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WalkEnd {
    /// At this anchor, which was not shown.
    Anchor {
        /// The commit.
        id: CommitId,
        /// Whether it may have landed work without saying so.
        is_numbered: bool,
    },
    /// After a root commit.
    Root,
    /// The visitor wanted no more commits before the start of the run was found.
    VisitorStopped,
    /// At a merge, a revert or a landed commit, which a single pass cannot handle. The commits that were shown do not count.
    NeedsGraph,
}

/// Reads from `head` down, newest first. A visitor may end the pass only if the tree file is not in the tree of `head`.
/// In that case there may be no start at all, and the pass would go back to the first commit of the repository.
pub(super) fn walk(
    source: &mut dyn Source,
    range: &Range,
    visit: &mut dyn FnMut(&VisitedCommit<'_>) -> WalkControl,
) -> Result<WalkEnd> {
    if !range.beside().is_empty() {
        return Ok(WalkEnd::NeedsGraph);
    }
    let mut pass = Pass::begin(source, range)?;
    let may_stop = match range.start() {
        RangeStart::Anchor(_) => false,
        RangeStart::Root => true,
        RangeStart::RunBegins => !pass.has_plan_here()?,
    };
    loop {
        if range.start() == RangeStart::Anchor(pass.here.id) {
            return Ok(pass.here.as_anchor());
        }
        if pass.here.is_merge {
            return Ok(WalkEnd::NeedsGraph);
        }
        let begins_run = pass.begins_run()?;
        if pass.here.is_landed() {
            return Ok(WalkEnd::NeedsGraph);
        }
        if begins_run {
            return Ok(pass.here.as_anchor());
        }
        if pass.here.is_revert() {
            return Ok(WalkEnd::NeedsGraph);
        }
        if visit(&pass.here.visited(&pass.version)) == WalkControl::Enough && may_stop {
            return Ok(WalkEnd::VisitorStopped);
        }
        if !pass.advance()? {
            return Ok(WalkEnd::Root);
        }
    }
}

/// A commit in memory, with buffers that the next one reuses.
struct LoadedCommit {
    id: CommitId,
    parent: Option<CommitId>,
    is_merge: bool,
    time: i64,
    message_start: usize,
    data: Vec<u8>,
}

impl LoadedCommit {
    fn read(source: &mut dyn Source, id: CommitId, mut data: Vec<u8>) -> Result<Self> {
        let RawCommit { parent, other_parents, time, message, .. } = read_commit(source, &id, &mut data)?;
        let (is_merge, length) = (!other_parents.is_empty(), message.len());
        Ok(Self { id, parent, is_merge, time, message_start: data.len() - length, data })
    }

    fn message(&self) -> &[u8] {
        &self.data[self.message_start..]
    }

    fn as_anchor(&self) -> WalkEnd {
        WalkEnd::Anchor { id: self.id, is_numbered: is_numbered(self.message()) }
    }

    fn is_revert(&self) -> bool {
        !RevertClaim::all_in(self.message()).is_empty()
    }

    fn is_landed(&self) -> bool {
        !Landing::all_in(self.message()).is_empty()
    }

    fn tree(&self) -> Result<ObjectId> {
        let tree = RawCommit::parse(&self.data).and_then(|commit| commit.tree());
        tree.ok_or_else(|| unreadable(&self.id, "it names no tree"))
    }

    fn visited<'a>(&'a self, version: &'a PlanVersion) -> VisitedCommit<'a> {
        let message = self.message();
        VisitedCommit {
            id: self.id,
            time: self.time,
            subject: Subject::of(message),
            message,
            version: Some(version),
        }
    }
}

/// The position of a pass: a commit and its version of the plan, and its parent if that was already read.
struct Pass<'a> {
    source: &'a mut dyn Source,
    shallow: HashSet<CommitId>,
    tracker: PlanTracker,
    version: PlanVersion,
    /// The version of the plan at the parent, if it differs.
    further: Option<PlanVersion>,
    here: LoadedCommit,
    ahead: Option<LoadedCommit>,
    spare: Vec<u8>,
}

impl<'a> Pass<'a> {
    fn begin(source: &'a mut dyn Source, range: &Range) -> Result<Self> {
        let shallow = source.facts().shallow()?;
        let here = LoadedCommit::read(source, range.head(), Vec::new())?;
        let (tracker, version) = PlanTracker::begin(source, range.scope(), here.tree()?)?;
        Ok(Self { source, shallow, tracker, version, further: None, here, ahead: None, spare: Vec::new() })
    }

    /// Whether the tree file is in the tree of the commit.
    fn has_plan_here(&mut self) -> Result<bool> {
        self.tracker.is_there(self.source, &self.version, self.here.tree()?)
    }

    /// Whether the commit begins a run. A step commit never does: it counts as having left the plan alone, even if it
    /// changed the tree file, so its tree need not be read.
    fn begins_run(&mut self) -> Result<bool> {
        if matches!(self.version, PlanVersion::Everything | PlanVersion::Outside) {
            return Ok(false);
        }
        let message = self.here.message();
        if Subject::of(message) != Subject::Other && carries_step(message) {
            return Ok(false);
        }
        let on = match self.here.parent {
            None => match self.has_plan_here()? {
                true => None,
                false => return Ok(false),
            },
            // Its changes cannot be known, but the pass ends after it in any case.
            Some(_) if self.shallow.contains(&self.here.id) => return Ok(false),
            Some(parent) => self.look_ahead(parent)?,
        };
        if on.as_ref().is_some_and(|on| on.is_same(&self.version)) || carries_step(self.here.message()) {
            return Ok(false);
        }
        let begins = on.is_none();
        self.further = on;
        Ok(begins)
    }

    /// The version of the plan at the parent; `None` if a run begins after the parent.
    fn look_ahead(&mut self, parent: CommitId) -> Result<Option<PlanVersion>> {
        let ahead = LoadedCommit::read(self.source, parent, std::mem::take(&mut self.spare))?;
        let parent = self.ahead.insert(ahead).tree()?;
        let edge = Edge { child: self.here.tree()?, parent };
        self.tracker.version_at_parent(self.source, &self.version, edge)
    }

    /// Goes to the parent. Returns false after a root commit.
    fn advance(&mut self) -> Result<bool> {
        let Some(parent) = self.here.parent else { return Ok(false) };
        if self.shallow.contains(&self.here.id) {
            return Err(shallow_cut(&self.here.id));
        }
        if let Some(further) = self.further.take() {
            self.version = further;
        }
        if let Some(ahead) = self.ahead.take() {
            self.spare = std::mem::replace(&mut self.here, ahead).data;
        } else {
            let room = std::mem::take(&mut self.here.data);
            self.here = LoadedCommit::read(self.source, parent, room)?;
        }
        Ok(true)
    }
}
