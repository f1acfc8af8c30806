//! Feedback from earlier steps for the next attempt, read only from their commits.

use super::implement_commits::{comparisons, implement_commits};
use super::plan::Plan;
use crate::error::Result;
use crate::git::Git;
use crate::history::{FollowedRun, Repository, StepValidity, TaskStep, changed_paths};
use crate::plan::NodeIx;
use crate::record::{Outcome, block};
use crate::text::clean;
use crate::workflow::{DependencyFacts, Feedback, TaskFacts};

/// The failures of a task, newest first: rejected reviews, failed tests, failed implementations.
#[must_use]
pub fn feedback_of(steps: &[TaskStep]) -> Vec<Feedback> {
    let failures = steps
        .iter()
        .filter(|step| step.validity == StepValidity::Counts && step.step.record.outcome == Outcome::Fail);
    let told = failures.filter_map(|step| {
        let title = step.step.record.step.row().feedback?;
        Some(Feedback { title, text: body_of(&step.message) })
    });
    told.collect()
}

/// The body of a step's message: everything between its subject and its trailers.
#[must_use]
pub fn body_of(message: &[u8]) -> String {
    let end = block::locate(message).map_or(message.len(), |found| found.bytes().start);
    let text = String::from_utf8_lossy(&message[..end]);
    let body = text.trim_start().split_once('\n').map_or("", |(_, body)| body);
    let body = body.trim();
    body.strip_prefix("Review:\n").unwrap_or(body).to_owned()
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
    Ok(TaskFacts {
        id: node.id.clone(),
        name: node.name.clone(),
        description: clean(node.description.as_bytes()),
        tests,
        dependencies,
        touches: plan.tree.touches(leaf).iter().map(|pattern| clean(pattern.as_str().as_bytes())).collect(),
    })
}

/// How many dependencies a prompt describes.
const DEPENDENCIES_LIMIT: usize = 20;

fn direct_leaves(plan: &Plan, leaf: NodeIx) -> Vec<NodeIx> {
    let direct = plan.tree.dependencies(leaf);
    direct.into_iter().flat_map(|node| plan.tree.leaves_below(node)).take(DEPENDENCIES_LIMIT).collect()
}

fn files_of(git: &Git, repository: &Repository, steps: &[TaskStep]) -> Result<Vec<String>> {
    let commits = implement_commits(git, steps);
    if commits.is_empty() {
        return Ok(Vec::new());
    }
    let paths = changed_paths(repository, &comparisons(&commits))?;
    Ok(paths.iter().map(|path| crate::text::one_line(&String::from_utf8_lossy(path))).collect())
}
