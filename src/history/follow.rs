//! A run that is read again whenever its branch has moved.

use std::cell::RefCell;
use std::rc::Rc;

use super::awaited::read_awaited;
use super::commit_files::has_another_tree_file;
use super::path::RepoPath;
use super::read_run;
use super::repository::Repository;
use super::run::{Query, Run};
use super::steps::{TaskStep, read_steps};
use crate::error::Result;
use crate::record::{AwaitedTests, CommitId, TaskId};

/// A run that was read, kept up to date with the branch.
pub struct FollowedRun<'a> {
    repository: &'a Repository,
    query: Query<'a>,
    run: RefCell<Rc<Run>>,
}

impl<'a> FollowedRun<'a> {
    /// Follows `run`, which was read with `query`.
    #[must_use]
    pub fn new(repository: &'a Repository, query: Query<'a>, run: Run) -> Self {
        Self { repository, query, run: RefCell::new(Rc::new(run)) }
    }

    /// The repository of the run.
    #[must_use]
    pub fn repository(&self) -> &'a Repository {
        self.repository
    }

    /// The run as it was last read.
    #[must_use]
    pub fn run(&self) -> Rc<Run> {
        self.run.borrow().clone()
    }

    /// The path of the tree file of the run, if the commit contains another tree file as well. Steps then say which
    /// plan they belong to.
    ///
    /// # Errors
    /// As for [`read_run`].
    pub fn plan_to_name(&self, commit: &CommitId) -> Result<Option<&'a RepoPath>> {
        let Some(path) = self.query.tree_file else { return Ok(None) };
        let several = self.repository.read_with(|source| has_another_tree_file(source, commit, path))?;
        Ok(several.then_some(path))
    }

    /// Reads the run up to `head`, unless that was read last.
    ///
    /// # Errors
    /// As for [`read_run`].
    pub fn catch_up(&self, head: CommitId) -> Result<Rc<Run>> {
        if self.run.borrow().range.head() != head {
            let run = read_run(self.repository, head, &self.query)?;
            *self.run.borrow_mut() = Rc::new(run);
        }
        Ok(self.run())
    }

    /// All steps of one task in the run, newest first: children before parents.
    ///
    /// # Errors
    /// As for [`read_run`].
    pub fn steps_of(&self, task: &TaskId) -> Result<Vec<TaskStep>> {
        read_steps(self.repository, &self.run.borrow().range, task)
    }

    /// The tests that are awaited at the head of the run.
    ///
    /// # Errors
    /// As for [`read_run`].
    pub fn awaited(&self) -> Result<AwaitedTests> {
        read_awaited(self.repository, &self.run())
    }
}
