//! Ends sets of processes that may grow while they are being ended.

use super::processes::{Identity, Process};
use rustix::process::Signal;
use std::collections::BTreeSet;
use std::thread;
use std::time::{Duration, Instant};

/// How long SIGKILL is repeated before what remains counts as survivors.
pub(super) const KILL_LIMIT: Duration = Duration::from_secs(5);
/// Between two looks at what is left.
const PAUSE: Duration = Duration::from_millis(5);

/// Asks all of `processes` to end.
pub(super) fn ask_all(processes: &[Process]) {
    for process in processes {
        process.signal(Signal::TERM);
    }
    // A stopped process gets SIGTERM only once it goes on.
    for process in processes {
        process.signal(Signal::CONT);
    }
}

/// Kills what `members` finds, until it finds nothing more or [`KILL_LIMIT`] is over; returns what is left.
///
/// Everything is stopped first, until nobody new appears: of two processes that restart each other, and of those that
/// fork without end, none could be killed for good one by one.
pub(super) fn kill_all(members: &dyn Fn() -> Vec<Process>) -> Vec<Process> {
    let until = Instant::now() + KILL_LIMIT;
    loop {
        for process in freeze(members, until) {
            process.signal(Signal::KILL);
        }
        thread::sleep(PAUSE);
        let left = members();
        if left.is_empty() || Instant::now() >= until {
            return left;
        }
    }
}

/// Stops what `members` finds until it finds nobody who was not told yet; returns all that were found.
fn freeze(members: &dyn Fn() -> Vec<Process>, until: Instant) -> Vec<Process> {
    let mut told: BTreeSet<Identity> = BTreeSet::new();
    loop {
        let found = members();
        let mut somebody_new = false;
        for process in &found {
            if told.insert(process.identity) {
                somebody_new = true;
                process.signal(Signal::STOP);
            }
        }
        if !somebody_new || Instant::now() >= until {
            return found;
        }
    }
}
