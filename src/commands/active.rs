//! The commands that are at work in a repository, and the steps that they are in.

use std::time::Duration;

use chrono::DateTime;

use crate::engine::{Journal, StoredUnit};
use crate::git::WorkTree;
use crate::plan::TaskTree;
use crate::report::{Presence, RunAtWork, RunningStep};
use crate::worktree::{ActiveRun, active_runs};

/// What is at work now.
#[derive(Clone, Debug, Default)]
pub(super) struct Active {
    /// The commands, that of this work tree first.
    pub(super) runs: Vec<RunAtWork>,
    /// The step that the run of this work tree is in.
    step: Option<StoredUnit>,
}

impl Active {
    /// Looks at the locks and journals of all work trees of the repository.
    pub(super) fn of(work_tree: &WorkTree) -> Self {
        let mut active = Self::default();
        for run in active_runs(work_tree) {
            let is_here = run.git_dir == work_tree.git_dir;
            let step = step_of(&run);
            active.runs.push(at_work(&run, is_here, step.as_ref()));
            if is_here {
                active.step = step;
            }
        }
        active
    }

    /// The steps of this plan that are running, at the time `now` in seconds since the epoch.
    pub(super) fn running(&self, tree: &TaskTree, now: i64) -> Vec<RunningStep> {
        let running = |StoredUnit { unit, began, .. }: &StoredUnit| {
            let elapsed =
                |began: i64| Duration::from_secs(u64::try_from(now.saturating_sub(began)).unwrap_or(0));
            Some(RunningStep {
                node: tree.find(unit.task.as_str())?,
                step: unit.step,
                attempt: unit.step.is_part_of_an_attempt().then_some(unit.attempt),
                elapsed: began.map(elapsed),
            })
        };
        self.step.as_ref().and_then(running).into_iter().collect()
    }

    /// Whether a run is at work in this work tree, in these steps.
    pub(super) fn presence<'r>(&self, running: &'r [RunningStep]) -> Presence<'r> {
        if self.runs.iter().any(|run| run.here && !run.killed) {
            Presence::AtWork(running)
        } else {
            Presence::Stopped
        }
    }
}

/// The step that a run is in. The journal may still be that of an earlier run, and that of a dead one says only what it
/// was doing when it died.
fn step_of(run: &ActiveRun) -> Option<StoredUnit> {
    let process = RunAtWork::named(&run.shown).process;
    let journal = Journal::read(&run.git_dir);
    let is_its_own = !run.was_killed && journal.run.is_some_and(|entry| Some(entry.pid) == process);
    journal.unit.filter(|_| is_its_own)
}

fn at_work(run: &ActiveRun, is_here: bool, step: Option<&StoredUnit>) -> RunAtWork {
    let unit = step.map(|step| &step.unit);
    let attempt = unit.filter(|unit| unit.step.is_part_of_an_attempt()).map(|unit| unit.attempt);
    let began = step.and_then(|step| DateTime::from_timestamp(step.began?, 0));
    RunAtWork {
        work_tree: run.top.as_ref().map(|top| crate::text::one_line(&top.to_string_lossy())),
        here: is_here,
        host: run.host.clone(),
        killed: run.was_killed,
        task: unit.map(|unit| unit.task.to_string()),
        step: unit.map(|unit| unit.step.word()),
        attempt: attempt.map(|attempt| attempt.number),
        max_attempts: attempt.map(|attempt| attempt.max),
        step_since: began.map(|began| began.to_rfc3339()),
        ..RunAtWork::named(&run.shown)
    }
}
