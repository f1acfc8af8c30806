//! The pipeline of a task: decides the next step, builds the prompts for agents, and reads their verdicts.
//!
//! This module is pure: nothing in it starts a program, reads a file, or looks at the clock or the environment.

mod answers;
mod decision;
mod line;
mod next;
mod planning;
mod probe;
mod prompt;
mod template;
mod unit_name;
mod verdict;
mod worker_answer;

pub use answers::answers;
pub use decision::{Decision, Standing, Takeover, Unfit};
pub(crate) use line::last_line_is;
pub use next::{
    FailedTask, Gate, NextAction, OptionalSteps, Pipeline, Policy, after_failed_merge, awaits_approval,
    next_action, state_of, was_overtaken_twice,
};
pub use planning::{PlanText, TaskToSplit, correct_plan_prompt, expand_prompt, plan_prompt};
pub use probe::{QuotedTest, quoted_test};
pub(crate) use prompt::{AskedAgain, NOTHING_LEFT, review_again_prompt};
pub use prompt::{
    Change, DIFF_LIMIT, DependencyFacts, Evidence, FEEDBACK_LIMIT, FailingTests, Feedback, FeedbackSource,
    FileChange, FileRole, ForeignChange, MergeFacts, MergedTask, Objection, PromptFacts, ScratchFacts,
    ShownChange, TaskFacts, TestsBefore, claim_prompt, cut_diff, prompt, shows_change, shows_failing_tests,
};
pub use unit_name::{HandedOut, UnitName};
pub use verdict::{AskAgain, Review, Verdict, read_review};
pub(crate) use worker_answer::BLOCKED;
pub use worker_answer::{Asked, WorkerAnswer, worker_answer};
