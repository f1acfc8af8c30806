//! The red run: the changed tests on the source from before the change.

use super::ProofSubject;
use super::hunk_report::HunkLimits;
use super::noticing::{self, Noticing, Red};
use super::prover::{Basis, Prover, TIME_IS_OVER, WantedRuns, cannot_be_split};
use super::report::{Proof, ProofRun, ProofRunReport};
use crate::error::Result;
use crate::git::PathEntry;
use crate::plan::Expect;
use crate::record::RunWord;
use std::time::Duration;

/// How many tests that notice a change are enough not to repeat the runs.
const ENOUGH: usize = 3;

/// How many statements are tried if nothing can be loaded without the change.
const FEW_HUNKS: usize = 8;

impl Prover<'_> {
    /// The tests of the change on the source from before it.
    pub(super) fn add_red(&mut self, proof: &mut Proof, basis: Basis<'_>) -> Result<()> {
        let Basis { files, subject, clean } = basis;
        let without = |verdict, seen: String| ProofRunReport::without_run(ProofRun::Red, verdict, seen);
        if subject.expect != Expect::Change {
            let seen = format!("a task of the kind `{}` needs no test that fails without it", subject.expect);
            proof.runs.push(without(RunWord::None, seen));
            return Ok(());
        }
        if let Some(file) = files.unknown(|file| &file.red) {
            proof.runs.push(without(RunWord::NotApplicable, cannot_be_split(file, &file.red)));
            return Ok(());
        }
        let source = files.red_entries();
        if source.is_empty() {
            let seen =
                "the change has no source: it only touches files that decide what is tested".to_owned();
            proof.runs.push(without(RunWord::Fail, seen));
            return Ok(());
        }
        if self.is_late() {
            proof.runs.push(without(RunWord::Skip, TIME_IS_OVER.to_owned()));
            return Ok(());
        }
        let wanted = WantedRuns { commands: &subject.commands, success: false };
        let results = self.run_on(ProofRun::Red.word(), &source, wanted)?;
        let mut found = noticing::evidence(&results, clean);
        if !found.is_empty() && found.len() < ENOUGH {
            found = self.repeated(subject, &source, found)?;
        }
        let tests = found.iter().filter(|noticing| matches!(noticing, Noticing::Test(_))).count();
        let evidence = (tests > 0 || found.is_empty()).then_some(tests);
        proof.evidence = evidence;
        let report = match noticing::red(&results, clean, found) {
            Red::Judged(report) => report,
            Red::NotLoaded(report) => self.judge_by_hunks(proof, basis, report)?,
        };
        proof.runs.push(report);
        Ok(())
    }

    /// The tests among `found` that also notice the change in a second run of both: the others fail at random.
    fn repeated(
        &mut self,
        subject: &ProofSubject,
        source: &[PathEntry],
        found: Vec<Noticing>,
    ) -> Result<Vec<Noticing>> {
        let wanted = WantedRuns { commands: &subject.commands, success: false };
        let red = self.run_on("red again", source, wanted)?;
        let clean = self.run_on("clean again", &[], WantedRuns { success: true, ..wanted })?;
        let again = noticing::evidence(&red, &clean);
        Ok(found.into_iter().filter(|name| again.contains(name)).collect())
    }

    /// Where nothing can be loaded without the change, a test that notices empty values of the functions which it adds is the
    /// evidence, or else one that notices that a statement is missing.
    fn judge_by_hunks(
        &mut self,
        proof: &mut Proof,
        basis: Basis<'_>,
        report: ProofRunReport,
    ) -> Result<ProofRunReport> {
        let hollow = self.try_hollow(basis)?;
        let (mut tests, mut commands) = (Vec::new(), Vec::new());
        for noticing in hollow.iter().flat_map(|hollow| hollow.noticed_by.iter().cloned()) {
            match noticing {
                Noticing::Test(name) => tests.push(name),
                Noticing::Command(command) => commands.push(command),
            }
        }
        if !tests.is_empty() || !commands.is_empty() {
            proof.evidence = (!tests.is_empty()).then_some(tests.len());
            let seen = "nothing loads without the change, but a test notices if the functions that it adds give empty values";
            return Ok(ProofRunReport {
                verdict: RunWord::Pass,
                seen: seen.to_owned(),
                tests,
                commands,
                ..report
            });
        }
        let empty = hollow.filter(|hollow| hollow.all_pass).map(|hollow| hollow.places).unwrap_or_default();
        let limits = HunkLimits { most: FEW_HUNKS, time: Duration::MAX, one_is_enough: true };
        let hunks = self.try_hunks(basis, limits, &empty)?;
        let (noticed, judged) = (hunks.noticed(), hunks.judged);
        proof.hunks = (hunks.all > 0).then_some(hunks);
        let (verdict, seen) = match (noticed, judged) {
            (1.., _) => (
                RunWord::Pass,
                "nothing loads without the change, but a test notices if a statement of it is taken out",
            ),
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
