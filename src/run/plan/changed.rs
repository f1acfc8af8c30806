//! Reports that a changed plan began a new run, and which tasks will be done again because of it.

use super::Plan;
use crate::error::Result;
use crate::git::Git;
use crate::history::{Repository, Run, read_run};
use crate::record::{CommitId, State};

/// How many tasks are named.
const NAMED: usize = 5;

/// The warning that, because the plan was changed, a new run will do tasks again that the previous run had completed
/// (docs/plans.md). `None` if there are no such tasks, or if this cannot be known.
///
/// # Errors
/// If git fails.
pub(crate) fn plan_changed_warning(
    git: &Git,
    repository: &Repository,
    plan: &Plan,
    run: &Run,
) -> Result<Option<String>> {
    let Some(anchor) = run.range.anchor().filter(|_| run.tasks.is_empty()) else { return Ok(None) };
    let Some(before) = repository.first_parent(&anchor)? else { return Ok(None) };
    // A new plan replaced no other, and to find that out, the entire older history would have to be read.
    if !git.has_path(&before, &plan.shown)? {
        return Ok(None);
    }
    // Steps that cannot be read there do not belong to this run.
    let Ok(earlier) = read_run(repository, before, &plan.query()) else { return Ok(None) };
    let leaves = plan.tree.order().iter().filter(|leaf| plan.state(&earlier, **leaf) == State::Complete);
    let done: Vec<&str> = leaves.map(|leaf| plan.tree.node(*leaf).id.as_str()).collect();
    Ok((!done.is_empty()).then(|| sentence(plan, &anchor, &done)))
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
