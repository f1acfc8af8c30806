//! The table of our trailers: keys, values and meanings (docs/commits.md). There is no other such table.
//!
//! The writer, the reader, the hook and the help text all use [`TrailerKey::ALL`] and [`TrailerKey::rule`]. Which step
//! carries which trailer is a column of the table of steps.

use serde::{Deserialize, Serialize};

use super::red_kind::RedKind;
use super::step::outcome::By;
use super::usage::Tokens;

/// One of our trailer keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum TrailerKey {
    /// `Arborist-Step`
    Step,
    /// `Arborist-Result`
    Result,
    /// `Arborist-Test`
    Test,
    /// `Arborist-Review`
    Review,
    /// `Arborist-Retry`
    Retry,
    /// `Arborist-Report`
    Report,
    /// `Arborist-Test-Log`
    TestLog,
    /// `Arborist-Review-Log`
    ReviewLog,
    /// `Arborist-Test-Type`
    TestType,
    /// `Arborist-Test-Passed`
    TestPassed,
    /// `Arborist-Test-Failed`
    TestFailed,
    /// `Arborist-Test-Skipped`
    TestSkipped,
    /// `Arborist-Test-Runtime`
    TestRuntime,
    /// `Arborist-Runner`
    Runner,
    /// `Arborist-Duration`
    Duration,
    /// `Arborist-Tokens`
    Tokens,
    /// `Arborist-Cost`
    Cost,
    /// `Arborist-Baseline`
    Baseline,
    /// `Arborist-Red`
    Red,
    /// `Arborist-Test-Flaky`
    TestFlaky,
    /// `Arborist-Coverage`
    Coverage,
    /// `Arborist-Diff-Coverage`
    DiffCoverage,
    /// `Arborist-Proof`
    Proof,
    /// `Arborist-Merge`
    Merge,
    /// `Arborist-Reject`
    Reject,
    /// `Arborist-Findings`
    Findings,
    /// `Arborist-By`
    By,
    /// `Arborist-Reason`
    Reason,
    /// `Arborist-Plan`
    Plan,
    /// `Arborist-Claimant`
    Claimant,
    /// `Arborist-Nonce`
    Nonce,
    /// `Arborist-Complete`
    Complete,
    /// `Arborist-Run`
    Run,
    /// `Arborist-Landed`
    Landed,
}

/// The value of `Arborist-Reject` in a review that rejects the tests themselves.
pub const REJECTED_TESTS: &str = "tests";

/// The value of `Arborist-Reason` where an implementer says that the tests of its task are wrong, and in the review that
/// agrees.
pub const TESTS_WRONG: &str = "tests-wrong";

/// The kinds of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// The word of a step.
    Step,
    /// A word for how a step ended. The possible words depend on the step.
    Outcome,
    /// One of these words, written exactly like this.
    Words(&'static [&'static str]),
    /// A decimal integer from 0 to `u32::MAX`, without leading zeros.
    Count,
    /// Seconds, a decimal number of 0 or more.
    Seconds,
    /// US dollars, a decimal number of 0 or more, without an exponent.
    Dollars,
    /// A path from the work tree's top, with `/`, never absolute, never through `..`.
    Path,
    /// What the runs of a proof have shown: `clean=pass old=none red=pass canary=na evidence=3 is=proven`.
    Proof,
    /// Some of these names, in this order, each with a percentage from 0 to 100: `lines=85.3 branches=82`.
    Percentages(&'static [&'static str]),
    /// Some of these names, in this order, each with an integer of 0 or more: `in=1200 out=340`.
    Numbers(&'static [&'static str]),
    /// One of the first words, perhaps followed by numbers with the names of the second: `fail passed=4 failed=1`.
    CountedWord(&'static [&'static str], &'static [&'static str]),
    /// Two integers of which the first is not greater: `37/41`.
    Fraction,
    /// Ids of tasks, separated by one space each.
    TaskIds,
    /// Two commits by their full ids, with `..` between them.
    CommitRange,
    /// A commit by its full id.
    Commit,
    /// One line of text.
    Text,
}

/// A row of the table: everything about one key.
#[derive(Clone, Copy, Debug)]
pub struct TrailerRule {
    /// The key as it is written.
    pub name: &'static str,
    /// The kind of its value.
    pub value: ValueKind,
    /// Its meaning, as one clause for help and documentation.
    pub about: &'static str,
}

const fn rule(name: &'static str, value: ValueKind, about: &'static str) -> TrailerRule {
    TrailerRule { name, value, about }
}

impl TrailerKey {
    /// All keys, in the order in which a message lists them.
    pub const ALL: [Self; 34] = [
        Self::Step,
        Self::Result,
        Self::Test,
        Self::Review,
        Self::Retry,
        Self::Report,
        Self::TestLog,
        Self::ReviewLog,
        Self::TestType,
        Self::TestPassed,
        Self::TestFailed,
        Self::TestSkipped,
        Self::TestRuntime,
        Self::Runner,
        Self::Duration,
        Self::Tokens,
        Self::Cost,
        Self::Baseline,
        Self::Red,
        Self::TestFlaky,
        Self::Coverage,
        Self::DiffCoverage,
        Self::Proof,
        Self::Merge,
        Self::Reject,
        Self::Findings,
        Self::By,
        Self::Reason,
        Self::Plan,
        Self::Claimant,
        Self::Nonce,
        Self::Complete,
        Self::Run,
        Self::Landed,
    ];

    /// The row of the table for this key.
    #[must_use]
    pub const fn rule(self) -> TrailerRule {
        use ValueKind::{
            Commit, CommitRange, Count, CountedWord, Dollars, Fraction, Numbers, Outcome, Path, Percentages,
            Seconds, Step, TaskIds, Text, Words,
        };
        match self {
            Self::Step => rule("Arborist-Step", Step, "the step that this commit records"),
            Self::Result => rule("Arborist-Result", Outcome, "whether the step succeeded"),
            Self::Test => rule("Arborist-Test", Outcome, "whether the tests passed"),
            Self::Review => rule("Arborist-Review", Outcome, "the reviewer's verdict"),
            Self::Retry => rule("Arborist-Retry", Count, "the attempt, counted from 0"),
            Self::Report => rule("Arborist-Report", Path, "the JSON report of the task"),
            Self::TestLog => rule("Arborist-Test-Log", Path, "the full output of the test commands"),
            Self::ReviewLog => rule("Arborist-Review-Log", Path, "the full text of the review"),
            Self::TestType => rule(
                "Arborist-Test-Type",
                Words(&["unit", "integration", "e2e", "setup", "teardown", "mutation"]),
                "the type of the command that failed, otherwise of the last one",
            ),
            Self::TestPassed => rule("Arborist-Test-Passed", Count, "tests that passed"),
            Self::TestFailed => rule("Arborist-Test-Failed", Count, "tests that failed"),
            Self::TestSkipped => rule("Arborist-Test-Skipped", Count, "tests that were skipped"),
            Self::TestRuntime => {
                rule("Arborist-Test-Runtime", Seconds, "how many seconds all commands took together")
            }
            Self::Runner => rule("Arborist-Runner", Text, "the runner, with its model after a slash"),
            Self::Duration => rule("Arborist-Duration", Seconds, "how many seconds the runner took"),
            Self::Tokens => rule(
                "Arborist-Tokens",
                Numbers(&Tokens::NAMES),
                "the tokens that the runner has used, as far as it reports them",
            ),
            Self::Cost => {
                rule("Arborist-Cost", Dollars, "what the runner says its work has cost, in US dollars")
            }
            Self::Baseline => rule(
                "Arborist-Baseline",
                CountedWord(&["pass", "fail"], &["passed", "failed", "skipped"]),
                "how the tests ended before the task began, and how many there were",
            ),
            Self::Red => rule(
                "Arborist-Red",
                Words(&RedKind::WORDS),
                "why the new tests fail: a test failed, or the build",
            ),
            Self::TestFlaky => rule(
                "Arborist-Test-Flaky",
                Count,
                "how many runs of a command failed before the one that passed",
            ),
            Self::Coverage => rule(
                "Arborist-Coverage",
                Percentages(&["lines", "branches", "functions", "statements"]),
                "how many percent the tests cover, as far as it is known",
            ),
            Self::DiffCoverage => rule(
                "Arborist-Diff-Coverage",
                Fraction,
                "how many of the changed lines that can be executed the tests cover",
            ),
            Self::Proof => rule("Arborist-Proof", ValueKind::Proof, "what the runs of the proof have shown"),
            Self::Merge => rule(
                "Arborist-Merge",
                Count,
                "the attempt to merge the finished task, counted from 0; such steps are no further attempts at the task",
            ),
            Self::Reject => {
                rule("Arborist-Reject", Words(&[REJECTED_TESTS]), "what the review rejects, if not the code")
            }
            Self::Findings => {
                rule("Arborist-Findings", Text, "what a person should look at: names, separated by spaces")
            }
            Self::By => rule(
                "Arborist-By",
                Words(&[By::USER, By::REVIEWER]),
                "a person's work or decision, or a reviewer's answer",
            ),
            Self::Reason => rule("Arborist-Reason", Text, "why a person decided so, or what an agent asks"),
            Self::Plan => {
                rule("Arborist-Plan", Path, "the tree file of the plan, if the repository has more than one")
            }
            Self::Claimant => {
                rule("Arborist-Claimant", Text, "who has claimed the task: a job of an engine, and its host")
            }
            Self::Nonce => {
                rule("Arborist-Nonce", Text, "a random value, so that no two claims are the same commit")
            }
            Self::Complete => rule(
                "Arborist-Complete",
                TaskIds,
                "the tasks that a landed commit completes, separated by spaces",
            ),
            Self::Run => rule(
                "Arborist-Run",
                CommitRange,
                "the steps whose work a landed commit contains: the commit before them, two dots, and the last one",
            ),
            Self::Landed => rule(
                "Arborist-Landed",
                Commit,
                "the commit that contains the work, where its own message does not say so (`mark landed`)",
            ),
        }
    }

    /// Whether landed commits carry it, and steps do not.
    #[must_use]
    pub const fn is_of_landed_commits(self) -> bool {
        matches!(self, Self::Complete | Self::Run | Self::Landed)
    }

    /// Whether a message may carry it more than once.
    #[must_use]
    pub const fn may_be_repeated(self) -> bool {
        matches!(self, Self::Complete)
    }

    /// The key as it is written.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.rule().name
    }

    /// The key with this name, compared without case as git does.
    #[must_use]
    pub fn from_name(name: &[u8]) -> Option<Self> {
        // Nearly all keys are written exactly right.
        let exactly = NAMES.iter().position(|known| *known == name);
        let place = exactly.or_else(|| NAMES.iter().position(|known| known.eq_ignore_ascii_case(name)))?;
        Some(Self::ALL[place])
    }
}

/// The names of all keys, in order. Every trailer of a history is compared with them.
const NAMES: [&[u8]; TrailerKey::ALL.len()] = {
    let mut names: [&[u8]; TrailerKey::ALL.len()] = [b""; TrailerKey::ALL.len()];
    let mut place = 0;
    while place < names.len() {
        names[place] = TrailerKey::ALL[place].name().as_bytes();
        place += 1;
    }
    names
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_distinct_and_found_in_any_case() {
        for key in TrailerKey::ALL {
            assert_eq!(TrailerKey::from_name(key.name().to_lowercase().as_bytes()), Some(key));
        }
        assert_eq!(TrailerKey::from_name(b"Arborist-Steps"), None);
    }
}
