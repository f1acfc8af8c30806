//! Runs test commands: those of type setup first, and none of the others if one of them fails; those of type teardown
//! come last, even after a failure or when the run was stopped.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::output::Streams;
use super::recognise_framework::{Recognised, recognise_in};
use super::report_file::ExpectedReport;
use super::report_file::ReportFile;
use super::results::{TestResults, TestRun};
use super::{CountSource, Failure, Framework, NamesWanted, read_junit, select_one};
use crate::error::{Error, Kind};
use crate::plan::{TestCommand, TestType};
use crate::process::{
    CancelLevel, EnvChange, ExitReason, JobResult, Launch, Limits, LiveLine, Shortage, StartError,
};
use crate::text::one_line;

/// Follows test commands while they run.
pub trait TestListener {
    /// A command begins.
    fn begins(&self, _command: &TestCommand) {}

    /// A command has ended. It began at `started`. Returns the result as it may be kept and shown.
    fn ended(&self, _command: &TestCommand, result: JobResult, _started: SystemTime) -> JobResult {
        result
    }

    /// A command of type teardown runs or has failed after the user asked to stop.
    fn after_stop(&self, _command: &TestCommand, _teardown: StoppedTeardown<'_>) {}
}

/// Listens to nothing: only the results matter.
pub struct Unheard;

impl TestListener for Unheard {}

/// What happens to a command of type teardown after the user has asked to stop.
#[derive(Clone, Copy, Debug)]
pub enum StoppedTeardown<'a> {
    /// It runs before the run ends.
    Begins,
    /// It has failed.
    Failed(&'a TestRun),
}

/// Why test commands have no results.
#[derive(Debug)]
pub enum NoResults {
    /// The user has asked to stop.
    Stopped,
    /// The shell for a command did not start.
    CouldNotStart {
        /// The command.
        command: String,
        /// Why.
        error: StartError,
    },
    /// The machine was short of something, also when the commands ran once more: that says nothing about the work.
    Short {
        /// The command that has failed because of it.
        command: String,
        /// What it is short of.
        shortage: Shortage,
    },
}

impl NoResults {
    /// The error for it; `stopped` is the one if the user has asked to stop.
    #[must_use]
    pub fn error(self, stopped: impl FnOnce() -> Error) -> Error {
        match self {
            Self::Stopped => stopped(),
            Self::CouldNotStart { command, error } => Error::new(
                Kind::Environment,
                format!("the test command `{}` did not start: {error}", one_line(&command)),
                error.shortage().map_or(error.remedy_for_shell(), Shortage::remedy),
            ),
            Self::Short { command, shortage } => Error::new(
                Kind::Environment,
                format!(
                    "the machine is short of {shortage}: the test command `{}` failed twice because of that",
                    one_line(&command)
                ),
                format!("{} Then run the same command again.", shortage.remedy()),
            ),
        }
    }
}

/// What the machine was short of according to a command that has failed.
fn shortage_in(results: &TestResults) -> Option<NoResults> {
    let failed = results.runs.iter().filter(|run| !run.passed());
    let short = |run: &TestRun| Some((run.command.clone(), Shortage::told_by(&run.result)?));
    failed.filter_map(short).map(|(command, shortage)| NoResults::Short { command, shortage }).next()
}

/// Runs test commands in a folder.
pub struct TestRunner<'a> {
    /// The folder, and what all programs have in common.
    pub launch: Launch,
    /// The shell that runs the commands.
    pub shell: PathBuf,
    /// How long a command may take that sets no timeout.
    pub timeout: Duration,
    /// How often a command that judges the work is run again after a failure, before it counts as failed.
    pub confirm: u32,
    /// The line in which the commands show what they are doing.
    pub live: LiveLine,
    /// Follows the commands.
    pub listener: &'a dyn TestListener,
    /// Which names of tests the programs are to print.
    pub names: NamesWanted,
    /// The file with the change that commands of type mutation look at. Without one, they do not run.
    pub diff: Option<PathBuf>,
}

impl TestRunner<'_> {
    /// Runs the commands. If they fail because the machine is short of something, they run once more.
    ///
    /// # Errors
    /// If the user asks to stop, a command cannot be started, or the machine stays short of something.
    pub fn run(&self, commands: &[TestCommand]) -> Result<TestResults, NoResults> {
        let results = self.run_all(commands)?;
        if shortage_in(&results).is_none() {
            return Ok(results);
        }
        let results = self.run_all(commands)?;
        shortage_in(&results).map_or(Ok(results), Err)
    }

    fn run_all(&self, commands: &[TestCommand]) -> Result<TestResults, NoResults> {
        if self.launch.cancel.level() != CancelLevel::None {
            return Err(NoResults::Stopped);
        }
        let mut runs = Vec::new();
        let judged =
            self.run_judging(commands, &mut runs).and_then(|()| self.run_advisory(commands, &mut runs));
        let torn_down = self.tear_down(commands, &mut runs);
        judged.and(torn_down)?;
        Ok(TestResults { runs })
    }

    /// Runs the commands that judge the work, and those of type setup before them.
    fn run_judging(&self, commands: &[TestCommand], runs: &mut Vec<TestRun>) -> Result<(), NoResults> {
        let of = |wanted: fn(TestType) -> bool| commands.iter().filter(move |command| wanted(command.kind));
        for command in of(|kind| kind == TestType::Setup) {
            runs.push(self.run_once(command)?);
        }
        if runs.iter().all(TestRun::passed) {
            for command in of(TestType::judges) {
                runs.push(self.run_until_confirmed(command)?);
            }
        }
        Ok(())
    }

    /// Runs the commands of type mutation if all others have passed.
    fn run_advisory(&self, commands: &[TestCommand], runs: &mut Vec<TestRun>) -> Result<(), NoResults> {
        if self.diff.is_some() && runs.iter().all(TestRun::passed) {
            for command in commands.iter().filter(|command| command.kind == TestType::Mutation) {
                runs.push(self.run_once(command)?);
            }
        }
        Ok(())
    }

    /// Runs the commands of type teardown. A first request to stop lets them finish, and a second one ends them.
    fn tear_down(&self, commands: &[TestCommand], runs: &mut Vec<TestRun>) -> Result<(), NoResults> {
        for command in commands.iter().filter(|command| command.kind == TestType::Teardown) {
            let stopped = self.launch.cancel.level() == CancelLevel::Soon;
            if stopped {
                self.listener.after_stop(command, StoppedTeardown::Begins);
            }
            let ended = self.run_once(command)?;
            if stopped && !ended.passed() {
                self.listener.after_stop(command, StoppedTeardown::Failed(&ended));
            }
            runs.push(ended);
        }
        Ok(())
    }

    /// Runs a command, and again after a failure, as often as the user has asked for: some tests fail at random. The last run counts.
    /// A test that fails alone as well fails for a reason, so that nothing has to be run again.
    fn run_until_confirmed(&self, command: &TestCommand) -> Result<TestRun, NoResults> {
        let mut run = self.run_once(command)?;
        if self.confirm == 0 || run.passed() || run.failure() == Some(Failure::NotRun) {
            return Ok(run);
        }
        let alone = run.failing_tests().find_map(|test| select_one(&command.command, &test));
        if let Some(line) = alone {
            let alone = self.run_once(&TestCommand { command: line, coverage: None, ..command.clone() })?;
            if alone.counts.is_some_and(|counts| counts.failed > 0) {
                return Ok(run);
            }
        }
        for failed_before in 1..=self.confirm {
            run = TestRun { failed_before, ..self.run_once(command)? };
            if run.passed() {
                break;
            }
        }
        Ok(run)
    }

    /// What a command of type mutation finds in its environment.
    fn diff_for(&self, command: &TestCommand) -> Option<EnvChange> {
        let diff = self.diff.as_ref().filter(|_| command.kind == TestType::Mutation)?;
        Some(EnvChange::Set("ARBORIST_DIFF".into(), diff.into()))
    }

    fn run_once(&self, command: &TestCommand) -> Result<TestRun, NoResults> {
        let started = SystemTime::now();
        self.listener.begins(command);
        let limits = Limits { head: 512 << 10, tail: 512 << 10, ..Limits::default() };
        let cancel = &self.launch.cancel;
        let limit = command.timeout.unwrap_or(self.timeout);
        let (cancel, timeout) = match (command.kind, cancel.level()) {
            (TestType::Teardown, CancelLevel::None) => (cancel.second(), limit),
            (TestType::Teardown, _) => (cancel.second(), limit.min(STOPPED_TEARDOWN)),
            _ => (cancel.clone(), limit),
        };
        let source = CountsBefore::look(command, &self.launch.directory);
        let expected =
            command.coverage.as_ref().map(|source| ExpectedReport::new(&self.launch.directory, source));
        let job = self.launch.job(self.shell.clone(), timeout).cancel_with(&cancel);
        let job = job.env(expected.iter().map(ExpectedReport::variable)).env(self.diff_for(command));
        let result =
            job.args(self.names.arguments(command, &self.shell)).limits(limits).live(&self.live).run();
        let result = self.listener.ended(command, result, started);
        match result.exit_reason {
            ExitReason::Cancelled => return Err(NoResults::Stopped),
            ExitReason::CouldNotStart(error) => {
                return Err(NoResults::CouldNotStart { command: command.command.clone(), error });
            }
            _ => {}
        }
        let Recognised { counts, names, frameworks, flaky } = source.read(command, &result, started);
        Ok(TestRun {
            kind: command.kind,
            command: command.command.clone(),
            result,
            counts,
            names,
            frameworks,
            flaky,
            failed_before: 0,
            coverage: expected.map(|expected| expected.read(started)),
        })
    }
}

/// Where the numbers of a command come from, looked at before it runs.
enum CountsBefore {
    Printed,
    /// A report that another command may have written before.
    File(ReportFile),
}

impl CountsBefore {
    fn look(command: &TestCommand, folder: &Path) -> Self {
        match command.framework.as_deref().map(CountSource::parse) {
            Some(Ok(CountSource::JunitReport(report))) => {
                Self::File(ReportFile::before(folder.join(report.as_path())))
            }
            _ => Self::Printed,
        }
    }

    /// Reads counts and names after a command that began at `started`.
    fn read(&self, command: &TestCommand, result: &JobResult, started: SystemTime) -> Recognised {
        let Self::File(file) = self else {
            return recognise_in(command, &Streams::of(result));
        };
        // Without a report of this command, its tests are unknown.
        let report = file.read(started, JUNIT_LIMIT).ok().and_then(|report| read_junit(&report));
        let (counts, names) = report.map_or_else(Default::default, |(counts, names)| (Some(counts), names));
        Recognised {
            counts,
            names,
            frameworks: Framework::guess(&command.command).into_iter().collect(),
            flaky: Vec::new(),
        }
    }
}

/// How long a teardown command may take at most after the run was stopped, because the user should not have to wait
/// longer.
const STOPPED_TEARDOWN: Duration = Duration::from_secs(60);

/// The largest `JUnit` report that is read, in bytes.
const JUNIT_LIMIT: u64 = 64 << 20;
