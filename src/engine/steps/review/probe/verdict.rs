//! What the test of a reviewer says about a change.

use std::collections::BTreeSet;

use crate::plan::{TestCommand, TestType};
use crate::record::{Block, Counts, Outcome, StepMessage, TEST_LABEL};
use crate::suite::{Failure, Framework, TestOutcome, TestResults};
use crate::text::{one_line, shell_word};

/// How many characters of a test, and of what it printed, a message keeps.
const KEPT: usize = 3000;

/// A test that a reviewer has left, and what came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReviewTestOutcome {
    /// Its file, on one line.
    pub(super) path: String,
    pub(super) text: Vec<u8>,
    pub(super) outcome: ProbeOutcome,
}

/// What came of the test of a reviewer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ProbeOutcome {
    /// It fails.
    Fails {
        /// The tests that fail; empty if their names are not known.
        tests: Vec<String>,
        /// What the commands printed.
        output: Vec<u8>,
    },
    /// It passes.
    Passes,
    /// It says nothing; why, as a clause.
    Unknown(String),
}

impl ReviewTestOutcome {
    /// A test that was not run; why, as a clause.
    pub(super) fn not_run(path: &str, why: &str) -> Self {
        let outcome = ProbeOutcome::Unknown(format!("it was not run, because {why}"));
        Self { path: one_line(path), text: Vec::new(), outcome }
    }

    /// The objection that it makes; `None` if it does not fail.
    pub(crate) fn objection(&self) -> Option<String> {
        let ProbeOutcome::Fails { tests, .. } = &self.outcome else { return None };
        let names = if tests.is_empty() { String::new() } else { format!(": {}", tests.join(", ")) };
        Some(format!("The test {} that the review wrote fails on this change{names}", self.path))
    }

    /// The message of a review with this test. `who` has left it.
    pub(crate) fn described_in(&self, message: StepMessage, who: &str) -> StepMessage {
        let path = &self.path;
        let sentence = match &self.outcome {
            ProbeOutcome::Fails { tests, .. } if tests.is_empty() => {
                format!(
                    "{who} left the test {path}. The test commands fail with it and pass without it, so the change is rejected."
                )
            }
            ProbeOutcome::Fails { tests, .. } => {
                let names = tests.join(", ");
                format!(
                    "{who} left the test {path}. It fails on this change, so the change is rejected: {names}."
                )
            }
            ProbeOutcome::Passes => format!("{who} left the test {path}. It passes on this change."),
            ProbeOutcome::Unknown(why) => format!("{who} left the test {path}: {why}."),
        };
        message.with_sentence(&sentence)
    }

    /// The message with the text of the test and what it printed, which come after everything of our own.
    pub(crate) fn quoted_in(&self, message: StepMessage) -> StepMessage {
        let block = |label: String, text: &[u8]| Block { label, text: text.to_vec(), limit: KEPT };
        let message =
            message.with_block(&block(format!("{TEST_LABEL}of the review, {}):", self.path), &self.text));
        match &self.outcome {
            ProbeOutcome::Fails { output, .. } => {
                let label = format!("{TEST_LABEL}of the review) output (last {KEPT} chars):");
                message.with_block(&block(label, output))
            }
            ProbeOutcome::Passes | ProbeOutcome::Unknown(_) => message,
        }
    }
}

/// What it means if all commands pass with the test, which passed with `counted` tests before; `None` if they fail.
pub(super) fn of_pass(with: &TestResults, counted: Option<Counts>) -> Option<ProbeOutcome> {
    if with.outcome() == Outcome::Fail {
        return None;
    }
    let unknown = |why: &str| ProbeOutcome::Unknown(why.to_owned());
    Some(match (with.counts(), counted) {
        (Some(now), Some(before)) if now.passed > before.passed => ProbeOutcome::Passes,
        (Some(_), Some(_)) => unknown("the test commands do not run it"),
        _ => unknown("the test commands pass with it, but their output does not say whether they ran it"),
    })
}

/// What it means if the commands fail with the test at `path`, and end in this way without it. A command may fail because
/// of how the test is written, and not because of what it tests.
pub(super) fn of_failure(with: &TestResults, without: &TestResults, path: &str) -> ProbeOutcome {
    let failing = |results: &TestResults| -> BTreeSet<String> {
        results.names().with(TestOutcome::Failed).map(str::to_owned).collect()
    };
    let new: Vec<String> = failing(with).difference(&failing(without)).cloned().collect();
    let unknown = |why: &str| ProbeOutcome::Unknown(why.to_owned());
    match with.failure() {
        _ if !new.is_empty() => ProbeOutcome::Fails { tests: new, output: with.log() },
        Some(Failure::Build) => unknown("it cannot be built or loaded"),
        Some(Failure::NotRun) => unknown("the test commands cannot be run with it, or take too long"),
        _ if without.outcome() == Outcome::Fail => {
            unknown("on a clean checkout, the test commands fail without it as well")
        }
        _ => {
            let counts = with.counts().zip(without.counts());
            // A script has no names and no numbers.
            match counts.is_some_and(|(with, without)| with.failed > without.failed) || path.ends_with(".sh")
            {
                true => ProbeOutcome::Fails { tests: Vec::new(), output: with.log() },
                false => unknown("the test commands fail with it, but not because of a test that they count"),
            }
        }
    }
}

/// What it means if commands that run this test, and pass without it, end in this way.
pub(super) fn of_aimed(aimed: &TestResults) -> ProbeOutcome {
    let tests: Vec<String> = aimed.names().with(TestOutcome::Failed).map(str::to_owned).collect();
    let passed = aimed.counts().is_some_and(|counts| counts.passed > 0);
    match (aimed.outcome(), passed) {
        (Outcome::Fail, _) if !tests.is_empty() => ProbeOutcome::Fails { tests, output: aimed.log() },
        (Outcome::Fail, _) => ProbeOutcome::Unknown("it cannot be built or loaded".to_owned()),
        (_, true) => ProbeOutcome::Passes,
        _ => ProbeOutcome::Unknown("the test commands do not run it".to_owned()),
    }
}

/// The commands with this file as a further argument, where their framework takes files; `None` if none does.
pub(super) fn aimed_at(commands: &[TestCommand], path: &str) -> Option<Vec<TestCommand>> {
    let aimed = |command: &TestCommand| {
        let framework = Framework::guess(&command.command)?;
        let takes_files = matches!(
            framework,
            Framework::Pytest | Framework::Jest | Framework::Vitest | Framework::NodeTest
        );
        let is_simple = !command.command.contains(['|', '&', ';', '<', '>', '(', '#', '\n']);
        (takes_files && is_simple).then(|| TestCommand {
            command: format!("{} {}", command.command.trim_end(), shell_word(path)),
            ..command.clone()
        })
    };
    let is_around = |command: &TestCommand| matches!(command.kind, TestType::Setup | TestType::Teardown);
    let of = |command: &TestCommand| if is_around(command) { Some(command.clone()) } else { aimed(command) };
    let all: Vec<TestCommand> = commands.iter().filter_map(of).collect();
    all.iter().any(|command| !is_around(command)).then_some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_simple_commands_that_take_files_get_another_one() {
        let of = |command: &str| {
            aimed_at(&[TestCommand::suite(command)], "tests/a b.py").map(|all| all[0].command.clone())
        };
        assert_eq!(
            of("python -m pytest tests/test_a.py"),
            Some("python -m pytest tests/test_a.py 'tests/a b.py'".to_owned())
        );
        assert_eq!(of("pytest tests && echo ok"), None);
        assert_eq!(of("go test ./..."), None);
        assert_eq!(of("sh tests/all.sh"), None);
    }
}
