//! The domain: ids, the task tree, steps, trailers, messages and states.
//!
//! Values and rules alone: nothing here starts a program, reads a file, asks the clock or the environment.

pub mod block;
mod clean;
mod commit_id;
mod counts;
mod doubt;
mod facts;
mod findings;
mod id;
mod keys;
mod lines;
mod message;
mod next;
mod record;
mod revert;
mod state;
mod step;
mod subject;
mod tree;

pub use block::{RawTrailer, trailers};
pub use clean::{CUT_MARK, clean, defuse, ellipsis, is_unprintable, one_line, tail};
pub use commit_id::{CommitId, IdPrefix};
pub use counts::Counts;
pub use doubt::{Doubt, Unclear};
pub use facts::StepFacts;
pub use findings::Finding;
pub use id::{IdProblem, MAX_ID_LEN, TaskId};
pub use keys::{Need, TrailerKey, TrailerRule, Use, ValueKind, When};
pub(crate) use lines::line_ends;
pub use lines::lines;
pub use message::{
    Attempt, Block, HiddenFiles, IDLE, NAME_LIMIT, RUNNER_LIMIT, StepMessage, TEST_LIMIT, TaskRef, TestFacts,
    Work, adopted_base, adopted_sentence, is_idle, rounded_seconds, seconds,
};
pub use next::{FailedTask, NextStep, Policy, Stages, next_step};
pub use record::{carries_step, commit_kind, kind_of};
pub use revert::{NamedCommit, RevertClaim};
pub use state::State;
pub use step::{CommitKind, Outcome, Step, StepCommit, StepRecord};
pub use subject::{Subject, title};
pub use tree::{
    Loaded, MAX_NAMED, MAX_SHORT_NAME, Node, NodeIx, Problem, Problems, Readiness, Standing, TaskTree,
    TestCommand, TestType,
};
