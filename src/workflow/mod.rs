//! How a task goes from step to step: what comes next, what is said to agents, and how their verdicts are read.
//!
//! Values and rules alone: nothing here starts a program, reads a file, asks the clock or the environment.

mod next;
mod prompt;
mod verdict;

pub use next::{FailedTask, NextStep, Policy, Stages, next_step};
pub use prompt::{
    Change, DIFF_LIMIT, DependencyFacts, FEEDBACK_LIMIT, Feedback, TaskFacts, cut_diff, implement_prompt,
    review_prompt,
};
pub(crate) use prompt::{NOTHING_LEFT, review_again_prompt};
pub(crate) use verdict::last_line_is;
pub use verdict::{Verdict, verdict};
