//! The old run: the files that judge as they were before the change, on the changed source.

use super::ProofSubject;
use super::files::FileUndo;
use super::judged;
use super::prover::{Basis, Prover, TIME_IS_OVER, WantedRuns, cannot_be_split};
use super::repeat::Repeated;
use super::report::{Proof, ProofRun, ProofRunReport};
use crate::error::Result;
use crate::git::PathEntry;
use crate::plan::Expect;
use crate::record::{Check, Finding, Outcome, RunWord, Severity};
use crate::suite::{Failure, TestResults};
use crate::text::{one_line, show_path};
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
        let wanted = WantedRuns { commands: &subject.commands, success: true };
        let results = self.run_on(ProofRun::Old.word(), &all, wanted)?;
        let changes_existing = files.changes_existing(subject);
        // What the plan lets the task take out does not run in this run either.
        let is_allowed = files.files.iter().filter(|file| file.old != FileUndo::Keep).count() > all.len();
        let before = subject.before.filter(|_| !is_allowed);
        let judge = |results: &TestResults| judged::old(results, clean, before, changes_existing);
        let first = judge(&results);
        if first.verdict != RunWord::Fail {
            return Ok((first, Some(results)));
        }
        // Where nothing else was changed, no source needs the files as the change left them: the tests pass because of them.
        let is_all = !subject.expect.needs_no_proof() && !files.change_source();
        if first.failure != Some(Failure::Tests)
            && !is_all
            && let Some(second) = self.old_that_loads(proof, basis, &judge)?
        {
            return Ok(second);
        }
        let repeated = self.repeat(ProofRun::Old, &all, &results, &first.tests, &subject.commands)?;
        let (mut report, results) = match repeated {
            Repeated::FailsAlone => (first, results),
            Repeated::Whole { results: again, passed_alone } => {
                let (report, flaky) = failed_twice(&first, judge(&again), passed_alone.as_deref());
                proof.found.extend(judged::flaky_tests(&flaky));
                (report, again)
            }
        };
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
        judge: &dyn Fn(&TestResults) -> ProofRunReport,
    ) -> Result<Option<(ProofRunReport, Option<TestResults>)>> {
        let Basis { files, subject, .. } = basis;
        let (all, fewer) =
            (files.old_entries(subject), files.old_entries_that_load(self.parts.git, subject)?);
        if fewer.len() == all.len() {
            return Ok(None);
        }
        let wanted = WantedRuns { commands: &subject.commands, success: true };
        let results = self.run_on(ProofRun::Old.word(), &fewer, wanted)?;
        let second = judge(&results);
        if second.verdict == RunWord::Fail {
            return Ok(None);
        }
        let kept = all.iter().filter(|entry| !fewer.iter().any(|other| other.path == entry.path));
        let kept: Vec<String> = kept.map(|entry| show_path(&entry.path)).collect();
        if kept.iter().any(|path| kind_of(path) != FileKind::Test) {
            let seen = "Tests from before the change only pass if these files are as the change left them";
            proof.found.push(Finding::new(Check::MixedFile, Severity::Warning, seen).at(kept));
        }
        Ok(Some((second, Some(results))))
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
}

/// What is left of an accusation after the same run once more, and the tests that failed only once.
fn failed_twice(
    first: &ProofRunReport,
    again: ProofRunReport,
    passed_alone: Option<&str>,
) -> (ProofRunReport, Vec<String>) {
    let (both, once): (Vec<_>, Vec<_>) =
        first.tests.iter().cloned().partition(|test| again.tests.contains(test));
    match again.verdict {
        RunWord::Fail if both.is_empty() && !once.is_empty() && !again.tests.is_empty() => {
            let passes = ProofRunReport {
                verdict: RunWord::Pass,
                seen: "each test passes at least once in its version from before the change".to_owned(),
                tests: Vec::new(),
                ..again
            };
            (passes, once)
        }
        RunWord::Fail => {
            let alone = passed_alone.filter(|test| both.iter().any(|both| both == test));
            let together = alone.map(|test| format!(", {} only together with others", one_line(test)));
            let seen = format!("{}{}", again.seen, together.unwrap_or_default());
            (ProofRunReport { seen, tests: both, ..again }, once)
        }
        _ => (again, once),
    }
}
