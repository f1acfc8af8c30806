//! Finds out which questions of agents are answered. A task whose question is answered is where it was before the question.

use super::commit_files::{content_of, files_at};
use super::range::Range;
use super::repository::Repository;
use super::run::Run;
use super::steps::{TaskStep, read_steps};
use crate::error::Result;
use crate::plan::asks_otherwise;
use crate::record::{CommitId, QuestionState, Step, StepRecord, TaskId, question_state};

/// Puts each task whose question is answered back to its last step before the question.
pub(super) fn settle_questions(repository: &Repository, mut run: Run) -> Result<Run> {
    let asked: Vec<(TaskId, CommitId)> = run
        .tasks
        .iter()
        .filter(|(_, step)| step.record.step == Step::BLOCK)
        .map(|(task, step)| (task.clone(), step.id))
        .collect();
    for (task, block) in asked {
        let steps = steps_around(repository, &run.range, &task, block)?;
        let records: Vec<StepRecord> = steps.iter().map(|step| step.step.record).collect();
        let is_edited = is_edited_since(repository, &run.range, &task, block)?;
        match question_state(&records, is_edited) {
            QuestionState::Open => {}
            QuestionState::Answered(Some(before)) => {
                run.tasks.insert(task, steps[before].step);
            }
            QuestionState::Answered(None) => {
                run.tasks.remove(&task);
            }
        }
    }
    Ok(run)
}

/// The steps of a task that count, newest first, of which those after the question descend from it.
fn steps_around(
    repository: &Repository,
    range: &Range,
    task: &TaskId,
    block: CommitId,
) -> Result<Vec<TaskStep>> {
    let mut steps = read_steps(repository, range, task)?;
    steps.retain(TaskStep::counts);
    let place = steps.iter().position(|step| step.step.id == block).unwrap_or(0);
    let before = steps.split_off(place);
    let mut around = Vec::with_capacity(place + before.len());
    for step in steps {
        if repository.reaches(step.step.id, block)? {
            around.push(step);
        }
    }
    around.extend(before);
    Ok(around)
}

/// Whether the plan at the head asks something else of a task than at the commit of its question.
fn is_edited_since(repository: &Repository, range: &Range, task: &TaskId, block: CommitId) -> Result<bool> {
    let Some(path) = range.plan_path() else { return Ok(false) };
    let before = repository.read_range(range, |graph, reading| {
        let there = graph.number(&block).map(|node| reading.versions.at(node));
        there.and_then(<[_]>::first).map(|version| version.path.to_bytes())
    })?;
    let path = path.to_bytes();
    let then = files_at(repository, &block, &[before.unwrap_or_else(|| path.clone())])?;
    let now = files_at(repository, &range.head(), &[path])?;
    let ([Some(then)], [Some(now)]) = (then.as_slice(), now.as_slice()) else { return Ok(false) };
    if then == now {
        return Ok(false);
    }
    let (then, now) = (content_of(repository, *then)?, content_of(repository, *now)?);
    Ok(asks_otherwise(&then, &now, task.as_str()))
}
