//! Records what a person decides: decisions about tasks, notes, answers to questions, and changes to the plan.

pub(crate) mod allow;
pub(crate) mod decisions;
pub(crate) mod landed;
pub(crate) mod questions;
pub(crate) mod same;
pub(crate) mod undo;
