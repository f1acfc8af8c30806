//! The old run: the files that judge as they were before the change, on the changed source.

use super::ProofSubject;
use super::files::FileUndo;
use super::judged;
use super::prover::{Basis, Prover, Run, TIME_IS_OVER, cannot_be_split};
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
        let (mut report, results) = self.old(proof, basis)?;
        if matches!(report.verdict, RunWord::Pass | RunWord::None)
            && let Some(file) = files.unknown(|file| &file.old)
        {
            // The file stayed as the change left it, so a pass says nothing about the tests in it. A failure counts.
            let seen = cannot_be_split(file, &file.old);
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

    fn old(&mut self, proof: &mut Proof, basis: Basis<'_>) -> Result<(ProofRunReport, Option<TestResults>)> {
        let Basis { files, subject, clean } = basis;
        let without =
            |verdict, seen: &str| Ok((ProofRunReport::without_run(ProofRun::Old, verdict, seen), None));
        let all = files.old_entries(subject);
        if subject.expect == Expect::Tests || all.is_empty() {
            let allowed = files.files.iter().any(|file| file.old != FileUndo::Keep);
            let seen = match allowed {
                true => "the plan lets the task change these tests",
                false => "no file that judges was changed",
            };
            return without(RunWord::None, seen);
        }
        if self.is_late() {
            if files.changes_existing(subject) {
                let seen = format!(
                    "Tests were not run in their version from before the change, because {TIME_IS_OVER}"
                );
                proof.found.push(Finding::new(Check::Protect, Severity::Warning, &seen));
            }
            return without(RunWord::Skip, TIME_IS_OVER);
        }
        let changes_existing = files.changes_existing(subject);
        // What the plan lets the task take out does not run in this run either.
        let is_allowed = files.files.iter().filter(|file| file.old != FileUndo::Keep).count() > all.len();
        let before = subject.before.filter(|_| !is_allowed);
        let judge = |results: &TestResults| judged::old(results, clean, before, changes_existing);
        let run = Run { what: ProofRun::Old.word(), files: all, commands: &subject.commands, success: true };
        let results = self.make(&run)?;
        let first = judge(&results);
        if first.verdict != RunWord::Fail {
            return Ok((first, Some(results)));
        }
        // Where nothing else was changed, no source needs the files as the change left them: the tests pass because of them.
        let is_all = !subject.expect.needs_no_proof() && !files.change_source();
        if first.failure != Some(Failure::Tests)
            && !is_all
            && let Some(second) = self.old_that_loads(proof, basis, &run, &judge)?
        {
            return Ok(second);
        }
        let (mut report, results) = self.repeated(&run, (first, results), &judge)?;
        if report.verdict == RunWord::Fail {
            report.judging = files.changed_judging(subject);
        }
        Ok((report, Some(results)))
    }

    /// The old run once more, in which the files that the source may need stay as the change left them: perhaps it cannot be built
    /// with their old versions, or a command names a new file. `None` if there are no such files, or if this run fails as well.
    fn old_that_loads(
        &mut self,
        proof: &mut Proof,
        basis: Basis<'_>,
        all: &Run<'_>,
        judge: &dyn Fn(&TestResults) -> ProofRunReport,
    ) -> Result<Option<(ProofRunReport, Option<TestResults>)>> {
        let Basis { files, subject, .. } = basis;
        let fewer = Run { files: files.old_entries_that_load(self.parts.git, subject)?, ..all.clone() };
        if fewer.files.len() == all.files.len() {
            return Ok(None);
        }
        let results = self.make(&fewer)?;
        let second = judge(&results);
        if second.verdict == RunWord::Fail {
            return Ok(None);
        }
        let kept = all.files.iter().filter(|entry| !fewer.files.contains(entry));
        let kept: Vec<String> = kept.map(|entry| show_path(&entry.path)).collect();
        if kept.iter().any(|path| kind_of(path) != FileKind::Test) {
            let seen = "Tests from before the change only pass if these files are as the change left them";
            proof.found.push(Finding::new(Check::MixedFile, Severity::Warning, seen).at(kept));
        }
        Ok(Some((second, Some(results))))
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
            let mut report = judge(&results);
            if report.verdict == RunWord::Fail {
                (report, _) = self.repeated(&run, (report, results), &judge)?;
            }
            lost = if report.verdict == RunWord::Fail { report.tests } else { Vec::new() };
        }
        self.tree().switch(&[])?;
        Ok(lost)
    }
}
