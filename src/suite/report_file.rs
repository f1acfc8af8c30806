//! A report that a command is expected to write, such as one about coverage. What another command has written before says
//! nothing about this one.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::coverage::{CoverageReport, MAX_REPORT_BYTES, MeasuredCoverage, read_coverage};
use crate::files::{self, Stamp};
use crate::plan::CoverageSource;
use crate::process::EnvChange;

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

/// A coverage report before its command has run.
pub(super) struct ExpectedReport<'a> {
    source: &'a CoverageSource,
    file: ReportFile,
}

impl<'a> ExpectedReport<'a> {
    /// The report of a command that is about to run in a folder.
    pub(super) fn new(folder: &Path, source: &'a CoverageSource) -> Self {
        Self { source, file: ReportFile::before(folder.join(&source.path)) }
    }

    /// The variable that tells the command where to write it.
    pub(super) fn variable(&self) -> EnvChange {
        EnvChange::Set("ARBORIST_COVERAGE".into(), self.file.path().into())
    }

    /// Reads it after a command that began at `started`.
    pub(super) fn read(self, started: SystemTime) -> MeasuredCoverage {
        MeasuredCoverage { path: self.source.path.clone(), report: self.report(started) }
    }

    fn report(&self, started: SystemTime) -> Result<CoverageReport, String> {
        let bytes = self.file.read(started, MAX_REPORT_BYTES)?;
        read_coverage(self.source.format, &bytes)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn read(before: impl FnOnce(&Path), command: impl FnOnce(&Path)) -> Result<CoverageReport, String> {
        let folder = tempfile::tempdir().unwrap();
        let source = CoverageSource::parse("lcov:out/lcov.info").unwrap();
        let file = folder.path().join("out/lcov.info");
        std::fs::create_dir(folder.path().join("out")).unwrap();
        before(&file);
        let expected = ExpectedReport::new(folder.path(), &source);
        assert_eq!(expected.variable(), EnvChange::Set("ARBORIST_COVERAGE".into(), file.clone().into()));
        let started = SystemTime::now();
        command(&file);
        expected.read(started).report
    }

    fn write(file: &Path) {
        std::fs::write(file, "SF:a\nDA:1,1\nend_of_record\n").unwrap();
    }

    #[test]
    fn only_a_report_that_the_command_has_written_counts() {
        assert_eq!(read(|_| {}, write).unwrap().files.len(), 1);
        assert_eq!(read(write, write).unwrap().files.len(), 1);
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
        let other = |file: &Path| std::fs::write(file, "<coverage/>").unwrap();
        assert!(read(|_| {}, other).unwrap_err().contains("no record of lcov"));
        let large = |file: &Path| std::fs::File::create(file).unwrap().set_len(1 << 30).unwrap();
        assert!(read(|_| {}, large).unwrap_err().contains("larger than 64 MiB"));
    }
}
