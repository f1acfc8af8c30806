//! Reads the facts of a run that reports show.

use std::collections::HashSet;

use super::changes::changes_of;
use super::steps::{leaves_below, steps_of_all};
use crate::error::Result;
use crate::git::RUN_RECORDS;
use crate::publish::run_origin;
use crate::record::{CommitId, TaskId};
use crate::report::{ReportFormat, RunInput, RunReport, TasksOfRun};
use crate::session::Session;
use crate::session::plan_state::PlanState;

/// The facts of a run that a format shows.
pub(crate) fn report_of(plan_state: &PlanState, nodes: &[String], format: ReportFormat) -> Result<RunReport> {
    let leaves = leaves_below(&plan_state.plan, nodes)?;
    let steps = steps_of_all(plan_state)?;
    let ids = leaves.iter().map(|leaf| &plan_state.plan.tree.node(*leaf).id);
    let shown = ids.filter_map(|id| steps.get(id)).flatten();
    let changes = changes_of(&plan_state.session.git, shown, format)?;
    let top = plan_state.session.work_tree.top.file_name().unwrap_or_default().to_string_lossy();
    let session = &plan_state.session;
    let Session { git, work_tree, repository, .. } = session;
    let origin = |anchor| run_origin(git, work_tree, repository, anchor);
    let base = plan_state.run.range.anchor().map(origin).transpose()?;
    let line =
        session.git.first_parents(plan_state.run.range.anchor().as_slice(), &plan_state.run.range.head())?;
    let elsewhere = elsewhere(plan_state)?;
    let input = RunInput {
        tasks: TasksOfRun { plan_view: plan_state.plan_view(), steps: &steps, leaves: &leaves },
        source: plan_state.source(),
        title: plan_state.plan.tree.spec_id().unwrap_or(&top),
        base,
        markers: &plan_state.run.phases,
        doubts: &plan_state.run.doubts,
        nodes,
        elsewhere: &elsewhere,
        line: &line,
        changes: &changes,
    };
    let mut report = input.report();
    let head = plan_state.run.range.head();
    if session.git.has_record(&head)? {
        report.fetch_first(&format!("git fetch origin {RUN_RECORDS}{head}"));
    }
    Ok(report)
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
