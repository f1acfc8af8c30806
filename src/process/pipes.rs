//! Moves the input and outputs of a program through pipes that never block.

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::thread;
use std::time::{Duration, Instant};

/// The largest piece that is moved at once: the capacity of a pipe on Linux.
const PIECE: usize = 64 << 10;

/// The largest capacity of the pipes of both outputs, unless the system is configured otherwise.
const HELD: u64 = 2 << 20;
/// The time between two checks for remaining output after the program has ended.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// The destination of an output.
pub(super) trait Sink {
    /// Takes the next bytes.
    fn take(&mut self, chunk: &[u8]);
}

impl Sink for Vec<u8> {
    fn take(&mut self, chunk: &[u8]) {
        self.extend_from_slice(chunk);
    }
}

/// The pipe to standard input and the bytes that are still to be written.
struct Input {
    pipe: OwnedFd,
    content: Vec<u8>,
    written: usize,
}

/// The pipe of one output and its destination.
struct Output<S> {
    /// `None` once it is at its end.
    pipe: Option<OwnedFd>,
    sink: S,
}

/// All pipes of a program.
pub(super) struct Pipes<S> {
    input: Option<Input>,
    outputs: [Output<S>; 2],
    total: u64,
    buffer: Vec<u8>,
}

impl<S: Sink> Pipes<S> {
    /// Reads standard output and error from `outputs`, into `sinks`.
    pub(super) fn new(outputs: [Option<OwnedFd>; 2], sinks: [S; 2]) -> Self {
        let mut sinks = sinks.into_iter();
        let outputs = outputs.map(|pipe| Output {
            pipe: pipe.and_then(unblocked),
            sink: sinks.next().expect("there are as many sinks as outputs"),
        });
        Self { input: None, outputs, total: 0, buffer: vec![0; PIECE] }
    }

    /// Writes `content` to `pipe`, then closes it.
    pub(super) fn feed(&mut self, pipe: OwnedFd, content: Vec<u8>) {
        self.input = unblocked(pipe).map(|pipe| Input { pipe, content, written: 0 });
        self.write_on();
    }

    /// Drops the rest of the input.
    pub(super) fn close_input(&mut self) {
        self.input = None;
    }

    /// Whether both outputs have ended.
    pub(super) fn outputs_ended(&self) -> bool {
        self.outputs.iter().all(|output| output.pipe.is_none())
    }

    /// The destinations of standard output and standard error.
    pub(super) fn sinks(&mut self) -> [&mut S; 2] {
        self.outputs.each_mut().map(|output| &mut output.sink)
    }

    /// How many bytes were read so far.
    pub(super) fn total(&self) -> u64 {
        self.total
    }

    /// Waits until a pipe is ready or `other` can be read, but at most for `wait`. Then moves a piece through each pipe
    /// that is ready.
    pub(super) fn pump(&mut self, wait: Duration, other: Option<BorrowedFd<'_>>) {
        let ready = self.poll(wait, other);
        if ready[0] {
            self.write_on();
        }
        for (at, _) in ready[1..].iter().enumerate().filter(|(_, ready)| **ready) {
            self.read_on(at);
        }
    }

    /// Reads the rest of the output after the program has ended, completely even if we get to read it late because the
    /// machine is busy. A process that the program left running may hold a pipe open; its output is read for `time`.
    pub(super) fn drain(&mut self, time: Duration) {
        let until = Instant::now() + time;
        let most = self.total + HELD;
        while !self.outputs_ended() {
            let before = self.total;
            self.pump(POLL_INTERVAL, None);
            let emptied = self.total == before || self.total > most;
            if emptied && Instant::now() >= until {
                return;
            }
        }
    }

    /// Ends the outputs, even if another process still holds the other ends of the pipes.
    pub(super) fn finish(self) -> [S; 2] {
        self.outputs.map(|output| output.sink)
    }

    /// Which of standard input, output and error are ready, or have ended, within `wait`.
    fn poll(&self, wait: Duration, other: Option<BorrowedFd<'_>>) -> [bool; 3] {
        let open = [
            self.input.as_ref().map(|input| (input.pipe.as_fd(), PollFlags::OUT)),
            self.outputs[0].pipe.as_ref().map(|pipe| (pipe.as_fd(), PollFlags::IN)),
            self.outputs[1].pipe.as_ref().map(|pipe| (pipe.as_fd(), PollFlags::IN)),
        ];
        let other = other.map(|other| (other, PollFlags::IN));
        let mut polled: Vec<PollFd<'_>> = open
            .iter()
            .chain([&other])
            .flatten()
            .map(|(pipe, flags)| PollFd::from_borrowed_fd(*pipe, *flags))
            .collect();
        let timeout = Timespec::try_from(wait).unwrap_or_default();
        match rustix::event::poll(&mut polled, Some(&timeout)) {
            Ok(_) | Err(Errno::INTR) => {}
            // At worst, we are out of memory. Then nothing is ready, but time must pass.
            Err(_) => thread::sleep(wait),
        }
        let mut answers = polled.iter().map(|polled| !polled.revents().is_empty());
        open.map(|pipe| pipe.is_some() && answers.next() == Some(true))
    }

    fn write_on(&mut self) {
        let Some(input) = &mut self.input else { return };
        let rest = &input.content[input.written..];
        match rustix::io::write(&input.pipe, &rest[..rest.len().min(PIECE)]) {
            Ok(count) => input.written += count,
            Err(Errno::AGAIN | Errno::INTR) => {}
            // The program has closed its input: it does not want the rest.
            Err(_) => input.written = input.content.len(),
        }
        if input.written == input.content.len() {
            self.input = None;
        }
    }

    fn read_on(&mut self, at: usize) {
        let output = &mut self.outputs[at];
        let Some(pipe) = &output.pipe else { return };
        match rustix::io::read(pipe, &mut self.buffer) {
            Ok(count) if count > 0 => {
                self.total += count as u64;
                output.sink.take(&self.buffer[..count]);
            }
            Err(Errno::AGAIN | Errno::INTR) => {}
            Ok(_) | Err(_) => output.pipe = None,
        }
    }
}

/// Our end of a pipe, in non-blocking mode. If that mode cannot be set, the pipe is not used at all.
fn unblocked(pipe: OwnedFd) -> Option<OwnedFd> {
    rustix::io::ioctl_fionbio(&pipe, true).ok().map(|()| pipe)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn all_output_is_read_however_late_and_even_if_another_process_holds_the_pipe() {
        let (ours, mut theirs) = std::io::pipe().unwrap();
        let mut pipes = Pipes::new([Some(ours.into()), None], [Vec::new(), Vec::new()]);
        let content = vec![7; 60_000];
        theirs.write_all(&content).unwrap();
        pipes.drain(Duration::ZERO);
        assert!(!pipes.outputs_ended());
        let [said, _] = pipes.finish();
        assert!(said == content, "{} bytes", said.len());
        drop(theirs);
    }
}
