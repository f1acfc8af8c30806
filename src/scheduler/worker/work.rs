//! What the workers of a run are given to do, and what they report.

use std::path::PathBuf;
use std::time::Duration;

use crate::engine::event::EventLine;
use crate::error::{Error, Result};
use crate::plan::NodeIx;
use crate::process::{Launch, LiveLine};
use crate::record::CommitId;
use crate::run::{FailedIntegration, KnownBefore};
use crate::scheduler::integrate::Trial;
use crate::suite::TestResults;
use crate::worktree::{Preparation, Slot};

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
    /// What is known of its tests.
    pub(crate) known: KnownBefore,
}

/// What has to be done in a slot before anything else.
#[derive(Debug)]
pub(crate) struct Setup {
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

#[derive(Debug)]
pub(crate) enum WorkerReport {
    /// Something has happened.
    Event(Box<EventLine>),
    /// The slot of a task is prepared, and the worker begins.
    Begun(NodeIx),
    Ended(WorkerEnd),
    /// Tests have ended.
    Tested(Result<TestResults>),
}

#[derive(Debug)]
pub(crate) struct WorkerEnd {
    /// The task.
    pub(crate) leaf: NodeIx,
    /// What kept it from working; `None` if the history says how the task ended.
    pub(crate) error: Option<Error>,
    /// Whether something killed it.
    pub(crate) was_killed: bool,
}
