//! What a task has changed so far, as one diff: for coverage, and for commands that change the code to test the tests.

use std::collections::HashSet;

use super::task_change::ChangeSource;
use crate::error::Result;
use crate::git::FilePatch;
use crate::history::changed_paths;
use crate::run::steps::implement_commits::{comparisons, implement_commits};

/// What a task has changed between the commit before its first implement step and a later one.
pub(crate) struct TaskDiff {
    patch: Vec<u8>,
}

impl TaskDiff {
    /// The change of a task, without the logs and reports in these folders. Only files count that its implement steps have
    /// changed. If another task has changed the same files in between, its lines are part of the diff: the
    /// lines of `head` that belong to one task alone cannot be told.
    ///
    /// # Errors
    /// If an object cannot be read.
    pub(crate) fn of(source: ChangeSource<'_>, artifacts: &[&str]) -> Result<Self> {
        let ChangeSource { git, repository, steps, head } = source;
        let commits = implement_commits(git, steps);
        let Some(first) = commits.last() else { return Ok(Self { patch: Vec::new() }) };
        let Some(base) = first.before(repository)? else { return Ok(Self { patch: Vec::new() }) };
        let own: HashSet<String> = changed_paths(repository, &comparisons(&commits))?
            .into_iter()
            .filter_map(|path| String::from_utf8(path).ok())
            .collect();
        let patch = git.whole_diff(&base, &head, artifacts)?;
        let files = FilePatch::all_in(&patch);
        let own = files.iter().filter(|file| own.contains(&file.path));
        Ok(Self { patch: own.flat_map(|file| file.patch).copied().collect() })
    }

    /// The diff, as git prints it.
    pub(crate) fn patch(&self) -> &[u8] {
        &self.patch
    }
}
