//! Repeats a run that accuses somebody, because some tests fail at random.

use super::prover::{Prover, Run};
use super::report::ProofRunReport;
use crate::error::Result;
use crate::plan::{TestCommand, TestType};
use crate::record::{Outcome, RunWord};
use crate::suite::{TestOutcome, TestResults, TestRun, select_one};
use crate::text::one_line;

impl Prover<'_> {
    /// Makes a run and judges it, and if that accuses somebody, once more.
    pub(super) fn confirmed(
        &mut self,
        run: &Run<'_>,
        judge: &dyn Fn(&TestResults) -> ProofRunReport,
    ) -> Result<(ProofRunReport, TestResults)> {
        let results = self.make(run)?;
        let report = judge(&results);
        match report.verdict {
            RunWord::Fail => self.repeated(run, (report, results), judge),
            _ => Ok((report, results)),
        }
    }

    /// Makes a run once more whose tests may have failed at random, and judges by what fails again. One test runs alone first: if it
    /// fails there, too, no other run is needed, and if not, it may still fail together with others.
    pub(super) fn repeated(
        &mut self,
        run: &Run<'_>,
        (report, first): (ProofRunReport, TestResults),
        judge: &dyn Fn(&TestResults) -> ProofRunReport,
    ) -> Result<(ProofRunReport, TestResults)> {
        let what = format!("{} again", run.what);
        let again = Run { what: &what, ..run.clone() };
        let mut together = None;
        if let [test] = report.tests.as_slice()
            && let Some(commands) = alone(&first, test, run.commands)
        {
            let results = self.make(&Run { commands: &commands, success: false, ..again.clone() })?;
            if results.counts().is_some_and(|counts| counts.failed > 0) {
                return Ok((report, first));
            }
            together = (results.outcome() == Outcome::Pass).then(|| test.clone());
        }
        let mut second = self.make(&again)?;
        self.flaky.extend(second.forgive(&first));
        let mut report = judge(&second);
        if let Some(test) = together.filter(|test| report.tests.contains(test)) {
            report.seen.push_str(&format!(", {} only together with others", one_line(&test)));
        }
        Ok((report, second))
    }
}

/// The commands with the one that ran a test, if it failed there, running it alone; `None` if it is not known how.
fn alone(results: &TestResults, test: &str, commands: &[TestCommand]) -> Option<Vec<TestCommand>> {
    let has_failed = |run: &&TestRun| run.names.outcome_of(test) == Some(TestOutcome::Failed);
    let run = results.runs.iter().find(has_failed)?;
    let line = select_one(&run.command, test)?;
    let with_line = |command: &TestCommand| match command.kind {
        TestType::Setup | TestType::Teardown => Some(command.clone()),
        _ if command.kind != run.kind || command.command != run.command => None,
        _ => Some(TestCommand { command: line.clone(), ..command.clone() }),
    };
    Some(commands.iter().filter_map(with_line).collect())
}
