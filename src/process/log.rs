//! Writes the output of a job to its log, up to a limit, and never lets a broken log disturb the job.

use super::capture::left_out_note;
use super::ended::Logged;
use std::io::{self, Write};

/// A log with a limit.
pub(super) struct CappedLog {
    writer: Box<dyn Write + Send>,
    room: u64,
    omitted: u64,
    failure: Option<io::Error>,
}

impl CappedLog {
    /// Writes at most `limit` bytes of output to `writer`.
    pub(super) fn new(writer: Box<dyn Write + Send>, limit: u64) -> Self {
        Self { writer, room: limit, omitted: 0, failure: None }
    }

    /// Takes the next bytes; after the first failure nothing more is written.
    pub(super) fn push(&mut self, chunk: &[u8]) {
        let fits = usize::try_from(self.room).unwrap_or(usize::MAX).min(chunk.len());
        self.omitted += (chunk.len() - fits) as u64;
        self.room -= fits as u64;
        if fits > 0 && self.failure.is_none() {
            self.failure = self.writer.write_all(&chunk[..fits]).err();
        }
    }

    /// Says in the log what was left out, and in the result how it went.
    pub(super) fn finish(mut self) -> Logged {
        if self.failure.is_none() && self.omitted > 0 {
            self.failure = self.writer.write_all(left_out_note(self.omitted).as_bytes()).err();
        }
        let flushed = self.writer.flush();
        match self.failure.or(flushed.err()) {
            Some(error) => Logged::Failed(error),
            None if self.omitted > 0 => Logged::Cut { omitted: self.omitted },
            None => Logged::Whole,
        }
    }
}
