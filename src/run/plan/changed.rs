//! Reports that a changed plan began a new run, and which tasks will be done again because of it.

use super::Plan;
use crate::error::Result;
use crate::history::{RepoPath, Repository, Run, files_at, read_run};
use crate::record::{CommitId, State};

/// How many tasks are named.
const NAMED: usize = 5;
/// How many commits are searched for a plan that was removed, before the one that added it again. A new plan replaced no other, and to
/// find that out, the entire older history would have to be read.
const FAR: usize = 100;

/// The warning that, because the plan was changed, a new run will do tasks again that the previous run had completed
/// (docs/plans.md). `None` if there are no such tasks, or if this cannot be known.
///
/// # Errors
/// If history cannot be read.
pub(crate) fn plan_changed_warning(
    repository: &Repository,
    plan: &Plan,
    run: &Run,
) -> Result<Option<String>> {
    let Some(anchor) = run.range.anchor().filter(|_| run.tasks.is_empty()) else { return Ok(None) };
    // What cannot be read there does not belong to this run.
    let Ok(Some(before)) = with_earlier_plan(repository, plan, &anchor) else { return Ok(None) };
    let Ok(earlier) = read_run(repository, before, &plan.query()) else { return Ok(None) };
    let leaves = plan.tree.order().iter().filter(|leaf| plan.state(&earlier, **leaf) == State::Complete);
    let done: Vec<&str> = leaves.map(|leaf| plan.tree.node(*leaf).id.as_str()).collect();
    Ok((!done.is_empty()).then(|| sentence(plan, &anchor, &done)))
}

/// The newest commit before this one that has a plan in the same file.
fn with_earlier_plan(repository: &Repository, plan: &Plan, anchor: &CommitId) -> Result<Option<CommitId>> {
    let Some(path) = plan.query().tree_file.map(RepoPath::to_bytes) else { return Ok(None) };
    let mut at = repository.first_parent(anchor)?;
    for _ in 0..FAR {
        let Some(commit) = at else { break };
        if files_at(repository, &commit, std::slice::from_ref(&path))?[0].is_some() {
            return Ok(Some(commit));
        }
        at = repository.first_parent(&commit)?;
    }
    Ok(None)
}

fn sentence(plan: &Plan, anchor: &CommitId, done: &[&str]) -> String {
    let named = done.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
    let more = if done.len() > NAMED { format!(" and {} more", done.len() - NAMED) } else { String::new() };
    format!(
        "{} was changed in {}, and a new run begins there: the tasks that were complete ({named}{more}) will be done \
         again",
        plan.shown,
        anchor.short()
    )
}
