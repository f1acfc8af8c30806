//! Reads what the commits of steps say, for everything that shows steps.

use std::collections::{HashMap, HashSet};

use crate::error::Result;
use crate::history::{Picked, StepValidity, TaskStep, pick_steps};
use crate::plan::NodeIx;
use crate::record::{CommitKind, StepFacts, TaskId};
use crate::report::StepView;
use crate::run::{LandedTasks, Plan, body_of};
use crate::session::plan_state::PlanState;

/// The steps of every task in the run of a plan, oldest first, also those that were reverted, but not those of an earlier plan. Of
/// landed tasks, they are those of their own run.
pub(crate) fn steps_of_all(
    plan_state: &PlanState,
    landed: &LandedTasks,
) -> Result<HashMap<TaskId, Vec<StepView>>> {
    let PlanState { session, run, .. } = plan_state;
    let picked = pick_steps(&session.repository, &run.range, |kind, message| match kind {
        CommitKind::Task(id, record) => Some((id.clone(), *record, StepFacts::of(message), body_of(message))),
        _ => None,
    })?;
    let mut steps: HashMap<TaskId, Vec<StepView>> = HashMap::new();
    for Picked { id: commit, time, validity, value: (id, record, facts, body) } in picked.into_iter().rev() {
        if validity != StepValidity::Outdated {
            let step = StepView { commit, time, record, validity, facts, body };
            steps.entry(id).or_default().push(step);
        }
    }
    let mut stand_ins: Vec<(TaskId, Vec<StepView>)> = Vec::new();
    for (task, of_task) in landed.in_place(|task| steps.get(task).is_some_and(|steps| has_end(steps))) {
        stand_ins.push((task.clone(), of_task.iter().rev().map(view_of).collect()));
    }
    steps.extend(stand_ins);
    Ok(steps)
}

/// Whether the newest of these steps that counts ends its task well; the oldest comes first.
pub(crate) fn has_end(steps: &[StepView]) -> bool {
    let newest = steps.iter().rfind(|step| step.validity == StepValidity::Counts);
    newest.is_some_and(|step| step.record.state().is_done())
}

/// A step as views show it.
pub(crate) fn view_of(step: &TaskStep) -> StepView {
    StepView {
        commit: step.step.id,
        time: step.step.time,
        record: step.step.record,
        validity: step.validity,
        facts: StepFacts::of(&step.message),
        body: body_of(&step.message),
    }
}

/// The tasks below these nodes in the order of execution; all tasks if there are none.
pub(crate) fn leaves_below(plan: &Plan, nodes: &[String]) -> Result<Vec<NodeIx>> {
    let tree = &plan.tree;
    if nodes.is_empty() {
        return Ok(tree.order().to_vec());
    }
    let nodes = nodes.iter().map(|id| plan.node_meant(id)).collect::<Result<Vec<NodeIx>>>()?;
    let below: HashSet<NodeIx> = nodes.into_iter().flat_map(|node| tree.leaves_below(node)).collect();
    Ok(tree.order().iter().copied().filter(|leaf| below.contains(leaf)).collect())
}
