//! The runs with a part of the change undone: the files that judge on the changed source, and the source below the changed tests.

use super::ProofSubject;
use super::files::{FileUndo, ProofFile};
use super::judged;
use super::noticing::{self, not_loaded};
use super::prover::{Basis, ProofStage, Prover, Run, TIME_IS_OVER};
use super::report::{Proof, ProofRunReport};
use crate::error::Result;
use crate::git::PathEntry;
use crate::plan::Expect;
use crate::record::{Check, Finding, Outcome, ProofRun, RunWord, Severity};
use crate::suite::{Failure, TestNames, TestResults};
use crate::text::show_path;
use crate::trust::files::{FileKind, is_documentation, kind_of};

/// How many tests that notice a change are enough: not all of them fail at random.
const ENOUGH: usize = 3;

/// A run in which a test must fail that passes with the change.
pub(super) struct RedRun<'r> {
    pub(super) run: Run<'r>,
    pub(super) results: TestResults,
    /// If the change was not taken out, but gives empty values: whether nobody notices it if all tests pass.
    pub(super) accuses: Option<bool>,
}

impl Prover<'_> {
    /// The tests from before the change on the changed source. Returns the results, if there was a run.
    pub(super) fn add_old(&mut self, proof: &mut Proof, basis: Basis<'_>) -> Result<Option<TestResults>> {
        let Basis { subject, files, .. } = basis;
        let not_made = |verdict, seen| (ProofRunReport::without_run(ProofRun::Old, verdict, seen), None);
        let all = files.old_entries(subject);
        let (mut report, results) = if subject.expect == Expect::Tests || all.is_empty() {
            let is_allowed = files.files.iter().any(|file| file.old != FileUndo::Keep);
            let allowed = "the plan lets the task change these tests";
            not_made(RunWord::None, if is_allowed { allowed } else { "no file that judges was changed" })
        } else if self.is_late() {
            not_made(RunWord::Skip, TIME_IS_OVER)
        } else {
            let (report, results) = self.old(proof, basis, all)?;
            (report, Some(results))
        };
        // What is not run as it was may have been weakened.
        let is_open = report.verdict == RunWord::Fail
            || report.verdict == RunWord::Skip && files.changes_existing(subject);
        report.judging = files.changed_judging(subject).filter(|_| is_open);
        if matches!(report.verdict, RunWord::Pass | RunWord::None)
            && let Some(seen) = files.unknown(|file| &file.old)
        {
            // The file stayed as the change left it, so a pass says nothing about the tests in it. A failure counts.
            report = ProofRunReport { verdict: RunWord::NotApplicable, seen, ..report };
        }
        proof.runs.push(report);
        let is_changed_ci = |file: &&ProofFile| file.kind == FileKind::Ci && file.without.is_some();
        let mut of_ci = files.judging(subject).filter(is_changed_ci).map(ProofFile::shown).peekable();
        if of_ci.peek().is_some() && !subject.expect.needs_no_proof() {
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
        let run = Run {
            stage: ProofStage::Run(ProofRun::Old),
            files: all,
            commands: &subject.commands,
            success: true,
        };
        let results = self.make(&run)?;
        let first = judge(&results);
        if first.verdict != RunWord::Fail {
            return Ok((first, results));
        }
        // Perhaps it cannot be built with old versions of files that the source needs, or a command names a new file. Where nothing else was
        // changed, no source needs the files as the change left them: the tests pass because of them.
        let is_source =
            |file: &ProofFile| !file.kind.judges() && !file.is_mixed && !is_documentation(&file.shown());
        let is_all = !subject.expect.needs_no_proof() && !files.files.iter().any(is_source);
        let fewer = Run { files: files.old_entries_that_load(subject), ..run.clone() };
        if results.failure() != Some(Failure::Tests) && !is_all && fewer.files.len() < run.files.len() {
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
        self.repeated(&run, first, results, &judge)
    }

    /// The tests that run on a commit with these versions of files that judge, and those that fail only with them.
    ///
    /// # Errors
    /// As for [`Prover::prove`].
    pub fn with_earlier_tests(
        &mut self,
        subject: &ProofSubject,
        files: Vec<PathEntry>,
    ) -> Result<(TestNames, Vec<String>)> {
        self.begin(&subject.head)?;
        let run = Run { stage: ProofStage::EarlierTests, files, commands: &subject.commands, success: true };
        let results = self.make(&run)?;
        let (names, mut lost) = (results.names(), Vec::new());
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
        Ok((names, lost))
    }

    /// The tests of the commit on the source from before the change. Returns the run, if there was one that says something.
    pub(super) fn add_red<'r>(&mut self, proof: &mut Proof, basis: Basis<'r>) -> Result<Option<RedRun<'r>>> {
        let Basis { files, subject, clean } = basis;
        // Changed tests may name what only the change has.
        let same_tests = files.files.iter().all(|file| file.old == FileUndo::Keep);
        let compares = subject.expect == Expect::Refactor && same_tests;
        let source = if compares { files.red_entries() } else { self.source_before(files)? };
        let unknown = files.unknown(|file| &file.red).filter(|_| !compares);
        let no_source = "the change has no source: it only touches files that decide what is tested";
        let kind = format!("a task of the kind `{}` needs no test that fails without it", subject.expect);
        let not_made = match unknown {
            _ if !compares && subject.expect != Expect::Change => Some((RunWord::None, kind)),
            Some(seen) => Some((RunWord::NotApplicable, seen)),
            None if source.is_empty() && compares => Some((RunWord::None, no_source.to_owned())),
            None if source.is_empty() => Some((RunWord::Fail, no_source.to_owned())),
            None => self.is_late().then(|| (RunWord::Skip, TIME_IS_OVER.to_owned())),
        };
        if let Some((verdict, seen)) = not_made {
            proof.runs.push(ProofRunReport::without_run(ProofRun::Red, verdict, seen));
            return Ok(None);
        }
        let run = Run {
            stage: ProofStage::Run(ProofRun::Red),
            files: source,
            commands: &subject.commands,
            success: false,
        };
        if compares {
            let judge = |results: &TestResults| noticing::equal(results, clean);
            let (mut report, results) = self.confirmed(&run, &judge)?;
            if report.verdict == RunWord::Fail {
                let seen =
                    "The tests give different results than before, but a refactoring must not change them";
                proof.found.push(Finding::new(Check::Prove, Severity::Error, seen));
                report.verdict = RunWord::None;
            }
            proof.runs.push(report);
            return Ok(Some(RedRun { run, results, accuses: None }));
        }
        // Where tests name what the change adds, nothing of them loads without it. Then empty values of that must be noticed.
        let change = self.change(basis)?;
        let mut hollow = if change.is_named_by_tests() { self.hollow(basis, &change)? } else { None };
        let judged = |red: &RedRun<'_>| judge_red(&red.results, clean, red.accuses);
        if hollow.as_ref().is_none_or(|red| judged(red).verdict != RunWord::Pass) {
            let results = self.make(&run)?;
            if let Some(report) = noticing::red(&results, clean) {
                proof.runs.push(report);
                return Ok(Some(RedRun { run, results, accuses: None }));
            }
            if hollow.is_none() {
                hollow = self.hollow(basis, &change)?;
            }
            if hollow.is_none() {
                proof.runs.push(not_loaded(&results));
            }
        }
        proof.runs.extend(hollow.as_ref().map(judged));
        Ok(hollow)
    }

    /// Repeats the red run if only a few tests notice the change and none of them has failed with other values either: perhaps they fail
    /// at random.
    pub(super) fn confirm_red(
        &mut self,
        proof: &mut Proof,
        clean: &TestResults,
        RedRun { run, results, accuses }: RedRun<'_>,
    ) -> Result<()> {
        let is_sure = proof.run(ProofRun::Literals) == Some(RunWord::Pass);
        let red = proof.runs.iter_mut().find(|report| report.run == ProofRun::Red);
        if let Some(red) = red.filter(|red| red.verdict == RunWord::Pass && !is_sure)
            && (1..ENOUGH).contains(&red.tests.len())
        {
            let judge = |results: &TestResults| judge_red(results, clean, accuses);
            *red = self.repeated(&run, red.clone(), results, &judge)?.0;
        }
        Ok(())
    }
}

/// What a red run shows, in which the change was taken out, or gives empty values.
fn judge_red(results: &TestResults, clean: &TestResults, accuses: Option<bool>) -> ProofRunReport {
    match accuses {
        Some(accuses) => noticing::hollow(results, clean, accuses),
        None => noticing::red(results, clean).unwrap_or_else(|| not_loaded(results)),
    }
}
