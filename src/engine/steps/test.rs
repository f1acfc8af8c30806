//! The test step: the task's own commands judge the work (docs/plans.md).

use std::time::SystemTime;

use super::artifact::{Artifact, ArtifactKind, committed_artifact};
use super::ended_program::{name_leaks, note_killed};
use crate::agents::{JobResult, LiveLine};
use crate::engine::assignment::Assignment;
use crate::engine::checks::overlooked::name_overlooked;
use crate::engine::commit::finished::FinishedStep;
use crate::engine::commit::recorder::Recorder;
use crate::engine::context::{RunContext, stopped};
use crate::engine::findings::findings;
use crate::engine::unit::Worker;
use crate::engine::workspace::Workspace;
use crate::error::{Error, Kind, Result};
use crate::history::FollowedRun;
use crate::plan::TestCommand;
use crate::record::{Outcome, StepMessage};
use crate::suite::{NoResults, StoppedTeardown, TestListener, TestResults, TestRunner};
use crate::text::one_line;
use crate::worktree::tokens::without_tokens;

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
        findings.extend(named.findings());
        let message = StepMessage::new(job.step, job.task, job.attempt, outcome).with_tests(&facts);
        let message = named.findings().fold(message, |message, finding| message.with_finding(&finding));
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

/// Runs test commands in the work tree of a run.
pub(super) fn run_tests(
    run: &RunContext<'_>,
    commands: &[TestCommand],
    live: &LiveLine,
) -> Result<TestResults> {
    let runner = TestRunner {
        launch: run.launch(),
        shell: run.shell.clone(),
        timeout: run.settings.test_timeout,
        confirm: run.settings.confirm,
        live: live.clone(),
        listener: run,
    };
    runner.run(commands).map_err(|none| match none {
        NoResults::Stopped => stopped(),
        NoResults::CouldNotStart { command, error } => Error::new(
            Kind::Environment,
            format!("the test command `{}` did not start: {error}", one_line(&command)),
            "The step was not committed. A POSIX shell `sh` is needed on PATH.",
        ),
    })
}

impl TestListener for RunContext<'_> {
    fn ended(&self, command: &TestCommand, result: JobResult, started: SystemTime) -> JobResult {
        let result = result.map_outputs(without_tokens);
        note_killed(self, &result, started);
        name_leaks(self, &result, &format!("the test command `{}`", command.command));
        result
    }

    fn after_stop(&self, command: &TestCommand, teardown: StoppedTeardown<'_>) {
        let shown = one_line(&self.secret_search().mask(&command.command));
        match teardown {
            StoppedTeardown::Begins => self.warn(&format!(
                "the teardown command `{shown}` runs before the run ends; a second Ctrl-C ends it"
            )),
            StoppedTeardown::Failed(ended) => {
                self.warn(&format!("the teardown command `{shown}` failed: {}", ended.status()));
            }
        }
    }
}
