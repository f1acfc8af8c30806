//! Ends what the jobs of an earlier run left behind when that run was killed itself.

use super::ProcessName;
use super::cookie::{self, Tag};
use super::ending;
use super::processes::{self, Identity, Process};
use std::collections::BTreeSet;
use std::thread;
use std::time::{Duration, Instant};

/// Between SIGTERM and SIGKILL.
const GRACE: Duration = Duration::from_secs(2);
/// Between two looks at what is left.
const LOOK: Duration = Duration::from_millis(20);

/// What [`end_orphans`] found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    /// Processes that were running and are gone.
    pub ended: Vec<ProcessName>,
    /// Processes that are still there.
    pub survivors: Vec<ProcessName>,
}

/// Finds the processes of all jobs with `tag` whose supervisor is dead, asks them to end, and after two seconds kills
/// them. Blocks for less than eight seconds.
///
/// Processes of a supervisor that lives are left alone, here or in another process; so are we ourselves, our session,
/// what we started and those we descend from, should we have been started by such an orphan. An orphan that emptied its environment, left its
/// session and lost its parent is not found. Where there is no `/proc`, nothing is found.
#[must_use]
pub fn end_orphans(tag: &Tag) -> Swept {
    let found = orphans(tag);
    if found.is_empty() {
        return Swept::default();
    }
    ending::ask_all(&found);
    let until = Instant::now() + GRACE;
    while Instant::now() < until && !orphans(tag).is_empty() {
        thread::sleep(LOOK);
    }
    let survivors = ending::kill_all(&|| orphans(tag));
    let survive = |process: &&Process| survivors.iter().any(|left| left.identity == process.identity);
    Swept {
        ended: found.iter().filter(|process| !survive(process)).map(Process::to_name).collect(),
        survivors: survivors.iter().map(Process::to_name).collect(),
    }
}

/// The living orphans with `tag`, and all that belongs to them.
fn orphans(tag: &Tag) -> Vec<Process> {
    let Some(all) = processes::snapshot() else { return Vec::new() };
    let lives = |supervisor: &Identity| {
        let same = |process: &Process| {
            process.pid() == supervisor.pid
                && (supervisor.start == 0 || process.identity.start == supervisor.start)
        };
        all.iter().any(same)
    };
    let is_orphan = |process: &&Process| {
        cookie::supervisors(&process.environment(), tag).iter().any(|supervisor| !lives(supervisor))
    };
    let seeds = all.iter().filter(is_orphan).map(Process::pid).collect();
    processes::tree_of(&all, &seeds, &ours(&all)).into_iter().cloned().collect()
}

/// Those of `all` that must not be ended: we ourselves, our session, what we started, and whom we descend from.
fn ours(all: &[Process]) -> BTreeSet<i32> {
    let mut line = BTreeSet::from([1]);
    let mut next = processes::own_pid();
    while line.insert(next) {
        next = all.iter().find(|process| process.pid() == next).map_or(1, |process| process.parent);
    }
    let own = BTreeSet::from([processes::own_pid()]);
    let below = processes::tree_of(all, &own, &BTreeSet::new());
    line.extend(below.into_iter().map(Process::pid));
    line
}
