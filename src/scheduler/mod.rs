//! Decides which tasks run now and where: which begin, in which slots, on which machines, and what is merged when
//! (docs/parallel.md).
//!
//! `local` lets several tasks be worked on in this repository, by the processes of `worker`, and `claim` is the protocol by which
//! workers on many machines agree who works on a task. Both merge what is finished by `integrate`.

pub mod claim;
mod integrate;
mod local;
mod overtaken;
mod worker;
mod worker_branch;

pub use integrate::{BuildInputs, Candidate, Integration, IntegrationNeed, Merged, NewTip, Trial};
pub use local::{Setup, TaskWork, TestJob, WorkerEnd, WorkerReport, Workers, merge_finished, run_jobs};
pub(crate) use overtaken::is_overtaken;
pub use worker::{WorkerCall, WorkerNews, WorkerProcesses, WorkerTask, read_failure};
pub(crate) use worker_branch::{WorkerBranch, WorkerBranchEnd};
