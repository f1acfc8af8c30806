//! Files with prompts that are too long for an answer, one for each task, in the git directory. They may be deleted at any
//! time.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use crate::error::{Error, Result};
use crate::files::Folder;
use crate::git::WorkTree;
use crate::record::TaskId;

/// A file that is older than this is of no use.
const OLD: Duration = Duration::from_secs(24 * 60 * 60);
/// Their folder.
const UNITS: &str = "units";
const ENDING: &str = ".md";

/// The files of a work tree.
pub(super) struct PromptFiles {
    git_dir: PathBuf,
}

impl PromptFiles {
    /// Those of this work tree.
    pub(super) fn of(work_tree: &WorkTree) -> Self {
        Self { git_dir: work_tree.git_dir.clone() }
    }

    /// Writes the prompt of a task, in place of the one before, and removes files that are old. Returns the path.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn write(&self, task: &TaskId, prompt: &str) -> Result<PathBuf> {
        let name = format!("{task}{ENDING}");
        let written = Folder::make_own(&self.git_dir, UNITS).and_then(|folder| {
            folder.replace(&name, prompt.as_bytes())?;
            remove_old(&folder);
            Ok(folder.path().join(&name))
        });
        written.map_err(|error| Error::not_written(&name, &error))
    }

    /// Removes the file of a task, which is done. One that cannot be removed does no harm.
    pub(super) fn remove(&self, task: &str) {
        if let Ok(folder) = Folder::own(&self.git_dir, UNITS) {
            let _ = folder.remove_file(format!("{task}{ENDING}"));
            remove_old(&folder);
        }
        if let Ok(own) = Folder::own(&self.git_dir, "") {
            // Only an empty folder can be removed.
            let _ = own.remove_empty(UNITS);
        }
    }
}

/// Removes the files that are old. What has another name than such a file is not ours.
fn remove_old(folder: &Folder) {
    for name in folder.names().unwrap_or_default() {
        let task = name.to_str().and_then(|name| name.strip_suffix(ENDING));
        let is_ours = task.is_some_and(|task| TaskId::parse(task).is_ok());
        let written = folder.modified(&name).ok();
        let age = written.and_then(|written| SystemTime::now().duration_since(written).ok());
        if is_ours && age.unwrap_or_default() > OLD {
            let _ = folder.remove_file(&name);
        }
    }
}
