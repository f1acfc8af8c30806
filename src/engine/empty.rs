//! Implement steps that change nothing: they fail, unless the runner says that nothing is left to do and tests can
//! confirm it (docs/agents.md).

use std::collections::HashSet;

use super::context::RunContext;
use super::implement_commits::implement_commits;
use super::named::named_by;
use super::state::{Assignment, Engine};
use crate::agents::ExitReason;
use crate::error::Result;
use crate::git::{Git, Head, Selection};
use crate::history::{Repository, TaskStep, TreeComparison, changed_paths, have_same_files};
use crate::plan::{TestCommand, TestType};
use crate::record::{Finding, Goal, Outcome};
use crate::workflow::{NOTHING_LEFT, last_line_is};
use crate::worktree::changed::Changed;
use crate::worktree::guard::BranchChange;

/// How an implement step that changed nothing is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EmptyChange {
    /// The runner did not say that nothing is left to do.
    Unexplained,
    /// It said so, but the task has no tests that could confirm it.
    Untested,
    /// It said so; the tests judge that next.
    Claimed,
}

impl EmptyChange {
    /// Judges the step by its runner's words and the task's tests.
    pub(super) fn of(said: &[u8], exit_reason: &ExitReason, tests: &[TestCommand]) -> Self {
        let judges = |test: &TestCommand| !matches!(test.kind, TestType::Setup | TestType::Teardown);
        match (
            matches!(exit_reason, ExitReason::Exited(0)) && last_line_is(said, NOTHING_LEFT),
            tests.iter().any(judges),
        ) {
            (false, _) => Self::Unexplained,
            (true, false) => Self::Untested,
            (true, true) => Self::Claimed,
        }
    }

    /// Why the attempt has failed, as a clause, if it has.
    pub(super) fn complaint(self) -> Option<&'static str> {
        match self {
            Self::Unexplained => Some("nothing was changed"),
            Self::Untested => Some(
                "nothing was changed; the runner says that nothing is left to do, but the task has no tests to show \
                 that",
            ),
            Self::Claimed => None,
        }
    }
}

impl Engine<'_> {
    /// Separates the paths at which the commit would change nothing, because only the index differs from HEAD there.
    ///
    /// # Errors
    /// If the commit or an index cannot be read.
    pub(super) fn set_index_changes_apart(&self, changed: &mut Changed, head: &Head) -> Result<()> {
        let RunContext { git, work_tree, .. } = &self.context;
        let doubtful = self.workspace.tree_changes.doubtful(&changed.selection);
        changed.set_apart(&git.without_change(&work_tree.git_dir, &head.commit, &doubtful)?);
        Ok(())
    }

    /// How many files the step changed, in the commits of the runner or in ours.
    ///
    /// # Errors
    /// If the commits cannot be compared.
    pub(super) fn count_files(
        &self,
        selection: &Selection,
        watched: &BranchChange,
        before: &Head,
    ) -> Result<usize> {
        if watched.adopted.is_empty() {
            return Ok(selection.len());
        }
        let adopted = TreeComparison { commit: watched.head.commit, base: Some(before.commit) };
        let adopted = changed_paths(self.context.repository, &[adopted])?;
        let adopted = adopted.iter().map(Vec::as_slice);
        Ok(selection.paths().chain(adopted).collect::<HashSet<_>>().len())
    }

    /// The findings for the task of this job.
    pub(super) fn findings(&self, job: Assignment<'_>) -> Result<Vec<Finding>> {
        findings(self.context.repository, &self.context.git, &self.followed.steps_of(job.task.id)?)
    }
}

/// The findings for a task: the files that its implement steps name, and whether the newest one passed without changing
/// anything.
///
/// # Errors
/// If a commit cannot be read.
pub(super) fn findings(repository: &Repository, git: &Git, steps: &[TaskStep]) -> Result<Vec<Finding>> {
    let mut found: Vec<Finding> = named_by(steps).found().map(|(finding, ..)| finding).collect();
    let newest = steps.iter().find(|step| step.step.record.step.row().goal == Goal::Change);
    let passed = newest.is_some_and(|step| step.step.record.outcome == Outcome::Pass);
    let Some(commits) = implement_commits(git, steps).into_iter().next().filter(|_| passed) else {
        return Ok(found);
    };
    let empty = match commits.before(repository)? {
        Some(before) => have_same_files(repository, &before, &commits.commit)?,
        None => false,
    };
    found.extend(Some(Finding::EmptyChange).filter(|_| empty));
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tests(kinds: &[TestType]) -> Vec<TestCommand> {
        let test = |kind: &TestType| TestCommand {
            kind: *kind,
            command: "true".to_owned(),
            framework: None,
            timeout: None,
        };
        kinds.iter().map(test).collect()
    }

    #[test]
    fn an_empty_change_passes_only_if_the_runner_says_so_explicitly_and_there_are_tests() {
        let unit = tests(&[TestType::Setup, TestType::Unit]);
        let cases = [
            ("It is all there.\n\nNOTHING LEFT TO DO\n", EmptyChange::Claimed),
            ("**Nothing left to do.**", EmptyChange::Claimed),
            ("", EmptyChange::Unexplained),
            ("I cannot do this.", EmptyChange::Unexplained),
            ("There is NOTHING LEFT TO DO but to write the code.", EmptyChange::Unexplained),
            ("NOTHING LEFT TO DO\n\nexcept for the tests", EmptyChange::Unexplained),
            ("> NOTHING LEFT TO DO", EmptyChange::Unexplained),
        ];
        for (said, expected) in cases {
            assert_eq!(EmptyChange::of(said.as_bytes(), &ExitReason::Exited(0), &unit), expected, "{said}");
        }
        let claim = b"NOTHING LEFT TO DO";
        assert_eq!(EmptyChange::of(claim, &ExitReason::Exited(1), &unit), EmptyChange::Unexplained);
        let setup = tests(&[TestType::Setup, TestType::Teardown]);
        assert_eq!(EmptyChange::of(claim, &ExitReason::Exited(0), &setup), EmptyChange::Untested);
    }
}
