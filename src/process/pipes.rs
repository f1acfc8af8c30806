//! Moves prompt and output through pipes that never block, as far as they go.

use super::capture::Capture;
use super::decide::Flood;
use super::job::Limits;
use super::live::LineFinder;
use super::log::CappedLog;
use super::{Captured, LiveLine, Logged};
use crate::process::Secrets;
use crate::process::redact::Redaction;
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use std::io::Write;
use std::os::fd::{AsFd, OwnedFd};
use std::thread;
use std::time::Duration;

/// Largest piece moved at once: what a pipe holds on Linux.
const PIECE: usize = 64 << 10;

/// Where output goes, and how much of it.
pub(super) struct Sinks {
    pub(super) limits: Limits,
    pub(super) log: Option<Box<dyn Write + Send>>,
    pub(super) live: LiveLine,
    pub(super) secrets: Secrets,
}

/// The pipe to standard input and what is still to be written.
struct Input {
    pipe: OwnedFd,
    prompt: Vec<u8>,
    written: usize,
}

/// The pipe of one output and what has been read.
struct Output {
    /// `None` once it is at its end.
    pipe: Option<OwnedFd>,
    /// What everything passes first, so that no limit below cuts a secret in two.
    redaction: Redaction,
    capture: Capture,
    lines: LineFinder,
}

/// All pipes of a job.
pub(super) struct Pipes {
    input: Option<Input>,
    outputs: [Output; 2],
    live: LiveLine,
    log: Option<CappedLog>,
    total: u64,
    flood: u64,
    buffer: Vec<u8>,
}

/// What the pipes brought.
pub(super) struct Brought {
    pub(super) stdout: Captured,
    pub(super) stderr: Captured,
    pub(super) log: Logged,
}

impl Pipes {
    /// Reads standard output and error from `outputs`, into `sinks`.
    pub(super) fn new(outputs: [Option<OwnedFd>; 2], sinks: Sinks) -> Self {
        let limits = sinks.limits;
        Self {
            input: None,
            outputs: outputs.map(|pipe| Output {
                pipe: pipe.and_then(unblocked),
                redaction: sinks.secrets.stream(),
                capture: Capture::new(limits.head, limits.tail),
                lines: LineFinder::default(),
            }),
            live: sinks.live,
            log: sinks.log.map(|writer| CappedLog::new(writer, limits.log)),
            total: 0,
            flood: limits.flood,
            buffer: vec![0; PIECE],
        }
    }

    /// Writes `prompt` to `pipe`, then closes it.
    pub(super) fn feed(&mut self, pipe: OwnedFd, prompt: Vec<u8>) {
        self.input = unblocked(pipe).map(|pipe| Input { pipe, prompt, written: 0 });
        self.write_on();
    }

    /// Forgets what is left of the prompt.
    pub(super) fn close_input(&mut self) {
        self.input = None;
    }

    /// Whether both outputs are at their ends.
    pub(super) fn outputs_ended(&self) -> bool {
        self.outputs.iter().all(|output| output.pipe.is_none())
    }

    /// Whether more came than may.
    pub(super) fn flood(&self) -> Flood {
        if self.total > self.flood { Flood::Exceeded } else { Flood::Within }
    }

    /// Waits until a pipe is ready, at most for `wait`, and moves a piece through each one that is.
    pub(super) fn pump(&mut self, wait: Duration) {
        let ready = self.poll(wait);
        if ready[0] {
            self.write_on();
        }
        for (at, _) in ready[1..].iter().enumerate().filter(|(_, ready)| **ready) {
            self.read_on(at);
        }
    }

    /// The end: whatever still holds the other ends of the pipes does not matter any more.
    pub(super) fn finish(self) -> Brought {
        let mut log = self.log;
        let [stdout, stderr] = self.outputs.map(|mut output| {
            let rest = output.redaction.finish();
            output.capture.push(&rest);
            if let Some(log) = &mut log {
                log.push(&rest);
            }
            output.capture.finish()
        });
        Brought { stdout, stderr, log: log.map_or(Logged::None, CappedLog::finish) }
    }

    /// Which of standard input, output and error are ready, or at their ends, within `wait`.
    fn poll(&self, wait: Duration) -> [bool; 3] {
        let open = [
            self.input.as_ref().map(|input| (&input.pipe, PollFlags::OUT)),
            self.outputs[0].pipe.as_ref().map(|pipe| (pipe, PollFlags::IN)),
            self.outputs[1].pipe.as_ref().map(|pipe| (pipe, PollFlags::IN)),
        ];
        let mut polled: Vec<PollFd<'_>> = open
            .iter()
            .flatten()
            .map(|(pipe, flags)| PollFd::from_borrowed_fd(pipe.as_fd(), *flags))
            .collect();
        let timeout = Timespec::try_from(wait).unwrap_or_default();
        match rustix::event::poll(&mut polled, Some(&timeout)) {
            Ok(_) | Err(Errno::INTR) => {}
            // Out of memory, at worst: nothing is ready, but time must pass.
            Err(_) => thread::sleep(wait),
        }
        let mut answers = polled.iter().map(|polled| !polled.revents().is_empty());
        open.map(|pipe| pipe.is_some() && answers.next() == Some(true))
    }

    fn write_on(&mut self) {
        let Some(input) = &mut self.input else { return };
        let rest = &input.prompt[input.written..];
        match rustix::io::write(&input.pipe, &rest[..rest.len().min(PIECE)]) {
            Ok(count) => input.written += count,
            Err(Errno::AGAIN | Errno::INTR) => {}
            // The program has closed its input: it does not want the rest.
            Err(_) => input.written = input.prompt.len(),
        }
        if input.written == input.prompt.len() {
            self.input = None;
        }
    }

    fn read_on(&mut self, at: usize) {
        let output = &mut self.outputs[at];
        let Some(pipe) = &output.pipe else { return };
        match rustix::io::read(pipe, &mut self.buffer) {
            Ok(count) if count > 0 => {
                let chunk = output.redaction.push(&self.buffer[..count]);
                self.total += count as u64;
                output.capture.push(chunk);
                output.lines.push(chunk, &self.live);
                if let Some(log) = &mut self.log {
                    log.push(chunk);
                }
            }
            Err(Errno::AGAIN | Errno::INTR) => {}
            Ok(_) | Err(_) => output.pipe = None,
        }
    }
}

/// Our end of a pipe, set never to block; one that cannot be set so is not used at all.
fn unblocked(pipe: OwnedFd) -> Option<OwnedFd> {
    rustix::io::ioctl_fionbio(&pipe, true).ok().map(|()| pipe)
}
