//! Lists the processes of this machine from Linux's `/proc`, and sends signals that cannot reach the wrong process.
//!
//! Without such a `/proc` (on other systems and in some sandboxes), the lists are empty, and process groups are used
//! instead.

use std::collections::BTreeSet;
#[cfg(target_os = "linux")]
use std::time::Duration;
use std::time::Instant;

use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};

use super::{ProcessName, proc_files};

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

/// The state of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ProcessState {
    /// It is running, waits for a processor, or waits for a disk.
    Busy,
    /// It waits for something to happen.
    Waiting,
    /// A signal has stopped it.
    Stopped,
    /// It has ended, but its parent has not asked for its exit status yet.
    Over,
}

/// One process at one moment.
#[derive(Clone, Debug)]
pub(super) struct Process {
    pub(super) identity: Identity,
    pub(super) parent: i32,
    pub(super) group: i32,
    pub(super) state: ProcessState,
    pub(super) name: String,
}

impl Process {
    /// Its id.
    pub(super) fn pid(&self) -> i32 {
        self.identity.pid
    }

    /// Its name in messages.
    pub(super) fn to_name(&self) -> ProcessName {
        ProcessName { pid: self.pid(), name: self.name.clone() }
    }

    /// Sends `signal` to this process and to no other. It is not an error if the process is gone, or if we may not
    /// signal it.
    pub(super) fn signal(&self, signal: Signal) {
        let Some(pid) = Pid::from_raw(self.pid()) else { return };
        let is_still_it = || read_stat(self.pid()).is_some_and(|now| now.identity == self.identity);
        #[cfg(target_os = "linux")]
        if let Ok(descriptor) = rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()) {
            // The descriptor refers to one process for ever. If it is the right one now, the signal reaches the right
            // one.
            if is_still_it() {
                let _ = rustix::process::pidfd_send_signal(descriptor, signal);
            }
            return;
        }
        if is_still_it() {
            let _ = rustix::process::kill_process(pid, signal);
        }
    }
}

/// Whether `/proc` shows the processes of our own namespace of process ids.
pub(super) fn are_visible() -> bool {
    // In a /proc that was mounted for another namespace, we have another id.
    let own = proc_files::read("self/stat").and_then(|stat| parse_stat(&stat));
    own.is_some_and(|own| own.pid() == own_pid())
}

/// The id of our own process.
pub(super) fn own_pid() -> i32 {
    rustix::process::getpid().as_raw_pid()
}

/// When the process `pid` started; `None` if there is none.
pub(super) fn start_of(pid: i32) -> Option<u64> {
    read_stat(pid).filter(|process| process.state != ProcessState::Over).map(|process| process.identity.start)
}

/// How many clock ticks a second has, in which the starts of processes are told: the same on every architecture of Linux that Rust
/// supports.
pub(super) const TICKS_PER_SECOND: u64 = 100;

/// Whether a program that started at `start` counts as started since the moment `since`, in a job that began at `began`, all in clock
/// ticks. What starts together with the job, such as the program behind a shell, belongs to it. And output is read a little later
/// than it is written, so what started shortly before it was read may have started after it was written.
pub(super) fn has_started_since(start: u64, since: u64, began: u64) -> bool {
    start >= since.saturating_sub(TICKS_PER_SECOND) && start > began + TICKS_PER_SECOND
}

/// The moment `at` in clock ticks since boot, as the starts of processes are told; `None` if the processes are not visible.
#[cfg(target_os = "linux")]
pub(super) fn ticks_at(at: Instant) -> Option<u64> {
    let since_boot = Duration::try_from(rustix::time::clock_gettime(rustix::time::ClockId::Boottime)).ok()?;
    let moment = since_boot.saturating_sub(at.elapsed());
    let part = u64::from(moment.subsec_millis()) * TICKS_PER_SECOND / 1000;
    are_visible().then(|| moment.as_secs() * TICKS_PER_SECOND + part)
}

/// The moment `at` in clock ticks since boot: not known here.
#[cfg(not(target_os = "linux"))]
pub(super) fn ticks_at(_at: Instant) -> Option<u64> {
    None
}

/// The process that has started the process `pid`, or has taken its place; `None` if there is none.
pub(super) fn parent_of(pid: i32) -> Option<i32> {
    read_stat(pid).map(|process| process.parent)
}

/// All visible processes that have not ended and whose id is `wanted`.
pub(super) fn all(wanted: impl Fn(i32) -> bool) -> Vec<Process> {
    let alive = |process: &Process| process.state != ProcessState::Over;
    pids_in("").into_iter().filter(|pid| wanted(*pid)).filter_map(read_stat).filter(alive).collect()
}

/// The descendants of `root` that have not ended, parents before children.
///
/// A process that starts or ends at the same time may be missing.
pub(super) fn below(root: i32) -> Vec<Process> {
    if proc_files::has(&format!("{root}/task/{root}/children")) {
        collect(root, &children)
    } else {
        let everybody = all(|_| true);
        let children_of = |parent: i32| {
            everybody.iter().filter(|process| process.parent == parent).map(Process::pid).collect()
        };
        collect(root, &children_of)
    }
}

fn collect(root: i32, children_of: &dyn Fn(i32) -> Vec<i32>) -> Vec<Process> {
    let mut seen = BTreeSet::from([root]);
    let mut found: Vec<Process> = Vec::new();
    let mut open = vec![root];
    while let Some(parent) = open.pop() {
        for pid in children_of(parent) {
            // If a process was reaped meanwhile, another may have its id. If its parent has ended meanwhile, it is now
            // a child of the root.
            let of_the_tree = |process: &Process| process.parent == parent || process.parent == root;
            if seen.insert(pid)
                && let Some(process) = read_stat(pid).filter(of_the_tree)
                && process.state != ProcessState::Over
            {
                open.push(pid);
                found.push(process);
            }
        }
    }
    found
}

/// The children of a process, which `/proc` lists by thread.
fn children(pid: i32) -> Vec<i32> {
    let mut found = Vec::new();
    for thread in pids_in(&format!("{pid}/task")) {
        // A thread that has ended has no children.
        let list = proc_files::read(&format!("{pid}/task/{thread}/children")).unwrap_or_default();
        let pids = String::from_utf8_lossy(&list).into_owned();
        found.extend(pids.split_ascii_whitespace().filter_map(|pid| pid.parse::<i32>().ok()));
    }
    found
}

fn pids_in(folder: &str) -> Vec<i32> {
    proc_files::names(folder).filter_map(|name| name.to_str()?.parse().ok()).collect()
}

fn read_stat(pid: i32) -> Option<Process> {
    // One read gives the whole line. With ten thousand processes to look at, each system call counts.
    let mut line = [0; STAT_LIMIT];
    parse_stat(proc_files::read_once(&format!("{pid}/stat"), &mut line)?)
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
    let threads = number(17)?;
    Some(Process {
        identity: Identity { pid, start: fields.get(19)?.parse().ok()? },
        parent: id(1)?,
        group: id(2)?,
        state: match *fields.first()? {
            "R" | "D" => ProcessState::Busy,
            "T" | "t" => ProcessState::Stopped,
            // A process whose first thread has ended is shown as a zombie while its other threads work on.
            "Z" | "X" | "x" if threads > 1 => ProcessState::Busy,
            "Z" | "X" | "x" => ProcessState::Over,
            _ => ProcessState::Waiting,
        },
        name: name.chars().map(|c| if c.is_control() { '?' } else { c }).collect(),
    })
}

/// The process group that a program leads.
#[derive(Clone, Copy, Debug)]
pub(super) struct ProcessGroup(Pid);

impl ProcessGroup {
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

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    #[test]
    fn what_starts_with_a_job_and_what_was_there_long_before_has_not_started_since() {
        let began = 5000;
        for (start, since, expected) in [
            (5000, 5001, false),
            (5099, 5050, false),
            (5300, 6000, false),
            (5950, 6000, true),
            (6000, 6000, true),
            (7000, 6000, true),
        ] {
            assert_eq!(has_started_since(start, since, began), expected, "{start} {since}");
        }
    }

    #[test]
    fn a_name_with_parentheses_and_control_characters_is_read() {
        let line = b"42 (a) S (\x1b\xff) Z 7 41 40 0 -1 4 0 0 0 0 0 0 0 0 20 0 1 0 999 0 0";
        let process = parse_stat(line).unwrap();
        assert_eq!(process.identity, Identity { pid: 42, start: 999 });
        assert_eq!((process.parent, process.group), (7, 41));
        assert_eq!((process.state, process.name.as_str()), (ProcessState::Over, "a) S (?\u{fffd}"));
    }

    #[test]
    fn a_zombie_with_running_threads_has_not_ended() {
        let line = b"42 (x) Z 7 41 40 0 -1 4 0 0 0 0 0 0 0 0 20 0 2 0 999 0 0";
        assert_eq!(parse_stat(line).unwrap().state, ProcessState::Busy);
    }

    #[test]
    fn an_invalid_stat_line_is_no_process() {
        for line in [&b""[..], b"42", b"42 (x)", b"42 (x) S 1 2", b")42(", b"x (y) S 7 41 40 0 -1 4 0 0 0"] {
            assert!(parse_stat(line).is_none(), "{line:?}");
        }
    }

    #[test]
    fn children_and_their_children_are_found_and_others_are_not() {
        if !are_visible() {
            return;
        }
        let mut child = std::process::Command::new("/bin/sh")
            .args(["-c", "sleep 60 & echo $!; wait"])
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = [0; 20];
        let length = child.stdout.as_mut().unwrap().read(&mut line).unwrap();
        let sleep: i32 = std::str::from_utf8(&line[..length]).unwrap().trim().parse().unwrap();
        let shell = i32::try_from(child.id()).unwrap();
        let pids = |found: Vec<Process>| found.iter().map(Process::pid).collect::<Vec<_>>();
        // By the lists of children, and by the parents of all processes.
        let by_parents = |parent: i32| {
            all(|_| true).iter().filter(|process| process.parent == parent).map(Process::pid).collect()
        };
        let (one, other) = (pids(below(shell)), pids(collect(shell, &by_parents)));
        let above = pids(below(own_pid()));
        for process in all(|pid| pid == sleep) {
            process.signal(Signal::KILL);
        }
        child.wait().unwrap();
        assert_eq!((one, other), (vec![sleep], vec![sleep]));
        assert!(above.contains(&shell) && above.contains(&sleep), "{above:?}");
        assert!(start_of(shell).is_none());
    }
}
