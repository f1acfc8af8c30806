//! The domain: ids, the task tree, steps, trailers, messages and states.
//!
//! Values and rules alone: nothing here starts a program, reads a file, asks the clock or the environment.

mod block;
mod commit_id;
mod id;
mod step;

pub use block::{RawTrailer, trailers};
pub use commit_id::CommitId;
pub use id::{IdProblem, MAX_ID_LEN, TaskId};
pub use step::{CommitKind, Outcome, Step, StepCommit, StepRecord};
