//! Runs the tests of merged tasks.

use crate::error::{Error, Result};
use crate::scheduler::local::TestJob;
use crate::suite::{NamesWanted, TestResults, TestRunner, Unheard};

/// Runs test commands to their end, in a slot that is prepared.
///
/// # Errors
/// If they could not be started, or the user asks to stop.
pub(crate) fn run(job: TestJob) -> Result<TestResults> {
    let TestJob { trial, launch, shell, timeout, confirm, live, .. } = job;
    let runner = TestRunner {
        launch,
        shell,
        timeout,
        confirm,
        live,
        listener: &Unheard,
        names: NamesWanted::All,
        diff: None,
    };
    let stopped = || Error::stopped(None, "Every finished step is committed.");
    runner.run(&trial.commands).map_err(|none| none.error(stopped))
}
