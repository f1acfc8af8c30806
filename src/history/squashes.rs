//! Finds the commits of a run that contain the work of other runs though their messages do not say so.
//!
//! Only the files can tell. Where the end of a run is here (its record, or a branch), and a commit makes the same changes as the
//! run since both parted, it counts as if it had the trailers of a landed commit. It is then judged like one, and a revert takes
//! it back. What cannot be known for certain counts for nothing, and is only reported.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::rc::Rc;

use super::forks::{Fork, Titles, graph_trees};
use super::graph::Graph;
use super::landings::{ReadRun, is_commit};
use super::moves::Outlines;
use super::path::PathLookup;
use super::plan_version::Scope;
use super::range::Range;
use super::raw::ObjectId;
use super::run::{Index, completes};
use super::source::Source;
use super::squash::{PossibleSquash, Squash, Squashes, ends_of_runs};
use super::squash_files::Agreement;
use crate::error::Result;
use crate::plan::Outline;
use crate::record::{CommitId, Landing, TaskId};

/// Looks for squashes in a run.
pub(super) struct SquashSearch<'s> {
    pub(super) range: &'s Range,
    pub(super) index: &'s Index<'s>,
    /// The tasks that have no step in it.
    pub(super) open: &'s BTreeSet<TaskId>,
    /// Through how many landed commits it was found.
    pub(super) depth: usize,
    /// Reads other runs.
    pub(super) read: ReadRun,
}

/// A run of which a commit has the changes.
struct Candidate {
    base: CommitId,
    tip: CommitId,
    tasks: BTreeSet<TaskId>,
    /// How much there is to read about them.
    steps: usize,
    is_certain: bool,
}

impl SquashSearch<'_> {
    /// The squashes among the commits of the run, and the one with which it began.
    pub(super) fn find(&self, source: &mut dyn Source) -> Result<Squashes> {
        let ends = ends_of_runs(source)?;
        let mut found: BTreeMap<CommitId, Vec<Candidate>> = BTreeMap::new();
        let mut graph = Graph::new(source, &Titles)?;
        for tip in &ends {
            // That something is wrong with another branch, or cut off, is no reason not to read this one.
            let of_tip = self.candidates(&mut graph, *tip).unwrap_or_default();
            for (commit, candidate) in of_tip {
                found.entry(commit).or_default().push(candidate);
            }
        }
        Ok(decided(found))
    }

    /// The commits that have the changes of the run that ends here.
    fn candidates(&self, graph: &mut Graph<'_, Titles>, tip: CommitId) -> Result<Vec<(CommitId, Candidate)>> {
        if !is_commit(graph.source, &tip) {
            return Ok(Vec::new());
        }
        let (head, end) = (graph.load(self.range.head())?, graph.load(tip)?);
        let Some(fork) = Fork::of(graph, head, end)? else { return Ok(Vec::new()) };
        let squashes = fork.squashes(graph)?;
        if squashes.is_empty() {
            return Ok(Vec::new());
        }
        let range = Range::of_run(tip, self.index.scope().clone());
        let run = (self.read)(graph.source, &range, self.index, self.depth + 1)?;
        let there: HashSet<CommitId> = fork.there.iter().map(|node| graph.commit(*node).id).collect();
        let is_complete = |task: &&TaskId| {
            run.tasks.get(*task).is_some_and(|step| completes(&step.record) && there.contains(&step.id))
        };
        let tasks: Vec<&TaskId> = self.open.iter().filter(is_complete).collect();
        let steps = fork.there.iter().filter(|node| graph.commit(**node).note.is_ours).count();
        let base = graph.commit(fork.base).id;
        let mut found = Vec::new();
        for (node, agreement) in squashes {
            let trees = graph_trees(graph, end, node);
            let names = Names::of(graph.source, self.index.scope(), trees)?;
            let tasks: BTreeSet<TaskId> =
                tasks.iter().filter(|task| names.agree_on(task)).map(|task| (*task).clone()).collect();
            if !tasks.is_empty() {
                let is_certain = agreement == Agreement::Certain;
                found.push((graph.commit(node).id, Candidate { base, tip, tasks, steps, is_certain }));
            }
        }
        Ok(found)
    }
}

/// What follows from the runs of which commits have the changes. If several runs made the same changes, only what all of them
/// completed is certain.
fn decided(found: BTreeMap<CommitId, Vec<Candidate>>) -> Squashes {
    let mut squashes = Squashes::default();
    let mut open = Vec::new();
    for (commit, candidates) in found {
        let all: BTreeSet<TaskId> = candidates.iter().flat_map(|one| one.tasks.clone()).collect();
        let (certain, possible): (Vec<_>, Vec<_>) = candidates.into_iter().partition(|one| one.is_certain);
        let is_common = |task: &&TaskId| certain.iter().all(|one| one.tasks.contains(*task));
        let richest = certain.iter().chain(&possible).max_by_key(|one| (one.is_certain, one.steps, one.tip));
        let Some(Candidate { base, tip, .. }) = richest else { continue };
        let common: Vec<TaskId> =
            all.iter().filter(|_| !certain.is_empty()).filter(is_common).cloned().collect();
        if let Some(landing) = Landing::new(common, *base, *tip) {
            squashes.certain.push(Squash { commit, landing });
        }
        open.push(PossibleSquash { commit, tip: *tip, tasks: all.into_iter().collect() });
    }
    let landed: HashSet<&TaskId> = squashes.certain.iter().flat_map(|one| one.landing.tasks()).collect();
    for mut possible in open {
        possible.tasks.retain(|task| !landed.contains(task));
        if !possible.tasks.is_empty() {
            squashes.possible.push(possible);
        }
    }
    squashes
}

/// The plan at the end of a run and in a commit that may have its work. A task with another name is another task.
struct Names {
    /// `None` if the plan is not a file of the work tree, and has no versions.
    plans: Option<[Rc<Outline>; 2]>,
    is_known: bool,
}

impl Names {
    fn of(source: &mut dyn Source, scope: &Scope, trees: [ObjectId; 2]) -> Result<Self> {
        let Scope::Plan(file) = scope else { return Ok(Self { plans: None, is_known: true }) };
        let mut lookup = PathLookup::new(Rc::new(file.path.clone()));
        let mut outlines = Outlines::default();
        let mut plans = Vec::new();
        for tree in trees {
            let entry = lookup.entry(source, tree)?;
            let outline = entry.map(|entry| outlines.read(source, &entry)).transpose()?.flatten();
            plans.extend(outline);
        }
        let plans: Option<[Rc<Outline>; 2]> = plans.try_into().ok();
        let is_known = plans.as_ref().is_some_and(|[one, other]| one.spec_id == other.spec_id);
        Ok(Self { plans, is_known })
    }

    fn agree_on(&self, task: &TaskId) -> bool {
        let same = |[one, other]: &[Rc<Outline>; 2]| {
            one.name(task.as_str()).is_some() && one.name(task.as_str()) == other.name(task.as_str())
        };
        self.is_known && self.plans.as_ref().is_none_or(same)
    }
}
