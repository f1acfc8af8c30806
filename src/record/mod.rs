//! Writes and reads step commits: ids, trailers, subjects, messages, and the states that follow from them.
//!
//! This module is pure: nothing in it starts a program, reads a file, or looks at the clock or the environment.

mod awaited;
pub mod block;
mod by;
mod check;
mod claimant;
mod commit_id;
mod counts;
mod doubt;
mod ended_phase;
mod facts;
mod finding;
mod id;
mod landing;
mod lines;
mod lists;
mod message;
mod origin;
mod plan_claim;
mod proof_word;
mod proven;
mod question;
mod read;
mod remark;
mod revert;
mod state;
mod step;
mod subject;
mod subject_form;
mod task_word;
mod trailer_keys;
mod usage;
mod usage_total;

pub use awaited::{AwaitedChange, AwaitedTests};
pub use block::{RawTrailer, trailers};
pub use by::By;
pub use check::{Check, Lifetime};
pub use claimant::{Claimant, ClaimantProblem, INTEGRATION_CLAIMED};
pub use commit_id::{CommitId, IdPrefix};
pub use counts::Counts;
pub use doubt::{Disbelief, Doubt, NotedCommit, Outdated};
pub use ended_phase::EndedPhase;
pub use facts::{
    StepEffort, StepFacts, UNREVIEWED_SENTENCE, UNTESTED, UNTESTED_SENTENCE, artifacts_in, is_unreviewed,
    is_untested, trailer,
};
pub use finding::{Finding, Severity};
pub use finding::{StepFindings, open_findings};
pub use id::{IdProblem, MAX_ID_LEN, TaskId};
pub use landing::{
    FETCH_RECORDS, Landing, REPORT_BEGIN, REPORT_END, fetch_records, is_commit_range, is_joint,
    is_landed_line, task_ids,
};
pub(crate) use lines::line_ends;
pub use lines::lines;
pub use lines::{NOTES_LABEL, REQUEST_LABEL, RUNNER_LABEL, TEST_LABEL};
pub use lists::List;
pub use message::{
    Attempt, Block, IDLE, NAME_LIMIT, NumberedList, RUNNER_LIMIT, StepMessage, TEST_LIMIT, TaskRef,
    TestFacts, UNCHANGED, Work, adopted_base, is_idle, is_unchanged, merged_commit, not_merged_onto,
    notes_in, refusal_block, refused_by_hook, rounded_seconds, seconds, was_not_merged, why_not_merged,
};
pub use origin::Origin;
pub use plan_claim::PlanClaim;
pub use proof_word::RedKind;
pub use proof_word::{ProofWord, RunWord};
pub use proven::{ProofCost, ProofEvidence, ProofRecord, ProofRun};
pub use question::{OpenQuestion, Question, QuestionState, only_reopening_answers, question_state};
pub use read::{StepText, carries_step, commit_kind, kind_of};
pub use remark::{Remark, RemarkPlace, Weight};
pub use revert::{NamedCommit, RevertClaim};
pub use state::State;
pub use step::{
    Actor, AttemptSteps, CommitKind, Effect, Ending, Goal, MissingOutcome, Need, Outcome, OutcomeTrailer,
    Owner, Role, Step, StepCommit, StepRecord, StepRow, StepValidity, TrailerUse, When, attempts_made,
    by_attempt, steps_with, words_of,
};
pub use subject::{Subject, title};
pub use subject_form::SubjectForm;
pub use task_word::TaskWord;
pub use trailer_keys::{
    DENIED_TOOL, INSTRUCTIONS, NO_VERDICT, REJECTED_TESTS, TESTS_WRONG, TrailerKey, TrailerRule, ValueKind,
};
pub use usage::{Cost, Tokens, Usage, grouped};
pub use usage_total::UsageTotal;
