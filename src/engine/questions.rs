//! The questions of agents that nobody has answered yet.

use super::plan::Plan;
use crate::error::Result;
use crate::history::{Repository, Run, StepValidity, read_steps};
use crate::plan::NodeIx;
use crate::record::{OpenQuestion, Question, State, StepRecord, only_reopening_answers};
use crate::workflow::Policy;

/// The open questions about the tasks of a plan, in the order of execution. Whether a task waits for an answer depends on
/// its policy.
///
/// # Errors
/// If history cannot be read.
pub fn open_questions(
    repository: &Repository,
    plan: &Plan,
    run: &Run,
    policy_of: impl Fn(NodeIx) -> Policy,
) -> Result<Vec<OpenQuestion>> {
    let mut open = Vec::new();
    for leaf in plan.tree.order() {
        if plan.leaf_state(run, *leaf, &policy_of(*leaf)).state != State::Asked {
            continue;
        }
        let task = &plan.tree.node(*leaf).id;
        let Some(block) = run.tasks.get(task) else { continue };
        let steps = read_steps(repository, &run.range, task)?;
        let counted = steps.iter().filter(|step| step.validity == StepValidity::Counts);
        let records: Vec<StepRecord> = counted.map(|step| step.step.record).collect();
        open.push(OpenQuestion {
            task: task.clone(),
            question: Question::of(&repository.commit(&block.id)?.message),
            needs_reopening: only_reopening_answers(&records),
        });
    }
    Ok(open)
}
