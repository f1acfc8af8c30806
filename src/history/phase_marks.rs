//! Decides which phases the commits of a run mark as complete, and of which phases the tests have failed.

use std::collections::HashMap;

use super::bits::Bits;
use super::run::Index;
use crate::record::{CommitId, Outcome, State, StepCommit, TaskId};

/// The latest steps of phases that have no later work.
#[derive(Debug, Default)]
pub(super) struct PhaseMarks {
    /// Of the phases that are complete.
    pub(super) complete: HashMap<TaskId, StepCommit>,
    /// Of the phases whose tests, or the suite after them, have failed.
    pub(super) failed: HashMap<TaskId, StepCommit>,
}

/// The latest step of a phase.
pub(super) struct PhaseStep {
    /// The phase.
    pub(super) id: TaskId,
    /// Whether it has a task that is neither complete nor skipped.
    pub(super) is_open: bool,
    /// The step.
    pub(super) step: StepCommit,
}

impl PhaseMarks {
    /// Sorts the latest steps of phases. A phase with open tasks is not complete, whoever says so.
    pub(super) fn of(latest: impl Iterator<Item = PhaseStep>) -> Self {
        let mut marks = Self::default();
        for PhaseStep { id, step, .. } in latest.filter(|latest| !latest.is_open) {
            let marked = match step.record.outcome {
                Outcome::Fail => &mut marks.failed,
                Outcome::Pass | Outcome::Skip => &mut marks.complete,
            };
            marked.insert(id, step);
        }
        marks
    }
}

/// The steps of one phase, as they are found with children before parents.
#[derive(Clone, Debug, Default)]
pub(super) struct PhaseSoFar {
    /// The markers that no other marker of the phase descends from.
    markers: Vec<Marker>,
    has_steps: bool,
}

#[derive(Clone, Debug)]
struct Marker {
    step: StepCommit,
    number: usize,
    /// Whether a step of the phase is not an ancestor of the marker.
    is_stale: bool,
}

impl PhaseSoFar {
    /// Takes a step of a task of the phase. `descendants` has the numbers of the markers that descend from it.
    pub(super) fn take_step(&mut self, descendants: &Bits) {
        self.has_steps = true;
        for marker in &mut self.markers {
            marker.is_stale |= !descendants.contains(marker.number);
        }
    }

    /// Takes a step of the phase itself, by this number, unless another one descends from it. Returns whether it was taken.
    pub(super) fn take_marker(&mut self, step: StepCommit, number: usize, descendants: &Bits) -> bool {
        if self.markers.iter().any(|marker| descendants.contains(marker.number)) {
            return false;
        }
        // Ancestors come later, so a step that was visited already is not an ancestor.
        self.markers.push(Marker { step, number, is_stale: self.has_steps });
        true
    }

    /// The markers of which every step of a task is an ancestor.
    pub(super) fn current(self) -> impl Iterator<Item = StepCommit> {
        self.markers.into_iter().filter(|marker| !marker.is_stale).map(|marker| marker.step)
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
