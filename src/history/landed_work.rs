//! What landed commits have brought into a run, as its commits are read one after the other.

use std::collections::{HashMap, HashSet};

use super::graph::Node;
use super::landings::LandingVerdict;
use super::run::Index;
use crate::record::{CommitId, State, StepCommit, TaskId};

/// The verdict on each claim of a landed commit.
pub(super) type Landings = HashMap<Node, Vec<LandingVerdict>>;

/// What landed commits have brought.
pub(super) struct LandedWork<'r> {
    pub(super) verdicts: &'r Landings,
    /// The landed commits that are believed, each with its place in the order in which they were visited.
    pub(super) believed: HashMap<CommitId, usize>,
    /// For each task, its steps in the runs whose work landed commits contain.
    pub(super) contained: HashMap<usize, HashSet<CommitId>>,
}

impl<'r> LandedWork<'r> {
    /// Nothing yet, of landed commits that are judged like this.
    pub(super) fn of(verdicts: &'r Landings) -> Self {
        Self { verdicts, believed: HashMap::new(), contained: HashMap::new() }
    }

    /// Notes a landed commit that is believed.
    pub(super) fn believe(&mut self, id: CommitId) {
        let next = self.believed.len();
        self.believed.entry(id).or_insert(next);
    }

    /// Leaves out the steps whose work a landed commit beside them contains, together with what followed them in their run.
    pub(super) fn leave_out(&self, leaf: usize, steps: &mut Vec<StepCommit>) {
        let Some(contained) = self.contained.get(&leaf) else { return };
        if steps.iter().any(|step| self.believed.contains_key(&step.id)) {
            steps.retain(|step| self.believed.contains_key(&step.id) || !contained.contains(&step.id));
        }
    }
}

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
