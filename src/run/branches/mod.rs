//! The branches of a run: one for each phase or for each task, where they come from, and what they contain.

pub(crate) mod base;
pub(crate) mod names;
pub(crate) mod phase_run;
pub(crate) mod refusals;
pub(crate) mod survey;
pub(crate) mod tasks;
pub(crate) mod union;
