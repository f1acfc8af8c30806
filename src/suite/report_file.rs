//! A report that a command is expected to write. What another command has written before says nothing about this one.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::files::{self, Stamp};

/// How much earlier than the start of its command a report may seem to be written: file systems round times down.
const CLOCK_TOLERANCE: Duration = Duration::from_secs(2);

/// A report file, looked at before its command runs.
pub(super) struct ReportFile {
    path: PathBuf,
    before: Option<Stamp>,
}

impl ReportFile {
    /// The report at `path`, whose command is about to run.
    pub(super) fn before(path: PathBuf) -> Self {
        Self { before: Stamp::of(&path), path }
    }

    /// Where the command writes it.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Reads it, up to a number of bytes, after a command that began at `started`. A report counts only if the command has
    /// changed the file, and not if it put an older one there.
    ///
    /// # Errors
    /// Why there is no report of this command, as a clause after its name.
    pub(super) fn read(&self, started: SystemTime, limit: u64) -> Result<Vec<u8>, String> {
        let unreadable = |error: std::io::Error| match error.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory => "was not written".to_owned(),
            _ => format!("cannot be read: {error}"),
        };
        let file = files::open(&self.path).map_err(unreadable)?;
        let is_older = file.modified().is_ok_and(|modified| modified + CLOCK_TOLERANCE < started);
        if is_older || self.before.is_some() && self.before == Stamp::of(&self.path) {
            return Err("is older than the test".to_owned());
        }
        let mut content = Vec::new();
        file.read_into(&mut content, limit).map_err(unreadable)?;
        Ok(content)
    }
}
