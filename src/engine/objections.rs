//! The objections of the last review of a task, and what the authors of the change have answered since then: all of it
//! read from commits.

use std::collections::BTreeMap;

use super::feedback::body_of;
use crate::history::{StepValidity, TaskStep};
use crate::record::{By, Goal, NumberedList, Outcome, Step};
use crate::workflow::{Objection, read_review};

/// The objections of the newest review of a task that concern a step, unless it approved. Objections to the tests do not
/// concern the agent that implements. `steps` are those of the task, newest first.
pub(super) fn open_objections(steps: &[TaskStep], step: Step) -> Vec<Objection> {
    let goal = |step: &TaskStep| step.step.record.step.row().goal;
    let counted: Vec<&TaskStep> = steps.iter().filter(|step| step.validity == StepValidity::Counts).collect();
    let Some(at) = counted.iter().position(|step| goal(step) == Goal::Approval) else { return Vec::new() };
    let review = &counted[at].step.record;
    let only_tests = review.rejects_tests && step.row().goal == Goal::Change;
    if review.outcome == Outcome::Pass || only_tests {
        return Vec::new();
    }
    let mut answers: BTreeMap<usize, String> = BTreeMap::new();
    for step in counted[..at].iter().rev() {
        answers.extend(NumberedList::Answers.recorded_in(&step.message));
    }
    let listed = listed_in(counted[at]);
    listed
        .into_iter()
        .map(|(number, text)| Objection { number, text, answer: answers.remove(&number) })
        .collect()
}

/// The objections in the message of a review. A person only writes the review.
fn listed_in(review: &TaskStep) -> BTreeMap<usize, String> {
    match review.step.record.by {
        By::User => {
            numbered(read_review(body_of(&review.message).as_bytes()).remarks.iter().map(ToString::to_string))
        }
        By::Run | By::Reviewer => NumberedList::Objections.recorded_in(&review.message),
    }
}

/// A list with numbers from 1.
pub(super) fn numbered(items: impl IntoIterator<Item = String>) -> BTreeMap<usize, String> {
    items.into_iter().zip(1..).map(|(item, number)| (number, item)).collect()
}
