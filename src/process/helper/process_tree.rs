//! Finds, ends, stops and kills all processes of one job, as its helper sees them.
//!
//! On Linux, they are all descendants of the helper. On other systems, or if `/proc` cannot be read, they are the
//! process group of the program, and they cannot be named.

use super::super::processes::{self, Process, ProcessState};
use super::super::sweep::{self, KILL_LIMIT, Remaining};
use super::report::ProgramExit;
use crate::process::processes::ProcessGroup;
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions};
use std::thread;
use std::time::{Duration, Instant};

/// How long it may take to stop everything when we are suspended ourselves.
const STOP_LIMIT: Duration = Duration::from_secs(1);
/// The time between two checks of a group that was killed.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Which processes of the job we can see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Visibility {
    /// All our descendants.
    Descendants,
    /// The program's process group.
    Group,
}

/// The processes of one job.
pub(super) struct Tree {
    leader: Pid,
    group: ProcessGroup,
    visibility: Visibility,
    /// Whether we have children. If we have none, nothing of the job is left on Linux, because orphans become our children.
    has_children: bool,
    /// How the program ended, once it has.
    ended: Option<ProgramExit>,
    /// The processes that [`suspend`](Self::suspend) stopped.
    suspended: Vec<Process>,
}

/// Becomes the parent of all orphans among its descendants, and returns which processes it can see from now on.
pub(super) fn become_reaper() -> Visibility {
    #[cfg(target_os = "linux")]
    if rustix::process::set_child_subreaper(Some(rustix::process::getpid())).is_ok()
        && processes::are_visible()
    {
        return Visibility::Descendants;
    }
    Visibility::Group
}

impl Tree {
    /// The tree of the program `leader`, a child of ours that leads a session.
    pub(super) fn new(leader: Pid, visibility: Visibility) -> Self {
        let group = ProcessGroup::of(leader);
        Self { leader, group, visibility, has_children: true, ended: None, suspended: Vec::new() }
    }

    /// Which processes of the job we can see.
    pub(super) fn visibility(&self) -> Visibility {
        self.visibility
    }

    /// Whether the program itself has ended.
    pub(super) fn program_has_ended(&self) -> bool {
        self.ended.is_some()
    }

    /// Reaps processes that have ended. Returns how the program ended, as soon as this is known.
    pub(super) fn reap(&mut self) -> Option<ProgramExit> {
        let before = self.ended;
        loop {
            match rustix::process::wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) if pid == self.leader => {
                    let by_signal = || ProgramExit::Signalled(status.terminating_signal().unwrap_or(0));
                    self.ended = Some(status.exit_status().map_or_else(by_signal, ProgramExit::Exited));
                }
                Ok(Some(_)) | Err(Errno::INTR) => {}
                none_ended => {
                    self.has_children = none_ended.is_ok();
                    break;
                }
            }
        }
        if before.is_none() { self.ended } else { None }
    }

    /// Whether everything was gone at the last reaping.
    pub(super) fn is_gone(&self) -> bool {
        !self.has_children && (self.visibility == Visibility::Descendants || self.group.is_gone())
    }

    /// The processes that exist now; empty if they cannot be seen.
    pub(super) fn members(&self) -> Vec<Process> {
        match self.visibility {
            Visibility::Descendants => processes::below(processes::own_pid()),
            Visibility::Group => Vec::new(),
        }
    }

    /// Whether any of them is running or ready to run.
    pub(super) fn is_busy(&self) -> bool {
        self.members().iter().any(|process| process.state == ProcessState::Busy)
    }

    /// Asks all processes to end.
    pub(super) fn ask(&mut self) {
        let members = self.members();
        self.suspended.clear();
        // The signal goes to the whole group at once, so that no new process escapes it, and then to processes outside
        // of the group. After the program was reaped, its id may belong to another group, so it is then used only if we
        // have nothing better.
        if self.ended.is_none() || self.visibility == Visibility::Group {
            self.group.ask();
            let group = self.leader.as_raw_pid();
            let outside = |process: &Process| process.group != group;
            sweep::ask(&members.into_iter().filter(outside).collect::<Vec<_>>());
        } else {
            sweep::ask(&members);
        }
    }

    /// Kills all processes, and returns the survivors.
    pub(super) fn kill(&mut self) -> Vec<Process> {
        match self.visibility {
            Visibility::Descendants => sweep::kill(&mut || {
                self.reap();
                if self.is_gone() { Remaining::Nothing } else { Remaining::These(self.members()) }
            }),
            Visibility::Group => {
                let until = Instant::now() + KILL_LIMIT;
                while !self.is_gone() && Instant::now() < until {
                    self.group.signal(Signal::KILL);
                    thread::sleep(POLL_INTERVAL);
                    self.reap();
                }
                Vec::new()
            }
        }
    }

    /// Stops all processes until [`resume`](Self::resume).
    pub(super) fn suspend(&mut self) {
        match self.visibility {
            Visibility::Descendants => {
                let until = Instant::now() + STOP_LIMIT;
                let stopped = sweep::stop(&mut || self.members(), until).by_us;
                self.suspended.extend(stopped);
            }
            Visibility::Group => self.group.signal(Signal::STOP),
        }
    }

    /// Continues the processes that [`suspend`](Self::suspend) stopped, but not those that had stopped by themselves.
    pub(super) fn resume(&mut self) {
        match self.visibility {
            Visibility::Descendants => {
                for process in self.suspended.drain(..) {
                    process.signal(Signal::CONT);
                }
            }
            Visibility::Group => self.group.signal(Signal::CONT),
        }
    }
}
