//! Decides what a history says about each task: which of its steps is the latest, and what is not certain about that.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::bits::Bits;
use super::graph::{Commit, Known, Node, Said};
use super::landed_work::{Head, Heads, LandedWork, LandingVerdict, Verdicts, taken_back};
use super::order::fold_ancestors;
use super::phase_marks::PhaseSoFar;
use super::plan_version::PlanRelation;
use super::range::Range;
use super::reading::{Entry, Reading};
use super::reverts::RevertTarget;
use super::run::{Index, IndexSlot, Run, UnknownStep, completes, outdated};
use crate::plan::OpenBranches;
use crate::record::{
    By, CommitId, CommitKind, Doubt, Effect, Outcome, Outdated, State, StepCommit, StepRecord, StepValidity,
    TaskId,
};

/// The state of the tasks of an index at the end of a range, whose landed commits were judged.
pub(super) fn latest<'a>(
    graph: &'a Known,
    range: &Range,
    reading: &'a Reading,
    verdicts: &'a Verdicts,
    index: &'a Index<'a>,
) -> Run {
    let mut latest = Latest {
        graph,
        reading,
        verdicts,
        index,
        tasks: vec![Vec::new(); index.leaf_count()],
        phases: vec![PhaseSoFar::default(); index.phase_count()],
        outdated: vec![None; index.leaf_count()],
        disbelieved: vec![None; index.leaf_count()],
        believed: HashMap::new(),
        landed: vec![Vec::new(); index.leaf_count()],
        taken_back: taken_back(graph, reading, verdicts),
        edited: HashSet::new(),
        unknown: Vec::new(),
        lost_reverts: Vec::new(),
        later: HashMap::new(),
        earlier: HashMap::new(),
        doubts: BTreeSet::new(),
        next: index.leaf_count() + index.phase_count(),
    };
    let mut entries = reading.entries.as_slice();
    fold_ancestors(graph, &reading.reachability, &reading.order, |node, descendants| {
        let count = entries.iter().take_while(|entry| entry.node == node).count();
        let (here, rest) = entries.split_at(count);
        entries = rest;
        latest.take(node, here, descendants);
    });
    if let Some(anchor) = reading.anchor {
        latest.take_anchor(anchor);
    }
    latest.finish(range.clone().found(reading.anchor.map(|anchor| graph.commit(anchor).id)))
}

/// Takes commits with children before parents. The sets of descendants contain, in this order: the tasks that have a
/// step there, the phases with new work, and one number for each latest marker and each revert of an unknown commit.
struct Latest<'a> {
    graph: &'a Known,
    reading: &'a Reading,
    verdicts: &'a Verdicts,
    index: &'a Index<'a>,
    /// The steps of each task that no other counted step of it descends from.
    tasks: Vec<Vec<Head>>,
    phases: Vec<PhaseSoFar>,
    /// For each task, the newest step after the last one that counts, and why it does not count.
    outdated: Vec<Option<(CommitId, Outdated)>>,
    /// For each task, the newest landed commit after its last step that is not believed.
    disbelieved: Vec<Option<Doubt>>,
    /// The landed commits that are believed, the newest with the smallest number.
    believed: HashMap<CommitId, usize>,
    /// For each task, the landed commits that count.
    landed: Vec<Vec<LandedWork>>,
    /// The steps that are taken back with the landed commits that stand for them.
    taken_back: HashSet<Node>,
    /// The tasks that were edited since a commit completed them, and that commit.
    edited: HashSet<(usize, CommitId)>,
    unknown: Vec<UnknownStep>,
    /// Reverts of commits that are not in the range, each with its number, and the task that it names.
    lost_reverts: Vec<(Node, usize, Option<&'a str>)>,
    /// What descends from each revert.
    later: HashMap<Node, Bits>,
    /// For each task, the steps that were reverted although a later one counts, and the revert.
    earlier: HashMap<usize, Vec<(CommitId, CommitId)>>,
    doubts: BTreeSet<Doubt>,
    next: usize,
}

impl<'a> Latest<'a> {
    fn take(&mut self, node: Node, entries: &[Entry], descendants: &mut Bits) {
        if let Some(targets) = self.reading.reverts.get(&node)
            && !self.reading.reverted_by.contains_key(&node)
        {
            self.later.insert(node, descendants.clone());
            for target in targets {
                if let RevertTarget::Unknown(task) = target {
                    let number = self.fresh();
                    descendants.insert(number);
                    self.lost_reverts.push((node, number, task.as_deref()));
                }
            }
        }
        let Some(said) = self.graph.said(node) else { return };
        for entry in entries {
            match (entry.landing, self.index.slot(entry)) {
                (Some(at), Some(IndexSlot::Leaf(leaf))) => {
                    self.take_landed(said, entry, at, leaf, descendants);
                }
                (None, Some(slot)) => self.take_step(said, entry, slot, descendants),
                (_, None) | (Some(_), Some(IndexSlot::Phase(_))) => {}
            }
        }
    }

    /// Takes a landed commit, as if it were the last step of its task if it is believed.
    fn take_landed(&mut self, said: &Said, entry: &Entry, at: usize, leaf: usize, descendants: &mut Bits) {
        if entry.is_of_other_plan()
            || entry.is_reverted && !self.reading.reverted_by.contains_key(&entry.node)
        {
            // Reverted with another landed commit of the task, or none of ours.
            return;
        }
        let commit = self.graph.commit(entry.node).id;
        let verdict = &self.verdicts[&entry.node][at];
        if let Err(why) = verdict.on(&entry.name) {
            if !entry.is_reverted && !descendants.contains(leaf) {
                let task = self.index.leaf_id(leaf);
                self.disbelieved[leaf].get_or_insert(Doubt::Landing { task, commit, why });
            }
            return;
        }
        let mut is_beside_steps = false;
        if entry.validity() == Some(StepValidity::Counts) {
            let contained = match verdict {
                LandingVerdict::Shown(steps) => Some(steps[entry.name.as_str()].iter().copied().collect()),
                LandingVerdict::Believed | LandingVerdict::Disbelieved => None,
            };
            let work = LandedWork { commit, contained };
            is_beside_steps = work.is_beside_steps(self.graph, self.reading, &entry.name);
            self.landed[leaf].push(work);
        }
        self.believe(commit);
        // Where its steps are here too, what was said of the phase after them is as true as before.
        self.take_task(entry, leaf, said.landed_record(at), !is_beside_steps, descendants);
    }

    fn believe(&mut self, commit: CommitId) {
        let next = self.believed.len();
        self.believed.entry(commit).or_insert(next);
    }

    /// Takes the commit that began the run, which is not part of it, but may also have landed work: a squash contains the
    /// plan as well.
    fn take_anchor(&mut self, node: Node) {
        let (Some(said), Some(verdicts)) = (self.graph.said(node), self.verdicts.get(&node)) else { return };
        if self.reading.reverted_by.contains_key(&node) {
            return;
        }
        let Commit { id, time, .. } = *self.graph.commit(node);
        for (at, verdict) in verdicts.iter().enumerate().rev() {
            for task in said.landings[at].named().map(TaskId::as_str) {
                let Some(leaf) = self.index.leaf(task) else { continue };
                let is_open = self.tasks[leaf].is_empty() && self.outdated[leaf].is_none();
                let counts = self.reading.versions.judge(node, task, &said.text.plan) == PlanRelation::Counts;
                if is_open && counts && verdict.on(task).is_ok() {
                    let step = StepCommit { id, time, record: said.landed_record(at) };
                    self.believe(id);
                    self.tasks[leaf].push(Head { node, step });
                }
            }
        }
    }

    /// Takes a step. Its trailers are only read if something may depend on them.
    fn take_step(&mut self, said: &Said, entry: &Entry, slot: IndexSlot, descendants: &mut Bits) {
        let is_settled = match slot {
            IndexSlot::Leaf(leaf) => {
                descendants.contains(leaf)
                    && !entry.is_reverted
                    && !self.tasks[leaf].iter().any(|head| head.step.record.is_joint)
            }
            IndexSlot::Phase(_) => false,
        };
        if is_settled {
            return;
        }
        let commit = self.graph.commit(entry.node);
        match (&said.text.kind, slot) {
            (CommitKind::Task(_, record), _) if record.step.row().effect == Effect::None => {}
            (CommitKind::Task(_, record), IndexSlot::Leaf(leaf)) => {
                self.take_task(entry, leaf, *record, true, descendants);
            }
            _ if entry.is_reverted || outdated(entry.relation).is_some() || entry.is_of_other_plan() => {}
            (CommitKind::Phase(_, record), IndexSlot::Phase(phase)) => {
                descendants.insert(self.phase_bit(phase));
                let number = self.fresh();
                let step = StepCommit { id: commit.id, time: commit.time, record: *record };
                if self.phases[phase].take_marker(step, number, descendants) {
                    descendants.insert(number);
                }
            }
            (CommitKind::UnknownStep(task, word), slot) => {
                let bit = match slot {
                    IndexSlot::Leaf(leaf) => leaf,
                    IndexSlot::Phase(phase) => self.phase_bit(phase),
                };
                if !descendants.contains(bit) {
                    let (id, task, word) = (commit.id, task.clone(), word.clone());
                    self.unknown.push(UnknownStep { id, task, word });
                }
            }
            _ => {}
        }
    }

    /// Takes a commit that is a step of a task, or stands for one.
    fn take_task(
        &mut self,
        entry: &Entry,
        leaf: usize,
        record: StepRecord,
        is_work: bool,
        descendants: &mut Bits,
    ) {
        let commit = self.graph.commit(entry.node);
        let is_followed = descendants.contains(leaf);
        if entry.is_of_other_plan() {
        } else if let Some(why) = outdated(entry.relation) {
            if !entry.is_reverted && !is_followed {
                self.outdated[leaf].get_or_insert((commit.id, why));
                if entry.closes {
                    // A task with another name is another task, and it was worked on since.
                    descendants.insert(leaf);
                }
            }
        } else if let Some(reverts) = self.reading.reverted_by.get(&entry.node) {
            let is_last = |revert: &&Node| self.later.get(revert).is_some_and(|later| !later.contains(leaf));
            if is_followed && let Some(revert) = reverts.iter().find(is_last) {
                let revert = self.graph.commit(*revert).id;
                self.earlier.entry(leaf).or_default().push((commit.id, revert));
            }
        } else if entry.landing.is_none() && self.taken_back.contains(&entry.node) {
            // No revert names it, so that there is nothing to say about it.
        } else if is_followed && entry.landing.is_none() {
            // A merge of a whole run brings its steps, which say more of each task than the merge.
            let mut joint =
                self.tasks[leaf].iter_mut().map(|head| &mut head.step).filter(|step| step.record.is_joint);
            if let (true, Some(landed)) = (completes(&record), joint.next()) {
                landed.record.is_joint = false;
                landed.record.proof = record.proof;
            }
        } else if !is_followed {
            self.take_latest(entry.node, leaf, record, is_work, descendants);
        }
    }

    fn take_latest(
        &mut self,
        node: Node,
        leaf: usize,
        record: StepRecord,
        is_work: bool,
        descendants: &mut Bits,
    ) {
        let commit = self.graph.commit(node);
        let task = self.index.leaf_id(leaf);
        for (revert, number, named) in &self.lost_reverts {
            if descendants.contains(*number) && named.is_none_or(|named| named == task.as_str()) {
                let (task, revert) = (named.map(|_| task.clone()), self.graph.commit(*revert).id);
                self.doubts.insert(Doubt::UnknownRevert { task, revert });
            }
        }
        if completes(&record) && self.reading.versions.is_edited_since(node, task.as_str()) {
            self.edited.insert((leaf, commit.id));
        }
        if is_work {
            let phase = self.index.phase_of(leaf);
            self.phases[phase].take_step(descendants);
            descendants.insert(self.phase_bit(phase));
        }
        descendants.insert(leaf);
        let step = StepCommit { id: commit.id, time: commit.time, record };
        self.tasks[leaf].push(Head { node, step });
    }

    /// A number that was never used before.
    fn fresh(&mut self) -> usize {
        self.next += 1;
        self.next - 1
    }

    fn phase_bit(&self, phase: usize) -> usize {
        self.index.leaf_count() + phase
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
        let (mut phases, mut failed_phases) = (HashMap::new(), HashMap::new());
        for (phase, so_far) in std::mem::take(&mut self.phases).into_iter().enumerate() {
            let steps: Vec<Option<&StepCommit>> =
                index.leaves_of(phase).map(|task| tasks.get(task)).collect();
            let is_done = |step: &Option<&StepCommit>| step.is_some_and(|step| step.record.state().is_done());
            // A phase with open tasks is not complete, no matter who says so.
            if !steps.iter().all(is_done) {
                continue;
            }
            let id = index.phase_id(phase);
            match so_far.current().max_by_key(newness) {
                Some(marker) if marker.record.outcome == Outcome::Fail => {
                    failed_phases.insert(id, marker);
                }
                Some(marker) => {
                    phases.insert(id, marker);
                }
                None => phases.extend(self.landed_phase(&steps).map(|step| (id, step))),
            }
        }
        Run {
            range,
            tasks,
            phases,
            failed_phases,
            unknown: self.unknown,
            doubts: self.doubts.into_iter().collect(),
            edited,
            branches: OpenBranches::default(),
        }
    }

    /// The newest landed commit of a phase whose tasks were all landed or skipped. Only a run that is complete is landed as a
    /// whole, so the tests of the phase have passed.
    fn landed_phase(&self, steps: &[Option<&StepCommit>]) -> Option<StepCommit> {
        let is_landed = |step: &&StepCommit| self.believed.contains_key(&step.id);
        let counts = |step: &StepCommit| is_landed(&step) || step.record.state() == State::Skipped;
        let all = steps.iter().flatten().copied();
        let is_whole = all.clone().all(counts);
        // Of the claims of one commit, that counts which is not the word of a person.
        let age = |step: &&StepCommit| (self.believed[&step.id], step.record.by == By::User);
        is_whole.then(|| all.filter(is_landed).min_by_key(age).copied()).flatten()
    }

    /// The step of a task that counts, of those that no other one descends from, and what is uncertain about that.
    fn counted(&mut self, leaf: usize, heads_of_task: Vec<Head>) -> Option<StepCommit> {
        let task = self.index.leaf_id(leaf);
        let heads =
            Heads { graph: self.graph, reading: self.reading, task: &task, landed: &self.landed[leaf] };
        let mut steps = heads.without_what_was_landed(heads_of_task);
        steps.sort_unstable_by_key(newness);
        let is_done = steps.last().is_some_and(|step| step.record.state().is_done());
        if !is_done {
            let outdated =
                self.outdated[leaf].map(|(step, why)| Doubt::OldPlan { task: task.clone(), step, why });
            self.doubts.extend(outdated);
            self.doubts.extend(self.disbelieved[leaf].take());
        }
        let counted = steps.pop()?;
        for (step, revert) in self.earlier.remove(&leaf).into_iter().flatten() {
            self.doubts.insert(Doubt::EarlierStep { task: task.clone(), step, revert, counted: counted.id });
        }
        // A branch and a landed commit that contains its work say the same.
        let is_landed = |step: &StepCommit| self.believed.contains_key(&step.id);
        let state = counted.record.state();
        let agree = state.is_done() && steps.iter().all(|step| step.record.state() == state);
        let say_the_same = agree && (is_landed(&counted) || steps.iter().any(is_landed));
        if !steps.is_empty() && !say_the_same {
            let mut others: Vec<CommitId> = steps.iter().map(|step| step.id).collect();
            others.sort_unstable();
            self.doubts.insert(Doubt::SideBySide { task, counted: counted.id, others });
        }
        Some(counted)
    }
}

/// Among steps on parallel branches, the newest by committer date counts; if the dates are equal, the one that has taken its
/// task further. The id decides only which of two commits is named that say the same.
fn newness(step: &StepCommit) -> impl Ord + use<> {
    (step.time, step.record.progress(), step.id)
}
