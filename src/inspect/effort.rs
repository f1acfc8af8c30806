//! Reads what the steps of each task have taken.

use std::collections::HashMap;

use crate::error::Result;
use crate::history::{Picked, StepValidity, TaskStep, pick_efforts};
use crate::record::{StepEffort, StepFacts, TaskId};
use crate::report::{Effort, WorkedStep};
use crate::run::LandedTasks;
use crate::session::plan_state::PlanState;

/// What the steps of each task in the run have taken, even those that do not count any more; of landed tasks, those of their own run.
pub(crate) fn effort(plan_state: &PlanState) -> Result<HashMap<TaskId, Effort>> {
    let PlanState { session, run, .. } = plan_state;
    let mut steps: HashMap<TaskId, Vec<WorkedStep>> = HashMap::new();
    // The newest step of a task that counts comes first.
    let mut is_done: HashMap<TaskId, bool> = HashMap::new();
    for Picked { value: (id, record, effort), validity, .. } in pick_efforts(&session.repository, &run.range)?
    {
        if validity == StepValidity::Counts {
            is_done.entry(id.clone()).or_insert_with(|| record.state().is_done());
        }
        if validity != StepValidity::Outdated {
            steps.entry(id).or_default().push(WorkedStep { record, effort });
        }
    }
    let landed = LandedTasks::read(&session.repository, run)?;
    for (task, of_task) in landed.in_place(|task| is_done.get(task) == Some(&true)) {
        steps.insert(task.clone(), of_task.iter().map(worked).collect());
    }
    let of_task = |(id, mut steps): (TaskId, Vec<WorkedStep>)| {
        // They were read newest first.
        steps.reverse();
        (id, Effort::of(&steps))
    };
    Ok(steps.into_iter().map(of_task).collect())
}

fn worked(step: &TaskStep) -> WorkedStep {
    let facts = StepFacts::of(&step.message);
    WorkedStep { record: step.step.record, effort: StepEffort { worked: facts.worked(), usage: facts.usage } }
}
