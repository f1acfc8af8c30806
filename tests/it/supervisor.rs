//! The supervisor where it needs a process of its own: what it takes of memory, what it finds without a trace, and
//! what happens when it is killed itself.

use git_arborist::runner::{End, Job, Limits, Tag, end_orphans};
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Daemons without a trace are ended only when no other job runs.
static ALONE: Mutex<()> = Mutex::new(());

fn sh(directory: &Path, script: &str) -> Job {
    let tag = Tag::new(directory.as_os_str().as_encoded_bytes());
    Job::new("/bin/sh", directory, tag, Duration::from_secs(60))
        .args(["-c", script])
        .grace(Duration::from_millis(200))
}

/// Waits until `look` gives something.
fn wait_for<T>(mut look: impl FnMut() -> Option<T>) -> T {
    let until = Instant::now() + Duration::from_secs(30);
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < until, "waited in vain");
        thread::sleep(Duration::from_millis(5));
    }
}

/// The number in the file, once it is there.
fn number(path: &Path) -> u32 {
    wait_for(|| fs::read_to_string(path).ok()?.strip_suffix('\n')?.parse().ok())
}

fn exists(pid: u32) -> bool {
    Path::new(&format!("/proc/{pid}")).exists()
}

#[test]
fn a_daemon_with_an_empty_environment_is_ended_and_named() {
    let _alone = ALONE.lock();
    let dir = TempDir::new().unwrap();
    let script = "(env -i /usr/bin/setsid /bin/sh -c 'echo $$ > pid; exec sleep 300' &)
                  until test -s pid; do sleep 0.01; done";
    let ended = sh(dir.path(), script).run();
    let pid = number(&dir.path().join("pid"));
    assert!(matches!(ended.end, End::Exited(0)), "{:?}", ended.end);
    assert_eq!(ended.leaked.len(), 1, "{:?}", ended.leaked);
    assert_eq!(ended.leaked[0].pid.cast_unsigned(), pid);
    assert!(!exists(pid));
}

#[test]
fn endless_output_takes_little_memory() {
    let alone = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "--nocapture", "supervisor::take_in_endless_output"])
        .output()
        .unwrap();
    assert!(alone.status.success(), "{}", String::from_utf8_lossy(&alone.stderr));
}

/// Not a test by itself: the memory of a process can only be measured where no other test runs in it.
#[test]
#[ignore = "run by another test only"]
fn take_in_endless_output() {
    let dir = TempDir::new().unwrap();
    let limits = Limits { flood: 600 << 20, ..Limits::default() };
    let ended = sh(dir.path(), "cat /dev/zero & yes >&2").limits(limits).run();
    assert!(matches!(ended.end, End::Flooded { .. }), "{:?}", ended.end);
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let kilobytes: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    assert!(kilobytes < 50_000, "{kilobytes} kB");
}

/// Not a test: the process that the next two tests kill.
#[test]
#[ignore = "run by the other tests only"]
fn run_a_job_until_killed() {
    let directory = std::env::var_os("SUPERVISOR_TEST_DIRECTORY").unwrap();
    let script = "sh -c 'echo $$ > child; exec sleep 300' &
                  (setsid sh -c \"$SUPERVISOR_TEST_DAEMON\" &)
                  echo $$ > agent; trap '' TERM; while :; do sleep 0.1; done";
    let _ = sh(Path::new(&directory), script).run();
}

const POLITE: &str = "echo $$ > daemon; exec sleep 300";
const STUBBORN: &str = "trap '' TERM; echo $$ > daemon; while :; do sleep 0.1; done";

/// Starts a supervisor that runs a job in `directory`, which starts the script `daemon`; returns the supervisor, and
/// the agent, a child of it, and the daemon.
fn supervisor(directory: &Path, daemon: &str) -> (Child, [u32; 3]) {
    let supervisor = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "supervisor::run_a_job_until_killed"])
        .env("SUPERVISOR_TEST_DIRECTORY", directory)
        .env("SUPERVISOR_TEST_DAEMON", daemon)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    (supervisor, ["agent", "child", "daemon"].map(|name| number(&directory.join(name))))
}

fn works(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(") ").next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with('Z'))
}

#[test]
fn when_the_supervisor_is_killed_the_group_dies_and_the_next_run_finds_the_rest() {
    let _alone = ALONE.lock();
    let dir = TempDir::new().unwrap();
    let (mut supervisor, [agent, child, daemon]) = supervisor(dir.path(), STUBBORN);
    // Time for the watcher to be there: the job writes its files as soon as it runs.
    thread::sleep(Duration::from_millis(200));
    supervisor.kill().unwrap();
    supervisor.wait().unwrap();
    wait_for(|| (!works(agent) && !works(child)).then_some(()));
    assert!(works(daemon));

    assert_eq!(end_orphans(&Tag::new("another")).ended, []);
    assert!(works(daemon));
    let swept = end_orphans(&Tag::new(dir.path().as_os_str().as_encoded_bytes()));
    assert!(swept.ended.iter().any(|process| process.pid.cast_unsigned() == daemon), "{swept:?}");
    assert_eq!(swept.survivors, []);
    assert!(!works(daemon));
}

#[test]
fn the_processes_of_a_supervisor_that_lives_are_no_orphans() {
    let _alone = ALONE.lock();
    let dir = TempDir::new().unwrap();
    let (mut supervisor, pids) = supervisor(dir.path(), POLITE);
    let swept = end_orphans(&Tag::new(dir.path().as_os_str().as_encoded_bytes()));
    let all_work = pids.into_iter().all(works);
    supervisor.kill().unwrap();
    supervisor.wait().unwrap();
    let _ = end_orphans(&Tag::new(dir.path().as_os_str().as_encoded_bytes()));
    assert_eq!((swept.ended, swept.survivors), (vec![], vec![]));
    assert!(all_work);
}
