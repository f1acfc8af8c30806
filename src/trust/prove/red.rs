//! The red run: the tests of the commit on the source from before the change.

use super::files::FileUndo;
use super::hunk_report::HunkLimits;
use super::hunks::HollowRun;
use super::judged;
use super::noticing::{self, Evidence};
use super::prover::{Basis, Prover, Run, TIME_IS_OVER};
use super::report::{Proof, ProofRunReport};
use crate::error::Result;
use crate::git::PathEntry;
use crate::plan::Expect;
use crate::record::{Check, Finding, ProofRun, RunWord, Severity};
use crate::suite::TestResults;
use std::time::Duration;

/// When tests notice hollow functions, as the end of a clause.
const GIVEN: &str = "if the functions that the change adds give empty values";

/// How many tests that notice a change are enough: not all of them fail at random.
const ENOUGH: usize = 3;

/// How many statements are tried if nothing can be loaded without the change.
const FEW_HUNKS: usize = 8;

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
        // Where tests name a function that the change adds, nothing of them loads without it.
        let hollow = if self.tests_name_added(basis)? { self.try_hollow(basis)? } else { None };
        if let Some(report) = hollow.as_ref().and_then(|hollow| hollow.report(clean)) {
            proof.runs.push(report);
            return Ok(None);
        }
        let results = self.make(&without_change(basis, source))?;
        let report = noticing::red(&results, clean);
        let has_loaded = report.is_some();
        let report = match report {
            Some(report) => report,
            None => self.judge_by_hunks(proof, basis, not_loaded(&results), hollow)?,
        };
        proof.runs.push(report);
        Ok(has_loaded.then_some(results))
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
            *red = self.repeated(&run, (red.clone(), first), &judge)?.0;
        }
        Ok(())
    }

    /// Where nothing can be loaded without the change, a test that notices empty values of the functions which it adds is the
    /// evidence, or else one that notices that a statement is missing.
    fn judge_by_hunks(
        &mut self,
        proof: &mut Proof,
        basis: Basis<'_>,
        report: ProofRunReport,
        hollow: Option<HollowRun>,
    ) -> Result<ProofRunReport> {
        let hollow = hollow.map_or_else(|| self.try_hollow(basis), |hollow| Ok(Some(hollow)))?;
        if let Some(noticed) = hollow.as_ref().and_then(|hollow| hollow.report(basis.clean)) {
            return Ok(noticed);
        }
        let empty = hollow.filter(|hollow| hollow.all_pass).map(|hollow| hollow.places).unwrap_or_default();
        let limits = HunkLimits { most: FEW_HUNKS, time: Duration::MAX, one_is_enough: true };
        let hunks = self.try_hunks(basis, limits, &empty)?;
        let (noticed, judged) = (hunks.noticed(), hunks.judged);
        proof.hunks = (hunks.all > 0).then_some(hunks);
        let (verdict, seen) = match (noticed, judged) {
            (1.., _) => (RunWord::Pass, "a test notices if a statement of the change is taken out"),
            _ if !empty.is_empty() => (
                RunWord::Fail,
                "no test notices the change: all pass if the functions that it adds give empty values",
            ),
            (0, 1..) => {
                (RunWord::Fail, "no test notices the change: none fails if a statement of it is taken out")
            }
            (0, 0) => return Ok(report),
        };
        Ok(ProofRunReport { verdict, seen: seen.to_owned(), ..report })
    }
}

/// The run with the source from before the change.
fn without_change(basis: Basis<'_>, source: Vec<PathEntry>) -> Run<'_> {
    Run { what: ProofRun::Red.word(), files: source, commands: &basis.subject.commands, success: false }
}

fn not_loaded(results: &TestResults) -> ProofRunReport {
    let seen = "the tests cannot be built or loaded without the change";
    judged::report(ProofRun::Red, results, RunWord::NotApplicable, seen)
}

impl HollowRun {
    /// The report of the run; `None` if no test notices it.
    fn report(&self, clean: &TestResults) -> Option<ProofRunReport> {
        let noticed = |noticed: Evidence| noticed.report(&self.results, clean, GIVEN);
        Some(self.noticed_by.clone()).filter(|evidence| !evidence.is_empty()).map(noticed)
    }
}
