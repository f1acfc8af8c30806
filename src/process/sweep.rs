//! Ends sets of processes that may grow while they are being ended.

use super::processes::{Identity, Process, State};
use rustix::process::Signal;
use std::collections::BTreeSet;
use std::thread;
use std::time::{Duration, Instant};

/// How long SIGKILL is repeated before what remains counts as survivors. On a machine that is not overwhelmed, a killed
/// process is gone after milliseconds, unless it hangs in the kernel.
pub(super) const KILL_LIMIT: Duration = Duration::from_secs(10);
/// Between two looks at what is left.
const PAUSE: Duration = Duration::from_millis(2);

/// Asks all of `processes` to end.
pub(super) fn ask(processes: &[Process]) {
    for process in processes {
        process.signal(Signal::TERM);
    }
    // A stopped process gets SIGTERM only once it goes on.
    for process in processes {
        process.signal(Signal::CONT);
    }
}

/// Kills what `look` finds, until it says that nothing is left or [`KILL_LIMIT`] is over; returns what is left.
///
/// Everything is stopped first, until nothing new appears: of two processes that restart each other, and of those that
/// fork without end, none could be killed for good one by one.
pub(super) fn kill(look: &mut dyn FnMut() -> Remaining) -> Vec<Process> {
    let until = Instant::now() + KILL_LIMIT;
    loop {
        for process in stop(&mut || look().processes(), until).found {
            process.signal(Signal::KILL);
        }
        thread::sleep(PAUSE);
        match look() {
            Remaining::Nothing => return Vec::new(),
            Remaining::These(left) if Instant::now() >= until => return left,
            Remaining::These(_) => {}
        }
    }
}

/// What is left of the processes that are to be ended.
pub(super) enum Remaining {
    /// Nothing, for certain.
    Nothing,
    /// These, and perhaps some that were not seen.
    These(Vec<Process>),
}

impl Remaining {
    fn processes(self) -> Vec<Process> {
        match self {
            Self::Nothing => Vec::new(),
            Self::These(processes) => processes,
        }
    }
}

/// What [`stop`] did.
pub(super) struct Stopped {
    /// Everything that was there at the end.
    pub(super) found: Vec<Process>,
    /// Everything that was not stopped already.
    pub(super) by_us: Vec<Process>,
}

/// Stops what `members` finds, until it finds nothing that was not told yet.
pub(super) fn stop(members: &mut dyn FnMut() -> Vec<Process>, until: Instant) -> Stopped {
    let mut told: BTreeSet<Identity> = BTreeSet::new();
    let mut by_us = Vec::new();
    loop {
        let found = members();
        let before = told.len();
        for process in &found {
            if told.insert(process.identity) && process.state != State::Stopped {
                process.signal(Signal::STOP);
                by_us.push(process.clone());
            }
        }
        if told.len() == before || Instant::now() >= until {
            return Stopped { found, by_us };
        }
    }
}
