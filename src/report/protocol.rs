//! Standard output as the channel of a protocol: nothing else of this program can reach it.

use std::fs::File;
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

use super::out::masked;

/// The channel. What the rest of the program prints goes to standard error instead.
#[derive(Debug)]
pub struct ProtocolOutput(Mutex<File>);

impl ProtocolOutput {
    /// Takes standard output over.
    ///
    /// # Errors
    /// If the system does not allow it.
    pub fn take() -> io::Result<Self> {
        let own = rustix::io::fcntl_dupfd_cloexec(io::stdout(), 3)?;
        rustix::stdio::dup2_stdout(io::stderr())?;
        Ok(Self(Mutex::new(own.into())))
    }

    /// Whether the reader is gone.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        use rustix::event::{PollFd, PollFlags, poll};
        let own = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut polled = [PollFd::new(&*own, PollFlags::empty())];
        let at_once = rustix::event::Timespec { tv_sec: 0, tv_nsec: 0 };
        let gone = PollFlags::ERR | PollFlags::HUP | PollFlags::NVAL;
        poll(&mut polled, Some(&at_once)).is_ok_and(|_| polled[0].revents().intersects(gone))
    }

    /// Writes a line, whole.
    ///
    /// # Errors
    /// If the reader is gone, or the line cannot be written.
    pub fn line(&self, line: &str) -> io::Result<()> {
        // A thread that has ended badly has written a whole line or none.
        let mut own = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        own.write_all(format!("{}\n", masked(line)).as_bytes())
    }
}
