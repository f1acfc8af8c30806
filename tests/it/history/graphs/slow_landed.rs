//! Says for the slow reader which landed commits of a generated history count, and for what.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};

use super::LEAVES;
use super::make::{Landed, LandedClaim, What};
use super::slow::{Slow, completes, landed};
use super::slow_plans::PlanRelation;
use super::slow_reverts::children_first;
use crate::support::repo::id;
use git_arborist::record::{By, Disbelief, Doubt, Outcome, Step, StepCommit, StepRecord};

/// What is believed of a claim of a landed commit about a task.
#[derive(Clone, Debug)]
pub(super) enum Belief {
    /// The steps of the task in the run that it names, if that is here.
    Believed(Option<BTreeSet<usize>>),
    Not(Disbelief),
}

/// What was found about claims, by commit, number and task: it depends only on the history of the commit.
pub(super) type Beliefs = RefCell<HashMap<(usize, usize, usize), Belief>>;

impl Slow<'_> {
    /// What is believed of the claims of a commit about a task, those first that count most.
    pub(super) fn beliefs(&self, leaf: usize, place: usize) -> Vec<Belief> {
        let What::Landed(Landed { base, .. }) = self.made.what[place] else { return Vec::new() };
        let claims = self.made.what[place].landed(leaf);
        claims.map(|(number, claim)| self.belief((place, number, leaf), base, claim)).collect()
    }

    pub(super) fn belief(&self, key: (usize, usize, usize), base: usize, claim: &LandedClaim) -> Belief {
        if let Some(known) = self.beliefs.borrow().get(&key) {
            return known.clone();
        }
        let (place, _, leaf) = key;
        let is_from_base = |place: usize| self.ancestors[place][base];
        let belief = match claim.tip {
            _ if claim.by_person.is_some_and(|landed| self.ancestors[place][landed]) => {
                Belief::Believed(None)
            }
            _ if claim.by_person.is_some() || !is_from_base(place) => Belief::Not(Disbelief::OtherHistory),
            None => Belief::Believed(None),
            Some(tip) if !is_from_base(tip) => Belief::Not(Disbelief::OtherHistory),
            Some(tip) => {
                let run = self.of_landed(base, tip);
                let is_unclear =
                    run.unknown_steps().iter().any(|&unknown| run.made.what[unknown] == What::Unknown(leaf));
                let latest = run.tasks().remove(&id(LEAVES[leaf].0));
                match latest.is_some_and(|step| step.record.state() == claim.state()) && !is_unclear {
                    true => {
                        let is_step = |place: &usize| {
                            run.inside[*place]
                                && run.is_about(leaf, *place)
                                && run.bearing(leaf, *place) != PlanRelation::OtherPlan
                        };
                        Belief::Believed(Some((0..self.ids.len()).filter(is_step).collect()))
                    }
                    false => Belief::Not(Disbelief::NotComplete),
                }
            }
        };
        self.beliefs.borrow_mut().insert(key, belief.clone());
        belief
    }

    /// Whether a commit is a step of a task.
    pub(super) fn is_about(&self, leaf: usize, place: usize) -> bool {
        matches!(self.made.what[place], What::Step(other, _) | What::Unknown(other) if other == leaf)
    }

    /// The believed claims of a commit about a task: the steps that each contains.
    pub(super) fn believed(&self, leaf: usize, place: usize) -> Vec<Option<BTreeSet<usize>>> {
        let believed = self.beliefs(leaf, place).into_iter().filter_map(|belief| match belief {
            Belief::Believed(contained) => Some(contained),
            Belief::Not(_) => None,
        });
        believed.collect()
    }

    /// All landed commits of a task in a run are one change: whether a commit is taken back with another one.
    pub(super) fn is_taken_back_with_others(&self, leaf: usize, place: usize) -> bool {
        let is_landed = |place: usize| self.made.what[place].landed(leaf).next().is_some();
        let takes_back = |other: usize| {
            let meant = &self.fates[other].work;
            let is_ours = |place: usize| self.inside[place] || self.anchor == Some(place);
            meant.iter().any(|&meant| is_ours(meant) && is_landed(meant))
                || is_landed(other) && !self.fates[other].counts
        };
        let above = |other: usize| self.inside[other] && self.ancestors[other][place];
        is_landed(place) && (0..self.ids.len()).any(|other| above(other) && takes_back(other))
    }

    /// The landed commits that count for a task.
    pub(super) fn landed_of(&self, leaf: usize) -> Vec<usize> {
        let counts = |place: &usize| {
            self.inside[*place]
                && self.fates[*place].counts
                && self.bearing(leaf, *place) == PlanRelation::Counts
                && !self.is_closed(leaf, *place)
                && !self.is_taken_back_with_others(leaf, *place)
                && !self.believed(leaf, *place).is_empty()
        };
        (0..self.ids.len()).filter(counts).collect()
    }

    /// The steps of a task and the landed commits that count for it.
    pub(super) fn elements(&self, leaf: usize) -> Vec<usize> {
        let mut all = self.steps_of(leaf);
        all.extend(self.landed_of(leaf));
        all
    }

    /// The elements of which no other one descends, without those for which another one stands.
    pub(super) fn heads(&self, leaf: usize) -> Vec<usize> {
        let mut heads = self.maximal(&self.elements(leaf));
        if heads.is_empty() {
            return self.at_anchor(leaf).into_iter().collect();
        }
        let landed = self.landed_of(leaf);
        let contained: BTreeSet<usize> =
            landed.iter().flat_map(|place| self.believed(leaf, *place)).flatten().flatten().collect();
        if !heads.iter().all(|head| contained.contains(head)) {
            heads.retain(|head| !contained.contains(head));
        }
        let steps: Vec<usize> = heads.iter().copied().filter(|head| !landed.contains(head)).collect();
        let is_beaten = |head: usize| {
            let Some(contained) = self.believed(leaf, head).into_iter().next() else { return false };
            let opens = |step: usize| match &self.made.what[step] {
                What::Step(other, record) => {
                    let opens_again = record.step == Step::REOPEN
                        || record.step == Step::REVIEW && record.outcome == Outcome::Fail;
                    let counts = self.all_steps(leaf).contains(&(self.ids[step], true));
                    *other == leaf && opens_again && counts && !self.reaches(head, step)
                }
                _ => false,
            };
            match contained {
                Some(_) => !steps.is_empty(),
                None => steps
                    .iter()
                    .any(|&step| (0..self.ids.len()).any(|other| self.reaches(step, other) && opens(other))),
            }
        };
        heads.retain(|head| !is_beaten(*head));
        // Beside what has landed with a run that is not here, steps count that have opened the task again, and no others.
        let is_landed = |head: &usize| landed.contains(head);
        if heads.iter().any(|head| is_landed(head) && self.believed(leaf, *head)[0].is_none()) {
            heads.retain(is_landed);
        }
        heads
    }

    /// What a landed commit is for its tasks: the first claim that is believed says it.
    pub(super) fn landed_record(&self, leaf: usize, place: usize) -> StepRecord {
        let claims = self.made.what[place].landed(leaf).zip(self.beliefs(leaf, place));
        let mut believed = claims.filter(|(_, belief)| matches!(belief, Belief::Believed(_)));
        let Some(((_, claim), _)) = believed.next() else { return landed() };
        let is_of_person = claim.skips || claim.by_person.is_some();
        let outcome = if claim.skips { Outcome::Skip } else { Outcome::Pass };
        StepRecord { by: if is_of_person { By::User } else { By::Run }, outcome, ..landed() }
    }

    /// Whether a step is taken back with a landed commit that stands for it, with which it had come together before.
    pub(super) fn is_taken_back_with_landed(&self, leaf: usize, step: usize) -> bool {
        if let Some(known) = self.with_landed.borrow().get(&(leaf, step)) {
            return *known;
        }
        let is_taken_back = self.takes_back_with_landed(leaf, step);
        self.with_landed.borrow_mut().insert((leaf, step), is_taken_back);
        is_taken_back
    }

    fn takes_back_with_landed(&self, leaf: usize, step: usize) -> bool {
        let contained = |landed: usize| self.believed(leaf, landed).into_iter().flatten().flatten();
        let is_reverted = |place: &usize| {
            let is_landed = self.made.what[*place].landed(leaf).next().is_some();
            let is_back = !self.fates[*place].counts || self.is_taken_back_with_others(leaf, *place);
            is_landed && self.inside[*place] && is_back
        };
        let reverted: BTreeSet<usize> = (0..self.ids.len()).filter(is_reverted).flat_map(contained).collect();
        let all = 0..self.ids.len();
        let takes_back = |revert: usize| {
            // One by one, or with the merge that brought them in.
            let named = self.fates[revert].takes_back.iter().copied();
            let meant =
                all.clone().filter(|place| self.fates[*place].reverted_by.contains(&revert)).chain(named);
            let mut landed = meant.filter(|landed| self.made.what[*landed].landed(leaf).next().is_some());
            landed.any(|landed| {
                let is_shown = self.believed(leaf, landed).iter().any(Option::is_some);
                let stands_for = contained(landed).any(|one| one == step) || reverted.contains(&step);
                let has_both = |place: usize| {
                    self.inside[place] && self.reaches(place, landed) && self.reaches(place, step)
                };
                is_shown
                    && stands_for
                    && all.clone().any(|place| has_both(place) && !self.reaches(place, revert))
            })
        };
        all.clone().any(|revert| self.inside[revert] && self.fates[revert].counts && takes_back(revert))
    }

    /// The commit that began the run, if it has landed the work of a task on which nobody has worked since.
    pub(super) fn at_anchor(&self, leaf: usize) -> Option<usize> {
        let anchor = self.anchor?;
        let is_taken_back = self.fates.iter().any(|fate| fate.takes_back.contains(&anchor));
        let counts = self.bearings[leaf].1 == PlanRelation::Counts && !self.believed(leaf, anchor).is_empty();
        (counts && !is_taken_back && self.outdated(leaf).is_none()).then_some(anchor)
    }

    /// The newest landed commit of a task that is not believed, unless one that counts followed.
    pub(super) fn disbelieved(&self, leaf: usize) -> Option<Doubt> {
        let landed = children_first(self).into_iter().filter(|place| {
            self.fates[*place].counts
                && self.bearing(leaf, *place) != PlanRelation::OtherPlan
                && !self.is_taken_back_with_others(leaf, *place)
                && !self.is_settled(leaf, *place)
        });
        let elements = self.elements(leaf);
        let mut doubts = landed.filter_map(|place| {
            let first = self.beliefs(leaf, place).into_iter().find_map(|belief| match belief {
                Belief::Believed(_) if elements.contains(&place) => Some(None),
                Belief::Believed(_) => None,
                Belief::Not(why) => Some(Some(why)),
            });
            Some(Doubt::Landing { task: id(LEAVES[leaf].0), commit: self.ids[place], why: first?? })
        });
        doubts.next()
    }

    /// The newest work on each task of a phase. A landed commit is none where its steps are here too.
    pub(super) fn work_of_phase(&self, phase: usize) -> Vec<usize> {
        let name = format!("p{phase}");
        let leaves = LEAVES.iter().enumerate().filter(|(_, (_, of))| *of == name);
        let work = leaves.flat_map(|(leaf, _)| {
            let mut heads = self.maximal(&self.elements(leaf));
            heads.retain(|head| match self.believed(leaf, *head).first() {
                Some(Some(contained)) => !contained.iter().any(|&step| self.inside[step]),
                Some(None) => !self.all_steps(leaf).iter().any(|&(id, counts)| {
                    let place = self.ids.iter().position(|other| *other == id).unwrap();
                    counts && matches!(&self.made.what[place], What::Step(_, record) if completes(record))
                }),
                None => true,
            });
            heads
        });
        work.collect()
    }

    /// The newest landed commit of a phase whose tasks were all landed or skipped.
    pub(super) fn landed_phase(&self, leaves: &[&str]) -> Option<StepCommit> {
        let tasks = self.tasks();
        let all: Vec<&StepCommit> = leaves.iter().map(|leaf| &tasks[&id(leaf)]).collect();
        let place_of = |step: &StepCommit| self.ids.iter().position(|id| *id == step.id).unwrap();
        let is_landed = |step: &StepCommit| matches!(self.made.what[place_of(step)], What::Landed(_));
        if !all.iter().all(|step| is_landed(step) || step.record.outcome == Outcome::Skip) {
            return None;
        }
        let order = children_first(self);
        let age = |step: &&&StepCommit| {
            let age = order.iter().position(|place| *place == place_of(step)).unwrap_or(usize::MAX);
            (age, step.record.by == By::User)
        };
        all.iter().filter(|step| is_landed(step)).min_by_key(age).map(|step| **step)
    }
}
