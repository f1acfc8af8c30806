//! The table of our trailers: keys, values and meanings (docs/commits.md). There is no other such table.
//!
//! The writer, the reader, the hook and the help text all use [`TrailerKey::ALL`] and [`TrailerKey::rule`]. Which step
//! carries which trailer is a column of the table of steps.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::by::By;
use super::proof_word::RedKind;
use super::usage::Tokens;
use super::words::words;

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
    /// What the runs of a proof have shown: `clean=pass old=none red=pass canary=na evidence=3 ran=4 took=8.4 is=proven`.
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
    /// What was taken in from a request: an id and what tells its versions apart, as in `PRRT_1@2026-11-30T08:00:00Z`.
    Origin,
    /// One line of text.
    Text,
}

/// The value of `Arborist-Reject` in a review that rejects the tests themselves.
pub const REJECTED_TESTS: &str = "tests";

words! {
    /// What a question is about, or a review that agrees with it, where `Arborist-Reason` has a word for it.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum About {
        /// An implementer says that the tests of its task are wrong.
        TestsWrong "tests-wrong",
        /// A reviewer gave no verdict.
        NoVerdict "no-verdict",
        /// An agent has changed nothing, because it was not allowed to use a tool.
        DeniedTool "denied-tool",
        /// A review has to wait, because files were changed from which reviewers take instructions.
        Instructions "instructions",
    }
}

/// A row of the table: everything about one key.
#[derive(Clone, Copy, Debug)]
pub struct TrailerRule {
    /// The key.
    pub key: TrailerKey,
    /// The key as it is written.
    pub name: &'static str,
    /// The kind of its value.
    pub value: ValueKind,
    /// Its meaning, as one clause for help and documentation.
    pub about: &'static str,
}

/// Makes the keys from their rows: name, kind of value, meaning.
macro_rules! trailer_keys {
    ($($key:ident $name:literal $value:expr, $about:literal;)+) => {
        /// One of our trailer keys, in the order in which a message lists them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum TrailerKey {
            $(#[doc = concat!("`", $name, "`: ", $about)] $key,)+
        }

        impl TrailerKey {
            /// All keys, in the order in which a message lists them.
            pub const ALL: [Self; NAMES.len()] = [$(Self::$key),+];
        }

        /// The rows of all keys, in order.
        const TABLE: [TrailerRule; NAMES.len()] = {
            use ValueKind::*;
            [$(TrailerRule { key: TrailerKey::$key, name: $name, value: $value, about: $about }),+]
        };

        /// The names of all keys, in order. Every trailer of a history is compared with them.
        const NAMES: [&[u8]; [$($name),+].len()] = [$($name.as_bytes()),+];
    };
}

trailer_keys! {
    Step "Arborist-Step" Step, "the step that this commit records";
    Result "Arborist-Result" Outcome, "whether the step succeeded";
    Test "Arborist-Test" Outcome, "whether the tests passed";
    Review "Arborist-Review" Outcome, "the reviewer's verdict";
    Retry "Arborist-Retry" Count, "the attempt, counted from 0";
    Report "Arborist-Report" Path, "the JSON report of the task";
    TestLog "Arborist-Test-Log" Path, "the full output of the test commands";
    ReviewLog "Arborist-Review-Log" Path, "the full text of the review";
    TestType "Arborist-Test-Type" Words(&["unit", "integration", "e2e", "setup", "teardown", "mutation"]),
        "the type of the command that failed, otherwise of the last one";
    TestPassed "Arborist-Test-Passed" Count, "tests that passed";
    TestFailed "Arborist-Test-Failed" Count, "tests that failed";
    TestSkipped "Arborist-Test-Skipped" Count, "tests that were skipped";
    TestRuntime "Arborist-Test-Runtime" Seconds, "how many seconds all commands took together";
    Runner "Arborist-Runner" Text, "the runner, with its model after a slash";
    Duration "Arborist-Duration" Seconds, "how many seconds the runner took";
    Tokens "Arborist-Tokens" Numbers(&Tokens::NAMES),
        "the tokens that the runner has used, as far as it reports them";
    Cost "Arborist-Cost" Dollars, "what the runner says its work has cost, in US dollars";
    Red "Arborist-Red" Words(&RedKind::WORDS), "why the new tests fail: a test failed, or the build";
    Coverage "Arborist-Coverage" Percentages(&["lines", "branches", "functions", "statements"]),
        "how many percent the tests cover, as far as it is known";
    DiffCoverage "Arborist-Diff-Coverage" Fraction,
        "how many of the changed lines that can be executed the tests cover";
    Proof "Arborist-Proof" Proof, "what the runs of the proof have shown";
    Merge "Arborist-Merge" Count,
        "the attempt to merge the finished task, counted from 0; such steps are no further attempts at the task";
    Range "Arborist-Range" CommitRange,
        "the commits of a person that are the work: the commit before them, two dots, and the last one";
    Reject "Arborist-Reject" Words(&[REJECTED_TESTS]), "what the review rejects, if not the code";
    Findings "Arborist-Findings" Text, "what a person should look at: names, separated by spaces";
    By "Arborist-By" Words(&[By::USER, By::REVIEWER]), "a person's work or decision, or a reviewer's answer";
    Reason "Arborist-Reason" Text, "why a person decided so, or what an agent asks";
    From "Arborist-From" Origin,
        "what was taken in from a request: the id of a thread and the time of its newest comment, or the name of a check and a commit";
    Plan "Arborist-Plan" Path, "the file of the plan, if the repository has more than one";
    Claimant "Arborist-Claimant" Text, "who has claimed the task: a job of an engine, and its host";
    Nonce "Arborist-Nonce" Text, "a random value, so that no two claims are the same commit";
    Complete "Arborist-Complete" TaskIds, "the tasks that a landed commit completes, or with `Arborist-Result: skip` says to be skipped, separated by spaces";
    Run "Arborist-Run" CommitRange,
        "the steps whose work a landed commit contains: the commit before them, two dots, and the last one";
    Landed "Arborist-Landed" Commit,
        "the commit that contains the work, where its own message does not say so (`mark landed`)";
    Task "Arborist-Task" Text, "the task of the step, where `arborist.subject` asks for another subject";
    Phase "Arborist-Phase" Text, "the phase of the step, where `arborist.subject` asks for another subject";
}

/// A duration in seconds with at most three decimals, for trailers.
#[must_use]
pub fn seconds(duration: Duration) -> String {
    rounded_seconds(duration).to_string()
}

/// A duration in seconds with at most three decimals, for JSON documents.
#[must_use]
pub fn rounded_seconds(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1000.0).round() / 1000.0
}

impl TrailerKey {
    /// The row of the table for this key.
    #[must_use]
    pub const fn rule(self) -> TrailerRule {
        TABLE[self as usize]
    }

    /// Whether landed commits carry it, and steps do not.
    #[must_use]
    pub const fn is_of_landed_commits(self) -> bool {
        matches!(self, Self::Complete | Self::Run | Self::Landed)
    }

    /// Whether a message may carry it more than once.
    #[must_use]
    pub const fn may_be_repeated(self) -> bool {
        matches!(self, Self::Complete | Self::From)
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
