//! A report that a command is expected to write, such as one about coverage. What another command has written before says
//! nothing about this one.

use std::io::ErrorKind;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use crate::files::{self, Stamp};

/// How much earlier than the start of its command a report may seem to be written: file systems round times down.
const CLOCK_TOLERANCE: Duration = Duration::from_secs(2);

/// The largest report that is read, in bytes.
const LARGEST: u64 = 64 << 20;

/// A report file, looked at before its command runs.
pub(super) struct ReportFile {
    pub(super) path: PathBuf,
    before: Option<Stamp>,
}

impl ReportFile {
    /// The report at `path`, whose command is about to run.
    pub(super) fn before(path: PathBuf) -> Self {
        Self { before: Stamp::of(&path), path }
    }

    /// Reads it after a command that began at `started`. A report counts only if the command has
    /// changed the file, and not if it put an older one there.
    ///
    /// # Errors
    /// Why there is no report of this command, as a clause after its name.
    pub(super) fn read(&self, started: SystemTime) -> Result<Vec<u8>, String> {
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
        file.read_into(&mut content, LARGEST).map_err(unreadable)?;
        Ok(content)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Duration;

    use super::*;

    fn read(before: impl FnOnce(&Path), command: impl FnOnce(&Path)) -> Result<Vec<u8>, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lcov.info");
        before(&path);
        let report = ReportFile::before(path.clone());
        let started = SystemTime::now();
        command(&path);
        report.read(started)
    }

    fn write(file: &Path) {
        std::fs::write(file, "SF:a\n").unwrap();
    }

    #[test]
    fn only_a_report_that_the_command_has_written_counts() {
        assert_eq!(read(|_| {}, write).unwrap(), b"SF:a\n");
        assert_eq!(read(write, write).unwrap(), b"SF:a\n");
        assert_eq!(read(write, |_| {}).unwrap_err(), "is older than the test");
        assert_eq!(read(|_| {}, |_| {}).unwrap_err(), "was not written");
        let copied = |file: &Path| {
            write(file);
            let old = SystemTime::now() - Duration::from_secs(60);
            std::fs::File::options().write(true).open(file).unwrap().set_modified(old).unwrap();
        };
        assert_eq!(read(|_| {}, copied).unwrap_err(), "is older than the test");
    }

    #[test]
    fn a_report_that_cannot_be_read_says_why() {
        let folder = |file: &Path| std::fs::create_dir(file).unwrap();
        assert_eq!(read(|_| {}, folder).unwrap_err(), "cannot be read: it is not a regular file");
        let large = |file: &Path| std::fs::File::create(file).unwrap().set_len(1 << 30).unwrap();
        assert!(read(|_| {}, large).unwrap_err().contains("larger than 64 MiB"));
    }
}
