//! All that one job started, wherever it went: found, asked to end, killed.
//!
//! With `/proc` (see `processes`) the tree is: the program's session; whatever carries the job's cookie in its
//! environment (also when it was double-forked into a session of its own); descendants of these and whoever shares a
//! session with them; and adopted strangers (see `registry`). Without `/proc` it is the program's process group, of
//! which nobody can be named.
//!
//! The program itself stays a zombie until the end, so that no other process can get its id: a signal to the group
//! reaches nobody else.

use super::cookie::Cookie;
use super::ending;
use super::processes::{self, Process};
use super::registry;
use rustix::process::{Pid, Signal};
use std::collections::BTreeSet;

/// How often we look again when nobody is seen but somebody has just ended.
const LOOKS: u32 = 1000;

/// The processes of one job.
pub(super) struct Tree {
    leader: Pid,
    /// When the program started: nothing older is of the job. `None` where `/proc` is not usable.
    since: Option<u64>,
    cookie: Cookie,
}

impl Tree {
    /// The tree of the program `leader`, which leads a session and whose environment has `cookie`.
    pub(super) fn new(leader: Pid, cookie: Cookie) -> Self {
        Self { leader, since: processes::start_of(leader.as_raw_pid()), cookie }
    }

    /// Who is alive; nobody where that cannot be known.
    pub(super) fn members(&self) -> Vec<Process> {
        for _ in 0..LOOKS {
            let before = registry::reaped();
            let found = self.look();
            if !found.is_empty() || registry::reaped() == before {
                return found;
            }
        }
        Vec::new()
    }

    /// Who of the living is seen at one look, which may miss one that forks and ends as fast as we look.
    fn look(&self) -> Vec<Process> {
        let Some((since, all)) = self.since.zip(processes::snapshot()) else { return Vec::new() };
        registry::reap_adopted(&all);
        let protected = BTreeSet::from([processes::own_pid(), 1]);
        let mut seeds = BTreeSet::from([self.leader.as_raw_pid()]);
        seeds.extend(registry::strangers(&all));
        let known: BTreeSet<i32> =
            processes::tree_of(&all, &seeds, &protected).iter().map(|process| process.pid()).collect();
        // Reading an environment can take a lock in the other process: only of those that may be ours.
        let hidden = all.iter().filter(|process| {
            process.identity.start >= since
                && !known.contains(&process.pid())
                && self.cookie.is_in(&process.environment())
        });
        seeds.extend(hidden.map(Process::pid));
        processes::tree_of(&all, &seeds, &protected).into_iter().cloned().collect()
    }

    /// Asks all to end.
    pub(super) fn ask(&self) {
        let members = self.members();
        // To the group at once, so that nobody can fork past it; then to those outside of it.
        let _ = rustix::process::kill_process_group(self.leader, Signal::TERM);
        let _ = rustix::process::kill_process_group(self.leader, Signal::CONT);
        let outside = |process: &Process| process.group != self.leader.as_raw_pid();
        ending::ask_all(&members.into_iter().filter(outside).collect::<Vec<_>>());
    }

    /// Kills all; returns who survived.
    pub(super) fn kill(&self) -> Vec<Process> {
        self.kill_group();
        let left = ending::kill_all(&|| self.members());
        self.kill_group();
        left
    }

    /// Kills the program's process group, of which nothing may be known.
    pub(super) fn kill_group(&self) {
        let _ = rustix::process::kill_process_group(self.leader, Signal::KILL);
    }

    /// Reaps what died of old age among the adopted.
    pub(super) fn reap(&self) {
        if registry::has_zombies()
            && let Some(all) = processes::snapshot()
        {
            registry::reap_adopted(&all);
        }
    }
}
