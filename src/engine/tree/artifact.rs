//! Writes artifacts: report, test log, review log (docs/commits.md).
//!
//! Names are made only from checked ids. Folders are opened without following links, and files are created exclusively:
//! nothing is ever overwritten, and nothing is written outside the work tree.

use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::Path;

use chrono::{DateTime, Utc};

use crate::engine::run_context::context::RunContext;
use crate::error::{Error, Kind, Result};
use crate::files::Folder;
use crate::process::Secrets;
use crate::record::{TaskId, TaskRef};
use crate::worktree::secret_search::SecretSearch;

/// The largest log that is written whole, in bytes.
pub const LOG_LIMIT: usize = 1024 * 1024;

/// The kinds of artifacts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArtifactKind {
    /// The JSON report of a complete task.
    Report,
    /// The full output of test commands that failed.
    TestLog,
    /// The full text of a review.
    ReviewLog,
}

impl ArtifactKind {
    fn name(self, id: &TaskId, stamp: &str, copy: u32) -> String {
        let (what, ending) = match self {
            Self::Report => ("run", "json"),
            Self::TestLog => ("test", "log"),
            Self::ReviewLog => ("review", "log"),
        };
        let copy = if copy > 1 { format!("-{copy}") } else { String::new() };
        format!("{id}_{what}_{stamp}{copy}.{ending}")
    }
}

/// The values that make up the name of an artifact.
#[derive(Clone, Copy, Debug)]
pub struct ArtifactTitle<'a> {
    /// Its kind.
    pub kind: ArtifactKind,
    /// The task that it describes.
    pub task: &'a TaskId,
    /// When it is written.
    pub made: DateTime<Utc>,
}

/// A new file for an artifact, and its path from the top of the work tree.
#[derive(Debug)]
pub struct Artifact {
    /// Its path with `/` as the separator, as trailers name it.
    pub path: String,
    file: File,
    folder: Folder,
    name: String,
    /// The secrets that are masked in it.
    secrets: Secrets,
}

impl Artifact {
    /// Creates the file for an artifact of a step that ends now, in the folder that the settings name.
    ///
    /// # Errors
    /// As for [`Artifact::create`].
    pub(crate) fn of_step(run: &RunContext<'_>, kind: ArtifactKind, task: TaskRef<'_>) -> Result<Self> {
        let folder = match kind {
            ArtifactKind::Report => &run.settings.report_dir,
            ArtifactKind::TestLog | ArtifactKind::ReviewLog => &run.settings.log_dir,
        };
        let title = ArtifactTitle { kind, task: task.id, made: Utc::now() };
        let secrets = run.programs.secrets.clone();
        Ok(Self { secrets, ..Self::create(&run.work_tree.top, folder, &title)? })
    }

    /// Creates the file `<folder>/<id>_<kind>_<stamp>`, with `-2` and so on after the stamp if that file exists.
    ///
    /// # Errors
    /// [`Kind::Environment`] if it cannot be created; [`Kind::Unsafe`] if a folder on the way is a link.
    pub fn create(top: &Path, folder: &str, title: &ArtifactTitle<'_>) -> Result<Self> {
        let dir = open_folder(top, folder)?;
        let stamp = title.made.format("%Y%m%dT%H%M%S").to_string();
        for copy in 1..=u32::MAX {
            let name = title.kind.name(title.task, &stamp, copy);
            match dir.create_new(&name, 0o644) {
                Ok(file) => {
                    let path = format!("{folder}/{name}");
                    return Ok(Self { path, file, folder: dir, name, secrets: Secrets::default() });
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(cannot_write(&format!("{folder}/{name}"), &error)),
            }
        }
        Err(cannot_write(folder, &std::io::ErrorKind::AlreadyExists.into()))
    }

    /// Writes the content. If it has more than [`LOG_LIMIT`] bytes, only the head and the tail are written, and a line
    /// between them says how much is left out.
    ///
    /// # Errors
    /// [`Kind::Environment`] if the disk is full or fails; the file is then removed again.
    pub fn write(mut self, content: &[u8]) -> Result<String> {
        let content = SecretSearch::of(&self.secrets).mask(&String::from_utf8_lossy(content));
        let written = self.file.write_all(&bounded(content.as_bytes())).and_then(|()| self.file.sync_all());
        match written {
            Ok(()) => Ok(self.path),
            Err(error) => {
                // A half-written file is useless. If removing it fails too, only the first error matters.
                let _ = self.folder.remove_file(&self.name);
                Err(cannot_write(&self.path, &error))
            }
        }
    }
}

fn bounded(content: &[u8]) -> std::borrow::Cow<'_, [u8]> {
    if content.len() <= LOG_LIMIT {
        return content.into();
    }
    let half = LOG_LIMIT / 2;
    let left_out = content.len() - 2 * half;
    let mut kept = content[..half].to_vec();
    kept.extend_from_slice(format!("\n[... {left_out} bytes left out ...]\n").as_bytes());
    kept.extend_from_slice(&content[content.len() - half..]);
    kept.into()
}

/// Opens a folder below `top` without following links, and creates the folders that are missing.
fn open_folder(top: &Path, folder: &str) -> Result<Folder> {
    let opened = Folder::open(top).and_then(|top| top.make(Path::new(folder), 0o755));
    opened.map_err(|error| not_opened(folder, &error))
}

/// Makes sure that artifacts can be put into a folder below `top`, as far as the folder exists. This is checked before
/// any work begins, so that no result is lost.
///
/// # Errors
/// [`Kind::Unsafe`] if a part of the path is a link or not a folder.
pub(crate) fn check_folder(top: &Path, folder: &str) -> Result<()> {
    match Folder::open(top).and_then(|top| top.inner(Path::new(folder))) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(not_opened(folder, &error)),
        _ => Ok(()),
    }
}

fn not_opened(folder: &str, error: &std::io::Error) -> Error {
    match error.kind() {
        ErrorKind::NotADirectory => Error::new(
            Kind::Unsafe,
            format!("nothing is written to {folder}: {error}"),
            "Make it a real folder, or choose other folders with `git config arborist.logDir` and \
             `arborist.reportDir`.",
        ),
        _ => cannot_write(folder, error),
    }
}

fn cannot_write(path: &str, error: &std::io::Error) -> Error {
    Error::not_written(path, error)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn create(top: &Path, folder: &str) -> Result<Artifact> {
        let now = DateTime::from_timestamp(1_739_716_222, 0).unwrap();
        let task = TaskId::parse("T001").unwrap();
        let title = ArtifactTitle { kind: ArtifactKind::TestLog, task: &task, made: now };
        Artifact::create(top, folder, &title)
    }

    #[test]
    fn two_artifacts_of_one_second_get_two_names_and_nothing_is_overwritten() {
        let top = tempfile::tempdir().unwrap();
        let paths: Vec<String> = [b"one", b"two", b"thr"]
            .map(|text| create(top.path(), "spec/logs").unwrap().write(text).unwrap())
            .into();
        assert_eq!(
            paths,
            [
                "spec/logs/T001_test_20250216T143022.log",
                "spec/logs/T001_test_20250216T143022-2.log",
                "spec/logs/T001_test_20250216T143022-3.log"
            ]
        );
        assert_eq!(std::fs::read(top.path().join(&paths[0])).unwrap(), b"one");
    }

    #[test]
    fn a_folder_that_is_a_link_is_refused_and_its_target_untouched() {
        let top = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(outside.path(), top.path().join("spec")).unwrap();
        assert_eq!(create(top.path(), "spec/logs").unwrap_err().kind(), Kind::Unsafe);
        std::fs::remove_file(top.path().join("spec")).unwrap();
        std::fs::create_dir(top.path().join("spec")).unwrap();
        std::os::unix::fs::symlink(outside.path(), top.path().join("spec/logs")).unwrap();
        assert_eq!(create(top.path(), "spec/logs").unwrap_err().kind(), Kind::Unsafe);
        assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_log_over_the_limit_keeps_head_and_tail_and_says_what_is_missing() {
        let mut content = vec![b'a'; LOG_LIMIT];
        content.extend_from_slice(b"tail");
        let kept = bounded(&content);
        assert!(kept.starts_with(b"aaaa") && kept.ends_with(b"tail"));
        assert!(String::from_utf8_lossy(&kept).contains("[... 4 bytes left out ...]"));
        assert_eq!(bounded(&content[..LOG_LIMIT]).len(), LOG_LIMIT);
    }
}
