//! Chooses the test commands that a merged tree has to pass.

use std::collections::{BTreeSet, HashSet};

use super::build::BuildInputs;
use super::parts::NewTip;
use crate::engine::phase_tests::tests_of_phase;
use crate::error::Result;
use crate::history::Run;
use crate::plan::{TestCommand, TestType};

/// The commands for a new tip: those of its tasks and of the tasks that were merged since their branches began, those of the
/// phases that they complete, and the suite. A single task whose branch contains everything else was tested as it is.
pub(super) fn commands(inputs: &BuildInputs<'_>, run: &Run, tip: &NewTip) -> Result<Vec<TestCommand>> {
    let tree = &inputs.plan.tree;
    let mut leaves = BTreeSet::new();
    for merged in &tip.merged {
        leaves.extend(inputs.merged_beside(run, &merged.branch)?);
    }
    let is_as_tested = tip.merged.len() == 1
        && leaves.is_empty()
        && inputs.repository.reaches(tip.merged[0].branch.tip, tip.from)?;
    if !is_as_tested {
        leaves.extend(tip.merged.iter().map(|merged| merged.leaf));
    }
    let of_leaves = leaves.iter().flat_map(|leaf| tree.node(*leaf).test_commands.iter().cloned());
    let phases = tip.phases.iter().filter_map(|id| tree.find(id.as_str()));
    let of_phases = phases.flat_map(|phase| tests_of_phase(inputs.plan, phase));
    let suite = inputs
        .suite
        .iter()
        .filter(|_| !is_as_tested || !tip.phases.is_empty())
        .map(|command| TestCommand::suite(command));
    let mut seen = HashSet::new();
    let all = of_leaves.chain(of_phases).chain(suite);
    let all = all.filter(|command| command.kind != TestType::Mutation);
    Ok(all.filter(|command| seen.insert((command.kind, command.command.clone()))).collect())
}
