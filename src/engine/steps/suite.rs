//! The whole suite: the command of `arborist.suite`, run on the files of a commit in the scratch work tree of proofs, with the packages
//! of the user.

use super::test_run::runner_of;
use crate::config::CheckLevel;
use crate::engine::run_context::context::{RunContext, stopped};
use crate::engine::tree::workspace::ProofPlace;
use crate::error::{Kind, Result};
use crate::plan::TestCommand;
use crate::process::LiveLine;
use crate::record::{AwaitedTests, Check, CommitId, Finding, Severity};
use crate::suite::{TestOutcome, TestResults};
use crate::text::one_line;
use crate::trust::awaited::excuses;
use crate::worktree::{Home, ProofTree, UsersTree};

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
    place: &mut ProofPlace<'_>,
) -> Result<Option<SuiteFailure>> {
    let Some(command) = run.settings.tests.suite.as_ref().filter(|_| is_on(run)) else { return Ok(None) };
    let command = TestCommand::suite(command);
    let checkout = Checkout { commit, live };
    let results = run_on_checkout(run, checkout, std::slice::from_ref(&command), place)?;
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

/// The files of a commit in the scratch work tree.
#[derive(Clone, Copy)]
pub(super) struct Checkout<'a> {
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
    place: &mut ProofPlace<'_>,
) -> Result<TestResults> {
    let Checkout { commit, live } = checkout;
    let users = UsersTree { scratches: &run.programs.scratches, ignored: place.ignored };
    let ready = match place.tree {
        Some(tree) => tree.move_to(commit, users, live),
        None => ProofTree::make(users, commit, live).map(|tree| *place.tree = Some(tree)),
    };
    // Half of its preparation may be missing.
    ready.inspect_err(|_| *place.tree = None)?;
    let tree = place.tree.as_ref().expect("it was made or moved just now");
    let results = runner_of(run, tree.launch(Home::Users), live).run(commands);
    results.map_err(|error| if matches!(error.kind(), Kind::Signal(_)) { stopped() } else { error })
}

/// Whether there is a suite that runs at the end of a phase.
pub(super) fn is_on(run: &RunContext<'_>) -> bool {
    run.settings.tests.suite.is_some() && run.settings.trust.suite != CheckLevel::Off
}

/// Whether the suite must pass before a task is complete.
pub(crate) fn is_required(run: &RunContext<'_>) -> bool {
    run.settings.trust.suite == CheckLevel::Require && run.settings.tests.suite.is_some()
}
