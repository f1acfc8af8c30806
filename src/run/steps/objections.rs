//! The objections of the last review of a task, and what the authors of the change have answered since then: all of it
//! read from commits.

use std::collections::BTreeMap;

use super::feedback::listed_in;
use crate::history::{StepValidity, TaskStep};
use crate::record::{Goal, NumberedList, Outcome, Step};
use crate::workflow::Objection;

/// The objections of the newest review of a task that concern a step, unless it approved. Objections to the tests do not
/// concern the agent that implements. `steps` are those of the task, newest first.
pub(crate) fn open_objections(steps: &[TaskStep], step: Step) -> Vec<Objection> {
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
