//! The supervisor against real processes.

use super::processes::{self, Life};
use super::{EnvChange, Job, Tag, cookie};
use std::time::{Duration, Instant};
use tempfile::TempDir;

mod ending;
mod input_and_output;
mod leaving;
mod starting;

/// What takes longer has waited for what it must not: a grace of ten seconds where none is set, or a minute. What is
/// waited for here in earnest takes half a second; the rest is for a machine that has other work.
const SOON: Duration = Duration::from_secs(8);

/// Milliseconds.
fn ms(count: u64) -> Duration {
    Duration::from_millis(count)
}

/// A directory, and a tag that no other test has.
struct Place {
    dir: TempDir,
    tag: Tag,
}

impl Place {
    fn new() -> Self {
        let dir = TempDir::new().unwrap();
        let tag = Tag::new(dir.path().as_os_str().as_encoded_bytes());
        Self { dir, tag }
    }

    /// A job that has `script` run by the shell, for at most a minute, with a grace of 300 ms.
    fn sh(&self, script: &str) -> Job {
        Job::new("/bin/sh", self.dir.path(), self.tag.clone(), Duration::from_secs(60))
            .args(["-c", script])
            .env([EnvChange::Set("LC_ALL".into(), "C".into())])
            .grace(ms(300))
    }

    fn write(&self, name: &str, content: &str) {
        std::fs::write(self.dir.path().join(name), content).unwrap();
    }

    /// Waits for a script to write the file `name`, and reads it.
    fn wait_for(&self, name: &str) -> String {
        let until = Instant::now() + Duration::from_secs(30);
        loop {
            match std::fs::read_to_string(self.dir.path().join(name)) {
                Ok(content) if content.ends_with('\n') => return content,
                _ => assert!(Instant::now() < until, "{name} was not written"),
            }
            std::thread::sleep(ms(5));
        }
    }

    /// Fails if a process that a job of this place started is alive.
    fn assert_empty(&self) {
        let all = processes::snapshot().unwrap();
        let left: Vec<_> = all
            .iter()
            .filter(|process| !cookie::supervisors(&process.environment(), &self.tag).is_empty())
            .map(|process| process.to_name().to_string())
            .collect();
        assert!(left.is_empty(), "still there: {left:?}");
    }
}

/// Whether there is a process `pid`, be it a zombie.
fn exists(pid: i32) -> bool {
    processes::snapshot().unwrap().iter().any(|process| process.pid() == pid)
}

/// Whether the process `pid` works.
fn lives(pid: i32) -> bool {
    let all = processes::snapshot().unwrap();
    all.iter().any(|process| process.pid() == pid && process.life == Life::Alive)
}

/// The numbers in a program's output, one a line.
fn numbers(output: &super::Captured) -> Vec<i32> {
    let text = String::from_utf8(output.to_bytes_with_note()).unwrap();
    text.lines().map(|line| line.trim().parse().unwrap()).collect()
}
