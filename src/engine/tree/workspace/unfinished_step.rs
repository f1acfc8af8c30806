//! Deals with a step that did not finish in this run: its changes are checked, saved, and taken out of the work tree.

use super::Workspace;
use crate::engine::tree::preflight::unfinished::{SavedStep, UnfinishedOperation};
use crate::engine::tree::unit::WorkUnit;
use crate::engine::tree::users_files::UsersFiles;
use crate::error::{Error, Kind, Result};
use crate::process::CancelLevel;
use crate::record::{CommitId, Step, TaskId};
use crate::worktree::branch_watch::{BranchChange, who};
use crate::worktree::{Interrupted, PathStates, rescue};

impl Workspace<'_> {
    /// Abandons the current step. Its changes are saved, named and taken out of the work tree.
    ///
    /// # Errors
    /// If the changes cannot be saved, or if a merge or another operation is in progress. The changes and the step then
    /// stay as they are.
    pub(crate) fn abandon(&mut self, how: &str) -> Result<()> {
        let Some(stored) = self.journal.unit.clone() else { return Ok(()) };
        if let Some(open) = self.save_unfinished(how)? {
            return Err(open);
        }
        let interrupted = stored.interrupted(how, &self.journal.leftovers);
        let head = self.run.repository.branch()?.commit;
        let rescue = rescue(&self.run.git, &self.run.work_tree, &head, &interrupted)?;
        self.journal.unit = None;
        self.journal.blocked.merge(rescue.stays);
        for sentence in rescue.sentences {
            self.run.warn(&sentence);
        }
        self.write_journal()
    }

    /// Saves what no step has committed and neither the user nor tests have made, names it, and takes it out of the work tree. `what`
    /// completes "what ... left in the work tree is saved".
    ///
    /// # Errors
    /// If it cannot be saved. It then stays as it is.
    pub(crate) fn set_aside(&mut self, task: &TaskId, what: String, head: &CommitId) -> Result<()> {
        let mut before = self.foreign.users.path_states();
        before.merge(self.foreign.tests.path_states());
        let left = Interrupted {
            task: task.as_str(),
            what,
            before,
            leftovers: &PathStates::default(),
            ignored: None,
        };
        let rescue = rescue(&self.run.git, &self.run.work_tree, head, &left)?;
        self.journal.blocked.merge(rescue.stays);
        for sentence in rescue.sentences {
            self.run.warn(&sentence);
        }
        self.refresh()
    }

    /// Checks the repository after a step that did not finish, before running anything that the step may have changed.
    /// Later changes count as the user's own. If the run was not stopped, the code that reports its error has dealt
    /// with the commits of the step.
    ///
    /// # Errors
    /// [`Kind::Unsafe`] if the step changed something that no step may change.
    pub(crate) fn compare_unfinished(&mut self) -> Result<()> {
        let Some(stored) = &self.journal.unit else { return Ok(()) };
        let unit = stored.unit.clone();
        if stored.snapshot.is_none() || unit.begun().is_committed(self.run.repository)? {
            return Ok(());
        }
        let change = self
            .check_after(&unit.head, unit.step)
            .map_err(|error| error.stating("The run ended in that step."))?;
        self.refuse_users_files(&unit, &change)?;
        let stopped = self.run.programs.cancel.level() != CancelLevel::None;
        self.journal.note_commits(&unit, stopped && !change.adopted.is_empty());
        Ok(())
    }

    /// Refuses the commits that a worker made if they contain files with uncommitted changes of the user. No run
    /// continues until they are taken back.
    ///
    /// # Errors
    /// [`Kind::Unsafe`], naming the commits and the files.
    pub(crate) fn refuse_users_files(&mut self, unit: &WorkUnit, watched: &BranchChange) -> Result<()> {
        let Some(found) = UsersFiles::in_commits(&self.run.git, unit, &watched.adopted)? else {
            return Ok(());
        };
        self.journal.undecided.wrong = Some(found.wrong());
        self.write_journal()?;
        Err(found.to_error())
    }

    /// Stops the run if an operation was begun during a step and is still open, after saving the work of the step.
    ///
    /// # Errors
    /// [`Kind::Unsafe`] if an operation is open.
    pub(super) fn refuse_unfinished(&self, step: Step) -> Result<()> {
        let Some(operation) = self.run.work_tree.in_progress() else { return Ok(()) };
        let Some(open) = self.save_unfinished("unfinished")? else {
            return self.run.work_tree.check_nothing_in_progress();
        };
        let what = format!("{} was begun while {} was at work and is still open", operation.name, who(step));
        Err(Error::new(Kind::Unsafe, what, format!("The step was not committed. {}", open.remedy())))
    }

    /// Saves the work of the current step, and tells the user, if an operation was begun during it and is still open.
    /// Returns the error for a command that cannot continue while the operation is open.
    ///
    /// # Errors
    /// If the work cannot be saved.
    fn save_unfinished(&self, how: &str) -> Result<Option<Error>> {
        let Some(operation) = self.run.work_tree.in_progress() else { return Ok(None) };
        let Some(stored) = &self.journal.unit else { return Ok(None) };
        let unfinished = UnfinishedOperation {
            git: &self.run.git,
            work_tree: &self.run.work_tree,
            operation,
            stored,
            leftovers: &self.journal.leftovers,
        };
        let SavedStep { sentences, error } = unfinished.save(how)?;
        for sentence in sentences {
            self.run.warn(&sentence);
        }
        Ok(Some(error))
    }
}
