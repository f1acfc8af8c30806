//! The result of a proof.

use std::fmt;
use std::time::Duration;

use crate::plan::Expect;
use crate::record::{
    Check, Counts, Finding, ProofCost, ProofEvidence, ProofRecord, ProofResult, ProofRun, ProofWord, RunWord,
    Severity,
};
use crate::suite::Failure;
use crate::text::{capital, listed, listed_up_to};

/// How many tests a sentence names.
const NAMED: usize = 6;

/// The result of one run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
    /// Whether the change was not taken out in a red run, but gave empty values.
    pub is_hollow: bool,
    /// Why the test commands failed; `None` if they passed or did not run.
    pub failure: Option<Failure>,
    /// The number of tests, if it could be read.
    pub counts: Option<Counts>,
    /// How long the test commands took; `None` if they did not run.
    pub duration: Option<Duration>,
    /// The last lines of a command that did not do what it should; may be empty.
    pub output: String,
    /// The files that decide what the run tests and that the change touched, if it failed because of them.
    pub judging: Option<JudgingFiles>,
}

/// How the change to files that judge is taken back, and how the plan allows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JudgingFiles {
    /// The command that takes it back.
    pub undo: String,
    /// What a person writes into the plan to allow it.
    pub allow: String,
}

impl ProofRunReport {
    /// The report of a run that was not made.
    pub(super) fn without_run(run: ProofRun, verdict: RunWord, seen: impl Into<String>) -> Self {
        Self { run, verdict, seen: seen.into(), ..Self::default() }
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
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proof {
    /// What kind of change was to be proven.
    pub expect: Expect,
    /// All runs, in order; none if nothing could run.
    pub runs: Vec<ProofRunReport>,
    /// What else was found.
    pub found: Vec<Finding>,
    /// What a reader should know, as sentences.
    pub notes: Vec<String>,
    /// Why nothing could run, or why no more did.
    pub nothing: Option<NothingRan>,
    /// Why the task is no more than tested, whatever the runs have shown, as clauses.
    pub doubts: Vec<String>,
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
    /// A person has completed the task.
    VouchedFor,
    /// The task is skipped.
    Skipped,
}

impl Proof {
    /// A proof without runs.
    #[must_use]
    pub fn of_nothing(expect: Expect, why: NothingRan) -> Self {
        Self { expect, nothing: Some(why), ..Self::default() }
    }

    /// The tests and commands that notice the change.
    pub(super) fn noticing(&self) -> Vec<String> {
        let red = self.runs.iter().filter(|report| report.run == ProofRun::Red);
        let red = red.flat_map(|report| report.tests.iter().chain(&report.commands));
        red.cloned().collect()
    }

    /// How many tests notice the change, if a run has shown it.
    #[must_use]
    pub fn evidence(&self) -> Option<ProofEvidence> {
        let is_red = |report: &&ProofRunReport| {
            report.run == ProofRun::Red && report.verdict != RunWord::None && report.duration.is_some()
        };
        let red = self.runs.iter().find(is_red)?;
        let count = u32::try_from(red.tests.len()).unwrap_or(u32::MAX);
        let evidence = if red.is_hollow { ProofEvidence::Hollow } else { ProofEvidence::Red };
        (!red.tests.is_empty() || red.commands.is_empty()).then_some(evidence(count))
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
        let is_found = |check| self.found.iter().any(|finding| finding.check == check);
        let went_wrong =
            |report: &ProofRunReport| report.verdict == RunWord::Fail && report.run != ProofRun::Literals;
        if self.found.iter().any(Finding::is_error) || self.runs.iter().any(went_wrong) {
            return ProofWord::Unproven;
        }
        if is(ProofRun::Clean, &[RunWord::None]) {
            return ProofWord::Untested;
        }
        let holds = self.doubts.is_empty()
            && !is_found(Check::Canary)
            && !is_found(Check::MixedFile)
            && is(ProofRun::Clean, &[RunWord::Pass])
            && is(ProofRun::Old, &[RunWord::Pass, RunWord::None])
            && is(ProofRun::Canary, &[RunWord::Pass, RunWord::NotApplicable, RunWord::None])
            && !is(ProofRun::Literals, &[RunWord::Fail]);
        match self.expect {
            Expect::Change if holds && is(ProofRun::Red, &[RunWord::Pass]) => ProofWord::Proven,
            Expect::Refactor if holds => ProofWord::Equal,
            _ => ProofWord::Tested,
        }
    }

    /// What has come of it, in a word. Where nothing ran, no test says anything.
    #[must_use]
    pub fn result(&self) -> ProofResult {
        match &self.nothing {
            Some(NothingRan::Obstacle(_)) if self.runs.is_empty() => ProofResult::NotTried,
            Some(NothingRan::VouchedFor) => ProofResult::VouchedFor,
            Some(NothingRan::Skipped) => ProofResult::Skipped,
            _ => self.word().into(),
        }
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
        (!self.runs.is_empty()).then(|| ProofRecord {
            runs: self.runs.iter().map(|report| (report.run, report.verdict)).collect(),
            evidence: self.evidence(),
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
            (Some(NothingRan::VouchedFor | NothingRan::Skipped), _) => self.result().shown().to_owned(),
            (_, Some(report)) => format!("{}: {}", word.shown(), report.seen),
            (Some(NothingRan::NoCode(why)), None) => format!("{}, and nothing to prove: {why}", word.shown()),
            (None, None) if word == ProofWord::Tested => {
                let why = self.why_not_proven().map(|why| format!(": {why}"));
                format!("tested{}", why.unwrap_or_default())
            }
            (None, None) => word.shown().to_owned(),
        }
    }

    /// Why nothing more can be said of a task than that it is tested. Without the run on the commit as it is, nothing else matters.
    fn why_not_proven(&self) -> Option<String> {
        let says_nothing =
            |report: &&ProofRunReport| matches!(report.verdict, RunWord::NotApplicable | RunWord::Skip);
        let clean = self.runs.first().filter(says_nothing);
        if clean.is_none() && !self.doubts.is_empty() {
            return Some(listed(&self.doubts));
        }
        let others = self.runs.iter().filter(|report| matches!(report.run, ProofRun::Old | ProofRun::Red));
        let why = clean.or_else(|| others.rev().find(says_nothing));
        why.filter(|_| self.expect == Expect::Change).map(|report| report.seen.clone())
    }

    /// Everything that was found, as findings that this command shows.
    #[must_use]
    pub fn findings(&self, severity: ProofSeverity, look: &str) -> Vec<Finding> {
        let finding = |report: &ProofRunReport| {
            let (check, level) = match (report.run, report.verdict) {
                (ProofRun::Clean | ProofRun::Red, RunWord::Fail) => (Check::Prove, severity.prove),
                // A proof that cannot run accuses nobody, but nothing else shows what it would.
                (ProofRun::Clean, RunWord::NotApplicable) => (Check::Prove, Severity::Warning),
                (ProofRun::Old, RunWord::Fail) => (Check::Protect, severity.old),
                (ProofRun::Old, RunWord::Skip) if report.judging.is_some() => {
                    // The time that is over is nobody's fault.
                    let is_late = self.run(ProofRun::Clean) == Some(RunWord::Pass);
                    (Check::Protect, if is_late { Severity::Warning } else { severity.old })
                }
                (ProofRun::Literals, RunWord::Fail) => (Check::InsensitiveTests, Severity::Warning),
                (ProofRun::Canary, RunWord::Fail) => (Check::Canary, Severity::Error),
                _ => return None,
            };
            let seen = match report.verdict {
                RunWord::Skip => format!(
                    "Tests could not be run in their version from before the change, because {}",
                    report.seen
                ),
                _ => capital(&report.seen),
            };
            let found = Finding::new(check, level, &seen).at(&report.tests).look(look);
            Some(match &report.judging {
                Some(files) => found.undo(&files.undo).allow(&files.allow),
                None => found,
            })
        };
        let mut found: Vec<Finding> = self.runs.iter().filter_map(finding).collect();
        if let Some(NothingRan::Obstacle(why)) = &self.nothing {
            let seen = format!("The task cannot be proven ({why})");
            found.push(Finding::new(Check::Prove, severity.prove, &seen).look(look));
        }
        found.extend(self.found.iter().filter_map(|finding| match finding.check {
            Check::FewerTests | Check::Counts => {
                Some(finding.clone().with_severity(severity.counts?.max(finding.severity)))
            }
            _ => Some(finding.clone()),
        }));
        found
    }
}
