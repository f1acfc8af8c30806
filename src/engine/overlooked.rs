//! Finds tracked files that a test or a reviewer changed although git was told to overlook that (`--assume-unchanged`,
//! `--skip-worktree`). `git status` does not show such a change.

use super::hidden::Hidden;
use super::hidden::baseline::Baseline;
use super::state::{Assignment, Engine};
use crate::error::Result;
use crate::record::{Finding, NamedFiles};
use crate::text::one_line;

impl Engine<'_> {
    /// The files in which git overlooks changes before a test or a review.
    ///
    /// # Errors
    /// If git cannot list files.
    pub(super) fn overlooked_before(&self, job: Assignment<'_>) -> Result<Hidden> {
        Baseline::of_check(job.task.id, job.step, &self.context.git, &self.context.work_tree)
    }

    /// The paths of tracked files that were changed since the step at work began, without git showing it.
    ///
    /// # Errors
    /// If git cannot list files, or a file cannot be read.
    pub(super) fn overlooked_since(&self) -> Result<Vec<Vec<u8>>> {
        let stored = self.workspace.journal.unit.as_ref();
        // A unit that an older version handed out does not say what was overlooked before.
        let Some(before) = stored.and_then(|stored| stored.unit.opened.overlooked.as_ref()) else {
            return Ok(Vec::new());
        };
        let (git, top) = (&self.context.git, &self.context.work_tree.top);
        Hidden::overlooked(git, top)?.changed_since(before, git, top)
    }

    /// Names the files that the tests of a job have changed without git showing it.
    ///
    /// # Errors
    /// As above.
    pub(super) fn name_overlooked(&mut self, job: Assignment<'_>) -> Result<NamedFiles> {
        let mut named = NamedFiles::default();
        let shown = |path: Vec<u8>| one_line(&String::from_utf8_lossy(&path));
        named.add(Finding::OverlookedChanges, self.overlooked_since()?.into_iter().map(shown));
        for sentence in named.sentences() {
            self.warn(&format!("{}: {sentence}", job.task.id));
        }
        Ok(named)
    }
}
