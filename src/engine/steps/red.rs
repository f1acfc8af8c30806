//! The red step: an agent writes failing tests and nothing else, and the test commands of the task must fail because of
//! them (docs/agents.md).

use std::collections::BTreeSet;

use super::StepMaker;
use super::changes_to_commit::StepChange;
use super::implement::{Implementer, StepWork};
use super::runner_outcome::RunnerOutcome;
use super::test_run::run_tests;
use super::written_tests::{Written, changed_tests, nothing_written, problem};
use crate::engine::run_context::Assignment;
use crate::engine::run_context::context::RunContext;
use crate::error::Result;
use crate::history::{TreeComparison, changed_paths};
use crate::plan::TestType;
use crate::record::{Check, Counts, Finding, Outcome, RedKind, Severity, Step};
use crate::run::steps::earlier_tests::EarlierTests;
use crate::run::steps::failing_tests::RedSeries;
use crate::suite::{Failure, TestResults, TestRun};
use crate::text::{listed, one_line};
use crate::trust::awaited::excuses;
use crate::workflow::{TestsBefore, WorkerAnswer};

/// What is said of tests that were written again and pass with the code that is there.
const PASS_WITH_CODE: &str = "The tests that were written again pass with the code of an earlier attempt, so it is not known \
                              whether they would fail without it";

impl Implementer<'_, '_> {
    /// Judges what an agent has changed that was asked for failing tests and nothing else: whether these are tests, and
    /// whether the test commands fail because of them.
    ///
    /// # Errors
    /// Every failure that does not count as an attempt (docs/agents.md).
    pub(super) fn judge_tests<'w>(
        &mut self,
        job: Assignment<'_>,
        work: StepWork<'w>,
    ) -> Result<StepWork<'w>> {
        let StepWork { mut change, outcome: mut done } = work;
        let run = self.workspace.run;
        let steps = self.followed.steps_of(job.task.id)?;
        let series = RedSeries::before(run.repository, &run.git, &steps, done.before.commit)?;
        let written = Written::since(run, series.base, paths_of(run, &series, &change, &done)?)?;
        // A task that begins again may have good tests from before.
        let claims = done.report.answer == WorkerAnswer::NothingLeft;
        let leaves_tests = series.tests_before == TestsBefore::Written && claims;
        // The tests of the task may be there before it.
        let adds_nothing = written.is_empty() && series.tests_before != TestsBefore::Rejected;
        done.judged.findings.extend(written.complaint(leaves_tests || adds_nothing));
        done.judged.findings.extend(changed_tests(run, job, &steps, &written)?);
        if !done.judged.findings.is_empty() {
            return Ok(StepWork { change, outcome: done });
        }
        let live = run.announce(job, None);
        let tests = &run.plan.tree.node(job.leaf).test_commands;
        let results = run_tests(run, tests, &live)?;
        self.workspace.check_after(&done.watched.head, Step::TEST)?;
        done.judged.findings.extend(self.look_after_tests(job, &mut change)?);
        let earlier = match results.outcome() {
            Outcome::Pass => None,
            _ => StepMaker { followed: self.followed, workspace: self.workspace }.earlier_tests(job)?,
        };
        let only_awaited = excuses(&self.followed.awaited()?, &results);
        match red_kind(&results) {
            Ok(kind) if adds_nothing && !only_awaited && (claims || has_failing_tests(&results)) => {
                done.judged.kind = Some(kind);
                done.notes.push(committed_sentence(&results));
            }
            _ if adds_nothing && !leaves_tests => done.judged.findings.push(nothing_written()),
            Ok(_) if earlier.is_some_and(|earlier| fail_as_before(&earlier, &results)) => {
                let seen = "The test commands failed before this task as well, and no other test fails now";
                done.judged.findings.push(problem(seen));
            }
            Ok(_) if only_awaited => {
                let seen = "Only tests fail that earlier tasks wrote, and no new one";
                done.judged.findings.push(problem(seen));
            }
            Ok(kind) => done.judged.kind = Some(kind),
            Err(_) if series.tests_before == TestsBefore::Rejected && results.outcome() == Outcome::Pass => {
                done.judged.findings.push(Finding::new(Check::Red, Severity::Warning, PASS_WITH_CODE));
            }
            Err(finding) => done.judged.findings.push(finding),
        }
        done.judged.results = Some(results);
        Ok(StepWork { change, outcome: done })
    }

    /// Whether the user's changes in the work tree are tests and nothing else.
    ///
    /// # Errors
    /// If a file or an object cannot be read.
    pub(crate) fn users_changes_are_tests(&self) -> Result<bool> {
        let users = &self.workspace.foreign.users;
        let paths: BTreeSet<Vec<u8>> = users.select(|_| true).paths().map(<[u8]>::to_vec).collect();
        let run = self.workspace.run;
        let Written { tests, others, .. } = Written::since(run, run.repository.branch()?.commit, paths)?;
        Ok(others.is_empty() && !tests.is_empty())
    }

    /// Looks at the work tree after the test commands. What they have left behind is named. A file of the step that they
    /// have changed cannot be committed, because it was checked before.
    fn look_after_tests(&mut self, job: Assignment<'_>, change: &mut StepChange) -> Result<Option<Finding>> {
        let selection = &mut change.changed.selection;
        let selected: BTreeSet<Vec<u8>> = selection.paths().map(<[u8]>::to_vec).collect();
        let before = self.workspace.tree_changes.path_states_where(|path| selected.contains(path));
        let new = self.workspace.look_again()?;
        let who = format!("the tests of {}", job.task.id);
        self.workspace.name_as_left(&who, new.without(selection));
        let now = &self.workspace.tree_changes;
        let changed = now.differing_from(&before);
        let is_kept = |path: &Vec<u8>| now.is_as_in(&before, path);
        selection.there.retain(is_kept);
        selection.gone.retain(is_kept);
        let seen = "The test commands changed files that this step had written, so these are in no commit";
        Ok((!changed.is_empty()).then(|| problem(seen).at(changed)))
    }
}

/// The paths that the failed red steps before this one and this step have changed.
fn paths_of(
    run: &RunContext<'_>,
    series: &RedSeries,
    change: &StepChange,
    done: &RunnerOutcome<'_>,
) -> Result<BTreeSet<Vec<u8>>> {
    let mut paths: BTreeSet<Vec<u8>> = series.files.iter().cloned().collect();
    paths.extend(change.changed.selection.paths().map(<[u8]>::to_vec));
    if !done.watched.adopted.is_empty() {
        let adopted = TreeComparison { commit: done.watched.head.commit, base: Some(done.before.commit) };
        paths.extend(changed_paths(run.repository, &[adopted])?);
    }
    Ok(paths)
}

/// Whether commands fail that are known to run tests. A script may fail because there is none.
fn has_failing_tests(results: &TestResults) -> bool {
    let has_tests = |run: &TestRun| match run.counts {
        Some(counts) => counts.failed > 0,
        None => !run.frameworks.is_empty(),
    };
    results.runs.iter().any(|run| run.kind.judges() && !run.passed() && has_tests(run))
}

/// Names the tests that fail although the step has written none; commands, if the names are not known.
fn committed_sentence(results: &TestResults) -> String {
    let failed = || results.runs.iter().filter(|run| run.kind.judges() && !run.passed());
    let names: Vec<String> = failed().flat_map(TestRun::failing_tests).map(|name| one_line(&name)).collect();
    let commands = || failed().map(|run| format!("`{}`", run.command)).collect();
    let names = if names.is_empty() { commands() } else { names };
    format!("No test was added: these were committed before and fail: {}.", listed(&names))
}

/// Why the test commands fail; otherwise why that shows nothing about the new tests.
fn red_kind(results: &TestResults) -> std::result::Result<RedKind, Finding> {
    let shown = |run: &TestRun| format!("`{}` ({})", run.command, run.status());
    let setup = |run: &&TestRun| run.kind == TestType::Setup && !run.passed();
    if let Some(setup) = results.runs.iter().find(setup) {
        let seen = "The command that prepares the tests failed, so no test has shown anything";
        return Err(problem(seen).at([shown(setup)]));
    }
    let judging = results.runs.iter().filter(|run| run.kind.judges());
    let failed: Vec<(&TestRun, Option<RedKind>)> =
        judging.filter_map(|run| Some((run, red_kind_of(run, run.failure()?)))).collect();
    let has = |kind: &RedKind| failed.iter().any(|(_, found)| *found == Some(*kind));
    match [RedKind::Test, RedKind::Build].into_iter().find(has) {
        Some(kind) => Ok(kind),
        None if failed.is_empty() => {
            Err(problem("The test commands pass already, so the tests do not show that anything is missing"))
        }
        None => {
            let why = |run: &TestRun| match run.counts {
                Some(counts) if tested(counts) => format!("`{}` (no test failed)", run.command),
                Some(_) => format!("`{}` (no test ran)", run.command),
                None => shown(run),
            };
            let seen = "The test commands failed, but not because of a test";
            Err(problem(seen).at(failed.iter().map(|(run, _)| why(run))))
        }
    }
}

/// Why the tests of a command fail that has failed so; `None` if it has shown nothing about them.
fn red_kind_of(run: &TestRun, failure: Failure) -> Option<RedKind> {
    match (failure, run.counts) {
        (Failure::NotRun, _) => None,
        (_, Some(counts)) if !tested(counts) => None,
        // All tests passed, and the command fails for another reason.
        (Failure::Unclear, Some(_)) => None,
        // Of a script, only the exit status is known.
        (Failure::Tests, _) | (Failure::Unclear, None) => Some(RedKind::Test),
        (Failure::Build, _) => Some(RedKind::Build),
    }
}

/// Whether test commands that failed before the task fail in the same way, as far as that is known.
fn fail_as_before(earlier: &EarlierTests, results: &TestResults) -> bool {
    let failed = || results.runs.iter().filter(|run| run.kind.judges() && !run.passed());
    let is_new = |name: &String| !earlier.failing.contains(name);
    !earlier.passed
        && !failed().flat_map(TestRun::failing_tests).any(|name| is_new(&name))
        && match (earlier.counts, results.counts()) {
            (Some(before), Some(now)) => now.failed <= before.failed,
            // Of a script, nothing is known but that it fails.
            (None, None) => failed().all(|run| !run.frameworks.is_empty()),
            _ => false,
        }
}

/// Whether a test ran.
fn tested(counts: Counts) -> bool {
    counts.passed > 0 || counts.failed > 0
}
