//! Decides which phases landed commits complete.

use std::collections::HashMap;

use super::run::Index;
use crate::record::{CommitId, State, StepCommit, TaskId};

/// Marks the phases whose tasks were all landed. Only a run that is complete is landed as a whole, so their own tests have
/// passed. `landed` has the landed commits that are believed, the newest with the smallest number.
pub(super) fn add_landed_phases(
    index: &Index<'_>,
    landed: &HashMap<CommitId, usize>,
    tasks: &HashMap<TaskId, StepCommit>,
    phases: &mut HashMap<TaskId, StepCommit>,
) {
    let mut newest: Vec<Option<StepCommit>> = vec![None; index.phase_count()];
    let mut is_open = vec![false; index.phase_count()];
    for leaf in 0..index.leaf_count() {
        let phase = index.phase_of(leaf);
        match tasks.get(&index.leaf_id(leaf)) {
            Some(step) if landed.contains_key(&step.id) => {
                newest[phase] = newest[phase].into_iter().chain([*step]).min_by_key(|step| landed[&step.id]);
            }
            Some(step) if step.record.state() == State::Skipped => {}
            _ => is_open[phase] = true,
        }
    }
    for (phase, newest) in newest.into_iter().enumerate() {
        if let Some(step) = newest.filter(|_| !is_open[phase]) {
            phases.entry(index.phase_id(phase)).or_insert(step);
        }
    }
}
