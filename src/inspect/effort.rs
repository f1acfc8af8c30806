//! Reads what the steps of each task have taken.

use std::collections::HashMap;

use crate::error::Result;
use crate::history::{Picked, StepValidity, pick_efforts};
use crate::record::TaskId;
use crate::report::{Effort, WorkedStep};
use crate::session::plan_state::PlanState;

/// What the steps of each task in the run have taken, even those that do not count any more.
pub(crate) fn effort(plan_state: &PlanState) -> Result<HashMap<TaskId, Effort>> {
    let PlanState { session, run, .. } = plan_state;
    let mut steps: HashMap<TaskId, Vec<WorkedStep>> = HashMap::new();
    for Picked { value: (id, record, effort), validity, .. } in pick_efforts(&session.repository, &run.range)?
    {
        if validity != StepValidity::Outdated {
            steps.entry(id).or_default().push(WorkedStep { record, effort });
        }
    }
    let of_task = |(id, mut steps): (TaskId, Vec<WorkedStep>)| {
        // They were read newest first.
        steps.reverse();
        (id, Effort::of(&steps))
    };
    Ok(steps.into_iter().map(of_task).collect())
}
