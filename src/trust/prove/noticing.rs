//! Judges the red run: which tests and commands fail without a change and pass with it.

use super::judged::{fallen, pairs, passes_by_name, report, skipped_in};
use super::report::{ProofRun, ProofRunReport};
use crate::record::RunWord;
use crate::suite::{Failure, TestOutcome, TestResults, TestRun};
use crate::text::{listed, one_line};

/// What notices a change: it fails without it and passes with it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Noticing {
    /// A test, by its name.
    Test(String),
    /// A command whose output names and counts no tests.
    Command(String),
}

impl Noticing {
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Test(name) | Self::Command(name) => name,
        }
    }
}

/// The tests that fail in `red` and pass by name in `clean`, and the commands that do so and name none.
pub(super) fn evidence(red: &TestResults, clean: &TestResults) -> Vec<Noticing> {
    // Commands without counts beside some with counts are linters and type checks.
    let has_counts = clean.counts().is_some();
    let is_silent = |run: &TestRun| !has_counts && run.counts.is_none() && run.names.is_empty();
    let mut found = Vec::new();
    for (red, clean) in pairs(red, clean) {
        let passes = |name: &&str| passes_by_name(clean, name, skipped_in(red));
        let tests = red.names.with(TestOutcome::Failed).filter(passes);
        found.extend(tests.map(|name| Noticing::Test(name.to_owned())));
        if is_silent(red) && is_silent(clean) && clean.passed() && red.failure() == Some(Failure::Unclear) {
            found.push(Noticing::Command(one_line(&red.command)));
        }
    }
    found.sort();
    found.dedup();
    found
}

/// What the red run says.
pub(super) enum Red {
    /// These tests notice the change, or none does.
    Judged(ProofRunReport),
    /// Nothing could be loaded without the change, so the run says nothing about the tests.
    NotLoaded(ProofRunReport),
}

/// Without the change to the source: a test must fail that passes with it.
pub(super) fn red(results: &TestResults, clean: &TestResults, evidence: Vec<Noticing>) -> Red {
    let report = |verdict, seen| report(ProofRun::Red, results, verdict, seen);
    if !evidence.is_empty() {
        return Red::Judged(noticed(results, clean, evidence, "without the change"));
    }
    let gone = results.names().with(TestOutcome::NotLoaded).next().is_some()
        || results.counts().zip(clean.counts()).is_some_and(|(red, clean)| red.ran() < clean.ran());
    match results.failure() {
        None if !gone => Red::Judged(report(
            RunWord::Fail,
            "no test notices the change: all pass without it too".to_owned(),
        )),
        Some(Failure::Tests) if fails_without_name(results) => Red::Judged(report(
            RunWord::NotApplicable,
            "tests fail without the change, but the output does not say which".to_owned(),
        )),
        Some(Failure::Tests) if !gone => {
            let seen = "no test that passes with the change fails without it".to_owned();
            Red::Judged(report(RunWord::Fail, seen))
        }
        _ => Red::NotLoaded(report(
            RunWord::NotApplicable,
            "the tests cannot be built or loaded without the change".to_owned(),
        )),
    }
}

/// Whether a command counts a test that failed, and does not name it.
fn fails_without_name(results: &TestResults) -> bool {
    let unnamed = |run: &TestRun| {
        let named = fallen(&run.names).len();
        run.counts.is_some_and(|counts| counts.failed as usize > named)
    };
    results.runs.iter().filter(|run| run.kind.judges()).any(unnamed)
}

/// A run in which these tests and commands notice the change. `when` says what was done, as the end of a clause.
pub(super) fn noticed(
    results: &TestResults,
    clean: &TestResults,
    evidence: Vec<Noticing>,
    when: &str,
) -> ProofRunReport {
    let (mut tests, mut commands) = (Vec::new(), Vec::new());
    for noticing in evidence {
        match noticing {
            Noticing::Test(name) => tests.push(name),
            Noticing::Command(command) => commands.push(command),
        }
    }
    let what = if tests.is_empty() {
        let shown: Vec<String> = commands.iter().map(|command| format!("`{command}`")).collect();
        format!("{} {}", listed(&shown), if shown.len() == 1 { "fails" } else { "fail" })
    } else {
        how_many_fail(tests.len(), clean.counts().map(|counts| counts.passed))
    };
    let report = report(ProofRun::Red, results, RunWord::Pass, format!("{what} {when}"));
    ProofRunReport { tests, commands, ..report }
}

/// `3 of 7 tests fail`, or as much of it as is known.
pub(super) fn how_many_fail(count: usize, all: Option<u32>) -> String {
    let verb = if count == 1 { "fails" } else { "fail" };
    match all {
        Some(1) => format!("the test {verb}"),
        Some(all) if count <= all as usize => format!("{count} of {all} tests {verb}"),
        _ if count == 1 => "1 test fails".to_owned(),
        _ => format!("{count} tests fail"),
    }
}
