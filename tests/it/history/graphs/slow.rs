//! A simple reader of generated histories that follows the rules without regard to speed.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use super::LEAVES;
use super::make::{Made, What};
use super::slow_landed::Beliefs;
use super::slow_plans::{PlanRelation, SlowPlans};
use super::slow_reverts::{Fate, children_first, fates};
use crate::support::repo::id;
use git_arborist::history::AnchorRule;
use git_arborist::record::{CommitId, Doubt, Outcome, Outdated, State, Step, StepCommit, StepRecord, TaskId};

/// What a landed commit is for its tasks.
pub(super) fn landed() -> StepRecord {
    StepRecord::of_run(Step::COMPLETE, Outcome::Pass, 0)
}

pub(super) fn completes(record: &StepRecord) -> bool {
    record.state() == State::Complete
}

/// Which commits the head reaches and the anchor does not.
fn range(ancestors: &[Vec<bool>], anchor: Option<usize>, head: usize) -> Vec<bool> {
    let reaches = |from: usize, to: usize| from == to || ancestors[from][to];
    let is_inside = |place| reaches(head, place) && !anchor.is_some_and(|anchor| reaches(anchor, place));
    (0..ancestors.len()).map(is_inside).collect()
}

/// The slow reading.
pub(super) struct Slow<'a> {
    pub(super) made: &'a Made,
    pub(super) ids: &'a [CommitId],
    /// For each commit, the ancestors, itself left out.
    pub(super) ancestors: Rc<Vec<Vec<bool>>>,
    pub(super) inside: Vec<bool>,
    pub(super) rule: AnchorRule,
    pub(super) anchor: Option<usize>,
    /// Whether the plan was elsewhere in the run of the head.
    was_moved: bool,
    pub(super) fates: Vec<Fate>,
    /// For each task, what each commit is to the plan, and what the commit is with which the run began.
    pub(super) bearings: Vec<(Vec<PlanRelation>, PlanRelation)>,
    /// For each task, the commits whose name of it no merge has dropped.
    taken: Vec<Vec<bool>>,
    pub(super) beliefs: Rc<Beliefs>,
    /// For tasks and steps, whether these are taken back with landed commits.
    pub(super) with_landed: RefCell<HashMap<(usize, usize), bool>>,
}

impl<'a> Slow<'a> {
    pub(super) fn new(made: &'a Made, ids: &'a [CommitId], rule: AnchorRule) -> Self {
        let size = ids.len();
        let mut ancestors = vec![vec![false; size]; size];
        for place in 0..size {
            for &parent in &made.commits[place].parents {
                let above = ancestors[parent].clone();
                ancestors[place].iter_mut().zip(above).for_each(|(mine, theirs)| *mine |= theirs);
                ancestors[place][parent] = true;
            }
        }
        let plans = SlowPlans { made, rule };
        let anchor = plans.anchor();
        let inside = range(&ancestors, anchor, size - 1);
        let bearings = LEAVES.iter().map(|(leaf, _)| plans.bearings(&inside, anchor, leaf)).collect();
        // A merge with the commit that began the run may keep the names that tasks have there.
        let mut with_anchor = inside.clone();
        anchor.into_iter().for_each(|anchor| with_anchor[anchor] = true);
        let taken = (0..LEAVES.len()).map(|leaf| plans.taken(&with_anchor, leaf)).collect();
        let (ancestors, fates, beliefs) = (Rc::new(ancestors), Vec::new(), Rc::default());
        let with_landed = RefCell::default();
        let was_moved = plans.was_moved(&with_anchor);
        Self {
            made,
            ids,
            ancestors,
            inside,
            rule,
            anchor,
            was_moved,
            fates,
            bearings,
            taken,
            beliefs,
            with_landed,
        }
        .with_fates()
    }

    /// The run that a landed commit names. All its steps count, unless they name another plan.
    pub(super) fn of_landed(&self, base: usize, tip: usize) -> Self {
        let inside = range(&self.ancestors, Some(base), tip);
        let plans = SlowPlans { made: self.made, rule: self.rule };
        let bearings = plans.bearings_of_landed(&inside, base, tip, self.was_moved);
        Self {
            ancestors: self.ancestors.clone(),
            inside,
            anchor: Some(base),
            fates: Vec::new(),
            bearings: vec![bearings; LEAVES.len()],
            taken: vec![vec![true; self.ids.len()]; LEAVES.len()],
            beliefs: self.beliefs.clone(),
            with_landed: RefCell::default(),
            ..*self
        }
        .with_fates()
    }

    pub(super) fn with_fates(mut self) -> Self {
        self.fates = fates(&self);
        self
    }

    pub(super) fn bearing(&self, leaf: usize, place: usize) -> PlanRelation {
        self.bearings[leaf].0[place]
    }

    /// Whether one commit is another or descends from it.
    pub(super) fn reaches(&self, from: usize, to: usize) -> bool {
        from == to || self.ancestors[from][to]
    }

    pub(super) fn anchor_id(&self) -> Option<CommitId> {
        self.anchor.map(|place| self.ids[place])
    }

    /// The steps of a leaf from when it had another name: nothing older than these counts.
    pub(super) fn closing(&self, leaf: usize) -> Vec<usize> {
        let closes = |&place: &usize| {
            self.is_work(leaf, place)
                && self.inside[place]
                && self.fates[place].counts
                && self.bearing(leaf, place) == PlanRelation::OtherName
                && self.taken[leaf][place]
        };
        (0..self.ids.len()).filter(closes).collect()
    }

    /// Whether the commit is a step of the leaf on which its state depends: a note is not.
    pub(super) fn is_work(&self, leaf: usize, place: usize) -> bool {
        matches!(self.made.what[place], What::Step(other, record) if other == leaf && ![Step::NOTE, Step::CLAIM].contains(&record.step))
    }

    pub(super) fn is_closed(&self, leaf: usize, place: usize) -> bool {
        self.closing(leaf).iter().any(|&step| self.ancestors[step][place])
    }

    /// Whether a step of a leaf is followed by one that resolves its doubts.
    pub(super) fn is_settled(&self, leaf: usize, place: usize) -> bool {
        let elements = self.elements(leaf);
        self.is_closed(leaf, place) || elements.iter().any(|&step| self.ancestors[step][place])
    }

    /// The counted commits of a kind. The plan always has the phases.
    pub(super) fn counted(&self, is: impl Fn(&What) -> bool) -> Vec<usize> {
        let counts = |place: usize| {
            let leaf = match self.made.what[place] {
                What::Step(leaf, _) | What::Unknown(leaf) => leaf,
                _ => LEAVES.len() - 1,
            };
            self.inside[place]
                && self.fates[place].counts
                && self.bearing(leaf, place) == PlanRelation::Counts
        };
        (0..self.ids.len()).filter(|&place| counts(place) && is(&self.made.what[place])).collect()
    }

    pub(super) fn maximal(&self, places: &[usize]) -> Vec<usize> {
        let is_top = |&place: &usize| !places.iter().any(|&other| self.ancestors[other][place]);
        places.iter().copied().filter(is_top).collect()
    }

    /// The newest of these commits, of which those that landed work say something about this task.
    pub(super) fn newest(&self, leaf: usize, places: &[usize]) -> Option<usize> {
        let key =
            |&place: &usize| (self.made.commits[place].time, self.how_far(leaf, place), self.ids[place]);
        places.iter().copied().max_by_key(key)
    }

    /// Of the same second, what has come further counts.
    pub(super) fn how_far(&self, leaf: usize, place: usize) -> (usize, u32, bool) {
        let record = match self.made.what[place] {
            What::Step(_, record) => record,
            What::Landed(_) => self.landed_record(leaf, place),
            _ => return (0, 0, matches!(self.made.what[place], What::Marker(_))),
        };
        let ways = [
            (Step::REOPEN, Outcome::Pass),
            (Step::RED, record.outcome),
            (Step::IMPLEMENT, record.outcome),
            (Step::TEST, record.outcome),
            (Step::REVIEW, record.outcome),
            (Step::BLOCK, Outcome::Pass),
            (Step::COMPLETE, Outcome::Fail),
            (Step::COMPLETE, Outcome::Skip),
            (Step::COMPLETE, Outcome::Pass),
        ];
        let way = ways.iter().position(|way| *way == (record.step, record.outcome)).unwrap();
        (way, record.attempt, record.outcome == Outcome::Pass)
    }

    pub(super) fn steps_of(&self, leaf: usize) -> Vec<usize> {
        let mut steps = self.counted(|what| matches!(what, What::Step(other, _) if *other == leaf));
        steps.retain(|&place| {
            self.is_work(leaf, place)
                && !self.is_closed(leaf, place)
                && !self.is_taken_back_with_landed(leaf, place)
        });
        steps
    }

    pub(super) fn step(&self, place: usize, record: StepRecord) -> StepCommit {
        StepCommit { id: self.ids[place], time: self.made.commits[place].time, record }
    }

    pub(super) fn tasks(&self) -> HashMap<TaskId, StepCommit> {
        let latest = |(leaf, (name, _)): (usize, &(&str, &str))| {
            let place = self.newest(leaf, &self.heads(leaf))?;
            let record = match self.made.what[place] {
                What::Step(_, record) => record,
                _ => self.landed_record(leaf, place),
            };
            Some((id(name), self.step(place, record)))
        };
        LEAVES.iter().enumerate().filter_map(latest).collect()
    }

    /// The newest step of each phase that ended so and has no later work. A phase with open tasks has none.
    pub(super) fn phases(&self, outcome: Outcome) -> HashMap<TaskId, StepCommit> {
        let tasks = self.tasks();
        let marked = |phase: usize| {
            let name = format!("p{phase}");
            let leaves: Vec<&str> =
                LEAVES.iter().filter(|(_, of)| *of == name).map(|(leaf, _)| *leaf).collect();
            let is_done =
                |leaf: &&str| tasks.get(&id(leaf)).is_some_and(|step| step.record.state().is_done());
            if !leaves.iter().all(is_done) {
                return None;
            }
            let steps = self.work_of_phase(phase);
            let of_phase = |what: &What| [What::Marker(phase), What::FailedPhase(phase)].contains(what);
            let markers = self.maximal(&self.counted(of_phase));
            let is_current = |marker: &usize| steps.iter().all(|&step| self.ancestors[*marker][step]);
            let current: Vec<_> = markers.into_iter().filter(is_current).collect();
            let Some(newest) = self.newest(0, &current) else {
                let landed = self.landed_phase(&leaves).filter(|_| outcome == Outcome::Pass);
                return landed.map(|step| (id(&name), step));
            };
            let record = match self.made.what[newest] {
                What::Marker(_) => StepRecord::of_run(Step::PHASE_COMPLETE, Outcome::Pass, 0),
                _ => StepRecord::of_run(Step::PHASE_TEST, Outcome::Fail, 0),
            };
            (record.outcome == outcome).then(|| (id(&name), self.step(newest, record)))
        };
        [1, 2].into_iter().filter_map(marked).collect()
    }

    pub(super) fn unknown(&self) -> BTreeSet<CommitId> {
        self.unknown_steps().into_iter().map(|place| self.ids[place]).collect()
    }

    pub(super) fn unknown_steps(&self) -> Vec<usize> {
        let is_latest = |&place: &usize| {
            let What::Unknown(leaf) = self.made.what[place] else { return false };
            !self.is_settled(leaf, place)
        };
        let places = self.counted(|what| matches!(what, What::Unknown(_)));
        places.into_iter().filter(is_latest).collect()
    }

    /// All steps of a leaf in the range, and whether each counts.
    pub(super) fn all_steps(&self, leaf: usize) -> BTreeSet<(CommitId, bool)> {
        let is_step = |place: &usize| {
            let is_ours = self.inside[*place] && self.bearing(leaf, *place) != PlanRelation::OtherPlan;
            is_ours && matches!(self.made.what[*place], What::Step(other, _) if other == leaf)
        };
        let counts = |place: usize| {
            self.fates[place].counts
                && self.bearing(leaf, place) == PlanRelation::Counts
                && !self.is_closed(leaf, place)
        };
        (0..self.ids.len()).filter(is_step).map(|place| (self.ids[place], counts(place))).collect()
    }

    /// What does not count because of the plan or of its own history, unless the task is done.
    pub(super) fn doubts_about(&self, leaf: usize) -> Vec<Doubt> {
        let latest = self.tasks().remove(&id(LEAVES[leaf].0)).map(|step| step.record);
        if latest.is_some_and(|latest| latest.state().is_done()) {
            return Vec::new();
        }
        self.outdated(leaf).into_iter().chain(self.disbelieved(leaf)).collect()
    }

    /// The newest step of a leaf that does not count because of the plan, unless one that counts followed.
    pub(super) fn outdated(&self, leaf: usize) -> Option<Doubt> {
        let task = id(LEAVES[leaf].0);
        let why = |place: usize| {
            let is_landed =
                !self.believed(leaf, place).is_empty() && !self.is_taken_back_with_others(leaf, place);
            let is_step = self.is_work(leaf, place) || is_landed;
            let why = match self.bearing(leaf, place) {
                PlanRelation::OtherName => Outdated::OtherName,
                PlanRelation::NotNamed => Outdated::NotNamed,
                PlanRelation::OtherRun => Outdated::OtherRun,
                PlanRelation::Counts | PlanRelation::OtherPlan => return None,
            };
            (is_step && self.fates[place].counts && !self.is_settled(leaf, place)).then_some((place, why))
        };
        let (place, why) = children_first(self).into_iter().find_map(why)?;
        Some(Doubt::OldPlan { task, step: self.ids[place], why })
    }

    /// The steps of a leaf that were reverted, with the reverts that no step of the leaf follows, while a later step counts.
    pub(super) fn reverted_alone(&self, leaf: usize) -> Vec<(usize, BTreeSet<CommitId>)> {
        let mut settling = self.closing(leaf);
        settling.extend(self.elements(leaf));
        let is_followed = |place: usize| settling.iter().any(|&step| self.ancestors[step][place]);
        let alone = |place: usize| {
            let is_step = self.is_work(leaf, place) || !self.believed(leaf, place).is_empty();
            let is_ours = self.inside[place] && self.bearing(leaf, place) == PlanRelation::Counts;
            let reverts = self.fates[place].reverted_by.iter().filter(|&&revert| !is_followed(revert));
            let reverts: BTreeSet<_> = reverts.map(|&revert| self.ids[revert]).collect();
            (is_step && is_ours && is_followed(place) && !reverts.is_empty()).then_some((place, reverts))
        };
        (0..self.ids.len()).filter_map(alone).collect()
    }

    /// Takes out the steps that were reverted alone; each has to be found, with any revert that says so.
    pub(super) fn without_reverted_alone(
        &self,
        mut found: BTreeSet<Doubt>,
    ) -> Result<BTreeSet<Doubt>, String> {
        for (leaf, (name, _)) in LEAVES.iter().enumerate() {
            let task = id(name);
            let Some(latest) = self.tasks().remove(&task) else { continue };
            for (place, reverts) in self.reverted_alone(leaf) {
                let with = |revert: &CommitId| Doubt::EarlierStep {
                    task: task.clone(),
                    step: self.ids[place],
                    revert: *revert,
                    counted: latest.id,
                };
                if !reverts.iter().any(|revert| found.remove(&with(revert))) {
                    return Err(format!(
                        "{name}: the revert of {} by any of {reverts:?} is not named",
                        self.ids[place]
                    ));
                }
            }
        }
        Ok(found)
    }

    /// The other doubts: steps of earlier plans, steps on parallel branches, and reverts of unknown commits.
    pub(super) fn other_doubts(&self) -> BTreeSet<Doubt> {
        let mut doubts: BTreeSet<Doubt> =
            (0..LEAVES.len()).flat_map(|leaf| self.doubts_about(leaf)).collect();
        for (leaf, (name, _)) in LEAVES.iter().enumerate() {
            let heads = self.heads(leaf);
            let Some(counted) = self.newest(leaf, &heads) else { continue };
            let mut others: Vec<_> =
                heads.iter().filter(|&&place| place != counted).map(|&place| self.ids[place]).collect();
            others.sort();
            let is_landed = |place: &usize| matches!(self.made.what[*place], What::Landed(_));
            let state = |place: usize| match &self.made.what[place] {
                What::Step(_, record) => record.state(),
                _ => self.landed_record(leaf, place).state(),
            };
            let is_same = |place: &usize| state(*place) == state(counted);
            let say_the_same =
                state(counted).is_done() && heads.iter().all(is_same) && heads.iter().any(is_landed);
            let latest = self.maximal(&self.elements(leaf));
            if !others.is_empty() && !say_the_same {
                doubts.insert(Doubt::SideBySide { task: id(name), counted: self.ids[counted], others });
            }
            for (place, fate) in self.fates.iter().enumerate() {
                for task in &fate.unknown {
                    let concerns = task.is_none_or(|task| task == *name);
                    if concerns && latest.iter().any(|&step| self.ancestors[place][step]) {
                        let task = task.map(id);
                        doubts.insert(Doubt::UnknownRevert { task, revert: self.ids[place] });
                    }
                }
            }
        }
        doubts
    }
}
