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
mod draft;
mod ended_phase;
mod facts;
mod finding;
mod id;
mod landing;
mod lines;
mod lists;
mod origin;
mod ours;
mod plan_claim;
mod proof_word;
mod proven;
mod question;
mod quote;
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
mod words;

pub use awaited::{AwaitedChange, AwaitedTests};
pub use block::{RawTrailer, trailers};
pub use by::By;
pub use check::{Check, Lifetime};
pub use claimant::{Claimant, ClaimantProblem, INTEGRATION_CLAIMED};
pub use commit_id::{CommitId, IdPrefix};
pub use counts::Counts;
pub use doubt::{Disbelief, Doubt, NotedCommit, Outdated};
pub use draft::{Attempt, NAME_LIMIT, StepDraft, StepMessage, TaskRef, Work};
pub use ended_phase::EndedPhase;
pub use facts::{Statement, StepEffort, StepFacts, UNTESTED};
pub use finding::{Finding, Severity};
pub use finding::{StepFindings, open_findings};
pub use id::{IdProblem, MAX_ID_LEN, TaskId};
pub use landing::{
    FETCH_RECORDS, Landing, REPORT_BEGIN, REPORT_END, fetch_records, is_commit_range, is_joint,
    is_landed_line, names_run, task_ids,
};
pub(crate) use lines::line_ends;
pub use lines::lines;
pub use lists::List;
pub use origin::{Origin, OriginKind};
pub use ours::{Ours, carries_step};
pub use plan_claim::{AnchorRule, PlanClaim};
pub use proof_word::RedKind;
pub use proof_word::{ProofResult, ProofWord, RunWord};
pub use proven::{ProofCost, ProofEvidence, ProofRecord, ProofRun};
pub use question::{OpenQuestion, Question, QuestionState, only_reopening_answers, question_state};
pub use quote::{Quote, QuoteKind};
pub use read::{StepText, commit_kind, kind_of};
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
pub use trailer_keys::{About, REJECTED_TESTS, TrailerKey, TrailerRule, ValueKind, rounded_seconds, seconds};
pub use usage::{Cost, Tokens, Usage, grouped};
pub use usage_total::UsageTotal;
pub(crate) use words::words;
