//! A worker of a run on a remote repository, on any machine: in a clone of its own it claims ready tasks, works on them, merges
//! what is complete, and pushes every step (docs/parallel.md).

mod board;
mod claiming;
mod holder;
mod leftovers;
mod merging;
mod merging_again;
mod messages;
mod nonces;
mod private_clone;
mod remote_worker;
mod rounds;
mod sightings;
mod taken_back;
mod task;

use std::num::NonZeroU32;
use std::path::Path;
use std::time::Duration;

use self::private_clone::CloneFrom;
use self::remote_worker::{RemoteWorker, WorkerName};
use crate::error::Result;
use crate::launch::options::RunOptions;
use crate::session::{Call, Exit};

/// A run on a remote repository, and who works on it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RemoteRun<'a> {
    pub(crate) remote: &'a str,
    pub(crate) branch: Option<&'a str>,
    /// The folder of the clone.
    pub(crate) folder: Option<&'a Path>,
    /// The job that claims.
    pub(crate) job: Option<&'a str>,
    /// How often it was started before.
    pub(crate) restarts: u32,
}

/// The task that a worker is to work on until it is merged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WantedTask<'a> {
    /// Its id, as the user names it.
    pub(crate) task: &'a str,
    /// Whether it is taken over from whoever has claimed it.
    pub(crate) is_taken_over: bool,
}

impl RemoteRun<'_> {
    fn open<'s>(&self, call: &'s Call, options: &'s RunOptions) -> Result<RemoteWorker<'s>> {
        if options.dry_run {
            return Err(messages::no_dry_run());
        }
        let name = WorkerName { job: self.job, restarts: self.restarts };
        let from = CloneFrom { remote: self.remote, branch: self.branch, folder: self.folder };
        RemoteWorker::open(call, options, &from, name)
    }

    /// Works on one task until it is merged, or on all that are ready, one after the other, until none was ready for so long.
    ///
    /// # Errors
    /// If this worker cannot go on.
    pub(crate) fn work(
        &self,
        call: &Call,
        options: &RunOptions,
        wanted: Option<WantedTask<'_>>,
        until_idle: Option<Duration>,
    ) -> Result<Exit> {
        self.open(call, options)?.in_the_end(|worker| match wanted {
            Some(WantedTask { task, is_taken_over }) => worker.work_on(task, is_taken_over, until_idle),
            None => worker.work_on_all(until_idle),
        })
    }

    /// Integrates complete tasks, at most so many together.
    ///
    /// # Errors
    /// If the remote repository cannot be reached or does not accept it.
    pub(crate) fn integrate(
        &self,
        call: &Call,
        options: &RunOptions,
        batch: Option<NonZeroU32>,
    ) -> Result<Exit> {
        self.open(call, options)?.in_the_end(|worker| worker.integrate_all(batch))
    }
}
