//! Calls a runner for a step. If the runner cannot work, no attempt is used up, and the run stops, or waits until the
//! runner can work again.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use chrono::{Local, Utc};

use super::backoff::{Pause, Waits, refusal};
use super::ended_program::{name_leaks, note_killed};
use crate::agents::{EnvChange, ExitReason, Invocation, JobResult, Runner};
use crate::engine::assignment::Assignment;
use crate::engine::context::{RunContext, stopped};
use crate::engine::event::{Event, Wait};
use crate::engine::settings::Backoff;
use crate::engine::workspace::Workspace;
use crate::error::{Error, Kind, Result};
use crate::files;
use crate::git::Head;
use crate::record::Role;
use crate::worktree::Scratch;
use crate::worktree::fingerprint::Fingerprint;
use crate::worktree::tokens::without_tokens;

/// How often a wait checks whether it is over or the user asked to stop.
const TICK: Duration = Duration::from_millis(100);

/// A request to a runner, and the branch before it works.
#[derive(Clone, Copy)]
pub(in crate::engine) struct Request<'a> {
    /// The runner.
    pub(in crate::engine) runner: &'a Runner,
    /// Its role.
    pub(in crate::engine) role: Role,
    /// Its prompt.
    pub(in crate::engine) prompt: &'a str,
    /// The head of the branch before the runner works.
    pub(in crate::engine) head: &'a Head,
    /// The scratch work tree in which it works; `None` for the work tree of the run.
    pub(in crate::engine) place: Option<&'a Scratch>,
}

/// The programs of the runners, as they were when last started.
#[derive(Debug, Default)]
pub(in crate::engine) struct Programs(HashMap<PathBuf, Fingerprint>);

impl Programs {
    /// Takes note of a program that is about to be started. Returns whether it has changed since it was last started.
    fn has_changed(&mut self, program: PathBuf) -> bool {
        let now = Fingerprint::of(&program);
        self.0.insert(program, now).is_some_and(|before| before != now)
    }
}

/// A call of a runner for a step.
pub(in crate::engine) struct RunnerCall<'e, 'a, 'p> {
    /// The work tree.
    pub(in crate::engine) workspace: &'e mut Workspace<'a>,
    /// The programs of the runners.
    pub(in crate::engine) programs: &'e mut Programs,
    /// The task and the step.
    pub(in crate::engine) job: Assignment<'p>,
    /// The request.
    pub(in crate::engine) request: Request<'p>,
}

impl RunnerCall<'_, '_, '_> {
    /// Runs the runner. It is an error, and no attempt, if it could not work: it did not start, was stopped, is not logged
    /// in, or hit a limit that is not waited for.
    ///
    /// # Errors
    /// [`Kind::Environment`] in these cases, and [`Kind::Unsafe`] if it changed something that no step may change.
    pub(in crate::engine) fn run(mut self) -> Result<JobResult> {
        let run = self.workspace.run;
        let Request { runner, head, .. } = self.request;
        let backoff = run.settings.backoff;
        let mut waits = match backoff {
            Backoff::None => None,
            Backoff::UpTo(bound) => Some(Waits::new(bound)),
        };
        loop {
            let result = self.start()?;
            let Some(unavailable) = runner.unavailable(&result, &Local::now()) else { return Ok(result) };
            self.workspace.check_after(head, self.job.step)?;
            match waits.as_mut().map(|waits| waits.next(unavailable.cause, Utc::now())) {
                Some(Ok(pause)) => wait(run, self.job, &unavailable.words(&runner.label()), pause)?,
                Some(Err(no)) => return Err(refusal(backoff, runner, &unavailable, Some(no))),
                None => return Err(refusal(backoff, runner, &unavailable, None)),
            }
        }
    }

    /// Runs the runner once. It is an error, and no attempt, if it could not be started or was stopped.
    fn start(&mut self) -> Result<JobResult> {
        let (run, job) = (self.workspace.run, self.job);
        let Request { runner, role, prompt, place, .. } = self.request;
        let Invocation { program, args } = runner.invocation(role);
        if self.programs.has_changed(program.clone()) {
            run.warn(&format!("the program of {} has changed since the last step", runner.label()));
        }
        let live = run.announce(job, Some(runner.label()));
        let prompt_file = run.work_tree.git_dir.join("arborist").join("prompt");
        write_prompt(&prompt_file, prompt)?;
        let set = |name: &str, value: String| EnvChange::Set(name.into(), value.into());
        let mut env = vec![
            run.traceparent(job, &self.request.head.commit),
            set("ARBORIST_TASK", job.task.id.to_string()),
            set("ARBORIST_STEP", job.step.word().to_owned()),
            set("ARBORIST_ATTEMPT", job.attempt.number.to_string()),
            EnvChange::Set("ARBORIST_PROMPT_FILE".into(), prompt_file.into_os_string()),
        ];
        env.extend(runner.model().map(|model| set("ARBORIST_MODEL", model.to_owned())));
        let started = SystemTime::now();
        let timeout = run.settings.tasks.of(job.leaf).runner_timeout;
        let program = run.agent_launch(runner, place).job(program, timeout);
        let result = program.args(args).env(env).prompt(prompt).live(&live).run().map_outputs(without_tokens);
        name_leaks(run, &result, &runner.label());
        note_killed(run, &result, started);
        match &result.exit_reason {
            ExitReason::Cancelled => Err(stopped()),
            ExitReason::CouldNotStart(error) => Err(Error::new(
                Kind::Environment,
                format!("the runner {} did not start: {error}", runner.label()),
                "No step was committed, and no attempt is used up. Correct the cause, then run the same command again.",
            )),
            ExitReason::Exited(126 | 127) => Err(Error::new(
                Kind::Environment,
                format!(
                    "the runner {} did not start: {}",
                    runner.label(),
                    result.last_line().unwrap_or_else(|| result.exit_reason.to_string())
                ),
                format!(
                    "No step was committed, and no attempt is used up. Correct {}, then run the same command again.",
                    if runner.is_command() { "its command in git config" } else { "its installation" }
                ),
            )),
            _ => Ok(result),
        }
    }
}

/// Waits. The wall clock tells when a limit has reset, even if the machine was suspended meanwhile. The monotonic clock
/// bounds the wait even if somebody sets the wall clock.
fn wait(run: &RunContext<'_>, job: Assignment<'_>, why: &str, pause: Pause) -> Result<()> {
    let began = Instant::now();
    let Pause { length, until } = pause;
    let ends = began + length;
    let (task, why) = (job.task.id.clone(), why.to_owned());
    run.observer.on(Event::Waits(Wait { task, step: job.step, why, length, until, ends }));
    while Instant::now() < ends && until.is_none_or(|at| Utc::now() < at) {
        run.check_stop()?;
        if let Some(pause) = run.pause_before_step() {
            return Err(Error::new(
                Kind::No,
                format!("the run ended {pause}, while it waited for a runner"),
                "No step was committed, and no attempt is used up. Run the same command again to continue.",
            ));
        }
        std::thread::sleep(TICK.min(ends - Instant::now().min(ends)));
    }
    run.check_stop()
}

fn write_prompt(file: &Path, prompt: &str) -> Result<()> {
    let folder = file.parent().map_or(Ok(()), std::fs::create_dir_all);
    folder
        .and_then(|()| files::replace(file, prompt.as_bytes()))
        .map_err(|error| Error::not_written(file.display(), &error))
}
