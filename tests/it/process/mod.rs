//! Tests the supervisor with real processes.

use git_arborist::process::{Cancel, Captured, EnvChange, Job, Launch, Tag};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tempfile::TempDir;

mod ending;
mod input_and_output;
mod killed;
mod leaving;
mod load;
mod memory;
mod starting;
mod stopped;

/// A job that must not wait for something ends sooner than this. It takes half a second, or up to a minute on a busy
/// machine. The thing that it must not wait for takes [`LONG`].
const SOON: Duration = Duration::from_secs(120);
/// A timeout or grace period that is far from over when the test ends.
const LONG: Duration = Duration::from_secs(600);

/// Milliseconds.
fn ms(count: u64) -> Duration {
    Duration::from_millis(count)
}

/// A directory, whose path is in the environment of all processes of its jobs.
struct Place {
    dir: TempDir,
    tag: Tag,
    launch: Launch,
}

/// How programs are started in a folder, with a grace of 300 ms.
fn launch_in(directory: &Path) -> Launch {
    let set = |name: &str, value: OsString| EnvChange::Set(name.into(), value);
    Launch {
        directory: directory.to_owned(),
        tag: Tag::of_folder(directory),
        env: vec![set("LC_ALL", "C".into()), set("PLACE", directory.into())],
        grace: ms(300),
        cancel: Cancel::new(),
        secrets: None,
        held: None,
        front: None,
    }
}

impl Place {
    fn new() -> Self {
        let dir = TempDir::new().unwrap();
        let launch = launch_in(dir.path());
        Self { dir, tag: launch.tag, launch }
    }

    /// A place with another grace.
    fn with_grace(grace: Duration) -> Self {
        let mut place = Self::new();
        place.launch.grace = grace;
        place
    }

    /// A job that has `script` run by the shell, for at most ten minutes, with a grace of 300 ms.
    fn sh(&self, script: &str) -> Job {
        self.job("/bin/sh", LONG).args(["-c", script])
    }

    /// The same, for at most this time.
    fn sh_for(&self, timeout: Duration, script: &str) -> Job {
        self.job("/bin/sh", timeout).args(["-c", script])
    }

    /// A job that runs `program`.
    fn job(&self, program: impl Into<PathBuf>, timeout: Duration) -> Job {
        self.launch.job(program, timeout)
    }

    fn write(&self, name: &str, content: &str) {
        std::fs::write(self.dir.path().join(name), content).unwrap();
    }

    /// Waits for a script to write the file `name`, and reads it.
    fn wait_for(&self, name: &str) -> String {
        let file = self.dir.path().join(name);
        wait_until(&format!("{name} was not written"), || {
            std::fs::read_to_string(&file).ok().filter(|content| content.ends_with('\n'))
        })
    }

    /// The number that a script writes into the file `name`.
    fn number(&self, name: &str) -> i32 {
        self.wait_for(name).trim().parse().unwrap()
    }

    /// Fails if a process that a job of this place started is alive.
    fn assert_empty(&self) {
        assert_eq!(self.processes(), [""; 0], "still there");
    }

    /// The living processes of the jobs of this place that have kept their environment.
    fn processes(&self) -> Vec<String> {
        let entry = format!("PLACE={}\0", self.dir.path().display());
        let ours = |pid: &i32| {
            let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            environment.windows(entry.len()).any(|window| window == entry.as_bytes())
        };
        let pids = all_pids().into_iter().filter(|pid| lives(*pid)).filter(ours);
        pids.map(|pid| std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default()).collect()
    }
}

/// Waits until `look` returns something.
#[track_caller]
fn wait_until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let until = Instant::now() + SOON;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < until, "{what}");
        std::thread::sleep(ms(5));
    }
}

fn all_pids() -> Vec<i32> {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

/// The letter for the state of the process `pid`; `None` if it does not exist.
fn state(pid: i32) -> Option<char> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(") ")?.1.chars().next()
}

/// Whether there is a process `pid`, even if it is a zombie.
fn exists(pid: i32) -> bool {
    state(pid).is_some()
}

/// Whether the process `pid` is running.
fn lives(pid: i32) -> bool {
    state(pid).is_some_and(|state| !matches!(state, 'Z' | 'X'))
}

/// The process that started `pid`, or has adopted it.
fn parent_of(pid: i32) -> i32 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    stat.rsplit_once(") ").unwrap().1.split(' ').nth(1).unwrap().parse().unwrap()
}

fn signal(pid: i32, name: &str) {
    let kill = std::process::Command::new("/bin/kill").args(["-s", name, "--", &pid.to_string()]).status();
    assert!(kill.unwrap().success());
}

/// The numbers in a program's output, one per line.
fn numbers(output: &Captured) -> Vec<i32> {
    let text = String::from_utf8(output.to_bytes_with_note()).unwrap();
    text.lines().map(|line| line.trim().parse().unwrap()).collect()
}
