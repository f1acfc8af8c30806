//! Runs a program of ours beside us: what it prints is passed on line by line, from another thread, until it has ended.
//!
//! Such a program ends its own programs, so no helper watches over it. It notices our end because its standard input ends.

use std::io::{BufRead, BufReader, Read, Result};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::thread::{Builder, JoinHandle};

use rustix::process::{Pid, Signal, getpid, kill_process};

use super::EnvChange;

/// How much of what the program prints on standard error is kept, in bytes.
const KEPT: usize = 4000;

/// A program to be run beside us.
#[derive(Clone, Debug)]
pub struct CompanionCall {
    /// The program, as an absolute path.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// The folder in which it runs.
    pub directory: PathBuf,
    /// Changes to the environment that it inherits.
    pub env: Vec<EnvChange>,
}

/// What a program beside us tells.
#[derive(Debug)]
pub enum CompanionNews {
    /// A line on standard output.
    Line(String),
    /// It has ended.
    Ended {
        /// How, in words.
        status: String,
        /// Whether something killed it.
        was_killed: bool,
        /// The last line on standard error; may be empty.
        last_words: String,
    },
}

/// A program that runs beside us.
#[derive(Debug)]
pub struct Companion {
    pid: Pid,
    /// As long as this is open, the program knows that somebody waits for it.
    _stdin: Option<ChildStdin>,
    reader: Option<JoinHandle<()>>,
}

impl CompanionCall {
    /// Starts the program in a process group of its own: a signal from the terminal reaches only us. `told` hears of it from
    /// another thread.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn start(&self, mut told: impl FnMut(CompanionNews) + Send + 'static) -> Result<Companion> {
        let mut command = Command::new(&self.program);
        command
            .args(&self.arguments)
            .current_dir(&self.directory)
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        for change in &self.env {
            change.apply(&mut command);
        }
        let mut child = command.spawn()?;
        let pid = Pid::from_child(&child);
        let stdin = child.stdin.take();
        // Without this thread the program loses its standard input, and ends.
        let reader = Builder::new().spawn(move || {
            let ended = follow(child, &mut told);
            told(ended);
        })?;
        Ok(Companion { pid, _stdin: stdin, reader: Some(reader) })
    }
}

impl Companion {
    /// Asks the program to end. A second request is more urgent.
    pub fn end(&self) {
        // It may have ended by itself.
        let _ = kill_process(self.pid, Signal::TERM);
    }
}

impl Drop for Companion {
    /// The caller has heard that the program has ended.
    fn drop(&mut self) {
        if let Some(reader) = self.reader.take() {
            // A panic of the thread was reported when it happened.
            let _ = reader.join();
        }
    }
}

/// Ends this process, as SIGTERM does, when the process beside which it runs has ended.
///
/// # Errors
/// If no thread can be made that waits for this.
pub fn end_with_starter() -> Result<()> {
    let waiting = Builder::new().spawn(|| {
        // An error of standard input is its end as well.
        let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
        // If this fails, this process ends when its work does.
        let _ = kill_process(getpid(), Signal::TERM);
    });
    waiting.map(drop)
}

/// Passes on what a program prints, until it has ended.
fn follow(mut child: Child, told: &mut impl FnMut(CompanionNews)) -> CompanionNews {
    // Without a thread, nobody reads its last words, and it cannot write any.
    let stderr = child.stderr.take().and_then(|stderr| Builder::new().spawn(move || last_words(stderr)).ok());
    if let Some(stdout) = child.stdout.take() {
        for line in BufReader::new(stdout).split(b'\n') {
            let Ok(line) = line else { break };
            told(CompanionNews::Line(String::from_utf8_lossy(&line).into_owned()));
        }
    }
    let status = child.wait();
    let was_killed = status.as_ref().is_ok_and(|status| status.signal().is_some());
    let status = status.map_or_else(|error| error.to_string(), |status| status.to_string());
    let last_words = stderr.and_then(|thread| thread.join().ok()).unwrap_or_default();
    CompanionNews::Ended { status, was_killed, last_words }
}

/// The last line that a program prints.
fn last_words(mut stderr: impl Read) -> String {
    let (mut kept, mut buffer) = (Vec::new(), [0; KEPT]);
    while let Ok(count @ 1..) = stderr.read(&mut buffer) {
        kept.extend_from_slice(&buffer[..count]);
        let surplus = kept.len().saturating_sub(KEPT);
        kept.drain(..surplus);
    }
    let text = crate::text::clean(&kept);
    text.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default().to_owned()
}
