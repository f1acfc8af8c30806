//! Ends the process group of a program whose descendants cannot be seen.

use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};

/// The process group that a program leads.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group(Pid);

impl Group {
    /// The group of the program `leader`, which was started as the leader of one.
    pub(super) fn of(leader: Pid) -> Self {
        Self(leader)
    }

    /// Sends a signal to every process of the group. It is not an error if there is none, or none that we may signal.
    pub(super) fn signal(self, signal: Signal) {
        let _ = kill_process_group(self.0, signal);
    }

    /// Asks all processes to end, including stopped ones.
    pub(super) fn ask(self) {
        self.signal(Signal::TERM);
        self.signal(Signal::CONT);
    }

    /// Whether the group is empty. A process that was not reaped yet still belongs to it.
    pub(super) fn is_gone(self) -> bool {
        test_kill_process_group(self.0).is_err()
    }
}
