//! The pipeline of a task: decides the next step, builds the prompts for agents, and reads their verdicts.
//!
//! This module is pure: nothing in it starts a program, reads a file, or looks at the clock or the environment.

mod brief;
mod choice;
mod decision;
mod line;
mod next;
mod object;
mod planning;
mod reopening;
mod template;
mod unit_name;
mod verdict;
mod worker_answer;

pub(crate) use brief::{AgainPrompt, AskedAgain, review_again_prompt, work_again_prompt};
pub use brief::{
    AnswerForm, Brief, BriefFacts, BriefPurpose, Change, DIFF_LIMIT, DocumentFacts, DoneTask, Evidence,
    FailedAttempt, FailingTests, Feedback, FeedbackSource, FileChange, FileRole, ForeignChange, GoalFacts,
    GroupFacts, JudgedFacts, MergeFacts, MergedTask, Objection, OtherTask, PlaceFacts, SavedFacts,
    ScratchFacts, Section, ShownChange, Surroundings, TaskFacts, TestsBefore, UserTemplate,
};
pub(crate) use choice::SlotChoice;
pub use choice::first_to_begin;
pub use decision::{Decision, Standing, Takeover, Unfit};
pub use next::{
    FailedTask, Gate, NextAction, OptionalSteps, Pipeline, Policy, after_failed_merge, awaits_approval,
    next_action, state_of, was_overtaken_twice,
};
pub use planning::{answered_plan_prompt, correct_plan_prompt, expand_prompt, plan_prompt};
pub use reopening::{REOPENED_AT_MOST, SuspectTask, suspects, to_reopen};
pub use unit_name::{HandedOut, UnitName};
pub use verdict::{AskAgain, Review, Verdict, read_review};
pub use worker_answer::{AnsweredTo, Asked, WorkerAnswer, WorkerReport, worker_report};
pub(crate) use worker_answer::{BLOCKED, NOTHING_LEFT};
