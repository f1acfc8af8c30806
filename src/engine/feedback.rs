//! Feedback from earlier steps for the next attempt, read only from their commits.

use super::implement_commits::{comparisons, implement_commits};
use super::plan::Plan;
use crate::error::Result;
use crate::git::Git;
use crate::history::{FollowedRun, Repository, StepValidity, TaskStep, changed_paths};
use crate::plan::NodeIx;
use crate::record::{
    By, Goal, NumberedList, Outcome, Question, RUNNER_LABEL, Step, StepFacts, StepRecord, TEST_LABEL, block,
};
use crate::text::{clean, one_line};
use crate::workflow::{DependencyFacts, Feedback, FeedbackSource, TaskFacts};

/// What the next agent has to know about a task: first what persons and agents have written, then its failures, that is, rejected
/// reviews, failed tests and failed implementations. Of both, the newest come first. An agent that is to do `next` is told
/// only what concerns it: what was wrong with the tests is no matter of the one that writes the code, once they are
/// written again.
#[must_use]
pub fn feedback_of(steps: &[TaskStep], next: Step) -> Vec<Feedback> {
    let counted = || steps.iter().filter(|step| step.validity == StepValidity::Counts);
    let is_remark =
        |step: &&TaskStep| matches!(step.step.record.step.row().goal, Goal::Record | Goal::Answer);
    let of_tests = |record: &StepRecord| record.rejects_tests || record.step.row().goal == Goal::TestsFail;
    let written = counted().position(|step| {
        step.step.record.step.row().goal == Goal::TestsFail && step.step.record.outcome == Outcome::Pass
    });
    let concerns = |(place, step): &(usize, &TaskStep)| {
        let record = &step.step.record;
        match next.row().goal {
            Goal::TestsFail => of_tests(record),
            _ => {
                record.step.row().goal != Goal::TestsFail
                    && !(record.rejects_tests && written.is_some_and(|written| written < *place))
            }
        }
    };
    let is_failure = |step: &&TaskStep| step.step.record.outcome == Outcome::Fail;
    let failures = counted().enumerate().filter(concerns).map(|(_, step)| step).filter(is_failure);
    let told = counted().filter(is_remark).chain(failures).filter_map(|step| {
        let title = match step.step.record.by {
            By::Reviewer => "Answer of the reviewer",
            By::Run | By::User => step.step.record.step.row().feedback?,
        };
        let (source, text) = match step.step.record.step.row().goal {
            Goal::Record if step.step.record.by == By::Reviewer => {
                (FeedbackSource::Agent, words_of(&step.message))
            }
            Goal::Record => (FeedbackSource::Person, words_of(&step.message)),
            Goal::Answer => (FeedbackSource::Agent, Question::of(&step.message).text),
            // The prompt shows the list by itself.
            Goal::Approval => {
                let body = NumberedList::Objections.removed_from(&body_of(&step.message));
                (FeedbackSource::Failure, without_label(&body).to_owned())
            }
            _ => (FeedbackSource::Failure, body_of(&step.message)),
        };
        (source == FeedbackSource::Failure || !text.is_empty()).then_some(Feedback { source, title, text })
    });
    told.collect()
}

/// What somebody has written in a step: its body or, if that is empty, its reason.
fn words_of(message: &[u8]) -> String {
    let body = body_of(message);
    if body.is_empty() { StepFacts::of(message).reason.unwrap_or_default() } else { body }
}

/// The body of a step's message: everything between its subject and its trailers.
#[must_use]
pub fn body_of(message: &[u8]) -> String {
    let end = block::locate(message).map_or(message.len(), |found| found.bytes().start);
    let text = String::from_utf8_lossy(&message[..end]);
    let body = text.trim_start().split_once('\n').map_or("", |(_, body)| body);
    let body = body.trim();
    without_label(body).to_owned()
}

/// The body of a review without the label above its only part.
fn without_label(body: &str) -> &str {
    body.strip_prefix("Review:\n").unwrap_or(body)
}

/// The output of test commands in the body of a step, which comes before that of its runner.
pub(super) fn test_output(message: &[u8]) -> String {
    let body = body_of(message);
    let lines = body.lines().skip_while(|line| !line.starts_with(TEST_LABEL));
    let output: Vec<&str> = lines.take_while(|line| !line.starts_with(RUNNER_LABEL)).collect();
    output.join("\n").trim().to_owned()
}

/// The description of a task for prompts.
///
/// # Errors
/// If history or an object cannot be read.
pub(super) fn task_facts(
    git: &Git,
    plan: &Plan,
    followed: &FollowedRun<'_>,
    leaf: NodeIx,
) -> Result<TaskFacts> {
    let node = plan.tree.node(leaf);
    let tests = node.test_commands.iter().map(|test| clean(test.command.as_bytes())).collect();
    let mut dependencies = Vec::new();
    for dependency in direct_leaves(plan, leaf) {
        let node = plan.tree.node(dependency);
        let files = files_of(git, followed.repository(), &followed.steps_of(&node.id)?)?;
        dependencies.push(DependencyFacts { id: node.id.clone(), name: node.name.clone(), files });
    }
    let awaited = followed.awaited()?;
    Ok(TaskFacts {
        expect: plan.tree.expect(leaf),
        awaited: awaited.names().take(AWAITED_LIMIT).map(one_line).collect(),
        id: node.id.clone(),
        name: node.name.clone(),
        description: clean(node.description.as_bytes()),
        tests,
        dependencies,
        protects: false,
        may_change: plan
            .tree
            .may_change(leaf)
            .iter()
            .map(|pattern| clean(pattern.as_str().as_bytes()))
            .collect(),
        touches: plan.tree.touches(leaf).iter().map(|pattern| clean(pattern.as_str().as_bytes())).collect(),
    })
}

/// How many awaited tests a prompt names.
const AWAITED_LIMIT: usize = 40;

/// How many dependencies a prompt describes.
const DEPENDENCIES_LIMIT: usize = 20;

fn direct_leaves(plan: &Plan, leaf: NodeIx) -> Vec<NodeIx> {
    let direct = plan.tree.dependencies(leaf);
    direct.into_iter().flat_map(|node| plan.tree.leaves_below(node)).take(DEPENDENCIES_LIMIT).collect()
}

/// The files that the implement steps of a task have changed.
pub(super) fn files_of(git: &Git, repository: &Repository, steps: &[TaskStep]) -> Result<Vec<String>> {
    let commits = implement_commits(git, steps);
    if commits.is_empty() {
        return Ok(Vec::new());
    }
    let paths = changed_paths(repository, &comparisons(&commits))?;
    Ok(paths.iter().map(|path| one_line(&String::from_utf8_lossy(path))).collect())
}
