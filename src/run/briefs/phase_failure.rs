//! What the failed tests of a phase tell: the prompts of its tasks get their output, and the run and people the tasks to open
//! again.

use std::collections::HashSet;

use crate::error::Result;
use crate::git::Git;
use crate::history::{Repository, Run, TaskStep, content_of, counted, files_at, pick_steps, read_steps};
use crate::plan::{Expect, NodeIx};
use crate::record::{By, Check, CommitId, CommitKind, Outcome, State, Step, StepFacts, TaskId};
use crate::run::plan::Plan;
use crate::run::steps::feedback::{body_of, files_of, test_output};
use crate::trust::files::is_test_side;
use crate::workflow::{Feedback, FeedbackSource, SuspectTask, to_reopen};

/// The output of the last failed tests of a phase, for the next attempt at one of its tasks; `None` if the phase is complete,
/// or its tests have not failed.
///
/// # Errors
/// If history cannot be read.
pub(crate) fn phase_feedback(repository: &Repository, run: &Run, phase: &TaskId) -> Result<Option<Feedback>> {
    let pick = |kind: &CommitKind, message: &[u8]| match kind {
        CommitKind::Phase(id, record) if id == phase => {
            Some((record.step == Step::PHASE_TEST).then(|| body_of(message)))
        }
        _ => None,
    };
    let newest = pick_steps(repository, &run.range, pick)?.into_iter().next();
    let output = newest.and_then(|picked| picked.value);
    let title = Step::PHASE_TEST.row().feedback.expect("the table has a title for it");
    Ok(output.map(|text| Feedback { source: FeedbackSource::Failure, title, text, attempt: None }))
}

/// A complete task of a phase that has failed.
#[derive(Clone, Debug)]
pub(crate) struct PhaseTask {
    pub(crate) leaf: NodeIx,
    /// What decides whether it is opened again, but for the number of attempts that it may have.
    pub(crate) suspect: SuspectTask,
    /// The number of its last attempt.
    pub(crate) attempt: u32,
}

/// Where a phase that has failed is read.
pub(crate) struct FailedPhase<'a> {
    pub(crate) git: &'a Git,
    pub(crate) repository: &'a Repository,
    pub(crate) plan: &'a Plan,
    pub(crate) run: &'a Run,
    pub(crate) phase: NodeIx,
}

impl FailedPhase<'_> {
    /// The tasks that a run opens again, in the order of the phase; `attempts` says how many each of them may have.
    ///
    /// # Errors
    /// If history cannot be read.
    pub(crate) fn to_reopen(&self, attempts: impl Fn(NodeIx) -> u32) -> Result<Vec<PhaseTask>> {
        let tasks = self.tasks()?;
        let may = |PhaseTask { leaf, attempt, suspect }: &PhaseTask| SuspectTask {
            has_attempt: suspect.has_attempt && attempt.saturating_add(1) < attempts(*leaf),
            ..*suspect
        };
        let suspects: Vec<SuspectTask> = tasks.iter().map(may).collect();
        Ok(to_reopen(&suspects).into_iter().map(|place| tasks[place].clone()).collect())
    }

    /// The complete tasks of the phase, in the order of the plan; none if its tests have not failed, or its tasks have gone on since.
    ///
    /// # Errors
    /// If history cannot be read.
    pub(crate) fn tasks(&self) -> Result<Vec<PhaseTask>> {
        let Self { git, repository, plan, run, phase } = *self;
        let Some(failed) = run.failed_phases.get(&plan.tree.node(phase).id) else { return Ok(Vec::new()) };
        let message = repository.commit(&failed.id)?.message;
        let output = test_output(&message);
        let findings = StepFacts::of(&message).found;
        // A person has skipped the tasks that would make awaited tests pass. Others are not to do their work instead.
        if findings.iter().any(|finding| finding.check == Check::Awaited) {
            return Ok(Vec::new());
        }
        let failing: Vec<String> = findings.iter().flat_map(|finding| finding.places.clone()).collect();
        let reopened = self.reopened()?;
        let mut tasks = Vec::new();
        let mut changed: Vec<Vec<String>> = Vec::new();
        let leaves: HashSet<NodeIx> = plan.tree.leaves_below(phase).collect();
        // Tests that an earlier task wrote are awaited from those that write the code, even if a person has skipped these.
        let is_complete = |leaf: NodeIx| plan.state(run, leaf) == State::Complete;
        let has_code = leaves.iter().any(|leaf| plan.tree.expect(*leaf) == Expect::Change);
        for leaf in plan.tree.order().iter().copied().filter(|leaf| leaves.contains(leaf)) {
            let only_tests = has_code && plan.tree.expect(leaf) == Expect::Tests;
            if !is_complete(leaf) || only_tests {
                continue;
            }
            let id = &plan.tree.node(leaf).id;
            let steps = read_steps(repository, &run.range, id)?;
            let files = files_of(git, repository, &steps)?;
            let attempt = last_attempt(&steps);
            let is_by_run = plan.latest(run, leaf).is_some_and(|latest| latest.by == By::Run);
            let suspect = SuspectTask {
                is_named: files.iter().any(|file| names(&output, file)),
                has_changed_test: false,
                has_attempt: is_by_run && attempt.is_some(),
                was_reopened: reopened.contains(id),
            };
            tasks.push(PhaseTask { leaf, suspect, attempt: attempt.unwrap_or(0) });
            changed.push(files);
        }
        for place in last_to_change(repository, &failed.id, &changed, &failing)? {
            tasks[place].suspect.has_changed_test = true;
        }
        Ok(tasks)
    }

    /// The tasks of the phase that the run has opened again since the phase was complete, a person acted on one of them, or the plan
    /// was another one.
    fn reopened(&self) -> Result<HashSet<TaskId>> {
        let Self { repository, plan, run, phase, .. } = *self;
        let own: HashSet<&TaskId> =
            plan.tree.leaves_below(phase).map(|leaf| &plan.tree.node(leaf).id).collect();
        let phase = &plan.tree.node(phase).id;
        let pick = |kind: &CommitKind, _: &[u8]| match kind {
            CommitKind::Phase(id, record) => {
                (id == phase && record.step == Step::PHASE_COMPLETE).then_some(None)
            }
            CommitKind::Task(id, record) if own.contains(id) => match record.by {
                By::User | By::Request => Some(None),
                _ => record.goes_on().then(|| Some(id.clone())),
            },
            _ => None,
        };
        // A step that was reverted has been paid for all the same.
        let newest_first = pick_steps(repository, &run.range, pick)?;
        let plan_at = |commit: &CommitId| files_at(repository, commit, plan.files());
        let now = plan_at(&run.range.head())?;
        let mut reopened = HashSet::new();
        for (commit, task) in newest_first.into_iter().map_while(|picked| Some((picked.id, picked.value?))) {
            if plan_at(&commit)? == now {
                reopened.insert(task);
            }
        }
        Ok(reopened)
    }
}

/// The number of the last attempt of these steps, newest first, since the task has begun.
fn last_attempt(steps: &[TaskStep]) -> Option<u32> {
    let counted = counted(steps);
    let mut records = counted.map(|step| step.step.record).take_while(|record| !record.restarts());
    let passed = |outcome| outcome != Outcome::Skip;
    records.find(|record| record.step.is_part_of_an_attempt() && passed(record.outcome)).map(|it| it.attempt)
}

/// Whether an output names a file: its whole path, and not only the end of another word.
pub(crate) fn names(output: &str, path: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    output.match_indices(path).any(|(start, _)| {
        let before = output[..start].chars().next_back();
        let mut after = output[start + path.len()..].chars();
        let goes_on = match after.next() {
            Some('.') => after.next().is_some_and(is_part),
            next => next.is_some_and(|c| is_part(c) || c == '/'),
        };
        !goes_on && !before.is_some_and(|c| is_part(c) || c == '.' && !output[..start].ends_with("/."))
    })
}

/// The places of those who were the last to change a file of tests that contains one of these tests. `changed` has the files that
/// each has changed, in order.
pub(crate) fn last_to_change(
    repository: &Repository,
    at: &CommitId,
    changed: &[Vec<String>],
    failing: &[String],
) -> Result<HashSet<usize>> {
    let mut found = HashSet::new();
    // Frameworks print the groups of a test before its name.
    let names: Vec<&str> = failing.iter().filter_map(|test| last_word(test)).collect();
    let files: HashSet<&String> = changed.iter().flatten().filter(|file| is_test_side(file)).collect();
    for file in files.into_iter().filter(|_| !names.is_empty()) {
        let stored = files_at(repository, at, &[file.clone().into_bytes()])?.into_iter().next().flatten();
        let Some(stored) = stored else { continue };
        let content = String::from_utf8_lossy(&content_of(repository, stored)?).into_owned();
        if names.iter().any(|name| content.contains(name)) {
            found.extend(changed.iter().rposition(|files| files.contains(file)));
        }
    }
    Ok(found)
}

/// The own name of a test, behind those of its groups.
fn last_word(test: &str) -> Option<&str> {
    let test = test.split('[').next().unwrap_or(test);
    let name = [" > ", "::", "#", "/", "."]
        .iter()
        .fold(test, |name, separator| name.rsplit(separator).next().unwrap_or(name));
    Some(name.trim()).filter(|name| name.len() > 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_by_its_whole_path() {
        let cases = [
            ("  File \"/tmp/x/src/app.py\", line 3", "src/app.py", true),
            ("src/app.py:3: error", "src/app.py", true),
            ("Look at src/app.py.", "src/app.py", true),
            ("./greet.sh: 3: not found", "greet.sh", true),
            ("regreet.sh: 3: not found", "greet.sh", false),
            ("src/app.pyc", "src/app.py", false),
            ("src/app.py.orig", "src/app.py", false),
            ("the parts do not fit", "a", false),
            ("a does not fit", "a", true),
            ("lib/a/b.py", "lib/a", false),
            ("é/app.py", "app.py", true),
            ("", "a", false),
        ];
        for (output, path, expected) in cases {
            assert_eq!(names(output, path), expected, "{output}: {path}");
        }
    }

    #[test]
    fn the_name_of_a_test_stands_behind_its_groups() {
        for (test, name) in [
            ("tests/test_a.py::TestA::test_adds[1-2]", Some("test_adds")),
            ("module::tests::adds", Some("adds")),
            ("tests.test_a.TestA.test_adds", Some("test_adds")),
            ("Sums > adds two numbers", Some("adds two numbers")),
            ("TestSums/adds", Some("adds")),
            ("", None),
        ] {
            assert_eq!(last_word(test), name, "{test}");
        }
    }
}
