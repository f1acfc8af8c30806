//! Takes a task through its steps, and a plan through its tasks, until a limit is reached or nothing is left to do.

pub(crate) mod gardener;
mod phases;
pub(crate) mod run;
pub(crate) mod scope;
