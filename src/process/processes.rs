//! The processes of this machine, as `/proc` of Linux shows them, and signals that reach the one that was meant.
//!
//! Where there is no such `/proc` (other systems, some sandboxes) the list is not available, and the supervisor falls
//! back on process groups.

use super::ProcessName;
use rustix::process::{Pid, Signal};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Read;
use std::sync::OnceLock;

/// Longest environment that is read; the system allows 6 MiB.
const ENVIRONMENT_LIMIT: u64 = 8 << 20;

/// Longer than any line of `/proc/<pid>/stat`: a name and 50 numbers.
const STAT_LIMIT: usize = 2048;

/// A process that cannot be confused with a later one of the same id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Identity {
    /// Its id.
    pub(super) pid: i32,
    /// When it started, in clock ticks since boot.
    pub(super) start: u64,
}

/// Whether a process still does anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Life {
    /// It has threads.
    Alive,
    /// It is over; its parent has not asked for its exit status yet.
    Zombie,
}

/// One process at one moment.
#[derive(Clone, Debug)]
pub(super) struct Process {
    pub(super) identity: Identity,
    pub(super) parent: i32,
    pub(super) group: i32,
    pub(super) session: i32,
    pub(super) life: Life,
    pub(super) name: String,
}

impl Process {
    /// Its id.
    pub(super) fn pid(&self) -> i32 {
        self.identity.pid
    }

    /// As people are told of it.
    pub(super) fn to_name(&self) -> ProcessName {
        ProcessName { pid: self.pid(), name: self.name.clone() }
    }

    /// Its environment as it was when its program began, entries ended by NUL; empty if that cannot be read.
    pub(super) fn environment(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        if let Ok(file) = File::open(format!("/proc/{}/environ", self.pid())) {
            // What was read before an error is still of use.
            let _ = file.take(ENVIRONMENT_LIMIT).read_to_end(&mut bytes);
        }
        bytes
    }

    /// Sends `signal` to this process and to no other; that it is gone, or not ours to signal, is no news.
    pub(super) fn signal(&self, signal: Signal) {
        let Some(pid) = Pid::from_raw(self.pid()) else { return };
        #[cfg(target_os = "linux")]
        if let Ok(descriptor) = rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()) {
            // The descriptor holds on to one process: if that is still ours, it is ours when the signal comes.
            if read_stat(self.pid()).is_some_and(|now| now.identity == self.identity) {
                let _ = rustix::process::pidfd_send_signal(descriptor, signal);
            }
            return;
        }
        if read_stat(self.pid()).is_some_and(|now| now.identity == self.identity) {
            let _ = rustix::process::kill_process(pid, signal);
        }
    }
}

/// Our own process; `None` where `/proc` is not usable.
pub(super) fn own() -> Option<&'static Process> {
    static OWN: OnceLock<Option<Process>> = OnceLock::new();
    let own = OWN.get_or_init(|| {
        // A /proc that was mounted for another namespace of process ids shows us under another id.
        let shown = parse_stat(&fs::read("/proc/self/stat").ok()?)?;
        (shown.pid() == own_pid()).then_some(shown)
    });
    own.as_ref()
}

/// The id of our own process.
pub(super) fn own_pid() -> i32 {
    rustix::process::getpid().as_raw_pid()
}

/// When the process `pid` started; `None` if there is none, or `/proc` is not usable.
pub(super) fn start_of(pid: i32) -> Option<u64> {
    own()?;
    read_stat(pid).map(|process| process.identity.start)
}

/// All processes that we may see; `None` where `/proc` is not usable.
pub(super) fn snapshot() -> Option<Vec<Process>> {
    own()?;
    let entries = fs::read_dir("/proc").ok()?;
    let pids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    Some(pids.filter_map(read_stat).collect())
}

/// Those of `all` that are alive and belong to the tree that grew from the `seeds`: they, their descendants, and
/// whoever shares a session with one of these. Never one of `protected`, nor who shares a session with one of those.
pub(super) fn tree_of<'a>(
    all: &'a [Process],
    seeds: &BTreeSet<i32>,
    protected: &BTreeSet<i32>,
) -> Vec<&'a Process> {
    // Session 0 is that of all processes whose session began outside our namespace of process ids.
    let foreign: BTreeSet<i32> = sessions_of(all, protected).into_iter().chain([0]).collect();
    let mut inside: BTreeSet<i32> = seeds.difference(protected).copied().collect();
    loop {
        let sessions = sessions_of(all, &inside);
        let joining = |process: &Process| {
            let shares = sessions.contains(&process.session) || inside.contains(&process.session);
            inside.contains(&process.parent) || (shares && !foreign.contains(&process.session))
        };
        let joined: BTreeSet<i32> = all.iter().filter(|process| joining(process)).map(Process::pid).collect();
        let before = inside.len();
        inside.extend(joined.difference(protected));
        if inside.len() == before {
            let alive = |process: &&Process| process.life == Life::Alive && inside.contains(&process.pid());
            return all.iter().filter(alive).collect();
        }
    }
}

/// The sessions of those of `all` whose ids are among `pids`.
fn sessions_of(all: &[Process], pids: &BTreeSet<i32>) -> BTreeSet<i32> {
    all.iter().filter(|process| pids.contains(&process.pid())).map(|process| process.session).collect()
}

fn read_stat(pid: i32) -> Option<Process> {
    // One read gives the whole line. With ten thousand processes to look at, each system call counts.
    let mut line = [0; STAT_LIMIT];
    let length = File::open(format!("/proc/{pid}/stat")).ok()?.read(&mut line).ok()?;
    parse_stat(line.get(..length)?)
}

/// Reads one `/proc/<pid>/stat` (see `proc_pid_stat(5)`); the name in it may contain anything, parentheses too.
fn parse_stat(stat: &[u8]) -> Option<Process> {
    let open = stat.iter().position(|&byte| byte == b'(')?;
    let close = stat.iter().rposition(|&byte| byte == b')')?;
    let pid = std::str::from_utf8(stat.get(..open)?).ok()?.trim().parse().ok()?;
    let name = String::from_utf8_lossy(stat.get(open + 1..close)?);
    let fields: Vec<&str> =
        std::str::from_utf8(stat.get(close + 1..)?).ok()?.split_ascii_whitespace().collect();
    let number = |at: usize| fields.get(at).and_then(|field| field.parse::<i64>().ok());
    let id = |at: usize| number(at).and_then(|id| i32::try_from(id).ok());
    // A process whose first thread has ended is shown as a zombie while its other threads work on.
    let over = matches!(*fields.first()?, "Z" | "X" | "x") && number(17)? <= 1;
    Some(Process {
        identity: Identity { pid, start: fields.get(19)?.parse().ok()? },
        parent: id(1)?,
        group: id(2)?,
        session: id(3)?,
        life: if over { Life::Zombie } else { Life::Alive },
        name: name.chars().map(|c| if c.is_control() { '?' } else { c }).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(pid: i32, parent: i32, session: i32) -> Process {
        let identity = Identity { pid, start: 1 };
        Process { identity, parent, group: session, session, life: Life::Alive, name: String::new() }
    }

    fn ids(tree: &[&Process]) -> Vec<i32> {
        tree.iter().map(|process| process.pid()).collect()
    }

    #[test]
    fn a_name_with_parentheses_and_control_characters_is_read() {
        let line = b"42 (a) S (\x1b\xff) Z 7 41 40 0 -1 4 0 0 0 0 0 0 0 0 20 0 1 0 999 0 0";
        let process = parse_stat(line).unwrap();
        assert_eq!(process.identity, Identity { pid: 42, start: 999 });
        assert_eq!((process.parent, process.group, process.session), (7, 41, 40));
        assert_eq!((process.life, process.name.as_str()), (Life::Zombie, "a) S (?\u{fffd}"));
    }

    #[test]
    fn a_zombie_with_threads_is_alive() {
        let line = b"42 (x) Z 7 41 40 0 -1 4 0 0 0 0 0 0 0 0 20 0 2 0 999 0 0";
        assert_eq!(parse_stat(line).unwrap().life, Life::Alive);
    }

    #[test]
    fn what_is_no_stat_is_no_process() {
        for line in [&b""[..], b"42", b"42 (x)", b"42 (x) S 1 2", b")42(", b"x (y) S 7 41 40 0 -1 4 0 0 0"] {
            assert!(parse_stat(line).is_none(), "{line:?}");
        }
    }

    #[test]
    fn a_tree_is_descendants_and_sessions_in_any_order() {
        let all = [
            process(50, 40, 49), // child of 40, which stands later in the list, in a session without leader
            process(51, 1, 49),  // orphan in that session
            process(52, 51, 52), // its child
            process(40, 30, 30),
            process(60, 10, 10), // a sibling of the seed
            process(10, 1, 10),  // its parent
            process(53, 1, 30),  // orphan in the session of the seed, which is gone
        ];
        let tree = tree_of(&all, &[30].into(), &BTreeSet::new());
        assert_eq!(ids(&tree), [50, 51, 52, 40, 53]);
    }

    #[test]
    fn the_protected_and_their_sessions_stay_outside() {
        let all = [
            process(30, 1, 30),
            process(31, 30, 31), // protected: we, started by the seed
            process(32, 31, 32), // our child
            process(33, 1, 31),  // orphan in our session
            process(34, 30, 0),  // child of the seed in a session that began elsewhere
            process(35, 1, 0),   // stranger there
        ];
        let tree = tree_of(&all, &[30, 31].into(), &[31].into());
        assert_eq!(ids(&tree), [30, 34]);
    }

    #[test]
    fn zombies_connect_but_are_not_of_the_tree() {
        let mut all = [process(30, 1, 30), process(31, 30, 31), process(32, 1, 31)];
        all[1].life = Life::Zombie;
        assert_eq!(ids(&tree_of(&all, &[30].into(), &BTreeSet::new())), [30, 32]);
    }

    #[test]
    fn our_own_process_is_found() {
        let Some(own) = own() else { return };
        let all = snapshot().unwrap();
        let found = all.iter().find(|process| process.pid() == own_pid()).unwrap();
        assert_eq!((found.identity, found.session), (own.identity, own.session));
        assert!(!found.environment().is_empty());
    }
}
