//! Starts a helper and talks to it.

use super::super::own_program::own_program;
use super::command::Control;
use super::report::{self, HelperReport};
use super::request::{self, StartRequest};
use super::serve::{self, ARGUMENT};
use rustix::io::Errno;
use std::io::{self, ErrorKind, Read};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// How long a helper may take to read its request. It does nothing else meanwhile.
const HANDOVER: Duration = Duration::from_secs(10);
/// How long a helper may take to end the job and itself if we drop it without waiting for its last report.
const LAST_WORK: Duration = Duration::from_secs(20);
/// How long it may take to end after it has reported that nothing is left.
const LAST_STEPS: Duration = Duration::from_secs(2);
/// The time between two checks whether it has ended.
const POLL_INTERVAL: Duration = Duration::from_millis(1);

/// A message from a helper.
#[derive(Debug)]
pub(in crate::process) enum Received {
    /// These reports, in order. There may be none.
    Reports(Vec<HelperReport>),
    /// The helper has ended.
    Ended,
}

/// How a helper failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::process) enum HelperExit {
    /// It could not begin, because its program is another one, or because of an error of the system.
    GaveUp,
    Killed,
}

/// A running helper. When this is dropped, the helper ends its job at once.
#[derive(Debug)]
pub(in crate::process) struct Helper {
    child: Child,
    control: Arc<Control>,
    received: Vec<u8>,
    /// Whether it has closed the connection.
    has_ended: bool,
    /// How long it may take to end when this is dropped.
    last_wait: Duration,
}

impl Helper {
    /// The command that starts a helper, with our own environment, which its program inherits.
    pub(in crate::process) fn command() -> io::Result<Command> {
        let mut command = Command::new(program()?);
        // In its own process group, it does not receive Ctrl-C and Ctrl-Z from the terminal.
        command.arg0("git-arborist").arg(ARGUMENT).current_dir("/").process_group(0);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        Ok(command)
    }

    /// Starts a helper, and asks it to start a program, which gets these descriptors.
    pub(in crate::process) fn start(
        mut command: Command,
        request: &StartRequest,
        descriptors: &[BorrowedFd<'_>],
    ) -> io::Result<Self> {
        let (ours, theirs) = UnixStream::pair()?;
        let child = command.stdin(OwnedFd::from(theirs)).spawn()?;
        // The command still holds the other end of the connection, which must close when the helper ends.
        drop(command);
        ours.set_write_timeout(Some(HANDOVER))?;
        let helper = Self {
            child,
            control: Arc::new(Control(ours)),
            received: Vec::new(),
            has_ended: false,
            last_wait: LAST_WORK,
        };
        request::send(&helper.control.0, request, descriptors)?;
        helper.control.0.set_nonblocking(true)?;
        Ok(helper)
    }

    /// The connection to it.
    pub(in crate::process) fn control(&self) -> &Arc<Control> {
        &self.control
    }

    /// The descriptor that becomes readable when there is a report.
    pub(in crate::process) fn readable(&self) -> BorrowedFd<'_> {
        self.control.0.as_fd()
    }

    /// Reads what has arrived, without waiting.
    pub(in crate::process) fn listen(&mut self) -> Received {
        let mut buffer = [0; 4096];
        self.has_ended = loop {
            match (&self.control.0).read(&mut buffer) {
                Ok(0) => break true,
                Ok(count) => self.received.extend_from_slice(&buffer[..count]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => break error.kind() != ErrorKind::WouldBlock,
            }
        };
        let reports = report::take(&mut self.received);
        if reports
            .iter()
            .any(|report| matches!(report, HelperReport::Gone { .. } | HelperReport::NotStarted { .. }))
        {
            self.last_wait = LAST_STEPS;
        }
        if self.has_ended && reports.is_empty() { Received::Ended } else { Received::Reports(reports) }
    }

    /// Ends the helper itself, which has sent its last report or does not answer.
    pub(in crate::process) fn end(&mut self) -> HelperExit {
        let until = Instant::now() + LAST_STEPS;
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) if status.signal().is_none() => return HelperExit::GaveUp,
                Ok(None) if self.has_ended && Instant::now() < until => thread::sleep(POLL_INTERVAL),
                _ => break,
            }
        }
        // If it has just ended by itself, there is nothing to kill.
        let _ = self.child.kill();
        self.last_wait = LAST_STEPS;
        HelperExit::Killed
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        // A helper that has ended has closed its end already.
        let _ = self.control.0.shutdown(std::net::Shutdown::Both);
        let until = Instant::now() + self.last_wait;
        while matches!(self.child.try_wait(), Ok(None)) {
            if Instant::now() >= until {
                let _ = self.child.kill();
                let _ = self.child.wait();
                return;
            }
            thread::sleep(POLL_INTERVAL);
        }
    }
}

/// The program of a helper: this one, if it is `git-arborist`. Otherwise (in a test, or in a program that uses this
/// library), it is the `git-arborist` beside this program, or in the folder above, where Cargo puts it for tests.
fn program() -> io::Result<PathBuf> {
    if serve::is_known_to_this_program() {
        // The path is not used, because an update during a long run may have put another version there, or removed it.
        let itself = Path::new("/proc/self/exe");
        return if itself.exists() { Ok(itself.to_owned()) } else { own_program() };
    }
    let own = own_program()?;
    let folders = own.ancestors().skip(1).take(2);
    let beside = folders.map(|folder| folder.join("git-arborist")).find(|program| program.is_file());
    beside.ok_or_else(|| io::Error::new(ErrorKind::NotFound, "git-arborist is not beside this program"))
}

/// The error that occurred in another process.
pub(in crate::process) fn error_from(code: i32) -> io::Error {
    if code == 0 { io::Error::other("unknown error") } else { Errno::from_raw_os_error(code).into() }
}
