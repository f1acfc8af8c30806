//! Reads the current run of the plan from history, with its open questions.

use super::branches::union::with_branches;
use super::plan::Plan;
use crate::error::Result;
use crate::git::WorkTree;
use crate::history::{Repository, Run, UnknownStep, counted, read_run as read_history, read_steps};
use crate::plan::NodeIx;
use crate::record::{Doubt, OpenQuestion, Question, State, StepRecord, TaskId, only_reopening_answers};
use crate::workflow::{Policy, was_overtaken_twice};

/// Reads the state of a plan from history, including that of branches of its phases that are not merged yet.
///
/// # Errors
/// If history cannot be read completely.
pub fn read_run(repository: &Repository, plan: &Plan, work_tree: &WorkTree) -> Result<Run> {
    let here = read_history(repository, plan.tip_in(repository)?, &plan.query())?;
    with_branches(repository, plan, here, Some(&work_tree.git_dir)).map(settled)
}

/// Like [`read_run`], but leaves steps alone that this version does not know.
///
/// # Errors
/// If history cannot be read completely.
pub fn read_run_to_check(repository: &Repository, plan: &Plan) -> Result<Run> {
    let here = read_history(repository, plan.tip_in(repository)?, &plan.query())?;
    with_branches(repository, plan, here, None)
}

/// Reads the state of a plan from the history of `HEAD` alone.
///
/// # Errors
/// As for [`read_run`].
pub(crate) fn read_here(repository: &Repository, plan: &Plan) -> Result<Run> {
    read_history(repository, plan.tip_in(repository)?, &plan.query()).map(settled)
}

/// The run in which steps that this version does not know leave doubts: nobody can say what they mean, so their tasks are
/// pending, and nothing else is affected.
pub(crate) fn settled(mut run: Run) -> Run {
    for UnknownStep { id, task, word } in &run.unknown {
        run.tasks.remove(task);
        run.edited.remove(task);
        run.phases.remove(task);
        run.doubts.push(Doubt::UnknownStep { task: task.clone(), step: *id, word: word.clone() });
    }
    run.doubts.sort();
    run.doubts.dedup();
    run
}

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
        let counted = counted(&steps);
        let records: Vec<StepRecord> = counted.map(|step| step.step.record).collect();
        open.push(OpenQuestion {
            task: task.clone(),
            question: Question::of(&repository.commit(&block.id)?.message),
            needs_reopening: only_reopening_answers(&records),
        });
    }
    Ok(open)
}

/// Whether others were merged before a task twice. Then it is finished, or is merged with their work now.
///
/// # Errors
/// If history cannot be read.
pub(crate) fn is_overtaken(repository: &Repository, run: &Run, task: &TaskId) -> Result<bool> {
    let steps = read_steps(repository, &run.range, task)?;
    let counted = counted(&steps);
    Ok(was_overtaken_twice(counted.map(|step| &step.step.record)))
}
