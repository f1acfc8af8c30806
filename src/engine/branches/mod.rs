//! Branches of phases: each phase is worked on on a branch of its own, `arborist/<spec-id>/<phase-id>`, which begins at the
//! tip of the base branch and is merged back when the phase is complete (docs/branches.md).
//!
//! Where each task has a branch of its own instead, as when several are worked on at the same time (docs/parallel.md), `tasks`
//! finds these branches.
//!
//! The branches and the history are all there is to know about such a run. `survey` reads them, `decision` decides what to
//! do, and `moves` does it.

mod decision;
mod merge_commit;
mod moves;

pub(super) use moves::Brancher;
