//! Finds the tests that were written before the code of a task, in the commits of its red steps.

use std::collections::HashSet;

use super::implement_commits::{has_left_commits, implement_commits};
use crate::error::Result;
use crate::git::Git;
use crate::history::{Repository, TaskStep, TreeComparison, changed_paths};
use crate::record::{CommitId, Goal, Outcome};
use crate::workflow::TestsBefore;

/// The tests that were written before the code of a task and by which it is judged now.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WrittenTests<'s> {
    /// The step that wrote them. From its commit on, nobody but a person may change them.
    pub(crate) step: &'s TaskStep,
    /// The steps before it, newest first.
    earlier: &'s [TaskStep],
}

/// The tests by which a task is judged now, if they were written first; `steps` are its steps, newest first. A task that
/// begins again has none until they are written again, and so does one whose tests were rejected.
pub(crate) fn failing_tests(steps: &[TaskStep]) -> Option<WrittenTests<'_>> {
    for (place, step) in steps.iter().enumerate().filter(|(_, step)| counts(step)) {
        let record = &step.step.record;
        if record.rejects_tests || record.restarts() {
            return None;
        }
        if is_red(step, Outcome::Pass) {
            return Some(WrittenTests { step, earlier: &steps[place + 1..] });
        }
    }
    None
}

fn counts(step: &TaskStep) -> bool {
    step.counts() && !step.record().step.leaves_the_work_as_it_was()
}

/// Whether a step was to write failing tests, and ended so.
fn is_red(step: &TaskStep, outcome: Outcome) -> bool {
    let record = &step.step.record;
    record.step.row().goal == Goal::TestsFail && record.outcome == outcome
}

impl WrittenTests<'_> {
    /// The files that contain them.
    ///
    /// # Errors
    /// If history cannot be read.
    pub(crate) fn files(&self, repository: &Repository, git: &Git) -> Result<Vec<Vec<u8>>> {
        let own = implement_commits(git, std::slice::from_ref(self.step));
        let before = own.first().map(|own| own.before(repository)).transpose()?.flatten();
        let Some(before) = before else { return changed_paths(repository, &own) };
        let series = RedSeries::before(repository, git, self.earlier, before)?;
        let mut touched = series.files;
        touched.extend(changed_paths(repository, &own)?);
        // A failed attempt may have changed more, which was put back.
        let net = TreeComparison { commit: self.step.step.id, base: Some(series.base) };
        Ok(changed_paths(repository, &[net])?.into_iter().filter(|path| touched.contains(path)).collect())
    }
}

/// The attempts to write failing tests before the present one that failed, or that ended with a question.
#[derive(Debug)]
pub(crate) struct RedSeries {
    /// What was committed before the first of them.
    pub(crate) base: CommitId,
    /// The files that their commits changed.
    pub(crate) files: HashSet<Vec<u8>>,
    /// What had become of the tests of the task before the first of them.
    pub(crate) tests_before: TestsBefore,
}

impl RedSeries {
    /// The attempts before a step that begins at `head`; `steps` are the steps of the task before it, newest first.
    ///
    /// # Errors
    /// If history cannot be read.
    pub(crate) fn before(
        repository: &Repository,
        git: &Git,
        steps: &[TaskStep],
        head: CommitId,
    ) -> Result<Self> {
        // A test writer may have made commits before it asked a question.
        let is_left = |step: &TaskStep| step.counts() && has_left_commits(step);
        let counted: Vec<&TaskStep> = steps.iter().filter(|step| counts(step) || is_left(step)).collect();
        let length = counted.iter().take_while(|step| is_red(step, Outcome::Fail) || is_left(step)).count();
        let own: Vec<TaskStep> = counted[..length].iter().map(|step| (*step).clone()).collect();
        let commits = implement_commits(git, &own);
        let base = match commits.last() {
            Some(first) => first.before(repository)?.unwrap_or(head),
            None => head,
        };
        let files = changed_paths(repository, &commits)?.into_iter().collect();
        Ok(Self { base, files, tests_before: tests_before(steps) })
    }
}

/// What has become of tests that earlier red steps wrote; `steps` are the steps of the task before the present one, newest
/// first.
pub(crate) fn tests_before(steps: &[TaskStep]) -> TestsBefore {
    let mut earlier = steps.iter().filter(|step| counts(step)).skip_while(|step| is_red(step, Outcome::Fail));
    let latest = earlier.next();
    if latest.is_some_and(|step| step.record().rejects_tests) {
        TestsBefore::Rejected
    } else if latest.into_iter().chain(earlier).any(|step| is_red(step, Outcome::Pass)) {
        TestsBefore::Written
    } else {
        TestsBefore::None
    }
}
