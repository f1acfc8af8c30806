//! Takes a task through its steps, and a plan through its tasks, until a limit is reached or nothing is left to do.

pub(crate) mod all_tasks;
mod let_others_act;
pub(crate) mod one_task;
mod phases;
pub(crate) mod scope;
