//! The loop in which a helper watches over its job.

use super::super::ProcessName;
use super::command::HelperCommand;
use super::process_tree::{Tree, Visibility};
use super::report::HelperReport;
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use std::io::{ErrorKind, Read};
use std::os::unix::net::UnixStream;
use std::thread;
use std::time::{Duration, Instant};

/// How long other processes may take to end by themselves after the program has ended, before they count as leaked.
const SETTLE: Duration = Duration::from_millis(100);
/// The same for processes that are running. On a busy machine, this may mean that they wait for a processor.
const SETTLE_AT_WORK: Duration = Duration::from_secs(1);
/// The time between SIGTERM and SIGKILL if our connection has closed.
const ORPHAN_GRACE: Duration = Duration::from_secs(1);
/// The time between two checks of a process group, of whose end we are not notified.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// The phases of the job.
#[derive(Clone, Copy, Debug)]
enum WatchPhase {
    /// The program is running and may continue.
    Running,
    /// All processes were asked to end. The connection will tell when to kill them.
    Asked,
    /// The program has ended, and its other processes may end by themselves.
    Settling { since: Instant, until: Instant },
    /// The remaining processes, or the whole job if the connection has closed, were asked to end.
    Ending { until: Instant },
}

impl WatchPhase {
    fn until(self) -> Option<Instant> {
        match self {
            Self::Running | Self::Asked => None,
            Self::Settling { until, .. } | Self::Ending { until } => Some(until),
        }
    }
}

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WatchStep {
    GoOn,
    Kill,
}

/// A running job.
pub(super) struct WatchedJob {
    /// The connection; `None` once it has closed.
    line: Option<UnixStream>,
    /// Readable when a child may have ended.
    ended: UnixStream,
    tree: Tree,
    phase: WatchPhase,
    leaked: Vec<ProcessName>,
    /// Between SIGTERM and SIGKILL for what the program leaves behind.
    leak_grace: Duration,
}

impl WatchedJob {
    /// A job that has just been started. `line` is the connection to the process that requested it, and `ended` becomes
    /// readable when a child may have ended. Neither blocks.
    pub(super) fn new(line: UnixStream, ended: UnixStream, tree: Tree, leak_grace: Duration) -> Self {
        Self { line: Some(line), ended, tree, phase: WatchPhase::Running, leaked: Vec::new(), leak_grace }
    }

    /// Watches until nothing is left, or only processes that cannot be ended.
    pub(super) fn run(mut self) {
        let mut next = WatchStep::GoOn;
        loop {
            if let Some(status) = self.tree.reap() {
                self.report(HelperReport::Ended(status));
                if matches!(self.phase, WatchPhase::Running) {
                    let since = Instant::now();
                    self.phase = WatchPhase::Settling { since, until: since + SETTLE };
                }
            }
            if (self.tree.program_has_ended() && self.tree.is_gone()) || next == WatchStep::Kill {
                break;
            }
            self.wait();
            next = match self.obey() {
                WatchStep::Kill => WatchStep::Kill,
                WatchStep::GoOn => self.look_at_the_clock(),
            };
        }
        let survivors = if self.tree.is_gone() { Vec::new() } else { self.tree.kill() };
        #[expect(clippy::redundant_closure_for_method_calls, reason = "shorter than the path of the method")]
        let survivors = survivors.iter().map(|process| process.to_name()).collect();
        self.report(HelperReport::Gone { leaked: self.leaked.clone(), survivors });
    }

    /// Waits until a command arrives, a child has ended, or a deadline is reached.
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
            // At worst, we are out of memory. Time must pass all the same.
            Err(_) => thread::sleep(POLL_INTERVAL),
        }
        let mut told = [0; 64];
        while matches!((&self.ended).read(&mut told), Ok(count) if count > 0) {}
    }

    /// Carries out the commands from the connection.
    fn obey(&mut self) -> WatchStep {
        let mut told = [0; 64];
        let Some(mut line) = self.line.as_ref() else { return WatchStep::GoOn };
        match line.read(&mut told) {
            Ok(0) => self.line_has_closed(),
            Ok(count) => {
                for command in told[..count].iter().filter_map(|byte| HelperCommand::from_byte(*byte)) {
                    if self.carry_out(command) == WatchStep::Kill {
                        return WatchStep::Kill;
                    }
                }
            }
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
            Err(_) => self.line_has_closed(),
        }
        WatchStep::GoOn
    }

    fn carry_out(&mut self, command: HelperCommand) -> WatchStep {
        let running = matches!(self.phase, WatchPhase::Running);
        match command {
            HelperCommand::Kill => return WatchStep::Kill,
            HelperCommand::End => {
                self.tree.ask();
                if running {
                    self.phase = WatchPhase::Asked;
                }
            }
            // Processes that should end must not stay stopped.
            HelperCommand::Suspend if running => self.tree.suspend(),
            HelperCommand::Suspend => {}
            HelperCommand::Resume => self.tree.resume(),
        }
        WatchStep::GoOn
    }

    /// The process that wanted this job is gone.
    fn line_has_closed(&mut self) {
        self.line = None;
        self.tree.ask();
        self.phase = WatchPhase::Ending { until: Instant::now() + ORPHAN_GRACE };
    }

    fn look_at_the_clock(&mut self) -> WatchStep {
        let now = Instant::now();
        match self.phase {
            WatchPhase::Settling { since, until } if now >= until => {
                if now < since + SETTLE_AT_WORK && self.tree.is_busy() {
                    self.phase = WatchPhase::Settling { since, until: now + SETTLE };
                    return WatchStep::GoOn;
                }
                let members = self.tree.members();
                #[expect(
                    clippy::redundant_closure_for_method_calls,
                    reason = "shorter than the path of the method"
                )]
                let leaked = members.iter().map(|process| process.to_name()).collect();
                self.leaked = leaked;
                self.tree.ask();
                self.phase = WatchPhase::Ending { until: now + self.leak_grace };
                WatchStep::GoOn
            }
            WatchPhase::Ending { until } if now >= until => WatchStep::Kill,
            _ => WatchStep::GoOn,
        }
    }

    fn report(&self, report: HelperReport) {
        if let Some(line) = &self.line {
            report.send(line);
        }
    }
}
