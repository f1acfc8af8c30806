//! Builds a run from a history with merges, where descent decides which step of a task is the latest.

use std::collections::HashMap;

use super::anchor::find_anchor;
use super::bits::Bits;
use super::graph::{Annotate, Graph, Node};
use super::linear::Until;
use super::order::{children_first, fold_ancestors};
use super::paint::paint;
use super::range::Range;
use super::raw::RawCommit;
use super::reverts::{Reversals, reverted_by};
use super::run::{Index, Note, Run, Spot, UnknownStep};
use super::source::Source;
use crate::error::Result;
use crate::task::{CommitId, StepCommit, StepRecord, Subject, TaskId};

impl Annotate for Index<'_> {
    type Note = Note;

    fn note(&self, _: CommitId, commit: &RawCommit<'_>) -> Note {
        Index::note(self, Subject::of(commit.message), commit.message)
    }

    fn reverts(&self, message: &[u8]) -> Vec<CommitId> {
        reverted_by(message)
    }

    fn is_step(note: &Note) -> bool {
        !matches!(note, Note::Plain)
    }
}

/// The commit that a range begins behind, found in `graph` if it is not known.
pub(super) fn start_of<A: Annotate>(
    graph: &mut Graph<'_, A>,
    head: Node,
    until: &Until,
) -> Result<Option<Node>> {
    match until {
        Until::Anchor(id) => graph.load(*id).map(Some),
        Until::Change(path) => find_anchor(graph, head, path),
        Until::Root => Ok(None),
    }
}

/// Reads the run of `range`, whatever its shape.
pub(super) fn read_merged(source: &mut dyn Source, range: &Range, index: &Index<'_>) -> Result<Run> {
    let mut graph = Graph::new(source, index)?;
    let head = graph.load(range.head())?;
    let anchor = start_of(&mut graph, head, range.until())?;
    let painted = paint(&mut graph, head, anchor)?;
    let order = children_first(&graph, &painted, head);
    let mut run = MergedRun::new(index);
    fold_ancestors(&graph, &painted, &order, |node, descendants| run.take(&graph, node, descendants));
    let anchor = anchor.map(|node| graph.commit(node).id);
    Ok(run.finish(Range::known(range.head(), anchor)))
}

/// Takes commits with children before parents. The sets of descendants hold, in this order: the tasks that have a step
/// there, the phases in which something was done, and one number for each latest marker and each revert.
struct MergedRun<'a> {
    index: &'a Index<'a>,
    tasks: Vec<Option<StepCommit>>,
    phases: Vec<PhaseSoFar>,
    unknown: Vec<UnknownStep>,
    reversals: Reversals,
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
    /// Whether a step of the phase is no ancestor of it.
    is_stale: bool,
}

impl<'a> MergedRun<'a> {
    fn new(index: &'a Index<'a>) -> Self {
        Self {
            index,
            tasks: vec![None; index.leaf_count()],
            phases: vec![PhaseSoFar::default(); index.phase_count()],
            unknown: Vec::new(),
            reversals: Reversals::new(index.leaf_count() + index.phase_count()),
        }
    }

    fn take(&mut self, graph: &Graph<'_, Index<'a>>, node: Node, descendants: &mut Bits) {
        let commit = graph.commit(node);
        if !self.reversals.counts(&commit.id, descendants) {
            return;
        }
        if let Some(reverted) = graph.reverts.get(&node) {
            self.reversals.enter(reverted, descendants);
        }
        let step = |record: StepRecord| StepCommit { id: commit.id, time: commit.time, record };
        match &commit.note {
            Note::Step(leaf, record) => self.take_step(*leaf, step(*record), descendants),
            Note::Marker(phase, record) => self.take_marker(*phase, step(*record), descendants),
            Note::Unknown(spot, claim) => self.take_unknown(*spot, commit.id, claim, descendants),
            Note::Plain => {}
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
        if !descendants.contains(leaf) {
            descendants.insert(leaf);
            let latest = &mut self.tasks[leaf];
            if latest.as_ref().is_none_or(|other| is_newer(&step, other)) {
                *latest = Some(step);
            }
        }
    }

    fn take_marker(&mut self, phase: usize, step: StepCommit, descendants: &mut Bits) {
        descendants.insert(self.phase_bit(phase));
        let so_far = &mut self.phases[phase];
        if so_far.markers.iter().any(|marker| descendants.contains(marker.number)) {
            return;
        }
        // Ancestors come later: a step that was met already is none.
        let number = self.reversals.fresh();
        so_far.markers.push(Marker { step, number, is_stale: so_far.has_steps });
        descendants.insert(number);
    }

    fn take_unknown(&mut self, spot: Spot, id: CommitId, claim: &(TaskId, String), descendants: &Bits) {
        let bit = match spot {
            Spot::Leaf(leaf) => leaf,
            Spot::Phase(phase) => self.phase_bit(phase),
        };
        if !descendants.contains(bit) {
            let (task, word) = claim.clone();
            self.unknown.push(UnknownStep { id, task, word });
        }
    }

    fn finish(self, range: Range) -> Run {
        let index = self.index;
        let numbered = self.tasks.into_iter().enumerate();
        let tasks = numbered.filter_map(|(leaf, step)| Some((index.leaf_id(leaf), step?))).collect();
        let mut phases = HashMap::new();
        for (phase, so_far) in self.phases.into_iter().enumerate() {
            let current =
                so_far.markers.into_iter().filter(|marker| !marker.is_stale).map(|marker| marker.step);
            if let Some(step) = current.max_by_key(|step| (step.time, step.id)) {
                phases.insert(index.phase_id(phase), step);
            }
        }
        Run { range, tasks, phases, unknown: self.unknown }
    }
}

fn is_newer(one: &StepCommit, other: &StepCommit) -> bool {
    (one.time, one.id) > (other.time, other.id)
}
