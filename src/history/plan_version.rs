//! The version of the plan at a commit of a run: the path of its file, and the names that it gave to its tasks. They
//! decide which steps belong to the plan (docs/plans.md).

use std::collections::HashMap;
use std::rc::Rc;

use super::path::RepoPath;
use super::raw::{Entry, ObjectId};
use super::source::{ObjectKind, Source};
use crate::error::Result;
use crate::plan::{Outline, OutlineReader};
use crate::record::PlanClaim;

pub use crate::record::AnchorRule;

/// The tree file of a plan, and what begins its runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PlanFile {
    pub(super) path: RepoPath,
    pub(super) rule: AnchorRule,
}

/// The plan whose steps a range is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// All plans.
    Everything,
    /// All plans but those that a step names and that are not in this file.
    Naming(RepoPath),
    /// A plan that is not a file of the work tree: all steps that name no plan.
    Outside,
    /// The plan in this file.
    Plan(PlanFile),
}

impl Scope {
    /// That of a plan in this file; `None` if it is not a file of the work tree.
    pub(super) fn of(tree_file: Option<&RepoPath>, rule: AnchorRule) -> Self {
        tree_file.map_or(Self::Outside, |path| Self::Plan(PlanFile { path: path.clone(), rule }))
    }

    /// How a step whose message makes this claim relates to the plan, if it is not known what the plan was like.
    pub(super) fn judge(&self, claim: &PlanClaim) -> PlanRelation {
        let is_of_plan = match self {
            Self::Everything => true,
            Self::Naming(path) | Self::Plan(PlanFile { path, .. }) => fits(claim, path),
            Self::Outside => claim.fits(None),
        };
        if is_of_plan { PlanRelation::Counts } else { PlanRelation::OtherPlan }
    }
}

/// How a step relates to the plan of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum PlanRelation {
    /// It is a step of this plan.
    Counts,
    /// The plan gave its task another name at that time.
    OtherName,
    /// The plan did not contain its task at that time.
    NotNamed,
    /// It was made in another run, and only a merge brought it in.
    OtherRun,
    /// It is a step of another plan.
    OtherPlan,
}

/// The version of the plan at a commit, as far as it decides which steps count.
#[derive(Clone, Debug)]
pub(super) struct PlanVersion {
    /// The path of its file.
    pub(super) path: Rc<RepoPath>,
    /// The entry of its file.
    pub(super) content: Option<Entry>,
    /// The plan in it and the one at the head, if they differ.
    pub(super) outlines: Option<OutlinePair>,
}

/// An older version of a plan, and the one at the head.
#[derive(Clone, Debug)]
pub(super) struct OutlinePair {
    pub(super) then: Option<Rc<Outline>>,
    pub(super) now: Rc<Outline>,
}

/// Whether a step may belong to the plan at a path. Nearly none names one.
fn fits(claim: &PlanClaim, path: &RepoPath) -> bool {
    !claim.is_made() || claim.fits(Some(&path.to_bytes()))
}

/// The name of a task in a version of the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum VersionName<'a> {
    /// The name that it has at the head, or an earlier name of the same task.
    AsAtHead,
    /// Another name.
    Other(&'a str),
    /// The task is not in the plan.
    None,
}

impl PlanVersion {
    /// How a step of this task or phase, whose message makes this claim, relates to the plan.
    pub(super) fn judge(&self, id: &str, claim: &PlanClaim) -> PlanRelation {
        match self.name(id) {
            _ if !fits(claim, &self.path) => PlanRelation::OtherPlan,
            VersionName::AsAtHead => PlanRelation::Counts,
            VersionName::Other(_) => PlanRelation::OtherName,
            VersionName::None => PlanRelation::NotNamed,
        }
    }

    /// The name of a task or phase.
    pub(super) fn name(&self, id: &str) -> VersionName<'_> {
        let Some(OutlinePair { then, now }) = &self.outlines else { return VersionName::AsAtHead };
        match then.as_ref().and_then(|outline| outline.name(id)) {
            Some(then) if now.is_named(id, then) => VersionName::AsAtHead,
            None if now.name(id).is_none() => VersionName::AsAtHead,
            Some(other) => VersionName::Other(other),
            None => VersionName::None,
        }
    }

    /// Whether the plan at the head requires something else of a task than this version does.
    pub(super) fn requires_otherwise(&self, id: &str) -> bool {
        let Some(OutlinePair { then, now }) = &self.outlines else { return false };
        let (then, now) = (then.as_ref().and_then(|outline| outline.node(id)), now.node(id));
        match (then, now) {
            (Some(then), Some(now)) => !then.requires_same(now),
            (then, now) => then.is_some() != now.is_some(),
        }
    }

    /// Whether both are the same version of the plan at the same place.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.path == other.path && self.content == other.content
    }
}

/// Versions of tree files by the ids of their contents.
#[derive(Default)]
pub(super) struct Outlines {
    known: HashMap<ObjectId, Option<Rc<Outline>>>,
    reader: OutlineReader,
}

impl Outlines {
    /// The plan in the file of an entry; `None` if it is not a file or not a plan.
    pub(super) fn read(&mut self, source: &mut dyn Source, entry: &Entry) -> Result<Option<Rc<Outline>>> {
        if !entry.is_file() {
            return Ok(None);
        }
        if let Some(known) = self.known.get(&entry.id) {
            return Ok(known.clone());
        }
        let mut content = Vec::new();
        source.read(&entry.id, ObjectKind::Blob, &mut content)?;
        let outline = self.reader.read(content).map(Rc::new);
        self.known.insert(entry.id, outline.clone());
        Ok(outline)
    }
}
