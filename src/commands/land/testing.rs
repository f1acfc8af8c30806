//! Runs the tests of tasks on commits.

use crate::audit::proving::Proving;
use crate::error::{Error, Result};
use crate::launch::confirmation::Confirmation;
use crate::process::{Cancel, CancelLevel, StopSignals};
use crate::record::{AwaitedTests, CommitId, TaskId};
use crate::run::Plan;
use crate::session::{Call, Session};
use crate::trust::prove::{ProofRunReport, ProofSubject};

/// A task, and the commit on which its tests run.
pub(super) struct TestedTask {
    pub(super) task: TaskId,
    pub(super) subject: ProofSubject,
}

impl TestedTask {
    /// The tests of a task at a commit, where these may fail; `None` if it has none.
    pub(super) fn at(plan: &Plan, task: &TaskId, commit: CommitId, awaited: &AwaitedTests) -> Option<Self> {
        let leaf = plan.tree.find(task.as_str())?;
        let (expect, commands) = (plan.tree.expect(leaf), plan.tree.node(leaf).test_commands.clone());
        let subject =
            ProofSubject { expect, awaited: awaited.clone(), ..ProofSubject::of_commit(commit, commands) };
        (!subject.commands.is_empty()).then(|| Self { task: task.clone(), subject })
    }
}

/// The tests to run.
pub(super) struct TasksToTest<'a> {
    pub(super) call: &'a Call,
    pub(super) session: &'a Session,
    pub(super) plan: &'a Plan,
    pub(super) subjects: Vec<TestedTask>,
    /// Whether the commands are confirmed, and otherwise whether somebody can be asked.
    pub(super) yes: bool,
    pub(super) may_ask: bool,
}

impl TasksToTest<'_> {
    /// Runs tests, after the user has confirmed the commands of a plan from elsewhere, and tells how each task was.
    pub(super) fn run(self, mut seen: impl FnMut(&TestedTask, &ProofRunReport)) -> Result<()> {
        let Self { call, session, plan, subjects, yes, may_ask } = self;
        let confirmation = Confirmation { session, plan, yes, may_ask };
        let commands = subjects.iter().flat_map(|one| {
            one.subject.commands.iter().map(|test| (test.command.as_str(), one.task.as_str()))
        });
        confirmation.obtain_for(commands)?;
        let cancel = Cancel::new();
        let signals = StopSignals::watch(&cancel)?;
        let mut proving = Proving::new(session, call, &cancel)?;
        for one in &subjects {
            let report =
                proving.test(one.task.as_str(), &one.subject).map_err(|error| match cancel.level() {
                    CancelLevel::None => call.mask_error(&error),
                    _ => Error::stopped(signals.last(), "Nothing was landed. The same command begins again."),
                })?;
            seen(one, &report);
        }
        Ok(())
    }
}
