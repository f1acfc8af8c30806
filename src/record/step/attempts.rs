//! The attempts at a task: which of its steps belong to one, and how many there were.

use std::collections::HashSet;

use super::{By, Effect, Goal, Outcome, StepRecord};

/// Splits the steps of a task, oldest first, into its attempts. Steps that are not part of an attempt, such as its end
/// and notes, belong to the attempt before them.
pub fn by_attempt<T>(steps: &[T], record: impl Fn(&T) -> StepRecord) -> Vec<AttemptSteps<'_, T>> {
    let mut attempts = Vec::new();
    let (mut first, mut number, mut merge) = (0, None, None);
    let mut before: Option<StepRecord> = None;
    for (place, now) in steps.iter().map(record).enumerate() {
        if now.step.leaves_the_work_as_it_was() {
            continue;
        }
        if now.step.is_part_of_an_attempt() {
            let is_of = |record: StepRecord| (record.attempt, record.merge);
            let differs = |before: StepRecord| {
                is_of(now) != is_of(before) || now.step <= before.step && !decides_about(now, before)
            };
            if before.is_some_and(differs) {
                attempts.push(AttemptSteps { number, merge, steps: &steps[first..place] });
                (first, number, merge) = (place, None, None);
            }
            match now.merge {
                Some(_) => merge = merge.or(now.merge),
                None => _ = number.get_or_insert(now.attempt),
            }
        }
        before = Some(now);
    }
    if first < steps.len() {
        attempts.push(AttemptSteps { number, merge, steps: &steps[first..] });
    }
    attempts
}

/// Whether a person has decided here about work that a review has approved, as at a gate. That is no attempt of its own.
fn decides_about(now: StepRecord, before: StepRecord) -> bool {
    let is_review = |record: StepRecord| record.step.row().goal == Goal::Approval;
    now.by == By::User && is_review(now) && is_review(before) && before.outcome == Outcome::Pass
}

/// How many attempts at a task these steps, oldest first, were. An attempt to merge the finished task is none. A task that begins
/// again numbers its attempts anew; until then, a number is one attempt, even if some of its steps were made twice.
pub fn attempts_made<T>(steps: &[T], record: impl Fn(&T) -> StepRecord) -> usize {
    let (mut made, mut numbers) = (0, HashSet::new());
    for now in steps.iter().map(record) {
        if matches!(now.step.row().effect, Effect::End | Effect::Restart) {
            made += std::mem::take(&mut numbers).len();
        } else if now.step.is_part_of_an_attempt() && now.merge.is_none() {
            numbers.insert(now.attempt);
        }
    }
    made + numbers.len()
}

/// The steps of one attempt at a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttemptSteps<'s, T> {
    /// Its number, from 0; `None` if there was no attempt, only decisions and notes of a person or an attempt to merge the
    /// finished task.
    pub number: Option<u32>,
    /// The number of the attempt to merge the finished task, from 0, if it is one.
    pub merge: Option<u32>,
    /// Its steps, oldest first.
    pub steps: &'s [T],
}

impl<T> AttemptSteps<'_, T> {
    /// Its number; that of the attempt at the task before it if it is an attempt to merge.
    pub fn number_of(&self, record: impl Fn(&T) -> StepRecord) -> u32 {
        let merges =
            || self.merge.and_then(|_| self.steps.iter().map(record).find(|step| step.merge == self.merge));
        self.number.or_else(|| merges().map(|step| step.attempt)).unwrap_or(0)
    }
}
