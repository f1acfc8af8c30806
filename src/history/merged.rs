//! Builds a run from a history with merges or reverts. The ancestry of commits decides which step of a task is the
//! latest.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::bits::Bits;
use super::dropped_names::DroppedNames;
use super::graph::{Graph, Node};
use super::landed_work::{LandedWork, Landings, add_landed_phases};
use super::landings::{DEEPEST, LandingJudge, LandingVerdict};
use super::merged_doubts::{Doubts, EarlierStep};
use super::order::{OrderedRange, fold_ancestors};
use super::phase_marks::{PhaseMarks, PhaseSoFar};
use super::plan_version::PlanRelation;
use super::range::Range;
use super::reversals::{DoubtfulRevert, Reversals, RevertEffect, UnknownRevert};
use super::reverts::{Reverts, resolve};
use super::run::{
    Index, IndexSlot, LandingClaim, Note, OutdatedStep, Run, UnknownClaim, UnknownStep, completes, old_plan,
    outdated,
};
use super::run_begin::PlanVersions;
use super::source::Source;
use super::squash::Squashes;
use super::squashes::SquashSearch;
use crate::error::Result;
use crate::plan::OpenBranches;
use crate::record::{CommitId, Doubt, Outdated, PlanClaim, StepCommit, StepRecord};

/// Reads the run of `range`, which may contain merges, reverts and landed commits. It was found through `depth` landed
/// commits.
pub(super) fn read_merged(
    source: &mut dyn Source,
    range: &Range,
    index: &Index<'_>,
    depth: usize,
) -> Result<Run> {
    let (run, has_numbered) = read_graph(source, range, index, depth)?;
    if has_numbered { RunReading { range, index, depth }.with_squashes(source, run) } else { Ok(run) }
}

/// A run that is read through `depth` landed commits.
pub(super) struct RunReading<'r> {
    pub(super) range: &'r Range,
    pub(super) index: &'r Index<'r>,
    pub(super) depth: usize,
}

impl RunReading<'_> {
    /// The run with what commits have landed without saying so. Only tasks that have no step at all can depend on these.
    pub(super) fn with_squashes(&self, source: &mut dyn Source, run: Run) -> Result<Run> {
        let Self { range, index, depth } = *self;
        let open = index.without_step(&run);
        if open.is_empty() || depth >= DEEPEST {
            return Ok(run);
        }
        let search = SquashSearch { range, index, open: &open, depth, read: read_merged };
        let squashes = search.find(source)?;
        let run = match squashes.certain() {
            [] => run,
            _ => read_graph(source, range, &index.with_squashes(&squashes), depth)?.0,
        };
        Ok(Run { squashes, ..run })
    }
}

/// Reads the run of `range`, and whether a commit may have landed work without saying so.
fn read_graph(
    source: &mut dyn Source,
    range: &Range,
    index: &Index<'_>,
    depth: usize,
) -> Result<(Run, bool)> {
    let mut graph = Graph::new(source, index)?;
    let OrderedRange { anchor, reachability, order, versions } = OrderedRange::read(&mut graph, range)?;
    let reverts = resolve(&mut graph, &reachability, &order)?;
    let mut judge = LandingJudge::new(index, depth, read_merged);
    let landings = judge.judge_all(&mut graph, order.iter().copied().chain(anchor))?;
    let dropped = DroppedNames::new(&versions, &order);
    let mut run = MergedRun::new(index, &reverts, &versions, dropped, &landings);
    fold_ancestors(&graph, &reachability, &order, |node, descendants| run.take(&graph, node, descendants));
    if let Some(anchor) = anchor {
        run.take_landed_anchor(&graph, anchor);
    }
    let has_numbered = order.iter().copied().chain(anchor).any(|node| graph.commit(node).note.is_numbered);
    let anchor = anchor.map(|node| graph.commit(node).id);
    let run = run.finish(range.clone().found(anchor));
    Ok((run, has_numbered))
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
    /// The tasks that were edited since a commit completed them, and that commit.
    edited: HashSet<(usize, CommitId)>,
    landed: LandedWork<'r>,
    doubts: Doubts,
}

impl<'a, 'r> MergedRun<'a, 'r> {
    fn new(
        index: &'a Index<'a>,
        reverts: &'r Reverts,
        versions: &'r PlanVersions,
        dropped: DroppedNames<'r>,
        landings: &'r Landings,
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
            landed: LandedWork::of(landings),
            doubts: Doubts {
                found: BTreeSet::new(),
                of_reverts: HashSet::new(),
                of_landings: vec![None; index.leaf_count()],
                of_earlier_steps: HashMap::new(),
            },
        }
    }

    fn take(&mut self, graph: &Graph<'_, Index<'a>>, node: Node, descendants: &mut Bits) {
        let effect = self.reversals.visit(node, descendants);
        match &graph.commit(node).note.note {
            Note::Landed(claims) => self.take_landed(graph, node, claims, effect, descendants),
            note => self.take_note(graph, node, note, effect, descendants),
        }
    }

    /// Takes a landed commit, as if it were the last step of each of its tasks if it is believed.
    fn take_landed(
        &mut self,
        graph: &Graph<'_, Index<'a>>,
        node: Node,
        claims: &[LandingClaim],
        effect: RevertEffect,
        descendants: &mut Bits,
    ) {
        let id = graph.commit(node).id;
        for (claim, verdict) in claims.iter().zip(&self.landed.verdicts[&node]) {
            for &leaf in &claim.leaves {
                let steps = match verdict {
                    LandingVerdict::Believed(steps) => steps,
                    LandingVerdict::Disbelieved(why) => {
                        if effect.counts && !descendants.contains(leaf) {
                            let (task, why) = (self.index.leaf_id(leaf), *why);
                            self.doubts.of_landings[leaf].get_or_insert(Doubt::Landing {
                                task,
                                commit: id,
                                why,
                            });
                        }
                        continue;
                    }
                };
                if effect.counts {
                    let contained = &mut self.landed.contained;
                    contained
                        .entry(leaf)
                        .or_default()
                        .extend(steps.get(&self.index.leaf_id(leaf)).into_iter().flatten());
                }
                self.landed.believe(id);
                let note = Note::Step(leaf, claim.record());
                self.take_note(graph, node, &note, effect, descendants);
            }
        }
    }

    /// Takes the commit that began the run, which is not part of it, but may also have landed work: a squash contains the
    /// plan as well.
    fn take_landed_anchor(&mut self, graph: &Graph<'_, Index<'a>>, node: Node) {
        let commit = graph.commit(node);
        let (Note::Landed(claims), Some(verdicts)) = (&commit.note.note, self.landed.verdicts.get(&node))
        else {
            return;
        };
        for (claim, verdict) in claims.iter().zip(verdicts) {
            for &leaf in &claim.leaves {
                let is_open = self.tasks[leaf].is_empty() && self.outdated[leaf].is_none();
                if matches!(verdict, LandingVerdict::Believed(_)) && is_open {
                    let record = claim.record();
                    self.landed.believe(commit.id);
                    self.tasks[leaf].push(StepCommit { id: commit.id, time: commit.time, record });
                }
            }
        }
    }

    fn take_note(
        &mut self,
        graph: &Graph<'_, Index<'a>>,
        node: Node,
        note: &Note,
        effect: RevertEffect,
        descendants: &mut Bits,
    ) {
        let commit = graph.commit(node);
        let relation = self.relation(note, &commit.note.claim, node);
        if let (Note::Step(leaf, _), Some(why)) = (note, outdated(relation)) {
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
        if let Note::Step(leaf, _) = *note {
            self.doubt_reverted_step(graph, node, leaf, effect, descendants);
        }
        if effect.counts {
            self.count(graph, node, note, descendants);
        }
    }

    /// Records what is uncertain about a step because of a revert.
    fn doubt_reverted_step(
        &mut self,
        graph: &Graph<'_, Index<'a>>,
        node: Node,
        leaf: usize,
        effect: RevertEffect,
        descendants: &Bits,
    ) {
        let step = graph.commit(node).id;
        // A later step of the task would have resolved the doubt.
        if let Some(DoubtfulRevert { revert, why }) = effect.doubt
            && !descendants.contains(leaf)
            && self.doubts.of_reverts.insert((leaf, revert))
        {
            let (task, revert) = (self.index.leaf_id(leaf), graph.commit(revert).id);
            self.doubts.found.insert(Doubt::Revert { task, step, revert, why });
        }
        if !effect.counts
            && descendants.contains(leaf)
            && let Some(revert) = self.reversals.last_word(node, leaf, descendants)
        {
            let revert = graph.commit(revert).id;
            self.doubts.of_earlier_steps.entry(leaf).or_default().push(EarlierStep { step, revert });
        }
    }

    /// Takes a commit of the plan that no revert has undone.
    fn count(&mut self, graph: &Graph<'_, Index<'a>>, node: Node, note: &Note, descendants: &mut Bits) {
        let commit = graph.commit(node);
        let step = |record: StepRecord| StepCommit { id: commit.id, time: commit.time, record };
        match note {
            Note::Step(leaf, record) => {
                if !descendants.contains(*leaf) {
                    self.look_for_unknown_reverts(graph, *leaf, descendants);
                    let task = self.index.leaf_id(*leaf);
                    if completes(record) && self.versions.is_edited_since(node, task.as_str()) {
                        self.edited.insert((*leaf, commit.id));
                    }
                    self.take_step(*leaf, step(*record), descendants);
                } else if completes(record)
                    && let Some(landed) = self.tasks[*leaf].iter_mut().find(|step| step.record.is_joint)
                {
                    // A merge of a whole run brings its steps, which say more of each task than the merge.
                    landed.record.is_joint = false;
                    landed.record.proof = record.proof;
                }
            }
            Note::Marker(phase, record) => self.take_marker(*phase, step(*record), descendants),
            Note::Unknown(slot, claim) => self.take_unknown(*slot, commit.id, claim, descendants),
            Note::Landed(_) | Note::Remark | Note::Plain => {}
        }
    }

    /// The role of a commit for the plan.
    fn relation(&self, note: &Note, claim: &PlanClaim, node: Node) -> PlanRelation {
        let id = match note {
            Note::Step(leaf, _) | Note::Unknown(IndexSlot::Leaf(leaf), _) => self.index.leaf_id(*leaf),
            Note::Marker(phase, _) | Note::Unknown(IndexSlot::Phase(phase), _) => self.index.phase_id(*phase),
            Note::Landed(_) | Note::Remark | Note::Plain => return PlanRelation::Counts,
        };
        self.versions.judge(node, id.as_str(), claim)
    }

    /// Records the reverts that may have undone this task's latest step without naming it.
    fn look_for_unknown_reverts(&mut self, graph: &Graph<'_, Index<'a>>, leaf: usize, descendants: &Bits) {
        let task = self.index.leaf_id(leaf);
        for UnknownRevert { revert, names_task } in self.reversals.unknown(task.as_str(), descendants) {
            let task = names_task.then(|| task.clone());
            self.doubts.found.insert(Doubt::UnknownRevert { task, revert: graph.commit(revert).id });
        }
    }

    fn phase_bit(&self, phase: usize) -> usize {
        self.index.leaf_count() + phase
    }

    fn take_step(&mut self, leaf: usize, step: StepCommit, descendants: &mut Bits) {
        let phase = self.index.phase_of(leaf);
        self.phases[phase].take_step(descendants);
        descendants.insert(self.phase_bit(phase));
        descendants.insert(leaf);
        self.tasks[leaf].push(step);
    }

    fn take_marker(&mut self, phase: usize, step: StepCommit, descendants: &mut Bits) {
        descendants.insert(self.phase_bit(phase));
        let number = self.reversals.fresh();
        if self.phases[phase].take_marker(step, number, descendants) {
            descendants.insert(number);
        }
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
        for (leaf, steps) in std::mem::take(&mut self.tasks).into_iter().enumerate() {
            let Some(counted) = self.counted(leaf, steps) else { continue };
            let task = index.leaf_id(leaf);
            edited.extend(self.edited.contains(&(leaf, counted.id)).then(|| task.clone()));
            tasks.insert(task, counted);
        }
        let latest = self.phases.into_iter().enumerate();
        let latest =
            latest.filter_map(|(phase, so_far)| Some((phase, so_far.current().max_by_key(newness)?)));
        let PhaseMarks { mut complete, failed } = index.marks(&tasks, latest);
        add_landed_phases(index, &self.landed.believed, &tasks, &mut complete);
        Run {
            range,
            tasks,
            phases: complete,
            failed_phases: failed,
            unknown: self.unknown,
            doubts: self.doubts.found.into_iter().collect(),
            edited,
            branches: OpenBranches::default(),
            squashes: Squashes::default(),
        }
    }

    /// The step of a task that counts, of those that no other one descends from, and what is uncertain about that.
    fn counted(&mut self, leaf: usize, mut steps: Vec<StepCommit>) -> Option<StepCommit> {
        self.landed.leave_out(leaf, &mut steps);
        steps.sort_unstable_by_key(newness);
        let task = self.index.leaf_id(leaf);
        let Doubts { found, of_landings, of_earlier_steps, .. } = &mut self.doubts;
        found.extend(old_plan(task.clone(), steps.last(), self.outdated[leaf]));
        let is_done = steps.last().is_some_and(|step| step.record.state().is_done());
        found.extend(of_landings[leaf].take().filter(|_| !is_done));
        let counted = steps.pop()?;
        for &EarlierStep { step, revert } in of_earlier_steps.get(&leaf).into_iter().flatten() {
            found.insert(Doubt::EarlierStep { task: task.clone(), step, revert, counted: counted.id });
        }
        // A branch and a landed commit that contains its work say the same.
        let is_landed = |step: &StepCommit| self.landed.believed.contains_key(&step.id);
        let agree = steps.iter().chain([&counted]).all(|step| completes(&step.record));
        let say_the_same = agree && (is_landed(&counted) || steps.iter().any(is_landed));
        if !steps.is_empty() && !say_the_same {
            let mut others: Vec<CommitId> = steps.iter().map(|step| step.id).collect();
            others.sort_unstable();
            found.insert(Doubt::SideBySide { task, counted: counted.id, others });
        }
        Some(counted)
    }
}

/// Among steps on parallel branches, the newest by committer date counts; if the dates are equal, the one that has taken its
/// task further. The id decides only which of two commits is named that say the same.
fn newness(step: &StepCommit) -> impl Ord + use<> {
    (step.time, step.record.progress(), step.id)
}
