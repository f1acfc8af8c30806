//! The baseline of a task: how its tests ended before anybody had worked on it, as its steps record it and as this process
//! remembers it.
//!
//! It is kept in memory alone: a file beside the repository could be written by an agent. What is lost with the process
//! is measured again.

use std::collections::{HashMap, HashSet};

use super::implement_commits::has_left_commits;
use crate::error::Result;
use crate::history::{Repository, StepValidity, TaskStep};
use crate::plan::{NodeIx, TestCommand};
use crate::record::{Baseline, CommitId};
use crate::suite::TestNames;

/// Whether no attempt at a task has been recorded yet, and no agent has made commits before it asked a question.
pub(crate) fn is_untouched(steps: &[TaskStep]) -> bool {
    let is_work = |step: &TaskStep| step.step.record.step.is_part_of_an_attempt() || has_left_commits(step);
    !steps.iter().any(|step| step.validity == StepValidity::Counts && is_work(step))
}

/// The baseline that the steps of a task record.
pub(crate) fn recorded_baseline(steps: &[TaskStep]) -> Option<Baseline> {
    let counts = |step: &&TaskStep| step.validity == StepValidity::Counts;
    steps.iter().filter(counts).find_map(|step| Baseline::recorded_in(&step.message))
}

/// What test commands have shown before a task.
#[derive(Clone, Debug)]
pub(crate) struct Measured {
    /// How they ended.
    pub(crate) baseline: Baseline,
    /// The tests that their output names.
    pub(crate) names: TestNames,
}

/// The results that this process has measured. Tasks with the same tests have the same result for the same files.
#[derive(Debug, Default)]
pub struct BaselineMemory {
    measured: HashMap<Tested, Measured>,
    /// What was measured for each task.
    tasks: HashMap<NodeIx, Tested>,
    /// Whether the user knows that the tests of a command cannot be counted.
    pub(crate) named_unknown_counts: bool,
    /// The commands that were tried with a test that fails.
    pub(crate) heard: HashSet<String>,
}

/// What was tested.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Tested {
    /// The id of the tree.
    tree: String,
    tests: Vec<TestCommand>,
}

/// Test commands, and the commit whose files they judge.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TestsAt<'a> {
    pub(crate) tests: &'a [TestCommand],
    pub(crate) commit: &'a CommitId,
}

impl BaselineMemory {
    /// The result of these tests for the files of a commit, if it is known.
    ///
    /// # Errors
    /// If the commit cannot be read.
    pub(crate) fn of(&self, repository: &Repository, at: TestsAt<'_>) -> Result<Option<&Measured>> {
        if self.measured.is_empty() {
            return Ok(None);
        }
        Ok(self.measured.get(&subject(repository, at)?))
    }

    /// Remembers the result of these tests for the files of a commit.
    ///
    /// # Errors
    /// If the commit cannot be read.
    pub(crate) fn remember(
        &mut self,
        repository: &Repository,
        at: TestsAt<'_>,
        measured: Measured,
    ) -> Result<()> {
        self.measured.insert(subject(repository, at)?, measured);
        Ok(())
    }

    /// Uses the result of these tests for the files of a commit as that of a task. Returns how they ended; `None` if that is
    /// not known.
    ///
    /// # Errors
    /// If the commit cannot be read.
    pub(crate) fn use_for(
        &mut self,
        leaf: NodeIx,
        repository: &Repository,
        at: TestsAt<'_>,
    ) -> Result<Option<Baseline>> {
        let subject = subject(repository, at)?;
        let known = self.measured.get(&subject).map(|measured| measured.baseline.clone());
        if known.is_some() {
            self.tasks.insert(leaf, subject);
        }
        Ok(known)
    }

    /// What this process has measured before a task.
    pub(crate) fn before(&self, leaf: NodeIx) -> Option<&Measured> {
        self.measured.get(self.tasks.get(&leaf)?)
    }

    /// The baseline of a task with these tests, as its first step records it; before that step, as it was measured at
    /// `head`.
    ///
    /// # Errors
    /// If the commit cannot be read.
    pub(crate) fn baseline_of(
        &self,
        repository: &Repository,
        at: TestsAt<'_>,
        steps: &[TaskStep],
    ) -> Result<Option<Baseline>> {
        if !is_untouched(steps) {
            return Ok(recorded_baseline(steps));
        }
        Ok(self.of(repository, at)?.map(|measured| measured.baseline.clone()))
    }
}

fn subject(repository: &Repository, at: TestsAt<'_>) -> Result<Tested> {
    Ok(Tested { tree: repository.tree_id(at.commit)?.clone(), tests: at.tests.to_vec() })
}
