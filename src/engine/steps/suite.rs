//! The whole suite: the command of `arborist.suite`, run on the files of a commit in a scratch work tree.

use super::test_run::runner_of;
use crate::config::CheckLevel;
use crate::engine::run_context::context::{RunContext, stopped};
use crate::error::Result;
use crate::plan::TestCommand;
use crate::process::LiveLine;
use crate::record::{AwaitedTests, Check, CommitId, Finding, Severity};
use crate::suite::{TestOutcome, TestResults};
use crate::text::one_line;
use crate::trust::awaited::excuses;

/// How the suite has failed.
pub(crate) struct SuiteFailure {
    /// What it has found.
    pub(crate) finding: Finding,
    /// Its results.
    pub(crate) results: TestResults,
}

/// Runs the suite on a commit. Returns how it has failed; `None` if it passes, is turned off, or is not known. Tests that are
/// awaited may fail.
///
/// # Errors
/// If a scratch work tree cannot be made or prepared, or the user asks to stop. That is no verdict.
pub(crate) fn run_suite(
    run: &RunContext<'_>,
    commit: &CommitId,
    live: &LiveLine,
    awaited: &AwaitedTests,
) -> Result<Option<SuiteFailure>> {
    let Some(command) = run.settings.tests.suite.as_ref().filter(|_| is_on(run)) else { return Ok(None) };
    let command = TestCommand::suite(command);
    let checkout = Checkout { purpose: "suite", commit, live };
    let results = run_on_checkout(run, checkout, std::slice::from_ref(&command))?;
    let Some(failed) = results.first_failed().filter(|_| !excuses(awaited, &results)) else {
        return Ok(None);
    };
    let seen = format!("The whole suite fails on a clean checkout, {}", failed.status());
    let names = results.names();
    let tests = names.with(TestOutcome::Failed).chain(names.with(TestOutcome::NotLoaded)).map(str::to_owned);
    let places: Vec<String> = tests.collect();
    let finding =
        Finding::new(Check::Suite, Severity::Error, &seen).at(places).look(&one_line(&command.command));
    Ok(Some(SuiteFailure { finding, results }))
}

/// The files of a commit in a scratch work tree.
#[derive(Clone, Copy)]
pub(super) struct Checkout<'a> {
    /// For what.
    pub(super) purpose: &'static str,
    pub(super) commit: &'a CommitId,
    pub(super) live: &'a LiveLine,
}

/// Runs test commands on the files of a commit.
///
/// # Errors
/// If a scratch work tree cannot be made or prepared, or the user asks to stop. That is no verdict.
pub(super) fn run_on_checkout(
    run: &RunContext<'_>,
    checkout: Checkout<'_>,
    commands: &[TestCommand],
) -> Result<TestResults> {
    let Checkout { purpose, commit, live } = checkout;
    let scratch = run.programs.scratches.make(purpose, commit)?;
    run.programs.scratches.prepare(&scratch, live)?;
    let mut launch = scratch.launch();
    launch.env.push(run.traceparent_of(&[purpose, &commit.to_string()]));
    let results = runner_of(run, launch, live).run(commands).map_err(|none| none.error(stopped))?;
    scratch.remove()?;
    Ok(results)
}

/// Whether there is a suite that runs at the end of a phase.
pub(super) fn is_on(run: &RunContext<'_>) -> bool {
    run.settings.tests.suite.is_some() && run.settings.trust.suite != CheckLevel::Off
}

/// Whether the suite must pass before a task is complete.
pub(crate) fn is_required(run: &RunContext<'_>) -> bool {
    run.settings.trust.suite == CheckLevel::Require && run.settings.tests.suite.is_some()
}
