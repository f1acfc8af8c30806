//! A git that is asked and read piece by piece while it runs: for answers that are too long to be kept, and for questions
//! that are too many to start a git for each.

use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread::{Builder, JoinHandle};

use super::output::GitOutput;
use crate::error::{Error, Kind, Result};

/// How much of standard error is kept, in bytes: enough for a message.
const KEPT: usize = 8192;

/// A git that was left running. It is ended when this value is dropped.
#[derive(Debug)]
pub(super) struct Running {
    call: String,
    child: Child,
    input: Option<BufWriter<ChildStdin>>,
    pub(super) output: BufReader<ChildStdout>,
    errors: Option<JoinHandle<Vec<u8>>>,
}

impl Running {
    /// Starts a program, which has this name in messages.
    pub(super) fn start(command: &mut Command, call: String) -> std::io::Result<Self> {
        // In the group of the terminal, Ctrl-C would end it in the middle of a graceful stop.
        let command = command.process_group(0);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let input = child.stdin.take().expect("standard input is a pipe");
        let output = child.stdout.take().expect("standard output is a pipe");
        let errors = child.stderr.take().expect("standard error is a pipe");
        Ok(Self {
            call,
            child,
            input: Some(BufWriter::new(input)),
            output: BufReader::with_capacity(1 << 16, output),
            // Without this thread, git loses its standard input and ends.
            errors: Some(Builder::new().spawn(move || first_bytes(errors))?),
        })
    }

    /// Passes on a question.
    ///
    /// # Errors
    /// If git has ended.
    pub(super) fn ask(&mut self, question: &[u8]) -> std::io::Result<()> {
        let input = self.input.as_mut().ok_or(std::io::ErrorKind::BrokenPipe)?;
        input.write_all(question)?;
        input.flush()
    }

    /// Tells git that there are no more questions.
    pub(super) fn end_input(&mut self) {
        self.input = None;
    }

    /// The next line of the answer, without its end; `None` if git has ended.
    pub(super) fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        // A broken pipe and an answer that is not text are the end of it too.
        self.output.read_line(&mut line).ok()?;
        line.strip_suffix('\n').map(str::to_owned)
    }

    /// Waits until git has ended, and returns the rest of its answer.
    ///
    /// # Errors
    /// If the answer cannot be read.
    pub(super) fn finish(mut self) -> Result<GitOutput> {
        self.end_input();
        let mut stdout = Vec::new();
        let cut_off = |error: std::io::Error| {
            Error::new(Kind::Environment, format!("{} was cut off: {error}", self.call), "")
        };
        self.output.read_to_end(&mut stdout).map_err(cut_off)?;
        let status = self.child.wait().map_err(cut_off)?;
        let stderr = self.last_words();
        Ok(GitOutput { call: std::mem::take(&mut self.call), status, stdout, stderr })
    }

    /// Ends git at once, and returns what it has said on standard error.
    pub(super) fn end(&mut self) -> String {
        self.end_input();
        // It ends by itself once its input is closed, unless it is waiting for the network; hence the signal.
        let _ = self.child.kill();
        let _ = self.child.wait();
        self.last_words()
    }

    fn last_words(&mut self) -> String {
        // A panic of the thread was reported when it happened.
        let words = self.errors.take().and_then(|reader| reader.join().ok()).unwrap_or_default();
        String::from_utf8_lossy(&words).into_owned()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.end();
    }
}

/// Reads to the end so that the writer never waits, but keeps only the beginning.
fn first_bytes(mut from: impl Read) -> Vec<u8> {
    let mut kept = Vec::new();
    let mut chunk = [0; 4096];
    while let Ok(count @ 1..) = from.read(&mut chunk) {
        let room = KEPT.saturating_sub(kept.len());
        kept.extend_from_slice(&chunk[..count.min(room)]);
    }
    kept
}
