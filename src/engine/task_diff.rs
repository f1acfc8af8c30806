//! What a task has changed so far, as one diff: for coverage, and for commands that change the code to test the tests.

use std::collections::HashSet;
use std::path::PathBuf;

use super::context::RunContext;
use super::implement_commits::{comparisons, implement_commits};
use crate::error::{Error, Kind, Result};
use crate::files;
use crate::history::{TaskStep, changed_paths};
use crate::record::CommitId;
use crate::suite::coverage::only_files;

/// What a task has changed between the commit before its first implement step and a later one.
pub(super) struct TaskDiff {
    patch: Vec<u8>,
}

impl TaskDiff {
    /// The change of the task with these steps, newest first, in the files of `head`. Only files count that its implement
    /// steps have changed. If another task has changed the same files in between, its lines are part of the diff: the
    /// lines of `head` that belong to one task alone cannot be told.
    ///
    /// # Errors
    /// If an object cannot be read.
    pub(super) fn of(run: &RunContext<'_>, steps: &[TaskStep], head: &CommitId) -> Result<Self> {
        let commits = implement_commits(&run.git, steps);
        let Some(first) = commits.last() else { return Ok(Self { patch: Vec::new() }) };
        let Some(base) = first.before(run.repository)? else { return Ok(Self { patch: Vec::new() }) };
        let own: HashSet<String> = changed_paths(run.repository, &comparisons(&commits))?
            .into_iter()
            .filter_map(|path| String::from_utf8(path).ok())
            .collect();
        let artifacts = [run.settings.report_dir.as_str(), run.settings.log_dir.as_str()];
        let patch = run.git.diff(&base, head, &artifacts)?;
        Ok(Self { patch: only_files(&patch, |path| own.contains(path)) })
    }

    /// The diff, as git prints it.
    pub(super) fn patch(&self) -> &[u8] {
        &self.patch
    }

    /// Writes the diff to a file outside the work tree, which is removed with the returned value.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn write(&self, run: &RunContext<'_>) -> Result<DiffFile> {
        let path = run.work_tree.git_dir.join("arborist").join("task.diff");
        files::replace(&path, &self.patch).map_err(|error| {
            Error::new(
                Kind::Environment,
                format!("{} cannot be written: {error}", path.display()),
                "The step was not committed. Correct the cause, then run the same command again.",
            )
        })?;
        Ok(DiffFile { path })
    }
}

/// A file with the diff of a task.
pub(super) struct DiffFile {
    /// Its absolute path.
    pub(super) path: PathBuf,
}

impl Drop for DiffFile {
    fn drop(&mut self) {
        // The next one replaces it.
        let _ = std::fs::remove_file(&self.path);
    }
}
