//! Builds a run from a history with merges or reverts. The ancestry of commits decides which step of a task is the
//! latest.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::anchor::{PlanVersions, find_anchor};
use super::bits::Bits;
use super::dropped_names::DroppedNames;
use super::graph::{Annotate, Graph, Node};
use super::order::{children_first, fold_ancestors};
use super::plan_tracker::PlanTracker;
use super::plan_version::PlanRelation;
use super::range::{Range, RangeStart};
use super::raw::RawCommit;
use super::reachability::{Reachability, reachability};
use super::reversals::{DoubtfulRevert, Reversals, UnknownRevert};
use super::reverts::{Reverts, resolve};
use super::run::{
    Index, IndexSlot, Note, OutdatedStep, PhaseBranches, Run, UnknownClaim, UnknownStep, completes, old_plan,
    outdated,
};
use super::source::Source;
use crate::error::Result;
use crate::record::{CommitId, Doubt, Outdated, PlanClaim, RevertClaim, StepCommit, StepRecord, Subject};

impl Annotate for Index<'_> {
    type Note = Noted;

    fn note(&self, _: CommitId, commit: &RawCommit<'_>) -> Noted {
        let note = Index::note(self, Subject::of(commit.message), commit.message);
        let claim = match note {
            Note::Plain => PlanClaim::default(),
            _ => PlanClaim::of(commit.message),
        };
        Noted { note, claim }
    }

    fn reverts(&self, message: &[u8]) -> Vec<RevertClaim> {
        RevertClaim::all_in(message)
    }

    fn is_step(noted: &Noted) -> bool {
        !matches!(noted.note, Note::Plain)
    }
}

/// The role of a commit for the tasks of an index, and the plan that it names.
pub(super) struct Noted {
    note: Note,
    claim: PlanClaim,
}

/// The commits of a range in a graph, with children before parents, and the version of the plan at each.
pub(super) struct OrderedRange {
    /// The commit after which the range begins.
    pub(super) anchor: Option<Node>,
    pub(super) reachability: Reachability,
    pub(super) order: Vec<Node>,
    pub(super) versions: PlanVersions,
}

impl OrderedRange {
    /// Reads the commits of a range into a graph.
    pub(super) fn read<A: Annotate>(graph: &mut Graph<'_, A>, range: &Range) -> Result<Self> {
        let head = graph.load(range.top())?;
        let tree = graph.commit(head).tree;
        let (mut tracker, version) = PlanTracker::begin(graph.source, range.scope(), tree)?;
        let anchor = match range.start() {
            RangeStart::Anchor(id) => Some(graph.load(id)?),
            RangeStart::RunBegins => find_anchor(graph, &mut tracker, head, &version)?,
            RangeStart::Root => None,
        };
        let reachability = reachability(graph, head, anchor)?;
        let order = children_first(graph, &reachability, head);
        let versions = PlanVersions::follow(graph, &mut tracker, version, &order)?;
        Ok(Self { anchor, reachability, order, versions })
    }
}

/// Reads the run of `range`, which may contain merges and reverts.
pub(super) fn read_merged(source: &mut dyn Source, range: &Range, index: &Index<'_>) -> Result<Run> {
    let mut graph = Graph::new(source, index)?;
    let OrderedRange { anchor, reachability, order, versions } = OrderedRange::read(&mut graph, range)?;
    let reverts = resolve(&mut graph, &reachability, &order)?;
    let dropped = DroppedNames::new(&versions, &order);
    let mut run = MergedRun::new(index, &reverts, &versions, dropped);
    fold_ancestors(&graph, &reachability, &order, |node, descendants| run.take(&graph, node, descendants));
    let anchor = anchor.map(|node| graph.commit(node).id);
    Ok(run.finish(range.clone().found(anchor)))
}

/// Takes commits with children before parents. The sets of descendants contain, in this order: the tasks that have a
/// step there, the phases with new work, and one number for each latest marker and each revert.
struct MergedRun<'a, 'r> {
    index: &'a Index<'a>,
    /// The steps of each task that no other counted step of it descends from.
    tasks: Vec<Vec<StepCommit>>,
    /// For each task, the newest step after the last one that counts, and why it does not count.
    outdated: Vec<Option<OutdatedStep>>,
    phases: Vec<PhaseSoFar>,
    unknown: Vec<UnknownStep>,
    reversals: Reversals<'r>,
    versions: &'r PlanVersions,
    dropped: DroppedNames<'r>,
    /// The commits that complete tasks which were edited since.
    edited: HashSet<CommitId>,
    doubts: BTreeSet<Doubt>,
    /// The tasks and reverts for which a doubt was recorded.
    doubted: HashSet<(usize, Node)>,
    /// For each task, the steps that were reverted although a later one counts.
    earlier: HashMap<usize, Vec<EarlierStep>>,
}

/// A step that was reverted after a later step of its task, which still counts.
#[derive(Clone, Copy)]
struct EarlierStep {
    step: CommitId,
    revert: CommitId,
}

#[derive(Clone, Debug, Default)]
struct PhaseSoFar {
    /// The markers that no other marker of the phase descends from.
    markers: Vec<Marker>,
    has_steps: bool,
}

#[derive(Clone, Debug)]
struct Marker {
    step: StepCommit,
    number: usize,
    /// Whether a step of the phase is not an ancestor of the marker.
    is_stale: bool,
}

impl<'a, 'r> MergedRun<'a, 'r> {
    fn new(
        index: &'a Index<'a>,
        reverts: &'r Reverts,
        versions: &'r PlanVersions,
        dropped: DroppedNames<'r>,
    ) -> Self {
        Self {
            index,
            tasks: vec![Vec::new(); index.leaf_count()],
            outdated: vec![None; index.leaf_count()],
            phases: vec![PhaseSoFar::default(); index.phase_count()],
            unknown: Vec::new(),
            reversals: Reversals::new(reverts, index.leaf_count() + index.phase_count()),
            versions,
            dropped,
            edited: HashSet::new(),
            doubts: BTreeSet::new(),
            doubted: HashSet::new(),
            earlier: HashMap::new(),
        }
    }

    fn take(&mut self, graph: &Graph<'_, Index<'a>>, node: Node, descendants: &mut Bits) {
        let commit = graph.commit(node);
        let effect = self.reversals.visit(node, descendants);
        let relation = self.relation(&commit.note, node);
        if let (Note::Step(leaf, _), Some(why)) = (&commit.note.note, outdated(relation)) {
            if effect.counts && !descendants.contains(*leaf) {
                self.outdated[*leaf].get_or_insert(OutdatedStep { id: commit.id, why });
                let name = self.index.leaf_id(*leaf);
                if why == Outdated::OtherName && !self.dropped.contain(graph, node, name.as_str()) {
                    // A task with another name is another task, and it was worked on since.
                    descendants.insert(*leaf);
                }
            }
            return;
        }
        if relation != PlanRelation::Counts {
            return;
        }
        // A later step of the task would have resolved the doubt.
        if let Note::Step(leaf, _) = &commit.note.note
            && let Some(DoubtfulRevert { revert, why }) = effect.doubt
            && !descendants.contains(*leaf)
            && self.doubted.insert((*leaf, revert))
        {
            let (task, revert) = (self.index.leaf_id(*leaf), graph.commit(revert).id);
            self.doubts.insert(Doubt::Revert { task, step: commit.id, revert, why });
        }
        if !effect.counts {
            if let Note::Step(leaf, _) = commit.note.note
                && descendants.contains(leaf)
                && let Some(revert) = self.reversals.last_word(node, leaf, descendants)
            {
                let revert = graph.commit(revert).id;
                self.earlier.entry(leaf).or_default().push(EarlierStep { step: commit.id, revert });
            }
            return;
        }
        let step = |record: StepRecord| StepCommit { id: commit.id, time: commit.time, record };
        match &commit.note.note {
            Note::Step(leaf, record) => {
                if !descendants.contains(*leaf) {
                    self.look_for_unknown_reverts(graph, *leaf, descendants);
                    let task = self.index.leaf_id(*leaf);
                    if completes(record) && self.versions.is_edited_since(node, task.as_str()) {
                        self.edited.insert(commit.id);
                    }
                    self.take_step(*leaf, step(*record), descendants);
                }
            }
            Note::Marker(phase, record) => self.take_marker(*phase, step(*record), descendants),
            Note::Unknown(slot, claim) => self.take_unknown(*slot, commit.id, claim, descendants),
            Note::Remark | Note::Plain => {}
        }
    }

    /// The role of a commit for the plan.
    fn relation(&self, noted: &Noted, node: Node) -> PlanRelation {
        let id = match &noted.note {
            Note::Step(leaf, _) | Note::Unknown(IndexSlot::Leaf(leaf), _) => self.index.leaf_id(*leaf),
            Note::Marker(phase, _) | Note::Unknown(IndexSlot::Phase(phase), _) => self.index.phase_id(*phase),
            Note::Remark | Note::Plain => return PlanRelation::Counts,
        };
        self.versions.judge(node, id.as_str(), &noted.claim)
    }

    /// Records the reverts that may have undone this task's latest step without naming it.
    fn look_for_unknown_reverts(&mut self, graph: &Graph<'_, Index<'a>>, leaf: usize, descendants: &Bits) {
        let task = self.index.leaf_id(leaf);
        for UnknownRevert { revert, names_task } in self.reversals.unknown(task.as_str(), descendants) {
            let task = names_task.then(|| task.clone());
            self.doubts.insert(Doubt::UnknownRevert { task, revert: graph.commit(revert).id });
        }
    }

    fn phase_bit(&self, phase: usize) -> usize {
        self.index.leaf_count() + phase
    }

    fn take_step(&mut self, leaf: usize, step: StepCommit, descendants: &mut Bits) {
        let phase = self.index.phase_of(leaf);
        let so_far = &mut self.phases[phase];
        so_far.has_steps = true;
        for marker in &mut so_far.markers {
            marker.is_stale |= !descendants.contains(marker.number);
        }
        descendants.insert(self.phase_bit(phase));
        descendants.insert(leaf);
        self.tasks[leaf].push(step);
    }

    fn take_marker(&mut self, phase: usize, step: StepCommit, descendants: &mut Bits) {
        descendants.insert(self.phase_bit(phase));
        let so_far = &mut self.phases[phase];
        if so_far.markers.iter().any(|marker| descendants.contains(marker.number)) {
            return;
        }
        // Ancestors come later, so a step that was visited already is not an ancestor.
        let number = self.reversals.fresh();
        so_far.markers.push(Marker { step, number, is_stale: so_far.has_steps });
        descendants.insert(number);
    }

    fn take_unknown(&mut self, slot: IndexSlot, id: CommitId, claim: &UnknownClaim, descendants: &Bits) {
        let bit = match slot {
            IndexSlot::Leaf(leaf) => leaf,
            IndexSlot::Phase(phase) => self.phase_bit(phase),
        };
        if !descendants.contains(bit) {
            let UnknownClaim { task, word } = claim.clone();
            self.unknown.push(UnknownStep { id, task, word });
        }
    }

    fn finish(mut self, range: Range) -> Run {
        let index = self.index;
        let (mut tasks, mut edited) = (HashMap::new(), BTreeSet::new());
        for (leaf, mut steps) in self.tasks.into_iter().enumerate() {
            steps.sort_unstable_by_key(newness);
            self.doubts.extend(old_plan(index.leaf_id(leaf), steps.last(), self.outdated[leaf]));
            let Some(counted) = steps.pop() else { continue };
            let task = index.leaf_id(leaf);
            edited.extend(self.edited.contains(&counted.id).then(|| task.clone()));
            for &EarlierStep { step, revert } in self.earlier.get(&leaf).into_iter().flatten() {
                self.doubts.insert(Doubt::EarlierStep {
                    task: task.clone(),
                    step,
                    revert,
                    counted: counted.id,
                });
            }
            if !steps.is_empty() {
                let mut others: Vec<CommitId> = steps.iter().map(|step| step.id).collect();
                others.sort_unstable();
                self.doubts.insert(Doubt::SideBySide { task: task.clone(), counted: counted.id, others });
            }
            tasks.insert(task, counted);
        }
        let mut phases = HashMap::new();
        for (phase, so_far) in self.phases.into_iter().enumerate() {
            let current =
                so_far.markers.into_iter().filter(|marker| !marker.is_stale).map(|marker| marker.step);
            if let Some(step) = current.max_by_key(newness) {
                phases.insert(index.phase_id(phase), step);
            }
        }
        let doubts = self.doubts.into_iter().collect();
        Run {
            range,
            tasks,
            phases,
            unknown: self.unknown,
            doubts,
            edited,
            branches: PhaseBranches::default(),
        }
    }
}

/// Among steps on parallel branches, the newest by committer date counts; if the dates are equal, the one with the
/// largest id.
fn newness(step: &StepCommit) -> (i64, CommitId) {
    (step.time, step.id)
}
