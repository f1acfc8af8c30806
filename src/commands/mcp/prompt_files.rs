//! Files with prompts that are too long for an answer, one for each task, in the git directory. They may be deleted at any
//! time.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::error::{Error, Result};
use crate::files;
use crate::git::WorkTree;
use crate::record::TaskId;

/// A file that is older than this is of no use.
const OLD: Duration = Duration::from_secs(24 * 60 * 60);

/// The files of a work tree.
pub(super) struct PromptFiles(PathBuf);

impl PromptFiles {
    /// Those of this work tree.
    pub(super) fn of(work_tree: &WorkTree) -> Self {
        Self(work_tree.git_dir.join("arborist").join("units"))
    }

    /// Writes the prompt of a task, in place of the one before, and removes files that are old. Returns the path.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn write(&self, task: &TaskId, prompt: &str) -> Result<PathBuf> {
        let file = self.file(task.as_str());
        std::fs::create_dir_all(&self.0)
            .and_then(|()| files::replace(&file, prompt.as_bytes()))
            .map_err(|error| Error::not_written(file.display(), &error))?;
        self.remove_where(|path, age| path != file && age > OLD);
        Ok(file)
    }

    /// Removes the file of a task, which is done.
    pub(super) fn remove(&self, task: &str) {
        let file = self.file(task);
        self.remove_where(|path, _| path == file);
    }

    fn file(&self, task: &str) -> PathBuf {
        self.0.join(format!("{task}.md"))
    }

    /// Removes files. One that cannot be removed does no harm.
    fn remove_where(&self, is_wanted: impl Fn(&Path, Duration) -> bool) {
        let Ok(entries) = std::fs::read_dir(&self.0) else { return };
        for entry in entries.flatten() {
            let written = entry.metadata().and_then(|metadata| metadata.modified());
            let age = written.ok().and_then(|written| SystemTime::now().duration_since(written).ok());
            if is_wanted(&entry.path(), age.unwrap_or_default()) {
                let _ = std::fs::remove_file(entry.path());
            }
        }
        // Only an empty folder can be removed.
        let _ = std::fs::remove_dir(&self.0);
    }
}
