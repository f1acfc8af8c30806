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
use super::processes::{self, Identity, Life, Process};
use super::registry;
use rustix::process::{Pid, Signal};
use std::collections::BTreeSet;

/// How often we look again when nobody is seen but somebody has just ended.
const LOOKS: u32 = 1000;

/// What is seen at one look.
#[derive(Default)]
struct Look {
    members: Vec<Process>,
    /// Those whose environment is empty: it is so for good, or they are just executing a program, or have just ended.
    unclear: BTreeSet<Identity>,
}

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
    ///
    /// A look may miss a process that forks and ends as fast as we look. So that nobody was seen counts only if in the
    /// meantime nobody was reaped, and nobody was unclear who was not so at the look before.
    pub(super) fn members(&self) -> Vec<Process> {
        let mut unclear_before = BTreeSet::new();
        for _ in 0..LOOKS {
            let reaped_before = registry::reaped();
            let Look { members, unclear } = self.look();
            let quiet = registry::reaped() == reaped_before && unclear.is_subset(&unclear_before);
            if quiet || !members.is_empty() {
                return members;
            }
            unclear_before = unclear;
        }
        Vec::new()
    }

    fn look(&self) -> Look {
        let Some((since, all)) = self.since.zip(processes::snapshot()) else { return Look::default() };
        registry::reap_adopted(&all);
        let protected = BTreeSet::from([processes::own_pid(), 1]);
        let mut seeds = BTreeSet::from([self.leader.as_raw_pid()]);
        seeds.extend(registry::strangers(&all));
        let known: BTreeSet<i32> =
            processes::tree_of(&all, &seeds, &protected).iter().map(|process| process.pid()).collect();
        let mut unclear = BTreeSet::new();
        // Reading an environment can take a lock in the other process: only of those that may be ours.
        for process in all.iter().filter(|process| process.identity.start >= since) {
            if known.contains(&process.pid()) || process.life == Life::Zombie {
                continue;
            }
            let environment = process.environment();
            if environment.is_empty() {
                unclear.insert(process.identity);
            } else if self.cookie.is_in(&environment) {
                seeds.insert(process.pid());
            }
        }
        let members = processes::tree_of(&all, &seeds, &protected).into_iter().cloned().collect();
        Look { members, unclear }
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
