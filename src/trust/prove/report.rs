//! The result of a proof.

use std::fmt;
use std::time::Duration;

use crate::record::{Check, Counts, Finding, Severity};
use crate::suite::Failure;

/// How many tests a sentence names.
const NAMED: usize = 6;

/// The runs of a proof, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ProofRun {
    /// The commit as it is.
    Clean,
    /// Without the task's change to the source.
    Red,
    /// Without the task's change to the tests.
    Old,
}

impl ProofRun {
    /// All runs.
    pub const ALL: [Self; 3] = [Self::Clean, Self::Red, Self::Old];

    /// Its word in trailers and tables.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Clean => "clean",
            Self::Red => "red",
            Self::Old => "old",
        }
    }
}

/// What a run says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// It went as it must.
    Proven,
    /// It did not.
    NotProven,
    /// It cannot tell. This is never a pass.
    NotApplicable,
    /// It was not made, because a run before it went wrong.
    NotRun,
}

impl Verdict {
    /// Its word in JSON and tables.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Proven => "proven",
            Self::NotProven => "not proven",
            Self::NotApplicable => "not applicable",
            Self::NotRun => "not run",
        }
    }
}

/// The result of one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunReport {
    /// The run.
    pub run: ProofRun,
    /// What it says.
    pub verdict: Verdict,
    /// What was seen, as a sentence without a full stop.
    pub seen: String,
    /// The tests or files that the sentence is about; in a red run, the tests that notice the change.
    pub tests: Vec<String>,
    /// New tests that pass in a red run too.
    pub indifferent: Vec<String>,
    /// Why the test commands failed; `None` if they passed or did not run.
    pub failure: Option<Failure>,
    /// The number of tests, if it could be read.
    pub counts: Option<Counts>,
    /// How long the test commands took.
    pub duration: Duration,
    /// The last lines of a command that did not do what it should; may be empty.
    pub output: String,
}

impl RunReport {
    /// The report of a run that was not made.
    pub(super) fn without_run(run: ProofRun, verdict: Verdict, seen: impl Into<String>) -> Self {
        Self {
            run,
            verdict,
            seen: seen.into(),
            tests: Vec::new(),
            indifferent: Vec::new(),
            failure: None,
            counts: None,
            duration: Duration::ZERO,
            output: String::new(),
        }
    }
}

impl fmt::Display for RunReport {
    /// What was seen, with the tests, as one sentence.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.seen)?;
        if !self.tests.is_empty() {
            write!(f, ": {}", in_short(&self.tests))?;
        }
        if !self.indifferent.is_empty() {
            write!(f, "; {} pass either way: {}", self.indifferent.len(), in_short(&self.indifferent))?;
        }
        f.write_str(".")
    }
}

/// The first of some names, and how many more there are.
fn in_short(names: &[String]) -> String {
    let first = names.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
    if names.len() > NAMED { format!("{first} and {} more", names.len() - NAMED) } else { first }
}

/// The result of a proof.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proof {
    /// All runs, in order; none if nothing can be proven.
    pub runs: Vec<RunReport>,
    /// Why nothing can be proven.
    pub not_applicable: Option<String>,
}

impl Proof {
    /// A proof that cannot be made.
    #[must_use]
    pub fn not_applicable(why: impl Into<String>) -> Self {
        Self { runs: Vec::new(), not_applicable: Some(why.into()) }
    }

    /// The verdict on the whole change. It is proven only if at least the clean run and one other succeeded, and none
    /// failed.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        let has = |verdict| self.runs.iter().any(|report| report.verdict == verdict);
        let succeeded = self.succeeded().count();
        if has(Verdict::NotProven) {
            Verdict::NotProven
        } else if succeeded >= 2 {
            Verdict::Proven
        } else {
            Verdict::NotApplicable
        }
    }

    /// The runs that succeeded.
    pub fn succeeded(&self) -> impl Iterator<Item = ProofRun> {
        self.runs.iter().filter(|report| report.verdict == Verdict::Proven).map(|report| report.run)
    }

    /// What went wrong, as findings that this command shows.
    #[must_use]
    pub fn findings(&self, severity: Severity, look: &str) -> Vec<Finding> {
        let finding = |report: &RunReport| {
            let seen = format!("The {} run of the proof went wrong, {}", report.run.word(), report.seen);
            Finding::new(Check::Prove, severity, &seen).at(&report.tests).look(look)
        };
        self.failed().map(finding).collect()
    }

    /// The runs that went wrong.
    pub fn failed(&self) -> impl Iterator<Item = &RunReport> {
        self.runs.iter().filter(|report| report.verdict == Verdict::NotProven)
    }
}
