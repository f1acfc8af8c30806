//! The workers of a run on this machine: processes of this program, each of which takes one task through its steps in a slot.
//!
//! There are no threads over shared state: the threads here only wait for a process each, and send messages.

mod call;
mod setups;
mod work;

use std::collections::HashMap;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use self::setups::Setups;
use crate::error::{Error, Kind, Result};
use crate::plan::{NodeIx, TaskTree};
use crate::process::Companion;
use crate::record::TaskId;
use crate::suite::{TestResults, TestRunner, Unheard};

pub(crate) use self::call::{Told, WorkerCall, WorkerNews, WorkerTask};
pub(crate) use self::work::{Setup, TaskWork, TestJob, WorkerEnd, WorkerReport};

/// The workers of a run.
pub(crate) struct WorkerProcesses<'a> {
    call: WorkerCall,
    tree: &'a TaskTree,
    workers: HashMap<NodeIx, Companion>,
    setups: Setups,
    /// The tasks whose slots are being prepared.
    waiting: HashMap<NodeIx, WorkerTask>,
    sender: Sender<ThreadMessage>,
    receiver: Receiver<ThreadMessage>,
}

/// What threads send.
#[derive(Debug)]
enum ThreadMessage {
    /// Something that the run has to know.
    Report(WorkerReport),
    /// The slot of a task was prepared, or could not be.
    Prepared { leaf: NodeIx, result: Result<()> },
}

impl<'a> WorkerProcesses<'a> {
    /// No workers yet. Those for the tasks of this plan are called like this.
    ///
    /// # Errors
    /// If the machine is short of threads.
    pub(crate) fn new(call: WorkerCall, tree: &'a TaskTree) -> Result<Self> {
        let (sender, receiver) = channel();
        Ok(Self {
            call,
            tree,
            workers: HashMap::new(),
            setups: Setups::new()?,
            waiting: HashMap::new(),
            sender,
            receiver,
        })
    }

    /// Starts the worker of a task, whose slot is prepared.
    fn begin(&mut self, leaf: NodeIx, task: &WorkerTask) -> Result<()> {
        let sender = self.sender.clone();
        let (folder, id) = (task.folder.clone(), self.tree.node(leaf).id.clone());
        let worker = self.call.start(task, move |news| {
            let report = match news {
                WorkerNews::Event(event) => WorkerReport::Event(event),
                WorkerNews::Ended { error, was_killed, .. } => {
                    // The worker can only say that it does not find its folder.
                    let error =
                        error.map(|error| if folder.is_dir() { error } else { removed(&folder, &id) });
                    WorkerReport::Ended(WorkerEnd { leaf, error, was_killed })
                }
            };
            // Without a receiver, this process is about to end.
            let _ = sender.send(ThreadMessage::Report(report));
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

    /// Lets a worker take a task through its steps in a slot, in which the branch of the task is checked out. The slot is
    /// prepared first.
    ///
    /// # Errors
    /// If the worker cannot be started.
    pub(crate) fn start(&mut self, work: TaskWork<'_>) -> Result<()> {
        let leaf = work.leaf;
        let task = WorkerTask::of(&self.tree.node(leaf).id, &work)?;
        let sender = self.sender.clone();
        let send = move |message| {
            // Without a receiver, this process is about to end.
            let _ = sender.send(message);
        };
        match work.setup {
            None => {
                self.begin(leaf, &task)?;
                send(ThreadMessage::Report(WorkerReport::Begun(leaf)));
            }
            Some(setup) => {
                self.waiting.insert(leaf, task);
                self.setups.add(setup, move |result| send(ThreadMessage::Prepared { leaf, result }));
            }
        }
        Ok(())
    }

    /// Runs test commands in a slot, which is prepared first.
    pub(crate) fn test(&self, mut job: TestJob) {
        let setup = job.setup.take();
        let sender = self.sender.clone();
        let send = move |results| {
            // Without a receiver, this process is about to end.
            let _ = sender.send(ThreadMessage::Report(WorkerReport::Tested(results)));
        };
        let run = move |prepared: Result<()>| match prepared {
            Ok(()) => drop(std::thread::spawn(move || send(run_tests(job)))),
            Err(error) => send(Err(error)),
        };
        match setup {
            None => run(Ok(())),
            Some(setup) => self.setups.add(setup, run),
        }
    }

    /// Waits for the next report, but not longer than this.
    pub(crate) fn wait(&mut self, limit: Duration) -> Option<WorkerReport> {
        let report = match self.receiver.recv_timeout(limit) {
            Ok(ThreadMessage::Report(report)) => report,
            Ok(ThreadMessage::Prepared { leaf, result }) => self.prepared(leaf, result),
            // It is never disconnected: this holds a sender itself.
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return None,
        };
        if let WorkerReport::Ended(end) = &report {
            self.workers.remove(&end.leaf);
        }
        Some(report)
    }

    /// Asks all workers to end, more urgently each time.
    pub(crate) fn end_all(&self) {
        self.setups.end();
        self.workers.values().for_each(Companion::end);
    }
}

/// Runs test commands to their end, in a slot that is prepared.
///
/// # Errors
/// If they could not be started, or the user asks to stop.
fn run_tests(job: TestJob) -> Result<TestResults> {
    let TestJob { trial, launch, shell, timeout, confirm, live, .. } = job;
    let runner = TestRunner { launch, shell, timeout, confirm, live, listener: &Unheard, diff: None };
    runner.run(&trial.commands)
}
/// The error for a slot that is not there any more.
fn removed(slot: &Path, task: &TaskId) -> Error {
    Error::new(
        Kind::Repository,
        format!("the slot {} was removed while {task} was at work in it", slot.display()),
        "Every finished step is committed. Run the same command again: it makes the slot again.",
    )
}
