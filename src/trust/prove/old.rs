//! The old run: the files that judge as they were before the change, on the changed source.

use super::ProofSubject;
use super::files::FileUndo;
use super::judged;
use super::prover::{Basis, Prover, Run, TIME_IS_OVER};
use super::report::{Proof, ProofRunReport};
use crate::error::Result;
use crate::git::PathEntry;
use crate::plan::Expect;
use crate::record::{Check, Finding, Outcome, ProofRun, RunWord, Severity};
use crate::suite::{Failure, TestResults};
use crate::text::show_path;
use crate::trust::files::{FileKind, kind_of};

impl Prover<'_> {
    /// The tests from before the change on the changed source. Returns the results, if there was a run.
    pub(super) fn add_old(&mut self, proof: &mut Proof, basis: Basis<'_>) -> Result<Option<TestResults>> {
        let Basis { subject, files, .. } = basis;
        let without = |verdict, seen| ProofRunReport::without_run(ProofRun::Old, verdict, seen);
        let all = files.old_entries(subject);
        let (mut report, results) = if subject.expect == Expect::Tests || all.is_empty() {
            let seen = match files.files.iter().any(|file| file.old != FileUndo::Keep) {
                true => "the plan lets the task change these tests",
                false => "no file that judges was changed",
            };
            (without(RunWord::None, seen), None)
        } else if self.is_late() {
            let judging = files.changes_existing(subject).then(|| files.changed_judging(subject));
            let report = without(RunWord::Skip, TIME_IS_OVER);
            (ProofRunReport { judging: judging.flatten(), ..report }, None)
        } else {
            let (report, results) = self.old(proof, basis, all)?;
            (report, Some(results))
        };
        if matches!(report.verdict, RunWord::Pass | RunWord::None)
            && let Some(seen) = files.unknown(|file| &file.old)
        {
            // The file stayed as the change left it, so a pass says nothing about the tests in it. A failure counts.
            report = ProofRunReport { verdict: RunWord::NotApplicable, seen, ..report };
        }
        proof.runs.push(report);
        let of_ci = files.of_ci(subject);
        if !of_ci.is_empty() && !subject.expect.needs_no_proof() {
            let seen = "No run of the tests shows what was changed in these definitions of CI";
            proof.found.push(Finding::new(Check::Protect, Severity::Warning, seen).at(of_ci));
        }
        Ok(results)
    }

    fn old(
        &mut self,
        proof: &mut Proof,
        Basis { subject, files, clean }: Basis<'_>,
        all: Vec<PathEntry>,
    ) -> Result<(ProofRunReport, TestResults)> {
        let changes_existing = files.changes_existing(subject);
        // What the plan lets the task take out does not run in this run either.
        let is_allowed = files.files.iter().filter(|file| file.old != FileUndo::Keep).count() > all.len();
        let before = subject.before.filter(|_| !is_allowed);
        let judge = |results: &TestResults| judged::old(results, clean, before, changes_existing);
        let run = Run { what: ProofRun::Old.word(), files: all, commands: &subject.commands, success: true };
        let results = self.make(&run)?;
        let first = judge(&results);
        if first.verdict != RunWord::Fail {
            return Ok((first, results));
        }
        // Perhaps it cannot be built with old versions of files that the source needs, or a command names a new file. Where nothing else was
        // changed, no source needs the files as the change left them: the tests pass because of them.
        let is_all = !subject.expect.needs_no_proof() && !files.change_source();
        let fewer = Run { files: files.old_entries_that_load(subject), ..run.clone() };
        if first.failure != Some(Failure::Tests) && !is_all && fewer.files.len() < run.files.len() {
            let results = self.make(&fewer)?;
            let second = judge(&results);
            if second.verdict != RunWord::Fail {
                let kept = run.files.iter().filter(|entry| !fewer.files.contains(entry));
                let kept: Vec<String> = kept.map(|entry| show_path(&entry.path)).collect();
                if kept.iter().any(|path| kind_of(path) != FileKind::Test) {
                    let seen =
                        "Tests from before the change only pass if these files are as the change left them";
                    proof.found.push(Finding::new(Check::MixedFile, Severity::Warning, seen).at(kept));
                }
                return Ok((second, results));
            }
        }
        let (mut report, results) = self.repeated(&run, first, results, &judge)?;
        if report.verdict == RunWord::Fail {
            report.judging = files.changed_judging(subject);
        }
        Ok((report, results))
    }

    /// The tests that fail on a commit only with these versions of files that judge.
    ///
    /// # Errors
    /// As for [`Prover::prove`].
    pub fn lost_with(&mut self, subject: &ProofSubject, files: Vec<PathEntry>) -> Result<Vec<String>> {
        self.begin(&subject.head)?;
        let run = Run { what: "earlier tests", files, commands: &subject.commands, success: true };
        let results = self.make(&run)?;
        let mut lost = Vec::new();
        if results.outcome() != Outcome::Pass {
            let clean = self.make(&Run { files: Vec::new(), ..run.clone() })?;
            let judge = |results: &TestResults| judged::old(results, &clean, None, false);
            let first = judge(&results);
            if first.verdict == RunWord::Fail {
                let (report, _) = self.repeated(&run, first, results, &judge)?;
                lost = if report.verdict == RunWord::Fail { report.tests } else { Vec::new() };
            }
        }
        self.tree().switch(&[])?;
        Ok(lost)
    }
}
