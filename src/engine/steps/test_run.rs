//! Runs the test commands of a step, in the work tree of the run or in another one.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use crate::agents::{JobResult, LiveLine};
use crate::engine::run_context::context::{RunContext, stopped};
use crate::error::{Error, Kind, Result};
use crate::files::Folder;
use crate::plan::{TestCommand, TestType};
use crate::process::Launch;
use crate::suite::{TestListener, TestResults, TestRun, TestRunner};
use crate::text::one_line;
use crate::worktree::tokens::without_tokens;

/// Runs test commands in the work tree of a run, except for those of type mutation.
pub(super) fn run_tests(
    run: &RunContext<'_>,
    commands: &[TestCommand],
    live: &LiveLine,
) -> Result<TestResults> {
    run_tests_on(run, commands, live, None)
}

/// The same in at most this time for each command.
pub(super) fn run_tests_within(
    run: &RunContext<'_>,
    commands: &[TestCommand],
    live: &LiveLine,
    time: Duration,
) -> Result<TestResults> {
    let cut = |test: &TestCommand| {
        let timeout = test.timeout.unwrap_or(run.settings.tests.timeout).min(time);
        TestCommand { timeout: Some(timeout), ..test.clone() }
    };
    let commands: Vec<TestCommand> = commands.iter().map(cut).collect();
    runner_of(run, run.test_launch(), live).run(&commands).map_err(of_step)
}

/// The same for a task that has changed something, with the commands of type mutation.
pub(super) fn run_tests_on(
    run: &RunContext<'_>,
    commands: &[TestCommand],
    live: &LiveLine,
    change: Option<&[u8]>,
) -> Result<TestResults> {
    let mutates = commands.iter().any(|command| command.kind == TestType::Mutation);
    let diff = change.filter(|_| mutates).map(|change| DiffFile::of(run, change)).transpose()?;
    let runner = runner_of(run, run.test_launch(), live);
    let runner = TestRunner { diff: diff.as_ref().map(|diff| diff.path.clone()), ..runner };
    runner.run(commands).map_err(of_step)
}

/// A file outside the work tree with the diff of a task.
struct DiffFile {
    path: PathBuf,
}

impl DiffFile {
    fn of(run: &RunContext<'_>, change: &[u8]) -> Result<Self> {
        let path = run.work_tree.git_dir.join("arborist").join("task.diff");
        let written =
            Folder::make_own(&run.work_tree.git_dir, "").and_then(|own| own.replace("task.diff", change));
        written.map_err(|error| {
            Error::new(
                Kind::Environment,
                format!("{} cannot be written: {error}", path.display()),
                "The step was not committed. Correct the cause, then run the same command again.",
            )
        })?;
        Ok(Self { path })
    }
}

impl Drop for DiffFile {
    fn drop(&mut self) {
        // The next one replaces it.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Runs test commands with this launch as the settings of the run say.
pub(super) fn runner_of<'a>(run: &'a RunContext<'_>, launch: Launch, live: &LiveLine) -> TestRunner<'a> {
    TestRunner {
        launch,
        shell: run.programs.shell.clone(),
        timeout: run.settings.tests.timeout,
        confirm: run.settings.tests.confirm,
        live: live.clone(),
        listener: run,
        diff: None,
    }
}

/// The same error, as a step tells it.
fn of_step(error: Error) -> Error {
    match error.kind() {
        Kind::Signal(_) => stopped(),
        _ => error.stating("No step was committed, and no attempt is used up."),
    }
}

impl TestListener for RunContext<'_> {
    fn ended(&self, command: &TestCommand, result: JobResult, started: SystemTime) -> JobResult {
        let result = result.map_outputs(without_tokens);
        self.note_killed(&result, started);
        self.name_leaks(&result, &format!("the test command `{}`", command.command));
        result
    }

    fn after_stop(&self, command: &TestCommand, failed: Option<&TestRun>) {
        let shown = one_line(&self.secret_search().mask(&command.command));
        match failed {
            None => self.warn(&format!(
                "the teardown command `{shown}` runs before the run ends; a second Ctrl-C ends it"
            )),
            Some(run) => self.warn(&format!("the teardown command `{shown}` failed: {}", run.status())),
        }
    }
}
