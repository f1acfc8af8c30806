//! The test step: the task's own commands judge the work (docs/plans.md).

use std::time::{Duration, SystemTime};

use super::artifact::{Artifact, ArtifactKind, committed_artifact};
use super::ended_program::{name_leaks, note_killed};
use super::exit_reason::describe;
use crate::agents::{self, ExitReason, JobResult, Limits, LiveLine};
use crate::engine::assignment::Assignment;
use crate::engine::checks::overlooked::name_overlooked;
use crate::engine::commit::finished::FinishedStep;
use crate::engine::commit::recorder::Recorder;
use crate::engine::context::{RunContext, stopped};
use crate::engine::findings::findings;
use crate::engine::unit::Worker;
use crate::engine::workspace::Workspace;
use crate::error::{Error, Kind, Result};
use crate::files;
use crate::history::FollowedRun;
use crate::plan::{TestCommand, TestType};
use crate::process::CancelLevel;
use crate::record::{Block, Counts, Outcome, StepMessage, TEST_LABEL, TEST_LIMIT, TestFacts};
use crate::suite::{self, CountSource, Framework, Output, read_counts, read_junit};
use crate::text::{clean, one_line};
use crate::worktree::tokens::without_tokens;

/// A test command that has run.
struct TestRun {
    kind: TestType,
    command: String,
    result: JobResult,
    counts: Option<Counts>,
}

/// The results of all test commands of a step.
pub(super) struct TestResults {
    runs: Vec<TestRun>,
}

/// Takes a task through its tests.
pub(in crate::engine) struct Tester<'e, 'a> {
    /// The state of the plan, read from history.
    pub(in crate::engine) followed: &'e FollowedRun<'a>,
    /// The work tree.
    pub(in crate::engine) workspace: &'e mut Workspace<'a>,
}

impl Tester<'_, '_> {
    /// Runs the test commands, and commits their results. Returns how they ended.
    ///
    /// # Errors
    /// Every failure that does not count as an attempt (docs/agents.md).
    pub(in crate::engine) fn test(&mut self, job: Assignment<'_>) -> Result<Outcome> {
        let run = self.workspace.run;
        let unit = self.workspace.begin(self.followed, job, Worker::Run)?;
        let live = run.announce(job, None);
        let results = run_tests(run, &run.plan.tree.node(job.leaf).test_commands, &live)?;
        self.workspace.check_after(&unit.head, job.step)?;
        self.workspace.name_leftovers(&format!("the tests of {}", job.task.id))?;
        let named = name_overlooked(run, &unit)?;
        let outcome = results.outcome();
        let mut facts = results.facts();
        if outcome == Outcome::Fail {
            facts.log = Some(Artifact::of_step(run, ArtifactKind::TestLog, job.task)?.write(&results.log())?);
        }
        let mut findings = findings(run.repository, &run.git, &self.followed.steps_of(job.task.id)?)?;
        findings.extend(named.found().map(|(finding, ..)| finding));
        findings.sort_unstable();
        findings.dedup();
        let message = StepMessage::new(job.step, job.task, job.attempt, outcome).with_tests(&facts);
        let message =
            named.sentences().iter().fold(message, |message, sentence| message.with_sentence(sentence));
        let log = facts.log.as_deref().map(|log| committed_artifact(&run.git, log)).transpose()?;
        let finished = FinishedStep {
            job,
            outcome,
            head: unit.head,
            selection: log.unwrap_or_default(),
            message: results.describe(message).with_findings(&findings),
            duration: facts.runtime,
            detail: results.summary(),
        };
        Recorder { followed: self.followed, workspace: self.workspace }.record(&finished)?;
        Ok(outcome)
    }
}

/// Runs test commands in order: those of type setup first, and none of the others if one of them fails; those of
/// type teardown come last, even after a failure or when the run was stopped.
pub(super) fn run_tests(
    run: &RunContext<'_>,
    commands: &[TestCommand],
    live: &LiveLine,
) -> Result<TestResults> {
    run.check_stop()?;
    let mut runs = Vec::new();
    let judged = run_judging(run, commands, live, &mut runs);
    let torn_down = tear_down(run, commands, live, &mut runs);
    judged.and(torn_down)?;
    Ok(TestResults { runs })
}

/// Runs the commands that judge the work, and those of type setup before them.
fn run_judging(
    run: &RunContext<'_>,
    commands: &[TestCommand],
    live: &LiveLine,
    runs: &mut Vec<TestRun>,
) -> Result<()> {
    let of = |wanted: fn(TestType) -> bool| commands.iter().filter(move |command| wanted(command.kind));
    for command in of(|kind| kind == TestType::Setup) {
        runs.push(run_test(run, command, live)?);
    }
    if runs.iter().all(TestRun::passed) {
        for command in of(|kind| !matches!(kind, TestType::Setup | TestType::Teardown)) {
            runs.push(run_test(run, command, live)?);
        }
    }
    Ok(())
}

/// Runs the commands of type teardown. A first request to stop lets them finish, and a second one ends them.
fn tear_down(
    run: &RunContext<'_>,
    commands: &[TestCommand],
    live: &LiveLine,
    runs: &mut Vec<TestRun>,
) -> Result<()> {
    for command in commands.iter().filter(|command| command.kind == TestType::Teardown) {
        let stopped = run.cancel.level() == CancelLevel::Soon;
        let shown = one_line(&run.secret_search().mask(&command.command));
        if stopped {
            run.warn(&format!(
                "the teardown command `{shown}` runs before the run ends; a second Ctrl-C ends it"
            ));
        }
        let ended = run_test(run, command, live)?;
        if stopped && !ended.passed() {
            run.warn(&format!("the teardown command `{shown}` failed: {}", ended.status()));
        }
        runs.push(ended);
    }
    Ok(())
}

fn run_test(run: &RunContext<'_>, command: &TestCommand, live: &LiveLine) -> Result<TestRun> {
    let started = SystemTime::now();
    let limits = Limits { head: 512 << 10, tail: 512 << 10, ..Limits::default() };
    let cancel = &run.cancel;
    let limit = command.timeout.unwrap_or(run.settings.test_timeout);
    let (cancel, timeout) = match (command.kind, cancel.level()) {
        (TestType::Teardown, CancelLevel::None) => (cancel.second(), limit),
        (TestType::Teardown, _) => (cancel.second(), limit.min(STOPPED_TEARDOWN)),
        _ => (cancel.clone(), limit),
    };
    let program = run.job(run.shell.clone(), timeout).cancel_with(&cancel);
    let result =
        program.args(["-c", &command.command]).limits(limits).live(live).run().map_outputs(without_tokens);
    note_killed(run, &result, started);
    match &result.exit_reason {
        ExitReason::Cancelled => return Err(stopped()),
        ExitReason::CouldNotStart(error) => {
            return Err(Error::new(
                Kind::Environment,
                format!("the test command `{}` did not start: {error}", command.command),
                "The step was not committed. A POSIX shell `sh` is needed on PATH.",
            ));
        }
        _ => {}
    }
    name_leaks(run, &result, &format!("the test command `{}`", command.command));
    let counts = count(run, command, &result, started);
    Ok(TestRun { kind: command.kind, command: command.command.clone(), result, counts })
}

/// The counts in a framework's output; `None` if they cannot be read. A report file that is older than the run does
/// not count.
fn count(
    run: &RunContext<'_>,
    command: &TestCommand,
    result: &JobResult,
    started: SystemTime,
) -> Option<Counts> {
    let source = match &command.framework {
        Some(name) => CountSource::parse(name).ok()?,
        None => CountSource::Printed(Framework::guess(&command.command)?),
    };
    match source {
        CountSource::Printed(framework) => {
            let (stdout, stderr) = (CapturedStream::of(&result.stdout), CapturedStream::of(&result.stderr));
            read_counts(framework, &Output { stdout: stdout.as_output(), stderr: stderr.as_output() })
        }
        CountSource::JunitReport(path) => {
            let file = files::open(&run.work_tree.top.join(path.as_path())).ok()?;
            let fresh = file.modified().ok()? + CLOCK_TOLERANCE >= started;
            let mut report = Vec::new();
            file.read_into(&mut report, JUNIT_LIMIT).ok()?;
            if fresh { read_junit(&report) } else { None }
        }
    }
}

/// How long a teardown command may take at most after the run was stopped, because the user should not have to wait
/// longer.
const STOPPED_TEARDOWN: Duration = Duration::from_secs(60);

/// The largest `JUnit` report that is read, in bytes.
const JUNIT_LIMIT: u64 = 64 << 20;

/// How much earlier than the start of its command a report may seem to be written: file systems round times down.
const CLOCK_TOLERANCE: Duration = Duration::from_secs(2);

/// A stream as the readers of counts expect it: in one piece, unless its middle was dropped.
enum CapturedStream<'a> {
    Whole(Vec<u8>),
    Cut(&'a agents::Captured),
}

impl<'a> CapturedStream<'a> {
    fn of(captured: &'a agents::Captured) -> Self {
        if captured.omitted() == 0 { Self::Whole(captured.to_bytes_with_note()) } else { Self::Cut(captured) }
    }

    fn as_output(&self) -> suite::Captured<'_> {
        match self {
            Self::Whole(bytes) => suite::Captured::Whole(bytes),
            Self::Cut(captured) => suite::Captured::Cut { head: captured.head(), tail: captured.tail() },
        }
    }
}

impl TestRun {
    fn passed(&self) -> bool {
        matches!(self.result.exit_reason, ExitReason::Exited(0))
    }

    fn status(&self) -> String {
        match &self.result.exit_reason {
            ExitReason::Exited(126) => "exit status 126: it cannot be executed".to_owned(),
            ExitReason::Exited(127) => "exit status 127: command not found".to_owned(),
            end => describe(end),
        }
    }
}

impl TestResults {
    /// Whether all commands passed. Without commands, nothing has failed.
    pub(super) fn outcome(&self) -> Outcome {
        if self.runs.iter().all(TestRun::passed) { Outcome::Pass } else { Outcome::Fail }
    }

    fn first_failed(&self) -> Option<&TestRun> {
        self.runs.iter().find(|run| !run.passed())
    }

    fn counts(&self) -> Option<Counts> {
        self.runs.iter().filter_map(|run| run.counts).reduce(|sum, counts| sum + counts)
    }

    pub(super) fn runtime(&self) -> Duration {
        self.runs.iter().map(|run| run.result.duration).sum()
    }

    fn facts(&self) -> TestFacts {
        let telling = self.first_failed().or(self.runs.last());
        TestFacts {
            kind: telling.map(|run| run.kind.word()),
            counts: self.counts(),
            runtime: self.runtime(),
            log: None,
        }
    }

    /// A few words for a progress line.
    pub(super) fn summary(&self) -> String {
        let counts = self.counts().map(|counts| {
            let skipped =
                if counts.skipped > 0 { format!(", {} skipped", counts.skipped) } else { String::new() };
            format!("{} passed, {} failed{skipped}", counts.passed, counts.failed)
        });
        let failed = self.first_failed().map(|run| format!("`{}`: {}", run.command, run.status()));
        [failed, counts].into_iter().flatten().collect::<Vec<_>>().join("; ")
    }

    fn describe(&self, mut message: StepMessage) -> StepMessage {
        for run in self.runs.iter().filter(|run| !run.passed()) {
            message = message.with_sentence(&format!("Failed: `{}`: {}.", run.command, run.status()));
        }
        for run in &self.runs {
            let streams = [("stderr", &run.result.stderr), ("stdout", &run.result.stdout)];
            for (stream, captured) in streams {
                message = message.with_block(&Block {
                    label: format!("{TEST_LABEL}{}) {stream} (last {TEST_LIMIT} chars):", run.kind.word()),
                    text: captured.to_bytes_with_note(),
                    limit: TEST_LIMIT,
                });
            }
        }
        message
    }

    /// The whole output of the commands, each under a line with the command, its exit status and its duration.
    fn log(&self) -> Vec<u8> {
        let mut log = String::new();
        for run in &self.runs {
            log.push_str(&format!(
                "=== {} `{}`: {}, {} s ===\n",
                run.kind.word(),
                one_line(&run.command),
                run.status(),
                crate::record::seconds(run.result.duration)
            ));
            for (name, captured) in [("stdout", &run.result.stdout), ("stderr", &run.result.stderr)] {
                let text = clean(&captured.to_bytes_with_note());
                if !text.is_empty() {
                    log.push_str(&format!("--- {name} ---\n{text}\n"));
                }
            }
            log.push('\n');
        }
        log.into_bytes()
    }
}
