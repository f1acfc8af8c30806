//! Runs test commands: those of type setup first, and none of the others if one of them fails; those of type teardown
//! come last, even after a failure or when the run was stopped.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::coverage::{MeasuredCoverage, read_coverage};
use super::frameworks::asking;
use super::recognise_framework::{Recognised, recognise};
use super::report_file::ReportFile;
use super::results::{TestResults, TestRun};
use super::{CountSource, Failure, Framework, read_junit, select_one};
use crate::error::{Error, Kind, Result};
use crate::plan::{TestCommand, TestType};
use crate::process::{CancelLevel, EnvChange, ExitReason, JobResult, Launch, Limits, LiveLine, Shortage};
use crate::text::one_line;

/// Follows test commands while they run.
pub trait TestListener {
    /// A command has ended. It began at `started`. Returns the result as it may be kept and shown.
    fn ended(&self, _command: &TestCommand, result: JobResult, _started: SystemTime) -> JobResult {
        result
    }

    /// A command of type teardown runs or has `failed` after the user asked to stop.
    fn after_stop(&self, _command: &TestCommand, _failed: Option<&TestRun>) {}
}

/// Listens to nothing: only the results matter.
pub struct Unheard;

impl TestListener for Unheard {}

/// The first command that has failed because the machine was short of something, and of what.
fn shortage_in(results: &TestResults) -> Option<(&TestRun, Shortage)> {
    let mut failed = results.runs.iter().filter(|run| !run.passed());
    failed.find_map(|run| Some((run, Shortage::told_by(&run.result)?)))
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
    /// The file with the change that commands of type mutation look at. Without one, they do not run.
    pub diff: Option<PathBuf>,
}

impl TestRunner<'_> {
    /// Runs the commands. If they fail because the machine is short of something, they run once more.
    ///
    /// # Errors
    /// If the user asks to stop, a command cannot be started, or the machine stays short of something.
    pub fn run(&self, commands: &[TestCommand]) -> Result<TestResults> {
        let results = self.run_all(commands)?;
        if shortage_in(&results).is_none() {
            return Ok(results);
        }
        let results = self.run_all(commands)?;
        let Some((run, shortage)) = shortage_in(&results) else { return Ok(results) };
        Err(Error::new(
            Kind::Environment,
            format!(
                "the machine is short of {shortage}: the test command `{}` failed twice because of that",
                one_line(&run.command)
            ),
            format!("{} Then run the same command again.", shortage.remedy()),
        ))
    }

    fn run_all(&self, commands: &[TestCommand]) -> Result<TestResults> {
        if self.launch.cancel.level() != CancelLevel::None {
            return Err(stopped());
        }
        let mut runs = Vec::new();
        let judged = self.run_until_teardown(commands, &mut runs);
        let torn_down = self.tear_down(commands, &mut runs);
        judged.and(torn_down)?;
        Ok(TestResults { runs })
    }

    /// Runs the commands of type setup, then those that judge the work, and, if there is a change to look at, those of type mutation.
    /// None of them runs if one of those before has failed.
    fn run_until_teardown(&self, commands: &[TestCommand], runs: &mut Vec<TestRun>) -> Result<()> {
        let of = |wanted: fn(TestType) -> bool| commands.iter().filter(move |command| wanted(command.kind));
        for command in of(|kind| kind == TestType::Setup) {
            runs.push(self.run_once(command)?);
        }
        if runs.iter().all(TestRun::passed) {
            for command in of(TestType::judges) {
                runs.push(self.run_until_confirmed(command)?);
            }
        }
        if self.diff.is_some() && runs.iter().all(TestRun::passed) {
            for command in of(|kind| kind == TestType::Mutation) {
                runs.push(self.run_once(command)?);
            }
        }
        Ok(())
    }

    /// Runs the commands of type teardown. A first request to stop lets them finish, and a second one ends them.
    fn tear_down(&self, commands: &[TestCommand], runs: &mut Vec<TestRun>) -> Result<()> {
        for command in commands.iter().filter(|command| command.kind == TestType::Teardown) {
            let stopped = self.launch.cancel.level() == CancelLevel::Soon;
            if stopped {
                self.listener.after_stop(command, None);
            }
            let ended = self.run_once(command)?;
            if stopped && !ended.passed() {
                self.listener.after_stop(command, Some(&ended));
            }
            runs.push(ended);
        }
        Ok(())
    }

    /// Runs a command, and again after a failure, as often as the user has asked for: some tests fail at random. The last run counts.
    /// A test that fails alone as well fails for a reason, so that nothing has to be run again.
    fn run_until_confirmed(&self, command: &TestCommand) -> Result<TestRun> {
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

    fn run_once(&self, command: &TestCommand) -> Result<TestRun> {
        let started = SystemTime::now();
        let limits = Limits { head: 512 << 10, tail: 512 << 10, ..Limits::default() };
        let cancel = &self.launch.cancel;
        let limit = command.timeout.unwrap_or(self.timeout);
        let (cancel, timeout) = match (command.kind, cancel.level()) {
            (TestType::Teardown, CancelLevel::None) => (cancel.second(), limit),
            (TestType::Teardown, _) => (cancel.second(), limit.min(STOPPED_TEARDOWN)),
            _ => (cancel.clone(), limit),
        };
        // Other commands may have written these before.
        let report = |path: &Path| ReportFile::before(self.launch.directory.join(path));
        let counted = match command.framework.as_deref().map(CountSource::parse) {
            Some(Ok(CountSource::JunitReport(path))) => Some(report(&path)),
            _ => None,
        };
        let covered = command.coverage.as_ref().map(|source| (source, report(Path::new(&source.path))));
        let diff = self.diff.as_ref().filter(|_| command.kind == TestType::Mutation);
        let variables = covered.iter().map(|(_, file)| ("ARBORIST_COVERAGE", &file.path));
        let variables = variables.chain(diff.map(|diff| ("ARBORIST_DIFF", diff)));
        let job = self.launch.job(self.shell.clone(), timeout).cancel_with(&cancel);
        let job = job.env(variables.map(|(name, path)| EnvChange::Set(name.into(), path.into())));
        let result = job.args(arguments(command, &self.shell)).limits(limits).live(&self.live).run();
        let result = self.listener.ended(command, result, started);
        match result.exit_reason {
            ExitReason::Cancelled => return Err(stopped()),
            ExitReason::CouldNotStart(error) => {
                return Err(Error::new(
                    Kind::Environment,
                    format!("the test command `{}` did not start: {error}", one_line(&command.command)),
                    error.shortage().map_or(error.remedy_for_shell(), Shortage::remedy),
                ));
            }
            _ => {}
        }
        let Recognised { counts, names, frameworks, flaky } = match counted {
            None => recognise(command, [&result.stdout, &result.stderr]),
            Some(file) => {
                // Without a report of this command, its tests are unknown.
                let report = file.read(started).ok().and_then(|report| read_junit(&report)).unzip();
                Recognised {
                    counts: report.0,
                    names: report.1.unwrap_or_default(),
                    frameworks: Framework::guess(&command.command).into_iter().collect(),
                    flaky: Vec::new(),
                }
            }
        };
        let coverage = covered.map(|(source, file)| MeasuredCoverage {
            path: source.path.clone(),
            report: file.read(started).and_then(|report| read_coverage(source.format, &report)),
        });
        Ok(TestRun {
            kind: command.kind,
            command: command.command.clone(),
            result,
            counts,
            names,
            frameworks,
            flaky,
            failed_before: 0,
            coverage,
        })
    }
}

fn stopped() -> Error {
    Error::stopped(None, "Run the same command again.")
}

/// How long a teardown command may take at most after the run was stopped, because the user should not have to wait
/// longer.
const STOPPED_TEARDOWN: Duration = Duration::from_secs(60);

/// The shell script that asks by variables, and then runs the command, its second argument, in the shell that is its
/// first. What the variables hold already stays, also what `go env -w` has written; go is asked for it only where its file is,
/// because starting it takes longer than many tests. The lines that pytest prints of failed tests come last, because a log is
/// cut at its beginning. Without the other option, it runs nothing if one file with tests cannot be loaded.
const ASKING: &str = "\
PYTEST_ADDOPTS=\"${PYTEST_ADDOPTS:+$PYTEST_ADDOPTS }-rpsxXEf --continue-on-collection-errors\"
if test -f \"${GOENV:-${XDG_CONFIG_HOME:-$HOME/.config}/go/env}\" || test -f \"$HOME/Library/Application Support/go/env\"
then GOFLAGS=\"${GOFLAGS-$(go env GOFLAGS 2>/dev/null)}\"
fi
GOFLAGS=\"${GOFLAGS:+$GOFLAGS }-v\"
export PYTEST_ADDOPTS GOFLAGS
exec \"$0\" -c \"$1\"";

/// The arguments with which `shell` runs a command. If it judges, they ask by the variables of test programs, and in the one simple
/// command of a framework by an argument. So the programs also go on after the first failure.
fn arguments(command: &TestCommand, shell: &Path) -> Vec<OsString> {
    let line = &command.command;
    if !command.kind.judges() {
        return vec!["-c".into(), line.into()];
    }
    let line = asking(line).unwrap_or_else(|| line.clone());
    vec!["-c".into(), ASKING.into(), shell.into(), line.into()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::TestType;

    #[test]
    fn only_the_simple_command_of_a_framework_gets_an_argument() {
        for (line, expected) in [
            ("cargo test", Some("cargo test --no-fail-fast")),
            (
                "cargo +nightly test -p x -- --nocapture",
                Some("cargo +nightly test --no-fail-fast -p x -- --nocapture"),
            ),
            ("cargo test --no-fail-fast", None),
            ("cargo nextest run -p x", Some("cargo nextest run --no-fail-fast -p x")),
            ("python3 -m unittest discover -s tests", Some("python3 -m unittest discover -s tests -v")),
            ("cargo test | tail", None),
            ("cd x && cargo test", None),
            ("make test", None),
            ("pytest -x", None),
        ] {
            assert_eq!(asking(line).as_deref(), expected, "{line}");
        }
    }

    #[test]
    fn only_commands_that_judge_the_work_are_asked() {
        let mut command = TestCommand::suite("cargo test");
        let shell = Path::new("/bin/sh");
        assert_eq!(arguments(&command, shell)[2..], ["/bin/sh", "cargo test --no-fail-fast"]);
        command.kind = TestType::Mutation;
        assert_eq!(arguments(&command, shell), ["-c", "cargo test"]);
    }
}
