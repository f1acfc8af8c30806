//! Which of our children belong to a supervised job, and which the system gave us because their parents are gone.
//!
//! As a child subreaper (Linux, prctl(2)) we become the parent of whatever a job double-forks. Such a process can be
//! told from every other child: it is in another session than we, because its job began one, and it is not itself a
//! process that a supervisor started. Children that others in our process wait for, such as git's, share our session
//! and are never touched.

use super::cookie;
use super::processes::{self, Life, Process};
use rustix::process::{Pid, WaitId, WaitIdOptions, WaitOptions};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// What a registered child of ours is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// The program of a job that runs.
    Running,
    /// The program of a job that has ended and is being cleared away.
    Leaving,
    /// A watcher of our own, see `lifeline`.
    Helper,
}

/// All registered children.
struct Registry {
    children: BTreeMap<i32, Role>,
    /// When the first of the jobs that overlap now was started; `None` where that cannot be known.
    busy_since: Option<u64>,
    /// How many adopted children were reaped.
    reaped: u64,
}

static REGISTRY: Mutex<Registry> =
    Mutex::new(Registry { children: BTreeMap::new(), busy_since: None, reaped: 0 });

fn registry() -> MutexGuard<'static, Registry> {
    REGISTRY.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Registry {
    fn is_idle(&self) -> bool {
        self.children.values().all(|role| *role == Role::Helper)
    }

    /// Whether `process` was given to us by the system.
    fn is_adopted(&self, process: &Process) -> bool {
        process.parent == processes::own_pid()
            && !self.children.contains_key(&process.pid())
            && processes::own().is_some_and(|own| process.session != own.session)
    }
}

/// Starts the program of a job with `spawn` and registers its process id.
///
/// The lock is held meanwhile: otherwise a program that ends at once could be reaped as adopted before it is
/// registered.
pub(super) fn start_job<T, E>(spawn: impl FnOnce() -> Result<(T, Pid), E>) -> Result<T, E> {
    static SUBREAPER: Once = Once::new();
    SUBREAPER.call_once(become_subreaper);
    let mut registry = registry();
    let (started, pid) = spawn()?;
    let pid = pid.as_raw_pid();
    if registry.is_idle() {
        registry.busy_since = processes::start_of(pid);
    }
    registry.children.insert(pid, Role::Running);
    Ok(started)
}

/// Starts a helper of our own with `spawn` and registers its process id.
pub(super) fn start_helper<T, E>(spawn: impl FnOnce() -> Result<(T, Pid), E>) -> Result<T, E> {
    let mut registry = registry();
    let (started, pid) = spawn()?;
    registry.children.insert(pid.as_raw_pid(), Role::Helper);
    Ok(started)
}

/// The program of a job has ended; from now on the job clears up.
pub(super) fn leaving(pid: Pid) {
    if let Some(role) = registry().children.get_mut(&pid.as_raw_pid()) {
        *role = Role::Leaving;
    }
}

/// Reaps a registered child if it has ended, and strikes it off in any case: one that cannot be ended is reaped as
/// an adopted one later.
pub(super) fn leave(pid: Pid) {
    let mut registry = registry();
    let _ = rustix::process::waitpid(Some(pid), WaitOptions::NOHANG);
    registry.children.remove(&pid.as_raw_pid());
}

/// Whether a child of ours ends within `patience`; it is not reaped.
pub(super) fn ends_within(pid: Pid, patience: Duration) -> bool {
    let peek = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    let until = Instant::now() + patience;
    while matches!(rustix::process::waitid(WaitId::Pid(pid), peek), Ok(None)) {
        if Instant::now() >= until {
            return false;
        }
        thread::sleep(Duration::from_millis(1));
    }
    true
}

/// Those of `all` that were adopted, live, started while jobs ran, and cannot be traced to one of these, if no job is
/// running any more.
///
/// They are daemons that emptied or overwrote their environment. While other jobs run they may be theirs; whoever
/// clears up last ends them.
pub(super) fn strangers(all: &[Process]) -> Vec<i32> {
    let registry = registry();
    let Some(since) = registry.busy_since else { return Vec::new() };
    if registry.children.values().any(|role| *role == Role::Running) {
        return Vec::new();
    }
    let stranger = |process: &&Process| {
        process.life == Life::Alive
            && process.identity.start >= since
            && registry.is_adopted(process)
            && !registry.children.contains_key(&process.session)
            && !cookie::is_ours(&process.environment())
    };
    all.iter().filter(stranger).map(Process::pid).collect()
}

/// Reaps those of `all` that were adopted and have ended.
pub(super) fn reap_adopted(all: &[Process]) {
    let mut registry = registry();
    for process in all.iter().filter(|process| process.life == Life::Zombie) {
        if registry.is_adopted(process) {
            let _ = rustix::process::waitpid(Pid::from_raw(process.pid()), WaitOptions::NOHANG);
            registry.reaped += 1;
        }
    }
}

/// How many adopted children were reaped so far.
///
/// If this does not change from before a snapshot until after its zombies were reaped, the snapshot has missed nobody:
/// whoever was alive at its beginning was still there to be seen, as a zombie at least, and so was its topmost
/// ancestor below us. If it changes, a process may have forked and ended just ahead of the look at it.
pub(super) fn reaped() -> u64 {
    registry().reaped
}

/// Whether any child of ours has ended and waits to be reaped; cheap, to see if a look at all processes is worthwhile.
pub(super) fn has_zombies() -> bool {
    let peek = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    matches!(rustix::process::waitid(WaitId::All, peek), Ok(Some(_)))
}

#[cfg(target_os = "linux")]
fn become_subreaper() {
    // Refused in some sandboxes: then orphans go to another parent, and the cookie finds most of them.
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
}

#[cfg(not(target_os = "linux"))]
fn become_subreaper() {}
