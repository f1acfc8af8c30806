//! Tests what remains of a job when its helper is killed, or the process that requested it, or both.

use super::*;
use crate::support::skip::has_proc;
use git_arborist::process::{ExitReason, Swept, end_orphans};
use std::fs::{File, TryLockError};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread;

/// A program that ignores all signals, with a child and a daemon that has left its session, its environment and all its
/// files, and ignores all signals too.
const STUBBORN: &str = "trap '' TERM HUP INT
    sh -c 'echo $$ > child; exec sleep 300' &
    (env -i PATH=/usr/bin:/bin setsid sh -c 'exec <&- >&- 2>&- 3>&- 4>&- 5>&-; trap \"\" TERM HUP INT
        echo $$ > daemon; while :; do sleep 0.05; done' &)
    echo $$ > agent; while :; do sleep 0.05; done";

/// Not a test: the process that other tests kill.
#[test]
#[ignore = "run by other tests only"]
fn run_a_job_until_killed() {
    let directory = std::env::var_os("KILLED_DIRECTORY").unwrap();
    let lock = File::create(std::path::Path::new(&directory).join("lock")).unwrap();
    lock.lock().unwrap();
    let mut launch = launch_in(directory.as_ref());
    (launch.grace, launch.held) = (ms(10_000), Some(Arc::new(lock)));
    let _ = launch.job("/bin/sh", ms(300_000)).args(["-c", STUBBORN]).run();
}

/// A process that runs a job, and the job's.
struct Supervised {
    supervisor: Child,
    helper: i32,
    agent: i32,
    child: i32,
    daemon: i32,
}

impl Supervised {
    fn start(place: &Place) -> Self {
        let supervisor = Command::new(std::env::current_exe().unwrap())
            .args(["--ignored", "--exact", "process::killed::run_a_job_until_killed"])
            .env("KILLED_DIRECTORY", place.dir.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let [agent, child, daemon] = ["agent", "child", "daemon"].map(|name| place.number(name));
        Self { supervisor, helper: parent_of(agent), agent, child, daemon }
    }

    fn kill_supervisor(&mut self) {
        self.supervisor.kill().unwrap();
        self.supervisor.wait().unwrap();
    }

    fn all(&self) -> [i32; 3] {
        [self.agent, self.child, self.daemon]
    }
}

fn is_locked(place: &Place) -> bool {
    let lock = File::open(place.dir.path().join("lock")).unwrap();
    matches!(lock.try_lock(), Err(TryLockError::WouldBlock))
}

#[test]
fn the_helper_adopts_the_daemon_and_ends_everything_when_we_are_killed() {
    if !has_proc() {
        return;
    }
    let place = Place::new();
    let mut job = Supervised::start(&place);
    wait_until("the daemon was not adopted", || (parent_of(job.daemon) == job.helper).then_some(()));
    assert!(is_locked(&place));
    job.kill_supervisor();
    // The lock is free only when everything is gone but the helper, which ends by itself.
    wait_until("the lock stays", || (!is_locked(&place)).then_some(()));
    assert!(job.all().into_iter().all(|pid| !lives(pid)), "{:?}", job.all().map(state));
    wait_until("something is left", || place.processes().is_empty().then_some(()));
}

#[test]
fn nothing_is_left_if_we_are_killed_at_any_moment_of_the_start() {
    if !has_proc() {
        return;
    }
    for delay in 0..12 {
        let place = Place::new();
        let mut supervisor = Command::new(std::env::current_exe().unwrap())
            .args(["--ignored", "--exact", "process::killed::run_a_job_until_killed"])
            .env("KILLED_DIRECTORY", place.dir.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let lock = place.dir.path().join("lock");
        wait_until("it did not begin", || lock.exists().then_some(()));
        thread::sleep(Duration::from_micros(delay * 700));
        supervisor.kill().unwrap();
        supervisor.wait().unwrap();
        wait_until("the lock stays", || (!is_locked(&place)).then_some(()));
        wait_until("something stays", || place.processes().is_empty().then_some(()));
    }
}

#[test]
fn if_the_helper_is_killed_too_remaining_processes_hold_the_lock_and_are_found_and_ended() {
    if !has_proc() {
        return;
    }
    let place = Place::new();
    let mut job = Supervised::start(&place);
    signal(job.helper, "STOP");
    job.kill_supervisor();
    signal(job.helper, "KILL");
    wait_until("the helper lives", || (!lives(job.helper)).then_some(()));
    assert!(job.all().into_iter().all(lives) && is_locked(&place));

    assert_eq!(end_orphans(&Tag::new("another")), Swept::default());
    assert!(job.all().into_iter().all(lives));
    let swept = end_orphans(&place.tag);
    assert_eq!(swept.survivors, []);
    for pid in job.all() {
        assert!(swept.ended.iter().any(|process| process.pid == pid), "{pid}: {swept:?}");
        assert!(!lives(pid));
    }
    assert!(!is_locked(&place));
    place.assert_empty();
}

#[test]
fn a_job_whose_helper_is_killed_is_ended_with_everything_that_it_started() {
    if !has_proc() {
        return;
    }
    let place = Place::new();
    let job = place.sh(STUBBORN);
    let running = thread::spawn(|| job.run());
    let pids = ["agent", "child", "daemon"].map(|name| place.number(name));
    signal(parent_of(pids[0]), "KILL");
    let ended = running.join().unwrap();
    assert!(matches!(ended.exit_reason, ExitReason::Unknown), "{:?}", ended.exit_reason);
    assert_eq!(ended.survivors, []);
    assert!(pids.into_iter().all(|pid| !lives(pid)), "{:?}", pids.map(state));
}

#[test]
fn a_job_may_send_its_helper_any_signal_that_can_be_caught() {
    let place = Place::new();
    let script = "for signal in TERM INT HUP; do kill -s $signal $PPID; done; sleep 0.2; exit 3";
    let ended = place.sh(script).run();
    assert!(matches!(ended.exit_reason, ExitReason::Exited(3)), "{:?}", ended.exit_reason);
}

#[test]
#[ignore = "takes 20 s"]
fn a_helper_that_does_not_answer_does_not_block_us() {
    let place = Place::new();
    let job = place.sh_for(ms(500), STUBBORN);
    let running = thread::spawn(|| job.run());
    let pids = ["agent", "child", "daemon"].map(|name| place.number(name));
    signal(parent_of(pids[0]), "STOP");
    let ended = running.join().unwrap();
    assert!(matches!(ended.exit_reason, ExitReason::TimedOut { .. }), "{:?}", ended.exit_reason);
    assert!(pids.into_iter().all(|pid| !lives(pid)), "{:?}", pids.map(state));
}
