//! How the tests of a task ended before it: what its commands have shown last.
//!
//! It is kept in memory: a file beside the repository could be written by an agent. A worker in a slot is told of it when it starts. What is
//! lost with the process is measured again where something asks for it.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use super::implement_commits::has_left_commits;
use crate::error::Result;
use crate::git::Git;
use crate::history::TaskStep;
use crate::plan::{NodeIx, PathPattern, TestCommand, TestType};
use crate::record::{CommitId, Counts};
use crate::suite::{TestNames, TestResults, TestRun};
use crate::text::one_line;
use crate::trust::awaited::asks_to_stop_early;
use crate::trust::files::{FileKind, judges, kind_of};
use crate::trust::inline::is_rust;

/// How many failing tests a sentence names.
const NAMED: usize = 30;

/// Whether no attempt at a task has been recorded yet, and no agent has made commits before it asked a question.
pub(crate) fn is_untouched(steps: &[TaskStep]) -> bool {
    let is_work = |step: &TaskStep| step.record().step.is_part_of_an_attempt() || has_left_commits(step);
    !steps.iter().any(|step| step.counts() && is_work(step))
}

/// How tests ended before a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct EarlierTests {
    /// Whether all commands passed.
    pub(crate) passed: bool,
    /// The number of tests, if it could be read.
    pub(crate) counts: Option<Counts>,
    /// What failed: the names of tests or, if they are unknown, commands.
    pub(crate) failing: Vec<String>,
    /// The tests that the commands named.
    pub(crate) names: TestNames,
}

impl EarlierTests {
    /// What a command says that has run.
    fn of(run: &TestRun) -> Self {
        let names: Vec<String> = run.failing_tests().collect();
        let failing = match run.passed() {
            true => Vec::new(),
            false if names.is_empty() => vec![format!("`{}`", run.command)],
            false => names,
        };
        Self { passed: run.passed(), counts: run.counts, failing, names: run.names.clone() }
    }

    fn and(mut self, other: &Self) -> Self {
        self.passed &= other.passed;
        self.counts = match (self.counts, other.counts) {
            (Some(one), Some(other)) => Some(one + other),
            (one, other) => one.or(other),
        };
        self.failing.extend(other.failing.iter().cloned());
        self.names.extend(other.names.clone());
        self
    }

    /// What it says, as a sentence.
    pub(crate) fn sentence(&self) -> String {
        let word = if self.passed { "passed" } else { "failed" };
        let counts = self.counts.map_or_else(String::new, |Counts { passed, failed, skipped }| {
            format!(" ({passed} passed, {failed} failed, {skipped} skipped)")
        });
        let named: Vec<String> = self.failing.iter().take(NAMED).map(|name| one_line(name)).collect();
        let ended = format!("Before this task, its tests {word}{counts}");
        match (named.as_slice(), self.failing.len().saturating_sub(NAMED)) {
            ([], _) => format!("{ended}."),
            (named, 0) => format!("{ended}: {}.", named.join(", ")),
            (named, more) => format!("{ended}: {}, and {more} more.", named.join(", ")),
        }
    }
}

/// What is known of the tests of a task when its first agent begins. A run tells it to the worker that takes the task.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownBefore {
    /// How they ended last.
    pub(crate) tests: Option<EarlierTests>,
    /// The program that they need and that is not installed.
    pub(crate) missing: Option<String>,
}

/// What test commands have shown in this process.
#[derive(Debug, Default)]
pub struct EarlierResults {
    /// Patterns of further files that judge.
    protected: Vec<PathPattern>,
    /// The last result of each command, and the commit whose files it judged.
    last: HashMap<TestCommand, (CommitId, EarlierTests)>,
    /// How the tests of the tasks ended that were begun.
    tasks: HashMap<NodeIx, EarlierTests>,
    /// The commands that were tried before the first task that uses them.
    pub(crate) tried: HashSet<TestCommand>,
    /// The program that a command names and that is not installed.
    pub(crate) missing: Option<String>,
    /// Whether the user knows that the tests of a command cannot be counted.
    pub(crate) named_unknown_counts: bool,
}

/// Test commands, and the commit whose files they judge.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TestsAt<'a> {
    pub(crate) commands: &'a [TestCommand],
    pub(crate) commit: CommitId,
}

impl EarlierResults {
    /// Nothing was seen yet. `protected` are patterns of further files that judge (`arborist.protect`).
    pub(crate) fn new(protected: Vec<PathPattern>) -> Self {
        Self { protected, ..Self::default() }
    }

    /// Remembers how commands ended.
    pub(crate) fn note(&mut self, at: TestsAt<'_>, results: &TestResults) {
        // A command that ends at its first failure has not come to its other tests.
        let is_whole = |run: &&TestRun| run.passed() || !asks_to_stop_early(&run.command);
        for run in results.runs.iter().filter(|run| run.kind.judges()).filter(is_whole) {
            let command = at.commands.iter().find(|one| one.command == run.command && one.kind == run.kind);
            let shown = command.map(|command| (command.clone(), (at.commit, EarlierTests::of(run))));
            self.last.extend(shown);
        }
    }

    /// How the tests of a task ended before it, once it was begun, as far as that is known.
    pub(crate) fn of_task(&self, leaf: NodeIx) -> Option<&EarlierTests> {
        self.tasks.get(&leaf)
    }

    /// What is known of the tests of a task that was begun.
    pub(crate) fn known(&self, leaf: NodeIx) -> KnownBefore {
        KnownBefore { tests: self.of_task(leaf).cloned(), missing: self.missing.clone() }
    }

    /// Uses this as the result of the tests before a task.
    pub(crate) fn set(&mut self, leaf: NodeIx, earlier: EarlierTests) {
        self.tasks.insert(leaf, earlier);
    }

    /// The last result of all these commands, if each was seen at an ancestor of the commit with the same judging files.
    ///
    /// # Errors
    /// If a commit cannot be read.
    pub(crate) fn last(&self, git: &Git, at: TestsAt<'_>) -> Result<Option<EarlierTests>> {
        let mut all: Option<EarlierTests> = None;
        let judging = at.commands.iter().filter(|one| one.kind.judges() && one.kind != TestType::Mutation);
        for command in judging {
            let Some((commit, shown)) = self.last.get(command) else { return Ok(None) };
            if *commit != at.commit {
                let is_judge = |path: &Vec<u8>| {
                    let path = String::from_utf8_lossy(path);
                    // In these, tests and what decides how they run may stand beside source.
                    is_rust(&path) || kind_of(&path) == FileKind::Mixed || judges(&path, &self.protected)
                };
                if !git.is_ancestor(commit, &at.commit)?
                    || git.paths_between(commit, &at.commit)?.iter().any(is_judge)
                {
                    return Ok(None);
                }
            }
            all = Some(all.map_or_else(|| shown.clone(), |all| all.and(shown)));
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_says_how_the_tests_ended_and_names_the_first_that_failed() {
        let counts = Some(Counts { passed: 3, failed: 1, skipped: 2 });
        let names = TestNames::default();
        let passed = EarlierTests { passed: true, counts, failing: Vec::new(), names };
        assert_eq!(passed.sentence(), "Before this task, its tests passed (3 passed, 1 failed, 2 skipped).");
        let failing = (0..40).map(|number| format!("t{number}")).collect();
        let many = EarlierTests { passed: false, counts: None, failing, ..passed };
        assert!(many.sentence().starts_with("Before this task, its tests failed: t0, t1, "));
        assert!(many.sentence().ends_with("t29, and 10 more."), "{}", many.sentence());
    }
}
