//! Lets several tasks be worked on at the same time: starts workers, and passes on what they report (docs/parallel.md).
//!
//! There are no threads over shared state: the threads here only wait for a process each, and send messages.

mod events;
mod setups;
mod tests_job;
mod worker;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use self::setups::Setups;
pub(super) use self::worker::{WorkerCall, WorkerNews, WorkerTask};
use crate::config::Setting;
use crate::engine::{
    FailedIntegration, IntegrationFailure, ParallelRun, RunPart, RunScope, TaskWork, TestJob, WorkerEnd,
    WorkerReport, Workers,
};
use crate::error::{Error, Kind, Result};
use crate::files;
use crate::git::WorkTree;
use crate::launch::monitor::events::RunSummary;
use crate::launch::perform::work;
use crate::launch::start::Start;
use crate::plan::{NodeIx, TaskTree};
use crate::process::Companion;
use crate::report;
use crate::session::{Exit, Session};

/// The workers of a run.
pub(super) struct JobWorkers<'a> {
    call: WorkerCall,
    tree: &'a TaskTree,
    workers: HashMap<NodeIx, Companion>,
    setups: Setups,
    /// The tasks whose slots are being prepared.
    waiting: HashMap<NodeIx, WorkerTask>,
    sender: Sender<Message>,
    receiver: Receiver<Message>,
}

/// What threads send.
#[derive(Debug)]
enum Message {
    /// Something that the run has to know.
    Report(WorkerReport),
    /// The slot of a task was prepared, or could not be.
    Prepared { leaf: NodeIx, result: Result<()> },
}

impl<'a> JobWorkers<'a> {
    /// Workers with the options of this run.
    ///
    /// # Errors
    /// If this program or git cannot be found.
    pub(super) fn of(start: &Start<'a>) -> Result<Self> {
        let (sender, receiver) = channel();
        let call = worker_call(start)?;
        Ok(Self {
            call,
            tree: &start.plan.tree,
            workers: HashMap::new(),
            setups: Setups::new(),
            waiting: HashMap::new(),
            sender,
            receiver,
        })
    }

    /// Starts the worker of a task, whose slot is prepared.
    fn begin(&mut self, leaf: NodeIx, task: &WorkerTask) -> Result<()> {
        let sender = self.sender.clone();
        let worker = self.call.start(task, move |news| {
            let report = match news {
                WorkerNews::Event(event) => WorkerReport::Event(event),
                WorkerNews::Ended { error, was_killed } => {
                    WorkerReport::Ended(WorkerEnd { leaf, error, was_killed })
                }
            };
            // If nobody listens any more, this process ends.
            let _ = sender.send(Message::Report(report));
        })?;
        self.workers.insert(leaf, worker);
        Ok(())
    }

    /// Starts the worker of a task whose slot was prepared. Returns what there is to report.
    fn prepared(&mut self, leaf: NodeIx, result: Result<()>) -> WorkerReport {
        let task = self.waiting.remove(&leaf).expect("only slots of tasks that wait are prepared");
        match result.and_then(|()| self.begin(leaf, &task)) {
            Ok(()) => WorkerReport::Begun(leaf),
            Err(error) => WorkerReport::Ended(WorkerEnd { leaf, error: Some(error), was_killed: false }),
        }
    }
}

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

/// What a run with several tasks at the same time works on.
#[derive(Clone, Copy, Debug)]
pub(super) struct JobScope<'s> {
    /// Which tasks, and when it stops.
    pub(super) scope: &'s RunScope,
    /// How many at the same time.
    pub(super) jobs: u32,
}

/// Works on several tasks at the same time, and reports how the run ended.
///
/// # Errors
/// If anything keeps the run from working.
pub(super) fn run_jobs(
    start: Start<'_>,
    summary: &mut Option<RunSummary>,
    leaves: &[NodeIx],
    what: JobScope<'_>,
) -> Result<Exit> {
    warn_of_missing_files(start.session)?;
    let mut workers = JobWorkers::of(&start)?;
    let start = Start { part: &RunPart::Scheduler { jobs: what.jobs }, ..start };
    work(start, summary, leaves, |engine| engine.run_jobs(what.scope, what.jobs, &mut workers))
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
                "tasks are worked on in further work trees, which will not have {}, because git ignores it; `git config \
                 arborist.worktree.setup COMMAND` installs what they need, and `git config arborist.worktree.copy {first}` copies it",
                report::first_few(missing.iter().copied())
            ),
        );
    }
    Ok(())
}

/// What [`write_failure`] has written.
pub(super) fn read_failure(path: &Path) -> Option<IntegrationFailure> {
    serde_json::from_slice(&files::read(path, files::LARGE).ok()?).ok()
}

/// Writes down why a task could not be merged, for its worker. A file that is lost only costs the worker the output of the
/// tests.
///
/// # Errors
/// If it cannot be written.
pub(super) fn write_failure(work_tree: &WorkTree, failed: &FailedIntegration) -> Result<PathBuf> {
    let folder = work_tree.git_dir.join("arborist");
    let path = folder.join("not-merged.json");
    let text = serde_json::to_string(&failed.why).expect("texts can be written as JSON");
    let written = std::fs::create_dir_all(folder).and_then(|()| files::replace(&path, text.as_bytes()));
    written.map_err(|error| Error::not_written(path.display(), &error))?;
    Ok(path)
}

impl Workers for JobWorkers<'_> {
    fn start(&mut self, work: TaskWork<'_>) -> Result<()> {
        let TaskWork { leaf, slot, setup, onto, tip, failure } = work;
        let failure = failure.map(|failed| write_failure(&slot.work_tree, failed)).transpose()?;
        let id = self.tree.node(leaf).id.to_string();
        let task =
            WorkerTask { id, onto, tip, failure, slot: slot.number, folder: slot.work_tree.top.clone() };
        let sender = self.sender.clone();
        let send = move |message| {
            let _ = sender.send(message);
        };
        match setup {
            None => {
                self.begin(leaf, &task)?;
                send(Message::Report(WorkerReport::Begun(leaf)));
            }
            Some(setup) => {
                self.waiting.insert(leaf, task);
                self.setups.add(setup, move |result| send(Message::Prepared { leaf, result }));
            }
        }
        Ok(())
    }

    fn test(&mut self, mut job: TestJob) {
        let setup = job.setup.take();
        let sender = self.sender.clone();
        let send = move |results| {
            let _ = sender.send(Message::Report(WorkerReport::Tested(results)));
        };
        let run = move |prepared: Result<()>| match prepared {
            Ok(()) => drop(std::thread::spawn(move || send(tests_job::run(job)))),
            Err(error) => send(Err(error)),
        };
        match setup {
            None => run(Ok(())),
            Some(setup) => self.setups.add(setup, run),
        }
    }

    fn wait(&mut self, limit: Duration) -> Option<WorkerReport> {
        let report = match self.receiver.recv_timeout(limit) {
            Ok(Message::Report(report)) => report,
            Ok(Message::Prepared { leaf, result }) => self.prepared(leaf, result),
            // It is never disconnected: this holds a sender itself.
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return None,
        };
        if let WorkerReport::Ended(end) = &report {
            self.workers.remove(&end.leaf);
        }
        Some(report)
    }

    fn end_all(&mut self) {
        self.setups.end();
        self.workers.values().for_each(Companion::end);
    }
}
