//! Takes a task through its steps, and a plan through its tasks, until a limit is reached or nothing is left to do.

pub(in crate::engine) mod gardener;
pub(in crate::engine) mod hand_in;
mod lifecycle;
mod phases;
pub(in crate::engine) mod run;
pub(in crate::engine) mod scope;
