//! Chooses the test commands that a merged tree has to pass.

use std::collections::{BTreeSet, HashSet};

use super::build::BuildInputs;
use super::parts::NewTip;
use crate::error::Result;
use crate::history::Run;
use crate::plan::{NodeIx, TestCommand, TestType};
use crate::record::TaskId;
use crate::run::steps::branch_line::BranchLine;

/// The commands for a new tip: those of its tasks and of the tasks that were merged since their branches began, those that have
/// sent a task back, those of tasks that wrote tests which no other task can make pass, those of the phases that they complete, and
/// the suite. A single task whose branch contains everything else
/// was tested as it is, unless it has merged something: what came in that way was judged by the task's own tests alone.
pub(super) fn commands(inputs: &BuildInputs<'_>, run: &Run, tip: &NewTip) -> Result<Vec<TestCommand>> {
    let BuildInputs { repository, plan, suite, .. } = inputs;
    let mut leaves: BTreeSet<NodeIx> = BTreeSet::new();
    let mut repeated = Vec::new();
    let mut has_merged = false;
    for merged in &tip.merged {
        let line = BranchLine::read(repository, merged.finished.branch.tip, run.range.head())?;
        leaves.extend(line.beside(repository, plan, run)?);
        repeated.extend(line.commands_that_sent_back(plan, suite.as_deref()));
        has_merged |= !line.merges.is_empty();
    }
    let is_as_tested = tip.merged.len() == 1
        && leaves.is_empty()
        && repeated.is_empty()
        && !has_merged
        && repository.reaches(tip.merged[0].finished.branch.tip, tip.from)?;
    if !is_as_tested {
        leaves.extend(tip.merged.iter().map(|merged| merged.finished.leaf));
    }
    if !is_as_tested {
        let owed = inputs.awaited(run, tip.to)?.owed;
        leaves.extend(owed.iter().filter_map(|(_, task)| plan.tree.find(task.as_str())));
    }
    let of_leaves = leaves.iter().flat_map(|leaf| plan.tree.node(*leaf).test_commands.iter().cloned());
    let suite = suite.iter().filter(|_| !is_as_tested || !tip.phases.is_empty());
    let suite = suite.map(|command| TestCommand::suite(command));
    let mut seen = HashSet::new();
    let all = of_leaves.chain(repeated).chain(of_phases(inputs, &tip.phases)).chain(suite);
    let all = all.filter(|command| command.kind != TestType::Mutation);
    Ok(all.filter(|command| seen.insert((command.kind, command.command.clone()))).collect())
}

/// The commands that decide whether these phases are complete.
pub(super) fn of_phases(inputs: &BuildInputs<'_>, phases: &[TaskId]) -> Vec<TestCommand> {
    let phases = phases.iter().filter_map(|id| inputs.plan.tree.find(id.as_str()));
    phases.flat_map(|phase| inputs.plan.tests_of_phase(phase)).collect()
}
