//! A worker of a run on a remote repository, on any machine: in a clone of its own it claims ready tasks, works on them, merges
//! what is complete, and pushes every step (docs/parallel.md).

mod branch_activity;
mod claiming;
mod clone_settings;
mod collected;
mod holder;
mod idle_policy;
mod leftovers;
mod merged_tasks;
mod merging;
mod messages;
mod nonces;
mod observer;
mod private_clone;
mod progress;
mod remote_state;
mod remote_worker;
mod run_branches;
mod source;
mod taken_back;
mod task;
mod waiting;
mod worker_loop;

use std::num::NonZeroU32;

use self::collected::Deliver;
use self::remote_worker::RemoteWorker;
use crate::error::Result;
use crate::launch::options::RunOptions;
use crate::session::{Call, Exit};

pub(crate) use self::collected::Collected;
pub(crate) use self::idle_policy::Stay;
pub(crate) use self::observer::RunWatcher;
pub(crate) use self::private_clone::CloneFrom;
pub(crate) use self::remote_worker::RemoteRun;
pub(crate) use self::worker_loop::{AllTasks, FailOn};

/// The task that a worker is to work on until it is merged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WantedTask<'a> {
    /// Its id, as the user names it.
    pub(crate) task: &'a str,
    /// Whether it is taken over from the worker that has claimed it.
    pub(crate) is_taken_over: bool,
    /// What the worker waits for.
    pub(crate) stay: Stay,
}

/// How a run is integrated.
#[derive(Clone, Copy)]
pub(crate) struct Integrating<'d> {
    /// How many tasks are merged together at most.
    pub(crate) batch: Option<NonZeroU32>,
    /// Opens or updates the request, if what is merged is collected for one.
    pub(crate) deliver: Option<Deliver<'d>>,
}

impl RemoteRun<'_> {
    fn open<'s>(&self, call: &'s Call, options: &'s RunOptions) -> Result<RemoteWorker<'s>> {
        if options.dry_run {
            return Err(messages::no_dry_run());
        }
        RemoteWorker::open(call, options, self)
    }

    /// Works on one task until it is merged.
    ///
    /// # Errors
    /// If this worker cannot go on.
    pub(crate) fn work_on(&self, call: &Call, options: &RunOptions, wanted: WantedTask<'_>) -> Result<Exit> {
        let WantedTask { task, is_taken_over, stay } = wanted;
        self.open(call, options)?.in_the_end(|worker| worker.work_on(task, is_taken_over, stay))
    }

    /// Works on all tasks that are ready, one after the other, as long as it is to stay.
    ///
    /// # Errors
    /// If this worker cannot go on.
    pub(crate) fn work_on_all(&self, call: &Call, options: &RunOptions, all: AllTasks) -> Result<Exit> {
        self.open(call, options)?.in_the_end(|worker| worker.work_on_all(all))
    }

    /// Integrates complete tasks.
    ///
    /// # Errors
    /// If the remote repository cannot be reached or does not accept it.
    pub(crate) fn integrate(&self, call: &Call, options: &RunOptions, how: Integrating<'_>) -> Result<Exit> {
        self.open(call, options)?.in_the_end(|worker| worker.integrate_all(how.batch, how.deliver))
    }
}
