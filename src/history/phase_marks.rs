//! Which steps of a phase are true of it: those that no work on its tasks has followed.

use super::bits::Bits;
use crate::record::StepCommit;

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
