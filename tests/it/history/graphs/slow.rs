//! A plain, slow reading of a made history, by the rules and without a thought of speed.

use std::collections::{BTreeSet, HashMap};

use super::LEAVES;
use super::make::{Made, What};
use super::slow_reverts::{Fate, fates};
use crate::support::repo::id;
use git_arborist::record::{CommitId, Doubt, Outcome, Step, StepCommit, StepRecord, TaskId};

/// The slow reading.
pub(super) struct Slow<'a> {
    pub(super) made: &'a Made,
    pub(super) ids: &'a [CommitId],
    /// For each commit, the ancestors, itself left out.
    pub(super) ancestors: Vec<Vec<bool>>,
    pub(super) inside: Vec<bool>,
    fates: Vec<Fate>,
}

impl<'a> Slow<'a> {
    pub(super) fn new(made: &'a Made, ids: &'a [CommitId], anchor: Option<CommitId>) -> Self {
        let size = ids.len();
        let mut ancestors = vec![vec![false; size]; size];
        for place in 0..size {
            for &parent in &made.commits[place].parents {
                let above = ancestors[parent].clone();
                ancestors[place].iter_mut().zip(above).for_each(|(mine, theirs)| *mine |= theirs);
                ancestors[place][parent] = true;
            }
        }
        let anchor = anchor.map(|id| ids.iter().position(|other| *other == id).unwrap());
        let reaches = |from: usize, to: usize| from == to || ancestors[from][to];
        let inside: Vec<_> = (0..size)
            .map(|place| reaches(size - 1, place) && !anchor.is_some_and(|anchor| reaches(anchor, place)))
            .collect();
        let mut slow = Self { made, ids, ancestors, inside, fates: Vec::new() };
        slow.fates = fates(&slow);
        slow
    }

    /// Whether one commit is another or descends from it.
    pub(super) fn reaches(&self, from: usize, to: usize) -> bool {
        from == to || self.ancestors[from][to]
    }

    /// The counted commits of a kind.
    fn counted(&self, is: impl Fn(&What) -> bool) -> Vec<usize> {
        let counts = |place: usize| self.inside[place] && self.fates[place].counts;
        (0..self.ids.len()).filter(|&place| counts(place) && is(&self.made.what[place])).collect()
    }

    fn maximal(&self, places: &[usize]) -> Vec<usize> {
        let is_top = |&place: &usize| !places.iter().any(|&other| self.ancestors[other][place]);
        places.iter().copied().filter(is_top).collect()
    }

    fn newest(&self, places: &[usize]) -> Option<usize> {
        places.iter().copied().max_by_key(|&place| (self.made.commits[place].time, self.ids[place]))
    }

    fn steps_of(&self, leaf: usize) -> Vec<usize> {
        self.counted(|what| matches!(what, What::Step(other, _) if *other == leaf))
    }

    fn step(&self, place: usize, record: StepRecord) -> StepCommit {
        StepCommit { id: self.ids[place], time: self.made.commits[place].time, record }
    }

    pub(super) fn tasks(&self) -> HashMap<TaskId, StepCommit> {
        let latest = |(leaf, (name, _)): (usize, &(&str, &str))| {
            let place = self.newest(&self.maximal(&self.steps_of(leaf)))?;
            let What::Step(_, record) = self.made.what[place] else { panic!("no step") };
            Some((id(name), self.step(place, record)))
        };
        LEAVES.iter().enumerate().filter_map(latest).collect()
    }

    fn steps_of_phase(&self, phase: usize) -> Vec<usize> {
        let name = format!("p{phase}");
        let leaves = LEAVES.iter().enumerate().filter(|(_, (_, of))| *of == name);
        leaves.flat_map(|(leaf, _)| self.steps_of(leaf)).collect()
    }

    pub(super) fn phases(&self) -> HashMap<TaskId, StepCommit> {
        let marked = |phase: usize| {
            let steps = self.steps_of_phase(phase);
            let markers = self.maximal(&self.counted(|what| *what == What::Marker(phase)));
            let is_current = |marker: &usize| steps.iter().all(|&step| self.ancestors[*marker][step]);
            let current: Vec<_> = markers.into_iter().filter(is_current).collect();
            let record = StepRecord { step: Step::PHASE_COMPLETE, outcome: Outcome::Pass, attempt: 0 };
            Some((id(&format!("p{phase}")), self.step(self.newest(&current)?, record)))
        };
        [1, 2].into_iter().filter_map(marked).collect()
    }

    pub(super) fn unknown(&self) -> BTreeSet<CommitId> {
        let is_latest = |&place: &usize| {
            let What::Unknown(leaf) = self.made.what[place] else { return false };
            !self.steps_of(leaf).iter().any(|&step| self.ancestors[step][place])
        };
        let places = self.counted(|what| matches!(what, What::Unknown(_)));
        places.into_iter().filter(is_latest).map(|place| self.ids[place]).collect()
    }

    /// All steps of a leaf in the range, and whether each counts.
    pub(super) fn all_steps(&self, leaf: usize) -> BTreeSet<(CommitId, bool)> {
        let is_step = |place: &usize| {
            self.inside[*place] && matches!(self.made.what[*place], What::Step(other, _) if other == leaf)
        };
        let places = (0..self.ids.len()).filter(is_step);
        places.map(|place| (self.ids[place], self.fates[place].counts)).collect()
    }

    /// The tasks with a step about which a revert leaves a doubt that no later step has settled.
    pub(super) fn doubtful_tasks(&self) -> BTreeSet<TaskId> {
        let is_doubtful = |leaf: usize| {
            let steps = self.steps_of(leaf);
            let open = |place: usize| !steps.iter().any(|&step| self.ancestors[step][place]);
            (0..self.ids.len()).any(|place| {
                let is_step = matches!(self.made.what[place], What::Step(other, _) if other == leaf);
                self.inside[place] && is_step && self.fates[place].doubt && open(place)
            })
        };
        let leaves = LEAVES.iter().enumerate().filter(|(leaf, _)| is_doubtful(*leaf));
        leaves.map(|(_, (name, _))| id(name)).collect()
    }

    /// The other doubts: steps side by side, and reverts of nobody knows what.
    pub(super) fn other_doubts(&self) -> BTreeSet<Doubt> {
        let mut doubts = BTreeSet::new();
        for (leaf, (name, _)) in LEAVES.iter().enumerate() {
            let latest = self.maximal(&self.steps_of(leaf));
            let Some(counted) = self.newest(&latest) else { continue };
            let mut others: Vec<_> =
                latest.iter().filter(|&&place| place != counted).map(|&place| self.ids[place]).collect();
            others.sort();
            if !others.is_empty() {
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
