//! Decides which tasks run now and where: which begin, in which slots, on which machines, and what is merged when
//! (docs/parallel.md).
//!
//! `local` lets several tasks be worked on in this repository, by the processes of `worker`. `remote` is one of many workers of a
//! run on a remote repository: `claim` is the protocol by which they agree who works on a task, and each has a clone in which it
//! starts the same processes, and merges what is finished with the same loop.

pub mod claim;
mod integrate;
mod local;
mod remote;
mod start;
mod worker;
mod worker_branch;

pub(crate) use remote::{
    AllTasks, CloneFrom, Collected, FailOn, Integrating, RemoteRun, RunWatcher, Stay, WantedTask,
};
pub(crate) use start::{JobScope, merge_finished, run_jobs};
pub(crate) use worker::Told;
