//! Runs the tests of merged tasks.

use std::time::SystemTime;

use crate::engine::TestJob;
use crate::error::{Error, Kind, Result};
use crate::plan::TestCommand;
use crate::process::JobResult;
use crate::suite::{NamesWanted, NoResults, StoppedTeardown, TestListener, TestResults, TestRunner};
use crate::text::one_line;

/// Runs test commands to their end, in a slot that is prepared.
///
/// # Errors
/// If they could not be started, or the user asks to stop.
pub(super) fn run(job: TestJob) -> Result<TestResults> {
    let TestJob { trial, launch, shell, timeout, confirm, live, .. } = job;
    let runner = TestRunner {
        launch,
        shell,
        timeout,
        confirm,
        live,
        listener: &Quiet,
        names: NamesWanted::All,
        diff: None,
    };
    runner.run(&trial.commands).map_err(|none| match none {
        NoResults::Stopped => Error::stopped(None, "Every finished step is committed."),
        NoResults::CouldNotStart { command, error } => Error::new(
            Kind::Environment,
            format!("the test command `{}` did not start: {error}", one_line(&command)),
            "A POSIX shell `sh` is needed on PATH.",
        ),
    })
}

/// Nobody is told about single commands.
struct Quiet;

impl TestListener for Quiet {
    fn ended(&self, _: &TestCommand, result: JobResult, _: SystemTime) -> JobResult {
        result
    }

    fn after_stop(&self, _: &TestCommand, _: StoppedTeardown<'_>) {}
}
