//! Runs, at the end of a phase, the test commands of its tasks once more whose result may have changed: a later task has changed
//! files. Where there is a suite, it shows that already.

use std::collections::{BTreeSet, HashSet};
use std::time::Instant;

use super::StepMaker;
use super::suite::is_on;
use super::test_run::run_tests_within;
use crate::error::Result;
use crate::history::{StepValidity, TreeComparison, changed_paths};
use crate::plan::{NodeIx, TestCommand};
use crate::process::{ExitReason, LiveLine};
use crate::record::{AwaitedTests, Check, CommitId, Finding, Goal, Outcome, Severity, State, StepFacts};
use crate::run::steps::feedback::files_of;
use crate::suite::{TestOutcome, TestResults};
use crate::text::{counted, one_line};
use crate::trust::awaited::{excuses, fallen};

/// A complete task of the phase whose files others have changed since its tests passed.
struct OlderTask {
    leaf: NodeIx,
    /// The task that did so, the last one if there are several.
    by: NodeIx,
    /// The files that it changed since.
    files: Vec<String>,
    /// How many tests failed already when the task was complete, and were not awaited.
    failed_then: usize,
}

/// What is known at the end of a phase.
#[derive(Clone, Copy)]
pub(super) struct EndOfPhase<'a> {
    pub(super) head: &'a CommitId,
    pub(super) live: &'a LiveLine,
    /// The results of the tests of the phase, which have just run.
    pub(super) results: &'a TestResults,
    /// The tests that may still fail.
    pub(super) awaited: &'a AwaitedTests,
}

impl StepMaker<'_, '_> {
    /// The commands of complete tasks that passed then and fail now, each with the task that has changed files since. All of them
    /// together take at most `arborist.prove.time`.
    ///
    /// # Errors
    /// If history cannot be read, a command cannot be started, or the user asks to stop. That is no verdict.
    pub(super) fn superseded(&self, phase: NodeIx, end: EndOfPhase<'_>) -> Result<Vec<Finding>> {
        let run = self.workspace.run;
        if is_on(run) {
            return Ok(Vec::new());
        }
        let (older, current) = self.older_tasks(phase, end.head)?;
        let tree = &run.plan.tree;
        let commands = |leaf: NodeIx| tree.node(leaf).test_commands.iter().filter(|test| test.kind.judges());
        let mut known: HashSet<&str> =
            end.results.runs.iter().filter(|ran| ran.passed()).map(|ran| ran.command.as_str()).collect();
        known.extend(current.into_iter().flat_map(commands).map(|test| test.command.as_str()));
        let began = Instant::now();
        let (mut found, mut left_out) = (Vec::new(), 0);
        for OlderTask { leaf, by, files, failed_then } in &older {
            let due: Vec<&TestCommand> =
                commands(*leaf).filter(|test| !known.contains(test.command.as_str())).collect();
            if due.is_empty() {
                continue;
            }
            let is_due = |test: &&TestCommand| !test.kind.judges() || due.contains(test);
            let tests: Vec<TestCommand> =
                tree.node(*leaf).test_commands.iter().filter(is_due).cloned().collect();
            let Some(results) = self.run_again(&tests, began, end)? else {
                left_out += 1;
                continue;
            };
            known.extend(due.iter().map(|test| test.command.as_str()));
            let is_as_before =
                *failed_then > 0 && fallen(&results, TestOutcome::Failed).len() <= *failed_then;
            let is_excused = is_as_before || excuses(end.awaited, &results);
            let Some(failed) = results.first_failed().filter(|_| !is_excused) else {
                continue;
            };
            let (id, by) = (&tree.node(*leaf).id, &tree.node(*by).id);
            let seen = format!("The tests of {id} fail ({}) since {by} has changed", failed.status());
            let finding = Finding::new(Check::Superseded, Severity::Warning, &seen);
            found.push(finding.at(files).look(&one_line(&failed.command)));
        }
        if left_out > 0 {
            run.warn(&format!(
                "the tests of {} were not run again, although later tasks have changed files: the time of arborist.prove.time is used up",
                counted(left_out, "complete task")
            ));
        }
        Ok(found)
    }

    /// Whether a complete task of the phase has tests whose result may have changed.
    pub(crate) fn may_be_superseded(&self, phase: NodeIx, head: &CommitId) -> Result<bool> {
        let run = self.workspace.run;
        if is_on(run) {
            return Ok(false);
        }
        let (older, current) = self.older_tasks(phase, head)?;
        let commands = |leaf: NodeIx| run.plan.tree.node(leaf).test_commands.iter();
        let known: HashSet<&str> =
            current.into_iter().flat_map(commands).map(|test| test.command.as_str()).collect();
        let mut due = older.iter().flat_map(|task| commands(task.leaf)).filter(|test| test.kind.judges());
        Ok(due.any(|test| !known.contains(test.command.as_str())))
    }

    /// The complete tasks of a phase whose tests passed on other files than there are now, and those whose tests passed on these.
    /// Tasks without a phase belong together.
    fn older_tasks(&self, phase: NodeIx, head: &CommitId) -> Result<(Vec<OlderTask>, Vec<NodeIx>)> {
        let run = self.workspace.run;
        let (tree, state) = (&run.plan.tree, self.followed.run());
        let leaves: Vec<NodeIx> = match tree.is_leaf(phase) {
            true => tree.roots().iter().copied().filter(|root| tree.is_leaf(*root)).collect(),
            false => tree.leaves_below(phase).collect(),
        };
        if tree.is_leaf(phase) && !leaves.iter().all(|leaf| run.plan.state(&state, *leaf).is_done()) {
            return Ok((Vec::new(), Vec::new()));
        }
        let done: Vec<NodeIx> = tree
            .order()
            .iter()
            .copied()
            .filter(|leaf| run.plan.state(&state, *leaf) == State::Complete)
            .collect();
        let own: HashSet<NodeIx> = leaves.into_iter().collect();
        let mut changed: Vec<(NodeIx, BTreeSet<String>)> = Vec::new();
        for leaf in &done {
            let steps = self.followed.steps_of(&tree.node(*leaf).id)?;
            changed.push((*leaf, files_of(&run.git, run.repository, &steps)?.into_iter().collect()));
        }
        let (mut older, mut current) = (Vec::new(), Vec::new());
        for leaf in done.iter().copied().filter(|leaf| own.contains(leaf) && tree.node(*leaf).is_tested()) {
            let steps = self.followed.steps_of(&tree.node(leaf).id)?;
            let passed = steps.iter().filter(|step| step.validity == StepValidity::Counts).find(|step| {
                step.step.record.step.row().goal == Goal::TestsPass
                    && step.step.record.outcome == Outcome::Pass
            });
            let Some(passed) = passed else { continue };
            let since = TreeComparison { commit: *head, base: Some(passed.step.id) };
            let since: Vec<String> = changed_paths(run.repository, &[since])?
                .iter()
                .map(|path| one_line(&String::from_utf8_lossy(path)))
                .collect();
            let by_others: Vec<(NodeIx, Vec<String>)> = changed
                .iter()
                .filter(|(other, _)| *other != leaf)
                .map(|(other, files)| {
                    (*other, since.iter().filter(|path| files.contains(*path)).cloned().collect())
                })
                .filter(|(_, files): &(NodeIx, Vec<String>)| !files.is_empty())
                .collect();
            // Whoever changed a file of the task is to be named first.
            let shares = |(_, files): &&(NodeIx, Vec<String>)| {
                let own = changed.iter().find(|(task, _)| *task == leaf);
                own.is_some_and(|(_, own)| files.iter().any(|file| own.contains(file)))
            };
            match by_others.iter().rfind(shares).or_else(|| by_others.last()) {
                Some((by, files)) => {
                    let shared = |file: &&String| {
                        changed.iter().any(|(task, own)| *task == leaf && own.contains(*file))
                    };
                    let both: Vec<String> = files.iter().filter(shared).cloned().collect();
                    let files = if both.is_empty() { files.clone() } else { both };
                    let StepFacts { tests, awaited, .. } = StepFacts::of(&passed.message);
                    let failed = tests.map_or(0, |counts| counts.failed as usize);
                    let failed_then = failed.saturating_sub(awaited.awaited.len() + awaited.still.len());
                    older.push(OlderTask { leaf, by: *by, files, failed_then });
                }
                None => current.push(leaf),
            }
        }
        Ok((older, current))
    }

    /// Runs commands in the time that is left; `None` if there is none. What fails runs once more before it accuses anybody.
    fn run_again(
        &self,
        tests: &[TestCommand],
        began: Instant,
        end: EndOfPhase<'_>,
    ) -> Result<Option<TestResults>> {
        let run = self.workspace.run;
        let left = || run.settings.trust.prove_time.saturating_sub(began.elapsed());
        if left().is_zero() {
            return Ok(None);
        }
        let results = run_tests_within(run, tests, end.live, left())?;
        let failed = results.first_failed().map(|failed| &failed.result.exit_reason);
        let was_cut = matches!(failed, Some(ExitReason::TimedOut { .. })) && left().is_zero();
        Ok(Some(results).filter(|_| !was_cut))
    }
}
