//! The old run: the files that judge as they were before the change, on the changed source.

use super::ProofSubject;
use super::files::FileUndo;
use super::judged::{self, OldBasis};
use super::prover::{Basis, Prover, TIME_IS_OVER, WantedRuns, cannot_be_split};
use super::report::{Proof, ProofRun, ProofRunReport};
use crate::error::Result;
use crate::git::PathEntry;
use crate::plan::Expect;
use crate::record::{Check, Finding, Outcome, RunWord, Severity};
use crate::suite::{Failure, TestResults};
use crate::text::show_path;
use crate::trust::files::{FileKind, kind_of};

impl Prover<'_> {
    /// The tests from before the change on the changed source.
    pub(super) fn add_old(&mut self, proof: &mut Proof, basis: Basis<'_>) -> Result<()> {
        let Basis { subject, files, clean } = basis;
        let mut report = self.old(proof, basis)?;
        if matches!(report.verdict, RunWord::Pass | RunWord::None)
            && let Some(file) = files.unknown(|file| &file.old)
        {
            // The file stayed as the change left it, so a pass says nothing about the tests in it. A failure counts.
            let seen = cannot_be_split(file, &file.old);
            report = ProofRunReport { verdict: RunWord::NotApplicable, seen, ..report };
        }
        let is_equal = match (subject.expect, &report.verdict) {
            (Expect::Refactor, RunWord::Pass | RunWord::None) => {
                let same_tests = files.files.iter().all(|file| file.old == FileUndo::Keep);
                !same_tests || judged::are_equal(&self.run_base(basis)?, clean)
            }
            _ => true,
        };
        proof.runs.push(report);
        let of_ci = files.of_ci(subject);
        if !of_ci.is_empty() && !subject.expect.needs_no_proof() {
            let seen = "No run of the tests shows what was changed in these definitions of CI";
            proof.found.push(Finding::new(Check::Protect, Severity::Warning, seen).at(of_ci));
        }
        if !is_equal {
            let seen = "The tests give different results than before, but a refactoring must not change them";
            proof.found.push(Finding::new(Check::Prove, Severity::Error, seen));
        }
        Ok(())
    }

    fn old(&mut self, proof: &mut Proof, basis: Basis<'_>) -> Result<ProofRunReport> {
        let Basis { files, subject, clean } = basis;
        let without = |verdict, seen: &str| Ok(ProofRunReport::without_run(ProofRun::Old, verdict, seen));
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
        let wanted = WantedRuns { commands: &subject.commands, success: true };
        let results = self.run_on(ProofRun::Old.word(), &all, wanted)?;
        if let Some(report) = judged::old_alone(&results, subject.before) {
            return Ok(report);
        }
        let base = self.run_base(basis)?;
        let old = OldBasis { clean, base: &base, changes_existing: files.changes_existing(subject) };
        let mut report = judged::old(&results, old);
        if report.verdict != RunWord::Fail {
            return Ok(report);
        }
        let is_about_tests = report.failure == Some(Failure::Tests);
        // Where nothing else was changed, no source needs the files as the change left them: the tests pass because of them.
        let is_all = !subject.expect.needs_no_proof() && !files.change_source();
        if !is_about_tests
            && !is_all
            && let Some(second) = self.old_that_loads(proof, basis, old)?
        {
            return Ok(second);
        }
        report.judging = files.changed_judging(subject);
        Ok(report)
    }

    /// The old run once more, in which the files that the source may need stay as the change left them: perhaps it cannot be built
    /// with their old versions, or a command names a new file. `None` if there are no such files, or if this run fails as well.
    fn old_that_loads(
        &mut self,
        proof: &mut Proof,
        basis: Basis<'_>,
        old: OldBasis<'_>,
    ) -> Result<Option<ProofRunReport>> {
        let Basis { files, subject, .. } = basis;
        let (all, fewer) =
            (files.old_entries(subject), files.old_entries_that_load(self.parts.git, subject)?);
        if fewer.len() == all.len() {
            return Ok(None);
        }
        let wanted = WantedRuns { commands: &subject.commands, success: true };
        let results = self.run_on(ProofRun::Old.word(), &fewer, wanted)?;
        let second = judged::old(&results, old);
        if second.verdict == RunWord::Fail {
            return Ok(None);
        }
        let kept = all.iter().filter(|entry| !fewer.iter().any(|other| other.path == entry.path));
        let kept: Vec<String> = kept.map(|entry| show_path(&entry.path)).collect();
        if kept.iter().any(|path| kind_of(path) != FileKind::Test) {
            let seen = "Tests from before the change only pass if these files are as the change left them";
            proof.found.push(Finding::new(Check::MixedFile, Severity::Warning, seen).at(kept));
        }
        Ok(Some(second))
    }

    /// What fails on a commit only with these versions of files that judge, by name where names are known.
    ///
    /// # Errors
    /// As for [`Prover::prove`].
    pub fn lost_with(&mut self, subject: &ProofSubject, files: &[PathEntry]) -> Result<Vec<String>> {
        self.begin(&subject.head)?;
        let wanted = WantedRuns { commands: &subject.commands, success: true };
        let results = self.run_on("earlier tests", files, wanted)?;
        let lost = match results.outcome() {
            Outcome::Pass => Vec::new(),
            _ => judged::lost(&results, &self.run_on(ProofRun::Clean.word(), &[], wanted)?),
        };
        self.tree().switch(&[])?;
        Ok(lost)
    }

    /// Everything as it was before the change.
    fn run_base(&mut self, basis: Basis<'_>) -> Result<TestResults> {
        let all = basis.files.base_entries();
        self.run_on("base", &all, WantedRuns { commands: &basis.subject.commands, success: true })
    }
}
