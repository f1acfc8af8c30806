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
/// Processes of a supervisor that lives are left alone, here or in another process; so are we ourselves, our session
/// and those we descend from, and the whole job if we run inside of it, should an orphan have started us. An orphan that emptied its environment, left its
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
    let Some((own, all)) = processes::own().zip(processes::snapshot()) else { return Vec::new() };
    // Should we run inside the job of a dead supervisor ourselves, then its cookie says nothing: our children have it.
    let above = cookie::supervisors(&own.environment(), tag);
    let lives = |supervisor: &Identity| {
        let known_start =
            |process: &Process| supervisor.start == 0 || process.identity.start == supervisor.start;
        all.iter().any(|process| process.pid() == supervisor.pid && known_start(process))
    };
    let is_orphan = |process: &&Process| {
        let supervisors = cookie::supervisors(&process.environment(), tag);
        supervisors.iter().any(|supervisor| !above.contains(supervisor) && !lives(supervisor))
    };
    let seeds = all.iter().filter(is_orphan).map(Process::pid).collect();
    processes::tree_of(&all, &seeds, &ours(own, &all)).into_iter().cloned().collect()
}

/// Those of `all` that must not be ended: we ourselves, our session, and whom we descend from.
fn ours(own: &Process, all: &[Process]) -> BTreeSet<i32> {
    let mut line = BTreeSet::from([1]);
    let mut next = own.pid();
    while line.insert(next) {
        next = all.iter().find(|process| process.pid() == next).map_or(1, |process| process.parent);
    }
    line.extend(all.iter().filter(|process| process.session == own.session).map(Process::pid));
    line
}

#[cfg(test)]
mod tests {
    use super::super::processes::Life;
    use super::*;

    fn process(pid: i32, parent: i32, session: i32) -> Process {
        let identity = Identity { pid, start: 1 };
        Process { identity, parent, group: session, session, life: Life::Alive, name: String::new() }
    }

    #[test]
    fn our_line_and_our_session_are_ours_and_what_we_started_is_not() {
        let own = process(40, 30, 25);
        let all = [
            process(1, 0, 1),
            process(20, 1, 20),  // grandparent
            process(21, 20, 20), // its other child
            process(30, 20, 25), // parent
            process(41, 30, 25), // reads from our pipe
            process(42, 40, 42), // adopted by us
            own.clone(),
        ];
        assert_eq!(ours(&own, &all), [1, 20, 30, 40, 41].into());
    }
}
