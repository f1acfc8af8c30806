//! The checks of what a step has changed: what must not be committed is held back or refused, and what a person should
//! look at is named. Whether anything was touched that must stay as it is (branches, hooks, settings, the plan) is checked by
//! `tree/workspace/after_step.rs`; the order of all checks is that of `settle` in `steps/implement.rs`.

pub(super) mod adopted;
pub(super) mod conflicts;
pub(super) mod counts;
pub(super) mod coverage;
pub(super) mod lost_tests;
pub(super) mod protected;
pub(super) mod proven;
pub(super) mod secret_files;
