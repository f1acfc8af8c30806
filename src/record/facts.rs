//! Reads the trailers of a step besides its outcome: who worked and for how long, the test counts, and the artifacts.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::time::Duration;

use super::lines::own_lines;
use super::read::known_trailers;
use super::usage::Usage;
use super::{
    Check, CommitId, Counts, Finding, Landing, List, NumberedList, ProofCost, ProofRecord, Remark,
    TrailerKey, adopted_base, not_merged_onto, why_not_merged,
};
use crate::text::one_line;

/// The facts of one step, from its message.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepFacts {
    /// The runner, followed by a slash and its model if it has one.
    pub runner: Option<String>,
    /// How long the runner or the tests took.
    pub duration: Option<Duration>,
    /// How long the runner, the tests and the proof took together; zero if nothing is known.
    pub worked: Duration,
    /// What the runner has used; unknown what it did not report, and what cannot be read.
    pub usage: Usage,
    /// The test counts.
    pub tests: Option<Counts>,
    /// The key that names an artifact, and its path.
    pub artifact: Option<(TrailerKey, String)>,
    /// The names of the checks whose findings applied when it was made.
    pub findings: Vec<String>,
    /// What it has found itself.
    pub found: Vec<Finding>,
    /// The tests that passed before the task and are gone.
    pub took_out: Vec<String>,
    /// The test commands that failed, each with its status.
    pub failed: Vec<String>,
    /// What the runner answers to the objections of the last review, by their numbers.
    pub answers: BTreeMap<usize, String>,
    /// What reviewers have found: the objections of a rejection, or what an approval leaves open.
    pub remarks: Vec<Remark>,
    /// Why a person decided so.
    pub reason: Option<String>,
    /// Whether it is a test step of a task without test commands.
    pub untested: bool,
    /// The type of the command that failed, otherwise of the last one; `None` if no command ran.
    pub test_type: Option<String>,
    /// The coverage of all the code in percent, such as `lines=85.3`.
    pub coverage: Option<String>,
    /// How many of the changed lines the tests run, such as `37/41`.
    pub changed_coverage: Option<String>,
    /// Why the tests that the step wrote fail: `test` or `build`.
    pub red: Option<String>,
    /// What the runs of the proof have shown.
    pub proof: Option<ProofRecord>,
    /// Who has claimed the task.
    pub claimant: Option<String>,
    /// Why the finished task could not be merged before this step, as a clause.
    pub not_merged: Option<String>,
    /// The commit of the branch of the run into which it could not be merged.
    pub not_merged_onto: Option<CommitId>,
    /// The head of the branch before the runner began, if it made commits of its own.
    pub adopted_base: Option<CommitId>,
    /// Whether this is a landed commit, which represents steps that are not here.
    pub landed: bool,
}

/// What one step has taken.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepEffort {
    /// How long the runner, the tests and the proof took together; zero if nothing is known.
    pub worked: Duration,
    /// What the runner has used; unknown what it did not report, and what cannot be read.
    pub usage: Usage,
}

/// The keys that say how long a step took.
const TIMES: [TrailerKey; 2] = [TrailerKey::Duration, TrailerKey::TestRuntime];

impl StepFacts {
    /// Reads a message. If a key appears more than once, the first one counts.
    #[must_use]
    pub fn of(message: &[u8]) -> Self {
        let read = Trailers::of(message);
        let value = |key| read.value(key);
        let StepEffort { worked, usage } = read.effort();
        Self {
            runner: value(TrailerKey::Runner),
            duration: TIMES.into_iter().find_map(|key| read.seconds(key)),
            worked,
            usage,
            tests: read.counts(),
            artifact: ARTIFACTS.into_iter().find_map(|key| Some((key, value(key)?))),
            findings: words(value(TrailerKey::Findings).as_deref()),
            found: Finding::recorded_in(message),
            took_out: List::TookOut.recorded_in(message),
            failed: List::Failed.recorded_in(message),
            answers: NumberedList::Answers.recorded_in(message),
            remarks: remarks_in(message),
            reason: value(TrailerKey::Reason),
            untested: is_untested(message),
            test_type: value(TrailerKey::TestType),
            coverage: value(TrailerKey::Coverage),
            changed_coverage: value(TrailerKey::DiffCoverage),
            red: value(TrailerKey::Red),
            proof: read.proof(),
            claimant: value(TrailerKey::Claimant),
            not_merged: why_not_merged(message),
            not_merged_onto: not_merged_onto(message),
            adopted_base: adopted_base(message),
            landed: !Landing::all_in(message).is_empty(),
        }
    }

    /// What its proof has cost; `None` if it made none, or that is not known.
    #[must_use]
    pub fn proof_cost(&self) -> Option<ProofCost> {
        self.proof.as_ref()?.cost
    }
}

/// The word for a task without test commands, where others show how their tests ended.
pub const UNTESTED: &str = "untested";

/// The sentence in the test step of a task without test commands, unless a finding says the same.
pub const UNTESTED_SENTENCE: &str = "Untested: the task has no test command.";

/// The sentence in the complete step of a task that was not reviewed, because reviews were switched off.
pub const UNREVIEWED_SENTENCE: &str = "Not reviewed: reviews are switched off.";

/// Whether a complete step says that reviews were switched off.
#[must_use]
pub fn is_unreviewed(message: &[u8]) -> bool {
    own_lines(message).any(|line| line == UNREVIEWED_SENTENCE)
}

fn remarks_in(message: &[u8]) -> Vec<Remark> {
    let lists = [NumberedList::Objections, NumberedList::Remarks];
    let items = lists.into_iter().flat_map(|list| list.recorded_in(message).into_values());
    items.map(|item| Remark::recorded(&item)).collect()
}

/// Whether a test step says that the task has no test command.
#[must_use]
pub fn is_untested(message: &[u8]) -> bool {
    own_lines(message).any(|line| line == UNTESTED_SENTENCE)
        || Finding::recorded_in(message).iter().any(|finding| finding.check() == Check::Tests)
}

impl ProofRecord {
    /// What a message records about the proof of its task.
    #[must_use]
    pub fn recorded_in(message: &[u8]) -> Option<Self> {
        Trailers::of(message).proof()
    }
}

/// The paths of the files that a step names as generated: its report and its logs.
#[must_use]
pub fn artifacts_in(message: &[u8]) -> Vec<String> {
    let read = Trailers::of(message);
    let paths = ARTIFACTS.into_iter().filter_map(|key| read.value(key));
    paths.collect()
}

/// The keys that name generated files.
const ARTIFACTS: [TrailerKey; 3] = [TrailerKey::Report, TrailerKey::TestLog, TrailerKey::ReviewLog];

/// The words of a value.
fn words(value: Option<&str>) -> Vec<String> {
    value.into_iter().flat_map(|words| words.split(' ')).map(str::to_owned).collect()
}

/// The value of a trailer of ours, on one line; the first one if there are several.
#[must_use]
pub fn trailer(message: &[u8], key: TrailerKey) -> Option<String> {
    Trailers::of(message).value(key)
}

/// The trailers of a message whose keys we know, in order.
pub(super) struct Trailers<'m>(pub(super) Vec<(TrailerKey, Cow<'m, [u8]>)>);

impl<'m> Trailers<'m> {
    pub(super) fn of(message: &'m [u8]) -> Self {
        Self(known_trailers(message))
    }

    fn seconds(&self, key: TrailerKey) -> Option<Duration> {
        Duration::try_from_secs_f64(self.value(key)?.parse().ok()?).ok()
    }

    fn proof(&self) -> Option<ProofRecord> {
        ProofRecord::parse(&self.value(TrailerKey::Proof)?)
    }

    pub(super) fn effort(&self) -> StepEffort {
        let times = TIMES.into_iter().filter_map(|key| self.seconds(key));
        let times = times.chain(self.proof().and_then(|proof| proof.cost).map(|cost| cost.time));
        let (tokens, cost) = (self.value(TrailerKey::Tokens), self.value(TrailerKey::Cost));
        StepEffort {
            worked: times.fold(Duration::ZERO, Duration::saturating_add),
            usage: Usage::read(tokens.as_deref(), cost.as_deref()),
        }
    }

    /// The test counts, if there are any.
    fn counts(&self) -> Option<Counts> {
        let count = |key| self.value(key)?.parse::<u32>().ok();
        let [passed, failed, skipped] =
            [TrailerKey::TestPassed, TrailerKey::TestFailed, TrailerKey::TestSkipped].map(count);
        passed.or(failed).or(skipped)?;
        let or_none = |count: Option<u32>| count.unwrap_or(0);
        Some(Counts { passed: or_none(passed), failed: or_none(failed), skipped: or_none(skipped) })
    }

    fn value(&self, key: TrailerKey) -> Option<String> {
        let (_, value) = self.0.iter().find(|(known, _)| *known == key)?;
        Some(one_line(&String::from_utf8_lossy(value)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Cost, Tokens};

    #[test]
    fn the_facts_of_a_step_are_read_and_missing_ones_are_none() {
        let message = b"task(T1): tests pass for \"x\"\n\nbody\n\nArborist-Step: test\nArborist-Test: pass\n\
            Arborist-Test-Log: spec/logs/a.log\nArborist-Test-Passed: 3\nArborist-Test-Passed: 9\n\
            Arborist-Test-Runtime: 1.5\nArborist-Tokens: in=1200 cached=900\nArborist-Cost: 0.0421\nArborist-Findings: empty-change of-others\n";
        let facts = StepFacts::of(message);
        assert_eq!(facts.tests, Some(Counts { passed: 3, failed: 0, skipped: 0 }));
        assert_eq!(facts.duration, Some(Duration::from_millis(1500)));
        assert_eq!(facts.worked, Duration::from_millis(1500));
        let tokens = Tokens { input: Some(1200), output: None, cached: Some(900) };
        assert_eq!(facts.usage, Usage { tokens, cost: Cost::from_dollars(0.0421) });
        assert_eq!(facts.artifact, Some((TrailerKey::TestLog, "spec/logs/a.log".to_owned())));
        assert_eq!(facts.findings, ["empty-change", "of-others"]);
        assert_eq!(facts.runner, None);
        assert_eq!(StepFacts::of(b"task(T1): x\n\nArborist-Duration: -1\n"), StepFacts::default());
    }
}
