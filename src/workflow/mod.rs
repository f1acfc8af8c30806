//! The pipeline of a task: decides the next step, builds the prompts for agents, and reads their verdicts.
//!
//! This module is pure: nothing in it starts a program, reads a file, or looks at the clock or the environment.

mod answers;
mod decision;
mod next;
mod planning;
mod prompt;
mod template;
mod unit_name;
mod verdict;

pub use answers::answers;
pub use decision::{Decision, Standing, Takeover, Unfit};
pub use next::{FailedTask, Gate, NextAction, OptionalSteps, Pipeline, Policy, awaits_approval, next_action};
pub use planning::{PlanText, TaskToSplit, correct_plan_prompt, expand_prompt, plan_prompt};
pub use prompt::{
    Change, DIFF_LIMIT, DependencyFacts, FEEDBACK_LIMIT, FailingTests, Feedback, FeedbackSource, MergeFacts,
    Objection, PromptFacts, TaskFacts, TestsBefore, cut_diff, prompt, shows_change, shows_failing_tests,
};
pub(crate) use prompt::{NOTHING_LEFT, review_again_prompt};
pub use unit_name::UnitName;
pub(crate) use verdict::last_line_is;
pub use verdict::{Verdict, has_rejection, objections, verdict};
