//! The loop in which a helper watches over its job.

use super::super::ProcessName;
use super::command::Command;
use super::report::Report;
use super::tree::{Tree, Visibility};
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use std::io::{ErrorKind, Read};
use std::os::unix::net::UnixStream;
use std::thread;
use std::time::{Duration, Instant};

/// How long after the program its other processes may end by themselves before they count as leaked.
const SETTLE: Duration = Duration::from_millis(100);
/// How long that is if they are at work, which on a busy machine may mean that they wait for a processor.
const SETTLE_AT_WORK: Duration = Duration::from_secs(1);
/// Between SIGTERM and SIGKILL when our line has closed.
const ORPHAN_GRACE: Duration = Duration::from_secs(1);
/// Between two looks at a process group, whose end is not told to us.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// What was done to the job so far.
#[derive(Clone, Copy, Debug)]
enum Phase {
    /// The program runs, and may.
    Running,
    /// All were asked to end; when to kill them is said over the line.
    Asked,
    /// The program has ended; what else is there may do so too.
    Settling { since: Instant, until: Instant },
    /// What the program left, or the whole job when the line has closed, was asked to end.
    Ending { until: Instant },
}

impl Phase {
    fn until(self) -> Option<Instant> {
        match self {
            Self::Running | Self::Asked => None,
            Self::Settling { until, .. } | Self::Ending { until } => Some(until),
        }
    }
}

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    GoOn,
    Kill,
}

/// A job that runs.
pub(super) struct Watch {
    /// `None` once it has closed.
    line: Option<UnixStream>,
    /// Readable when a child may have ended.
    ended: UnixStream,
    tree: Tree,
    phase: Phase,
    leaked: Vec<ProcessName>,
    /// Between SIGTERM and SIGKILL for what the program leaves behind.
    leak_grace: Duration,
}

impl Watch {
    /// A job that has just been started. `line` leads to the process that wanted it; `ended` becomes readable when a child
    /// may have ended. Neither blocks.
    pub(super) fn new(line: UnixStream, ended: UnixStream, tree: Tree, leak_grace: Duration) -> Self {
        Self { line: Some(line), ended, tree, phase: Phase::Running, leaked: Vec::new(), leak_grace }
    }

    /// Watches until nothing is left, or will not end.
    pub(super) fn run(mut self) {
        let mut next = Next::GoOn;
        loop {
            if let Some(status) = self.tree.reap() {
                self.report(Report::Ended(status));
                if matches!(self.phase, Phase::Running) {
                    let since = Instant::now();
                    self.phase = Phase::Settling { since, until: since + SETTLE };
                }
            }
            if (self.tree.program_has_ended() && self.tree.is_gone()) || next == Next::Kill {
                break;
            }
            self.wait();
            next = match self.obey() {
                Next::Kill => Next::Kill,
                Next::GoOn => self.look_at_the_clock(),
            };
        }
        let survivors = if self.tree.is_gone() { Vec::new() } else { self.tree.kill() };
        #[expect(clippy::redundant_closure_for_method_calls, reason = "shorter than the path of the method")]
        let survivors = survivors.iter().map(|process| process.to_name()).collect();
        self.report(Report::Gone { leaked: self.leaked.clone(), survivors });
    }

    /// Waits until something is said, a child has ended, or it is time to do something.
    fn wait(&mut self) {
        let mut polled = vec![PollFd::new(&self.ended, PollFlags::IN)];
        polled.extend(self.line.iter().map(|line| PollFd::new(line, PollFlags::IN)));
        let now = Instant::now();
        let mut timeout = self.phase.until().map(|until| until.saturating_duration_since(now));
        if self.tree.program_has_ended() && self.tree.visibility() == Visibility::Group {
            timeout = Some(timeout.map_or(POLL_INTERVAL, |timeout| timeout.min(POLL_INTERVAL)));
        }
        let timeout = timeout.map(|timeout| Timespec::try_from(timeout).unwrap_or_default());
        match rustix::event::poll(&mut polled, timeout.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            // Out of memory, at worst; but time must pass.
            Err(_) => thread::sleep(POLL_INTERVAL),
        }
        let mut told = [0; 64];
        while matches!((&self.ended).read(&mut told), Ok(count) if count > 0) {}
    }

    /// Does what was said over the line.
    fn obey(&mut self) -> Next {
        let mut told = [0; 64];
        let Some(mut line) = self.line.as_ref() else { return Next::GoOn };
        match line.read(&mut told) {
            Ok(0) => self.line_has_closed(),
            Ok(count) => {
                for command in told[..count].iter().filter_map(|byte| Command::from_byte(*byte)) {
                    if self.carry_out(command) == Next::Kill {
                        return Next::Kill;
                    }
                }
            }
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
            Err(_) => self.line_has_closed(),
        }
        Next::GoOn
    }

    fn carry_out(&mut self, command: Command) -> Next {
        let running = matches!(self.phase, Phase::Running);
        match command {
            Command::Kill => return Next::Kill,
            Command::End => {
                self.tree.ask();
                if running {
                    self.phase = Phase::Asked;
                }
            }
            // What is being ended must be able to end.
            Command::Suspend if running => self.tree.suspend(),
            Command::Suspend => {}
            Command::Resume => self.tree.resume(),
        }
        Next::GoOn
    }

    /// The process that wanted this job is gone.
    fn line_has_closed(&mut self) {
        self.line = None;
        self.tree.ask();
        self.phase = Phase::Ending { until: Instant::now() + ORPHAN_GRACE };
    }

    fn look_at_the_clock(&mut self) -> Next {
        let now = Instant::now();
        match self.phase {
            Phase::Settling { since, until } if now >= until => {
                if now < since + SETTLE_AT_WORK && self.tree.is_busy() {
                    self.phase = Phase::Settling { since, until: now + SETTLE };
                    return Next::GoOn;
                }
                let members = self.tree.members();
                #[expect(
                    clippy::redundant_closure_for_method_calls,
                    reason = "shorter than the path of the method"
                )]
                let leaked = members.iter().map(|process| process.to_name()).collect();
                self.leaked = leaked;
                self.tree.ask();
                self.phase = Phase::Ending { until: now + self.leak_grace };
                Next::GoOn
            }
            Phase::Ending { until } if now >= until => Next::Kill,
            _ => Next::GoOn,
        }
    }

    fn report(&self, report: Report) {
        if let Some(line) = &self.line {
            report.send(line);
        }
    }
}
