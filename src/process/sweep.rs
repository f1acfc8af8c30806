//! Ends sets of processes that may grow while they are being ended.

use super::processes::{Identity, Process, ProcessState};
use rustix::process::Signal;
use std::collections::BTreeSet;
use std::thread;
use std::time::{Duration, Instant};

/// How long SIGKILL is repeated before the remaining processes count as survivors. Unless the machine is overloaded or
/// the process hangs in the kernel, a killed process is gone after milliseconds.
pub(super) const KILL_LIMIT: Duration = Duration::from_secs(10);
/// The time between two checks of the remaining processes.
const PAUSE: Duration = Duration::from_millis(2);

/// Asks all `processes` to end.
pub(super) fn ask(processes: &[Process]) {
    for process in processes {
        process.signal(Signal::TERM);
    }
    // A stopped process gets SIGTERM only when it continues.
    for process in processes {
        process.signal(Signal::CONT);
    }
}

/// Kills the processes that `look` finds, until none is left or [`KILL_LIMIT`] is over. Returns the remaining ones.
///
/// Everything is stopped first, until nothing new appears. Otherwise, two processes that restart each other, or
/// processes that fork without end, could never all be killed.
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

/// The remaining processes of those that should end.
pub(super) enum Remaining {
    /// Certainly none.
    Nothing,
    /// These, and perhaps others that were not seen.
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

/// The result of [`stop`].
pub(super) struct Stopped {
    /// All processes at the end.
    pub(super) found: Vec<Process>,
    /// The processes that were not already stopped before.
    pub(super) by_us: Vec<Process>,
}

/// Stops the processes that `members` finds, until it finds no new ones.
pub(super) fn stop(members: &mut dyn FnMut() -> Vec<Process>, until: Instant) -> Stopped {
    let mut told: BTreeSet<Identity> = BTreeSet::new();
    let mut by_us = Vec::new();
    loop {
        let found = members();
        let before = told.len();
        for process in &found {
            if told.insert(process.identity) && process.state != ProcessState::Stopped {
                process.signal(Signal::STOP);
                by_us.push(process.clone());
            }
        }
        if told.len() == before || Instant::now() >= until {
            return Stopped { found, by_us };
        }
    }
}
