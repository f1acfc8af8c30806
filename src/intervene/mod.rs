//! Records what a person decides: decisions about tasks, notes, and answers to questions.

pub(crate) mod decisions;
pub(crate) mod landed;
pub(crate) mod questions;
