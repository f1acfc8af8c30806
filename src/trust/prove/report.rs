//! The result of a proof.

use std::fmt;
use std::time::Duration;

use super::hunk_report::HunkReport;
use crate::plan::Expect;
use crate::record::{Check, CommitId, Counts, Finding, ProofCost, ProofRecord, ProofWord, RunWord, Severity};
use crate::suite::Failure;
use crate::text::{capital, listed, listed_up_to, pathspec_word};

/// How many tests a sentence names.
const NAMED: usize = 6;

/// The runs of a proof, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ProofRun {
    /// The commit as it is.
    Clean,
    /// With the files that judge as they were before the task.
    Old,
    /// Without the task's change to the source.
    Red,
    /// With other values in the tests that notice the change.
    Literals,
    /// With one more test, which fails.
    Canary,
}

impl ProofRun {
    /// All runs.
    pub const ALL: [Self; 5] = [Self::Clean, Self::Old, Self::Red, Self::Literals, Self::Canary];

    /// Its word in trailers and tables.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Clean => "clean",
            Self::Old => "old",
            Self::Red => "red",
            Self::Literals => "literals",
            Self::Canary => "canary",
        }
    }

    /// The check to which its findings belong.
    fn check(self) -> Check {
        match self {
            Self::Clean | Self::Red => Check::Prove,
            Self::Old => Check::Protect,
            Self::Literals => Check::InsensitiveTests,
            Self::Canary => Check::Canary,
        }
    }
}

/// The result of one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProofRunReport {
    /// The run.
    pub run: ProofRun,
    /// How it ended.
    pub verdict: RunWord,
    /// What was seen, as a sentence without a full stop.
    pub seen: String,
    /// The tests, files or lines that the sentence is about; in a red run, the tests that notice the change.
    pub tests: Vec<String>,
    /// In a red run, the commands that notice the change and name no test.
    pub commands: Vec<String>,
    /// Why the test commands failed; `None` if they passed or did not run.
    pub failure: Option<Failure>,
    /// The number of tests, if it could be read.
    pub counts: Option<Counts>,
    /// How long the test commands took.
    pub duration: Duration,
    /// The last lines of a command that did not do what it should; may be empty.
    pub output: String,
    /// The files that decide what the run tests and that the change touched, if it failed because of them.
    pub judging: Option<JudgingFiles>,
}

/// Files that judge and that a change touched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JudgingFiles {
    /// The commit before the change.
    pub base: CommitId,
    /// Those that were there before, from the top.
    pub changed: Vec<String>,
    /// Those that the change added.
    pub added: Vec<String>,
}

impl JudgingFiles {
    /// The command that takes the change to them back.
    fn undo(&self) -> String {
        let words =
            |paths: &[String]| paths.iter().map(|path| pathspec_word(path)).collect::<Vec<_>>().join(" ");
        let restore = format!("git restore --source={} -- {}", self.base.short(), words(&self.changed));
        let remove = format!("git rm -q -f -- {}", words(&self.added));
        match (self.changed.is_empty(), self.added.is_empty()) {
            (false, true) => restore,
            (true, false) => remove,
            (true, true) => String::new(),
            (false, false) => format!("{restore} && {remove}"),
        }
    }

    /// What a person writes into the plan to allow it.
    fn allow(&self) -> String {
        let all: Vec<String> =
            self.changed.iter().chain(&self.added).map(|path| format!("{path:?}")).collect();
        format!("\"may_change\": [{}]", all.join(", "))
    }
}

impl ProofRunReport {
    /// The report of a run that was not made.
    pub(super) fn without_run(run: ProofRun, verdict: RunWord, seen: impl Into<String>) -> Self {
        Self {
            run,
            verdict,
            seen: seen.into(),
            tests: Vec::new(),
            commands: Vec::new(),
            failure: None,
            counts: None,
            duration: Duration::ZERO,
            output: String::new(),
            judging: None,
        }
    }

    /// Whether the commands ran and there was no test for them.
    #[must_use]
    pub fn found_no_test(&self) -> bool {
        self.tests.is_empty() && self.counts.is_some_and(|counts| counts.total() == 0)
    }
}

impl fmt::Display for ProofRunReport {
    /// What was seen, with the tests, as one sentence.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.seen)?;
        if !self.tests.is_empty() {
            write!(f, ": {}", listed_up_to(NAMED, &self.tests))?;
        }
        f.write_str(".")
    }
}

/// What the checks of a proof do about what they find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProofSeverity {
    /// About a task that could not be proven.
    pub prove: Severity,
    /// About tests from before the task that fail with it.
    pub old: Severity,
    /// About tests that are gone; `None` if nobody wants to know.
    pub counts: Option<Severity>,
}

/// The result of a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// What kind of change was to be proven.
    pub expect: Expect,
    /// All runs, in order; none if nothing could run.
    pub runs: Vec<ProofRunReport>,
    /// How many tests fail without the change and pass with it, if a red run was made.
    pub evidence: Option<usize>,
    /// What taking back single statements has shown, if that was tried.
    pub hunks: Option<HunkReport>,
    /// What else was found.
    pub found: Vec<Finding>,
    /// What a reader should know, as sentences.
    pub notes: Vec<String>,
    /// Why nothing could run, or why no more did.
    pub nothing: Option<NothingRan>,
    /// Why the task is no more than tested, whatever the runs have shown, as clauses.
    pub doubts: Vec<&'static str>,
    /// Tests that pass in their version from before the change, and are gone with it.
    pub took_out: Vec<String>,
    /// What the runs have cost.
    pub cost: ProofCost,
}

/// Why nothing could run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NothingRan {
    /// The task has no test command.
    Untested,
    /// There is nothing in the change that a test could notice; why, as a clause.
    NoCode(&'static str),
    /// Something is in the way; what, as a clause.
    Obstacle(String),
}

impl Proof {
    /// A proof without runs.
    #[must_use]
    pub fn of_nothing(expect: Expect, why: NothingRan) -> Self {
        Self {
            expect,
            runs: Vec::new(),
            evidence: None,
            hunks: None,
            found: Vec::new(),
            notes: Vec::new(),
            nothing: Some(why),
            doubts: Vec::new(),
            took_out: Vec::new(),
            cost: ProofCost::default(),
        }
    }

    /// The tests and commands that notice the change.
    pub(super) fn noticing(&self) -> Vec<String> {
        let red = self.runs.iter().filter(|report| report.run == ProofRun::Red);
        let red = red.flat_map(|report| report.tests.iter().chain(&report.commands));
        red.chain(self.hunks.iter().flat_map(|hunks| &hunks.noticed_by)).cloned().collect()
    }

    /// How a run ended.
    #[must_use]
    pub fn run(&self, run: ProofRun) -> Option<RunWord> {
        self.runs.iter().find(|report| report.run == run).map(|report| report.verdict)
    }

    /// What is known of the task, in a word.
    #[must_use]
    pub fn word(&self) -> ProofWord {
        if self.nothing == Some(NothingRan::Untested) {
            return ProofWord::Untested;
        }
        let is = |run, words: &[RunWord]| self.run(run).is_some_and(|word| words.contains(&word));
        let has_error = self.found.iter().any(|finding| finding.severity() == Severity::Error);
        let is_found = |check| self.found.iter().any(|finding| finding.check() == check);
        let went_wrong =
            |report: &ProofRunReport| report.verdict == RunWord::Fail && report.run != ProofRun::Literals;
        if has_error || self.runs.iter().any(went_wrong) {
            return ProofWord::Unproven;
        }
        if self.run(ProofRun::Clean) == Some(RunWord::None) {
            return ProofWord::Untested;
        }
        let is_doubtful = !self.doubts.is_empty()
            || is_found(Check::Canary)
            || is_found(Check::MixedFile)
            || is(ProofRun::Literals, &[RunWord::Fail]);
        let holds = !is_doubtful
            && is(ProofRun::Clean, &[RunWord::Pass])
            && is(ProofRun::Old, &[RunWord::Pass, RunWord::None])
            && is(ProofRun::Canary, &[RunWord::Pass, RunWord::NotApplicable, RunWord::None]);
        match self.expect {
            Expect::Change if holds && is(ProofRun::Red, &[RunWord::Pass]) => ProofWord::Proven,
            Expect::Refactor if holds => ProofWord::Equal,
            _ => ProofWord::Tested,
        }
    }

    /// Whether the tests have run on the commit as it is.
    fn ran(&self) -> bool {
        self.run(ProofRun::Clean) != Some(RunWord::NotApplicable)
    }

    /// Whether the task needs nothing more: it is proven, or its kind needs no proof and nothing was found against it.
    #[must_use]
    pub fn is_enough(&self) -> bool {
        match self.word() {
            ProofWord::Proven | ProofWord::Equal => true,
            ProofWord::Untested => self.expect.needs_no_proof(),
            ProofWord::Unproven => false,
            ProofWord::Tested => {
                self.expect.needs_no_proof()
                    || self.expect == Expect::Tests && self.run(ProofRun::Clean) == Some(RunWord::Pass)
                    || matches!(self.nothing, Some(NothingRan::NoCode(_)))
            }
        }
    }

    /// The record for the trailer; `None` if nothing ran.
    #[must_use]
    pub fn record(&self) -> Option<ProofRecord> {
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let hunks = self.hunks.as_ref().filter(|hunks| hunks.judged > 0);
        (!self.runs.is_empty()).then(|| ProofRecord {
            runs: self.runs.iter().map(|report| (report.run.word().to_owned(), report.verdict)).collect(),
            hunks: hunks.map(|hunks| (number(hunks.noticed()), number(hunks.judged))),
            evidence: self.evidence.map(number),
            cost: Some(self.cost).filter(|cost| cost.runs > 0),
            is: self.word(),
        })
    }

    /// What is known, in a few words: `tested, not proven: no test notices the change`.
    #[must_use]
    pub fn words(&self) -> String {
        let word = self.word();
        let failed = self.runs.iter().find(|report| report.verdict == RunWord::Fail);
        match (&self.nothing, failed) {
            (Some(NothingRan::Untested), _) => "untested".to_owned(),
            (Some(NothingRan::Obstacle(why)), _) => format!("cannot be proven: {why}"),
            (_, Some(report)) => format!("{}: {}", word.shown(), report.seen),
            (Some(NothingRan::NoCode(why)), None) => format!("{}, and nothing to prove: {why}", word.shown()),
            (None, None) if !self.doubts.is_empty() && word == ProofWord::Tested && self.ran() => {
                format!(
                    "tested: {}",
                    listed(&self.doubts.iter().map(|why| (*why).to_owned()).collect::<Vec<_>>())
                )
            }
            (None, None) if word == ProofWord::Tested && self.expect == Expect::Change => {
                let says_nothing = |report: &&ProofRunReport| {
                    matches!(report.verdict, RunWord::NotApplicable | RunWord::Skip)
                        && !matches!(report.run, ProofRun::Canary | ProofRun::Literals)
                };
                let why = match self.ran() {
                    true => self.runs.iter().rev().find(says_nothing),
                    false => self.runs.iter().find(says_nothing),
                };
                why.map_or_else(|| "tested".to_owned(), |report| format!("tested: {}", report.seen))
            }
            (None, None) => word.shown().to_owned(),
        }
    }

    /// Everything that was found, as findings that this command shows.
    #[must_use]
    pub fn findings(&self, severity: ProofSeverity, look: &str) -> Vec<Finding> {
        let finding = |report: &ProofRunReport| {
            let level = match report.run {
                // A proof that cannot run accuses nobody.
                ProofRun::Clean if report.verdict == RunWord::NotApplicable => Severity::Warning,
                ProofRun::Clean | ProofRun::Red => severity.prove,
                ProofRun::Old => severity.old,
                ProofRun::Literals => Severity::Warning,
                ProofRun::Canary => Severity::Error,
            };
            let seen = match (report.run, report.verdict) {
                (ProofRun::Old, RunWord::Skip) => {
                    format!(
                        "Tests could not be run in their version from before the change, because {}",
                        report.seen
                    )
                }
                _ => capital(&report.seen),
            };
            let found = Finding::new(report.run.check(), level, &seen).at(&report.tests).look(look);
            match &report.judging {
                Some(files) => found.undo(&files.undo()).allow(&files.allow()),
                None => found,
            }
        };
        // A run that cannot tell anything is named where it is needed: nothing else shows what it would.
        let is_told = |report: &&ProofRunReport| match (report.verdict, report.run) {
            (RunWord::Fail, _) | (RunWord::NotApplicable, ProofRun::Clean) => true,
            (RunWord::Skip, ProofRun::Old) => report.judging.is_some(),
            _ => false,
        };
        let mut found: Vec<Finding> = self.runs.iter().filter(is_told).map(finding).collect();
        if let Some(NothingRan::Obstacle(why)) = &self.nothing {
            let seen = format!("The task cannot be proven ({why})");
            found.push(Finding::new(Check::Prove, severity.prove, &seen).look(look));
        }
        let counts = |finding: &Finding| match (finding.check(), severity.counts) {
            (Check::FewerTests | Check::Counts, None) => None,
            (Check::FewerTests | Check::Counts, Some(level)) => {
                Some(finding.clone().with_severity(level.max(finding.severity())))
            }
            _ => Some(finding.clone()),
        };
        found.extend(self.found.iter().filter_map(counts));
        found.extend(self.hunks.as_ref().and_then(|hunks| hunks.finding(look)));
        found
    }
}
