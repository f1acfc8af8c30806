//! How a task goes from step to step: what comes next, what agents are told, and how their verdicts are read.
//!
//! This is pure: nothing here starts a program, reads a file, or asks the clock or the environment.

mod next;
mod prompt;
mod template;
mod verdict;

pub use next::{FailedTask, NextAction, Pipeline, Policy, next_action};
pub use prompt::{
    Change, DIFF_LIMIT, DependencyFacts, FEEDBACK_LIMIT, Feedback, PromptFacts, TaskFacts, cut_diff, prompt,
    shows_change,
};
pub(crate) use prompt::{NOTHING_LEFT, review_again_prompt};
pub(crate) use verdict::last_line_is;
pub use verdict::{Verdict, has_rejection, verdict};
