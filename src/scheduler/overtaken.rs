//! Finds the tasks before whose merge nothing else is merged, because others were merged before them twice.

use crate::engine::run_loop::RunScope;
use crate::engine::run_loop::one_task::Engine;
use crate::error::Result;
use crate::history::{Repository, Run, StepValidity, read_steps};
use crate::plan::NodeIx;
use crate::record::TaskId;
use crate::workflow::was_overtaken_twice;

/// The tasks at an attempt to merge them that others have overtaken twice in earlier runs.
///
/// # Errors
/// If history cannot be read.
pub(crate) fn overtaken_before(engine: &Engine<'_>, scope: &RunScope) -> Result<Vec<NodeIx>> {
    let all = engine.read_all()?;
    let tree = &engine.run.plan.tree;
    let mut overtaken = Vec::new();
    for leaf in scope.tasks.leaves(tree).filter(|_| scope.begins_tasks()) {
        let id = &tree.node(leaf).id;
        let is_merging = all.branches.tasks.contains_key(id)
            && all.tasks.get(id).is_some_and(|step| step.record.merge.is_some());
        if is_merging && is_overtaken(engine.run.repository, &all, id)? {
            overtaken.push(leaf);
        }
    }
    Ok(overtaken)
}

/// Whether others have overtaken a task twice, which is finished or is merged with their work now.
///
/// # Errors
/// If history cannot be read.
pub(crate) fn is_overtaken(repository: &Repository, all: &Run, task: &TaskId) -> Result<bool> {
    let steps = read_steps(repository, &all.range, task)?;
    let counted = steps.iter().filter(|step| step.validity == StepValidity::Counts);
    Ok(was_overtaken_twice(counted.map(|step| &step.step.record)))
}
