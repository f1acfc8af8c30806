//! The commands that are at work in a repository, and the steps that they are in.

use std::path::Path;
use std::time::Duration;

use chrono::{DateTime, Utc};

use crate::files;
use crate::git::WorkTree;
use crate::plan::TaskTree;
use crate::report::{AccountLeftAlone, Presence, RunAtWork, RunningStep, WaitAtWork};
use crate::run::{BRANCH_FOLDER, JournalView, LeftAlone, StepInProgress, WaitingRun, as_part};
use crate::worktree::{ActiveRun, active_runs};

/// What is at work now.
#[derive(Clone, Debug, Default)]
pub(crate) struct Active {
    /// The commands, that of this work tree first.
    pub(crate) runs: Vec<RunAtWork>,
    /// The steps that the run of this work tree is in, and those in slots.
    steps: Vec<ActiveStep>,
}

/// A step that is running.
#[derive(Clone, Debug)]
struct ActiveStep {
    unit: StepInProgress,
    slot: Option<u32>,
    /// The branch of a slot, without `refs/heads/`.
    branch: Option<String>,
}

impl Active {
    /// Looks at the locks and journals of all work trees of the repository.
    pub(crate) fn of(work_tree: &WorkTree) -> Self {
        let mut active = Self::default();
        for run in active_runs(work_tree) {
            let is_here = run.git_dir == work_tree.git_dir;
            let journal = journal_of(&run);
            active.runs.push(at_work(&run, is_here, &journal));
            if let Some(unit) = journal.unit.filter(|_| is_here || run.slot.is_some()) {
                let slot = run.slot.filter(|_| !is_here);
                let branch = slot.and_then(|_| branch_in(&run.git_dir));
                active.steps.push(ActiveStep { unit, slot, branch });
            }
        }
        active
    }

    /// The steps of this plan that are running, at the time `now` in seconds since the epoch.
    pub(crate) fn running(&self, tree: &TaskTree, now: i64) -> Vec<RunningStep> {
        let folder = format!("{BRANCH_FOLDER}/{}/", as_part(tree.spec_id().unwrap_or_default()));
        let running = |ActiveStep { unit: StepInProgress { unit, began, .. }, slot, branch }: &ActiveStep| {
            // Another run in this repository may use slots for another plan.
            let is_of_plan = branch.as_ref().is_none_or(|name| name.starts_with(&folder));
            let elapsed = Duration::from_secs(u64::try_from(now.saturating_sub(*began)).unwrap_or(0));
            let unit = &unit.begun;
            Some(RunningStep {
                node: tree.find(unit.task.as_str()).filter(|_| is_of_plan)?,
                step: unit.step,
                attempt: unit.step.is_part_of_an_attempt().then_some(unit.attempt),
                elapsed,
                slot: *slot,
                is_before_work: false,
            })
        };
        self.steps.iter().filter_map(running).collect()
    }

    /// Whether a run is at work in this work tree, in these steps.
    pub(crate) fn presence<'r>(&self, running: &'r [RunningStep]) -> Presence<'r> {
        if self.runs.iter().any(|run| run.here && !run.killed) {
            Presence::AtWork(running)
        } else {
            Presence::Stopped
        }
    }
}

/// What the journal says of a run. It may still be that of an earlier one, and that of a dead one says only what it was doing when it
/// died.
fn journal_of(run: &ActiveRun) -> JournalView {
    let process = RunAtWork::named(&run.shown).process;
    let journal = JournalView::read(&run.git_dir);
    let is_its_own = !run.was_killed && journal.run.as_ref().is_some_and(|entry| Some(entry.pid) == process);
    if is_its_own { journal } else { JournalView::default() }
}

/// A moment as the document has it; `None` beyond the years that it can write.
fn moment(seconds: i64) -> Option<String> {
    Some(DateTime::from_timestamp(seconds, 0)?.to_rfc3339())
}

/// The branch that is checked out in the work tree with this git directory, without `refs/heads/`.
fn branch_in(git_dir: &Path) -> Option<String> {
    let head = files::read(&git_dir.join("HEAD"), files::LARGE).ok()?;
    let name = String::from_utf8(head).ok()?;
    Some(name.trim_end().strip_prefix("ref: refs/heads/")?.to_owned())
}

fn at_work(run: &ActiveRun, is_here: bool, journal: &JournalView) -> RunAtWork {
    let unit = journal.unit.as_ref().map(|step| &step.unit.begun);
    let attempt = unit.filter(|unit| unit.step.is_part_of_an_attempt()).map(|unit| unit.attempt);
    let now = Utc::now().timestamp();
    let left_alone = journal.left_alone.iter().filter(|one| one.until.is_none_or(|until| now < until));
    let shown = |LeftAlone { account, reason, until }: &LeftAlone| AccountLeftAlone {
        account: account.clone(),
        reason: reason.clone(),
        until: until.and_then(moment),
    };
    let wait = |WaitingRun { reason, until }: &WaitingRun| {
        Some(WaitAtWork { reason: reason.clone(), until: moment(*until)? })
    };
    RunAtWork {
        work_tree: run.top.as_ref().map(|top| crate::text::one_line(&top.to_string_lossy())),
        here: is_here,
        slot: run.slot,
        host: run.host.clone(),
        killed: run.was_killed,
        task: unit.map(|unit| unit.task.to_string()),
        step: unit.map(|unit| unit.step.word()),
        attempt: attempt.map(|attempt| attempt.number),
        max_attempts: attempt.map(|attempt| attempt.max),
        step_since: journal.unit.as_ref().and_then(|step| moment(step.began)),
        left_alone: left_alone.map(shown).collect(),
        waits: journal.waits.as_ref().and_then(wait),
        ..RunAtWork::named(&run.shown)
    }
}
