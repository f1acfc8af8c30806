//! What works on tasks for a run: processes that this one starts and that report what they do.

use std::path::PathBuf;
use std::time::Duration;

use crate::engine::event::EventLine;
use crate::error::{Error, Result};
use crate::plan::NodeIx;
use crate::process::{Launch, LiveLine};
use crate::record::CommitId;
use crate::run::FailedIntegration;
use crate::scheduler::integrate::Trial;
use crate::suite::TestResults;
use crate::worktree::{Preparation, Slot};

/// Starts workers and hears from them.
pub(crate) trait Workers {
    /// Lets a worker take a task through its steps in a slot, in which the branch of the task is checked out. The slot is
    /// prepared first.
    ///
    /// # Errors
    /// If the worker cannot be started.
    fn start(&mut self, work: TaskWork<'_>) -> Result<()>;

    /// Runs test commands in a slot, which is prepared first.
    fn test(&mut self, job: TestJob);

    /// Waits for the next report, but not longer than this.
    fn wait(&mut self, limit: Duration) -> Option<WorkerReport>;

    /// Asks all workers to end, more urgently each time.
    fn end_all(&mut self);

    /// Others who test parts of a red batch, if there may be any.
    fn helpers(&mut self) -> Option<&mut dyn Helpers>;
}

/// Others who test parts of a red batch. That nobody helps is no error.
pub(crate) trait Helpers {
    /// Offers these tests to them.
    fn offer(&mut self, trials: &[Trial]);

    /// What has come of the offered tests, in their order: whether they have passed, as far as that is known. Waits for those who have
    /// begun, but not for long, and not if nothing more can be learned.
    fn answers(&mut self, is_enough: &mut dyn FnMut(&[Option<bool>]) -> bool);
}

/// The work of a worker.
#[derive(Debug)]
pub(crate) struct TaskWork<'w> {
    /// The task.
    pub(crate) leaf: NodeIx,
    /// Where.
    pub(crate) slot: &'w Slot,
    /// What has to be done there first.
    pub(crate) setup: Option<Setup>,
    /// The tip of the branch of the run.
    pub(crate) onto: CommitId,
    /// What the branch of the task must name; `None` if it is not known, because a worker was interrupted there.
    pub(crate) tip: Option<CommitId>,
    /// Why the task could not be merged, if that is why it is worked on again.
    pub(crate) failure: Option<&'w FailedIntegration>,
}

/// What has to be done in a slot before anything else.
#[derive(Debug)]
pub(crate) struct Setup {
    /// What it is.
    pub(crate) preparation: Preparation,
    /// Shows what it prints.
    pub(crate) live: LiveLine,
}

/// Test commands to be run.
#[derive(Debug)]
pub(crate) struct TestJob {
    /// The commands, and the commit on which they run.
    pub(crate) trial: Trial,
    /// What has to be done in the slot first.
    pub(crate) setup: Option<Setup>,
    /// The folder, and what all programs have in common.
    pub(crate) launch: Launch,
    /// The shell that runs the commands.
    pub(crate) shell: PathBuf,
    /// How long a command may take that has no timeout of its own.
    pub(crate) timeout: Duration,
    /// How often a failed command is run again before it counts as failed.
    pub(crate) confirm: u32,
    /// Shows what the commands print.
    pub(crate) live: LiveLine,
}

/// What a worker reports.
#[derive(Debug)]
pub(crate) enum WorkerReport {
    /// Something has happened.
    Event(Box<EventLine>),
    /// The slot of a task is prepared, and the worker begins.
    Begun(NodeIx),
    /// A worker has ended.
    Ended(WorkerEnd),
    /// Tests have ended.
    Tested(Result<TestResults>),
}

/// The end of a worker.
#[derive(Debug)]
pub(crate) struct WorkerEnd {
    /// The task.
    pub(crate) leaf: NodeIx,
    /// What kept it from working; `None` if the history says how the task ended.
    pub(crate) error: Option<Error>,
    /// Whether something killed it.
    pub(crate) was_killed: bool,
}
