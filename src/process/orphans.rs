//! Finds, by their markers, processes of jobs that no supervisor watches any more, and ends them.
//!
//! This is rarely needed: if a supervisor is killed, its helper ends the job. Only if the helper was killed as well are
//! there processes to be found here.

use super::ProcessName;
use super::job_marker::{JobMarker, Tag};
use super::processes::{self, Process};
use super::sweep::{self, Remaining};
use std::thread;
use std::time::{Duration, Instant};

/// The time between SIGTERM and SIGKILL.
const GRACE: Duration = Duration::from_secs(2);
/// The time between two checks of the remaining processes.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// The processes that [`end_orphans`] found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    /// Processes that were running and are gone.
    pub ended: Vec<ProcessName>,
    /// Processes that are still there.
    pub survivors: Vec<ProcessName>,
}

/// Finds the processes of all jobs with `tag`, asks them to end, and after two seconds kills them. Blocks for less than
/// fifteen seconds.
///
/// The caller holds the lock of the run, so it knows that no supervisor watches a job with this tag. If we belong to
/// such a job ourselves, nothing is ended. Without `/proc`, nothing is found.
#[must_use]
pub fn end_orphans(tag: &Tag) -> Swept {
    if !processes::are_visible() || JobMarker::of(processes::own_pid()).is_some_and(|marker| marker.has(*tag))
    {
        return Swept::default();
    }
    end_all(&|marker| marker.has(*tag), GRACE)
}

/// Ends the processes of one job.
pub(super) fn end_job(marker: JobMarker) -> Swept {
    if processes::are_visible() {
        end_all(&|found| found == marker, Duration::ZERO)
    } else {
        Swept::default()
    }
}

fn end_all(wanted: &dyn Fn(JobMarker) -> bool, grace: Duration) -> Swept {
    let orphans = || processes::all(|pid| JobMarker::of(pid).is_some_and(wanted));
    let found = orphans();
    if found.is_empty() {
        return Swept::default();
    }
    if !grace.is_zero() {
        sweep::ask(&found);
    }
    let until = Instant::now() + grace;
    while Instant::now() < until && !orphans().is_empty() {
        thread::sleep(POLL_INTERVAL);
    }
    let survivors = sweep::kill(&mut || match orphans() {
        left if left.is_empty() => Remaining::Nothing,
        left => Remaining::These(left),
    });
    let survive = |process: &&Process| survivors.iter().any(|left| left.identity == process.identity);
    Swept {
        ended: found.iter().filter(|process| !survive(process)).map(Process::to_name).collect(),
        survivors: survivors.iter().map(Process::to_name).collect(),
    }
}
