//! Branches of phases: each phase is worked on on a branch of its own, `arborist/<spec-id>/<phase-id>`, which begins at the
//! tip of the base branch and is merged back when the phase is complete (docs/branches.md).
//!
//! Where each task has a branch of its own instead, as when several are worked on at the same time (docs/parallel.md), `tasks`
//! finds these branches.
//!
//! The branches and the history are all there is to know about such a run. `survey` reads them, `decision` decides what to
//! do, and `moves` does it.

mod base;
mod claimants;
mod decision;
mod default_branch;
mod merge_commit;
mod moves;
mod names;
mod phase_run;
mod place;
mod refusals;
pub(super) mod rule;
mod survey;
mod tasks;
mod tips;
mod union;

pub use claimants::claimants;
pub use default_branch::DefaultBranch;
pub(super) use moves::Brancher;
pub use names::{alike_branches, as_part, branch_of};
pub(super) use names::{folder as branch_folder, subject_of_merge};
pub use phase_run::PhaseRun;
pub(super) use place::{branch_beside, check_place};
pub use rule::{BRANCH_FOLDER, BranchMode, BranchRule};
pub use tasks::has_task_branches;
pub(super) use tasks::task_branches;
pub(super) use tips::RunTips;
pub(super) use union::with_branches;
