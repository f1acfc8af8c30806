//! The red run: the tests of the commit on the source from before the change.

use super::files::FileUndo;
use super::judged;
use super::noticing;
use super::prover::{Basis, Prover, Run, TIME_IS_OVER};
use super::report::{Proof, ProofRunReport};
use crate::error::Result;
use crate::git::PathEntry;
use crate::plan::Expect;
use crate::record::{Check, Finding, ProofRun, RunWord, Severity};
use crate::suite::TestResults;

/// How many tests that notice a change are enough: not all of them fail at random.
const ENOUGH: usize = 3;

impl Prover<'_> {
    /// The tests of the commit on the source from before the change. Returns the results, if there was a run.
    pub(super) fn add_red(&mut self, proof: &mut Proof, basis: Basis<'_>) -> Result<Option<TestResults>> {
        let Basis { files, subject, clean } = basis;
        // Changed tests may name what only the change has.
        let same_tests = files.files.iter().all(|file| file.old == FileUndo::Keep);
        let compares = subject.expect == Expect::Refactor && same_tests;
        let source = if compares { files.red_entries() } else { self.source_before(files)? };
        let unknown = files.unknown(|file| &file.red).filter(|_| !compares);
        let not_made = if !compares && subject.expect != Expect::Change {
            let seen = format!("a task of the kind `{}` needs no test that fails without it", subject.expect);
            Some((RunWord::None, seen))
        } else if let Some(seen) = unknown {
            Some((RunWord::NotApplicable, seen))
        } else if source.is_empty() {
            let seen = "the change has no source: it only touches files that decide what is tested";
            Some((if compares { RunWord::None } else { RunWord::Fail }, seen.to_owned()))
        } else {
            self.is_late().then(|| (RunWord::Skip, TIME_IS_OVER.to_owned()))
        };
        if let Some((verdict, seen)) = not_made {
            proof.runs.push(ProofRunReport::without_run(ProofRun::Red, verdict, seen));
            return Ok(None);
        }
        if compares {
            let judge = |results: &TestResults| noticing::equal(results, clean);
            let (mut report, results) = self.confirmed(&without_change(basis, source), &judge)?;
            if report.verdict == RunWord::Fail {
                let seen =
                    "The tests give different results than before, but a refactoring must not change them";
                proof.found.push(Finding::new(Check::Prove, Severity::Error, seen));
                report.verdict = RunWord::None;
            }
            proof.runs.push(report);
            return Ok(Some(results));
        }
        // Where tests name what the change adds, nothing of them loads without it. Then empty values of that must be noticed.
        let mut hollow = if self.tests_name_added(basis)? { self.hollow(basis)? } else { None };
        if let Some(report) = hollow.take_if(|report| report.verdict == RunWord::Pass) {
            proof.runs.push(report);
            return Ok(None);
        }
        let results = self.make(&without_change(basis, source))?;
        if let Some(report) = noticing::red(&results, clean) {
            proof.runs.push(report);
            return Ok(Some(results));
        }
        let hollow = hollow.map_or_else(|| self.hollow(basis), |report| Ok(Some(report)))?;
        proof.runs.push(hollow.unwrap_or_else(|| not_loaded(&results)));
        Ok(None)
    }

    /// Repeats the red run if only a few tests notice the change and none of them has failed with other values either: perhaps they fail
    /// at random.
    pub(super) fn confirm_red(
        &mut self,
        proof: &mut Proof,
        basis: Basis<'_>,
        first: TestResults,
    ) -> Result<()> {
        let is_sure = proof.run(ProofRun::Literals) == Some(RunWord::Pass);
        let red = proof.runs.iter_mut().find(|report| report.run == ProofRun::Red);
        let Some(red) = red.filter(|red| red.verdict == RunWord::Pass && !is_sure) else { return Ok(()) };
        if (1..ENOUGH).contains(&red.tests.len()) {
            let run = without_change(basis, self.source_before(basis.files)?);
            let judge = |results: &TestResults| {
                noticing::red(results, basis.clean).unwrap_or_else(|| not_loaded(results))
            };
            *red = self.repeated(&run, red.clone(), first, &judge)?.0;
        }
        Ok(())
    }
}

/// The run with the source from before the change.
fn without_change(basis: Basis<'_>, source: Vec<PathEntry>) -> Run<'_> {
    Run { what: ProofRun::Red.word(), files: source, commands: &basis.subject.commands, success: false }
}

pub(super) fn not_loaded(results: &TestResults) -> ProofRunReport {
    let seen = "the tests cannot be built or loaded without the change";
    judged::report(ProofRun::Red, results, RunWord::NotApplicable, seen)
}
