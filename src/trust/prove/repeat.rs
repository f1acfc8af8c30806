//! Repeats a run that has failed unexpectedly, before it accuses anybody: some tests fail at random.

use super::prover::{Prover, WantedRuns};
use super::report::ProofRun;
use crate::error::Result;
use crate::git::PathEntry;
use crate::plan::{TestCommand, TestType};
use crate::record::Outcome;
use crate::suite::{TestOutcome, TestResults, TestRun, select_one};

/// What repeating a run has shown.
pub(super) enum Repeated {
    /// A test that failed also fails alone.
    FailsAlone,
    /// The same run, once more, and a test of `accused` that has passed alone.
    Whole { results: TestResults, passed_alone: Option<String> },
}

/// One test, and the commands that run it alone.
struct Alone {
    test: String,
    commands: Vec<TestCommand>,
}

/// How one of these tests is run alone; `None` if that is not known.
fn alone(results: &TestResults, tests: &[String], commands: &[TestCommand]) -> Option<Alone> {
    let judging = results.runs.iter().filter(|run| run.kind.judges());
    judging.flat_map(|run| tests.iter().map(move |test| (run, test))).find_map(|(run, test)| {
        run.names.outcome_of(test).filter(|outcome| *outcome == TestOutcome::Failed)?;
        let line = select_one(&run.command, test)?;
        let commands = with_surroundings(commands, run).into_iter().map(|command| match command.kind {
            TestType::Setup | TestType::Teardown => command,
            _ => TestCommand { command: line.clone(), ..command },
        });
        Some(Alone { test: test.clone(), commands: commands.collect() })
    })
}

impl Prover<'_> {
    /// Repeats a run that has failed unexpectedly, before it accuses anybody. A test of `accused` that fails alone as well needs no
    /// whole run; one that passes alone may still fail together with others.
    pub(super) fn repeat(
        &mut self,
        run: ProofRun,
        changed: &[PathEntry],
        first: &TestResults,
        accused: &[String],
        commands: &[TestCommand],
    ) -> Result<Repeated> {
        let what = format!("{} again", run.word());
        let mut passed_alone = None;
        if let Some(Alone { test, commands }) = alone(first, accused, commands) {
            let results = self.run_on(&what, changed, WantedRuns { commands: &commands, success: false })?;
            if results.counts().is_some_and(|counts| counts.failed > 0) {
                return Ok(Repeated::FailsAlone);
            }
            passed_alone = (results.outcome() == Outcome::Pass).then_some(test);
        }
        let results = self.run_on(&what, changed, WantedRuns { commands, success: true })?;
        Ok(Repeated::Whole { results, passed_alone })
    }
}

/// A command, with those of type setup and teardown around it.
pub(super) fn with_surroundings(commands: &[TestCommand], run: &TestRun) -> Vec<TestCommand> {
    let is_wanted = |command: &&TestCommand| match command.kind {
        TestType::Setup | TestType::Teardown => true,
        kind => kind == run.kind && command.command == run.command,
    };
    commands.iter().filter(is_wanted).cloned().collect()
}
