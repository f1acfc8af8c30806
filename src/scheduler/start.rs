//! Starts a scheduler in this work tree: lets several tasks be worked on at the same time, or merges what is finished
//! (docs/parallel.md).

use super::local;
use super::worker::{WorkerCall, WorkerProcesses};
use crate::config::Setting;
use crate::engine::{RunEnd, RunPart, RunScope};
use crate::error::{Error, Kind, Result};
use crate::launch::before_run::Start;
use crate::launch::monitor::events::RunSummary;
use crate::launch::monitor::tally::RunTally;
use crate::launch::run::{perform, work};
use crate::plan::NodeIx;
use crate::report;
use crate::session::{Exit, Session};

/// How workers are called in a run with these options.
///
/// # Errors
/// If this program or git cannot be found.
pub(super) fn worker_call(start: &Start<'_>) -> Result<WorkerCall> {
    let program = start.call.environment.program().ok_or_else(|| {
        let how = "Install it again, then run the same command again.";
        Error::new(Kind::Environment, "this program cannot be found", how)
    })?;
    let program = program.to_owned();
    let mut arguments = start.options.for_workers();
    arguments.extend(["--tree".to_owned(), start.plan.shown.clone()]);
    Ok(WorkerCall { program, arguments, local_env: start.session.git.local_env_vars()? })
}

/// The same for workers in slots of this repository: what `git -c` has set for this call holds for them too. In the clone of a worker,
/// a file has it, without logins.
fn slot_call(start: &Start<'_>) -> Result<WorkerCall> {
    let mut call = worker_call(start)?;
    call.local_env.retain(|name| !name.starts_with("GIT_CONFIG_"));
    Ok(call)
}

/// What a run with several tasks at the same time works on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JobScope<'s> {
    /// Which tasks, and when it stops.
    pub(crate) scope: &'s RunScope,
    /// How many at the same time.
    pub(crate) jobs: u32,
}

/// Works on several tasks at the same time, and reports how the run ended.
///
/// # Errors
/// If anything keeps the run from working.
pub(crate) fn run_jobs(
    start: Start<'_>,
    summary: &mut Option<RunSummary>,
    leaves: &[NodeIx],
    what: JobScope<'_>,
) -> Result<Exit> {
    warn_of_missing_files(start.session)?;
    let workers = WorkerProcesses::new(slot_call(&start)?, &start.plan.tree)?;
    let start = Start { part: &RunPart::Scheduler { jobs: what.jobs }, ..start };
    work(start, summary, leaves, |engine| local::run_jobs(engine, what.scope, what.jobs, workers))
}

/// Merges finished tasks into the branch that is checked out.
///
/// # Errors
/// If anything keeps the run from working.
pub(crate) fn merge_finished(
    start: Start<'_>,
    summary: &mut Option<RunSummary>,
) -> Result<(RunEnd, RunTally)> {
    let workers = WorkerProcesses::new(slot_call(&start)?, &start.plan.tree)?;
    perform(start, summary, &[], |engine| local::merge_finished(engine, workers))
}

/// Folders and files that git usually ignores and without which programs do not run.
const NEEDED: [&str; 5] = ["node_modules", ".venv", "venv", ".env", "vendor"];

/// Warns of ignored files that slots will lack, if the user has not said how slots are prepared.
fn warn_of_missing_files(session: &Session) -> Result<()> {
    let Session { git, config, work_tree, screen, .. } = session;
    let is_prepared = config.optional(Setting::WorktreeSetup).is_some()
        || !config.paths(Setting::WorktreeCopy).is_empty()
        || work_tree.top.join(".worktreeinclude").is_file();
    let there: Vec<&str> = NEEDED.into_iter().filter(|name| work_tree.top.join(name).exists()).collect();
    if is_prepared || there.is_empty() {
        return Ok(());
    }
    let ignored = git.ignored(&there)?;
    let missing: Vec<&str> = there.into_iter().filter(|name| ignored.contains(*name)).collect();
    if let Some(first) = missing.first() {
        report::warn(
            screen,
            &format!(
                "tasks are worked on in other work trees, which will lack {}, because git ignores it; `git config \
                 arborist.worktree.setup COMMAND` installs what they need, and `git config arborist.worktree.copy {first}` copies it",
                report::first_few(missing.iter().copied())
            ),
        );
    }
    Ok(())
}
