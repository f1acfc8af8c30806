//! Reads what a report shows of a run.

use std::collections::HashSet;

use super::changes::changes_of;
use super::steps::{leaves_below, steps_of_all};
use crate::error::Result;
use crate::git::{Head, RUN_RECORDS};
use crate::publish::run_origin;
use crate::record::{CommitId, TaskId};
use crate::report::{ReportFormat, ReportInput, RunDocument};
use crate::run::LandedTasks;
use crate::session::Session;
use crate::session::plan_state::PlanState;

/// Reads what a format of a report shows, and hands its document over.
pub(crate) fn with_report<T>(
    plan_state: &PlanState,
    nodes: &[String],
    format: ReportFormat,
    use_it: impl FnOnce(&RunDocument<'_>) -> T,
) -> Result<T> {
    let leaves = leaves_below(&plan_state.plan, nodes)?;
    let landed = LandedTasks::read(&plan_state.session.repository, &plan_state.run)?;
    let steps = steps_of_all(plan_state, &landed)?;
    let landed = landed.commits();
    let ids = leaves.iter().map(|leaf| &plan_state.plan.tree.node(*leaf).id);
    let shown = ids.filter_map(|id| steps.get(id)).flatten();
    let changes = changes_of(&plan_state.session.git, shown, format)?;
    let Session { git, work_tree, repository, .. } = &plan_state.session;
    let origin = |anchor| run_origin(git, work_tree, repository, anchor);
    let base = plan_state.run.range.anchor().map(origin).transpose()?;
    let head = plan_state.run.range.head();
    let line = git.first_parents(plan_state.run.range.anchor().as_slice(), &head)?;
    let elsewhere = elsewhere(plan_state)?;
    let fetch = git.has_record(&head)?.then(|| format!("git fetch origin {RUN_RECORDS}{head}"));
    let branch = repository.branch().ok();
    let mut document = plan_state.document(plan_state.known()).with_doubts(&plan_state.run.doubts, &[]);
    document.branch = branch.as_ref().map(Head::branch_name);
    document.add_report(&ReportInput {
        steps: &steps,
        landed: &landed,
        leaves: &leaves,
        nodes,
        base,
        elsewhere: &elsewhere,
        line: &line,
        changes: &changes,
        fetch,
    });
    Ok(use_it(&document))
}

/// The tasks whose step that counts HEAD does not contain: it is on a branch that is not merged.
pub(crate) fn elsewhere(plan_state: &PlanState) -> Result<HashSet<TaskId>> {
    let PlanState { session, run, .. } = plan_state;
    if run.range.beside().is_empty() {
        return Ok(HashSet::new());
    }
    let steps: Vec<CommitId> = run.tasks.values().map(|step| step.id).collect();
    let here = session.repository.reached_from(run.range.head(), &steps)?;
    let tasks = run.tasks.iter().filter(|(_, step)| !here.contains(&step.id));
    Ok(tasks.map(|(task, _)| task.clone()).collect())
}
