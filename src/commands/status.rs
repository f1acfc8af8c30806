//! `git arborist status`: shows the plan with the state of every task.

use std::collections::HashMap;

use clap::Args;

use super::plan_state::PlanState;
use super::{Call, Command, Common, Exit, Group, Session, Summary};
use crate::engine::{Journal, RefusedCommit, refused_commits};
use crate::error::Result;
use crate::git::WorkTree;
use crate::history::{Picked, PlanAnswer, StepValidity, pick_steps};
use crate::record::{CommitKind, StepFacts, TaskId, UsageTotal};
use crate::report::{self, Extent, Progress, RefusedView, RunAtWork, Screen, Selection, StatusView};
use crate::worktree::{ActiveRun, active_runs};

/// How many lines of the tree are shown unless all are asked for. A longer list is not read but searched.
const LINES: usize = 40;

/// Arguments of `git arborist status`.
#[derive(Args, Debug)]
pub struct Status {
    /// Show every task, even in phases that are finished
    #[arg(short, long, conflicts_with_all = ["short", "json"])]
    all: bool,

    /// Print one line, for example for a shell prompt
    #[arg(short, long, conflicts_with = "json")]
    short: bool,

    /// Print one JSON document
    #[arg(long)]
    json: bool,

    /// Print plain ASCII without colours
    #[arg(long, conflicts_with = "json")]
    plain: bool,

    #[command(flatten)]
    common: Common,
}

impl Command for Status {
    const SUMMARY: Summary = Summary {
        name: "status",
        group: Group::Inspect,
        about: "show the plan with the state of every task",
    };

    fn common(&self) -> &Common {
        &self.common
    }

    fn run(self, call: &Call) -> Result<Exit> {
        if self.short {
            return self.run_short(call);
        }
        let plan_state = PlanState::open(call)?;
        let shown = Surroundings::of(&plan_state)?;
        if self.json {
            let usage = usage(&plan_state)?;
            report::print_document(&StatusView { usage: &usage, ..shown.view(&plan_state) }.document())?;
        } else {
            let extent = if self.all { Extent::Everything } else { Extent::Lines(LINES) };
            let view = StatusView { selection: Selection::Plan(extent), ..shown.view(&plan_state) };
            report::print(&view.text(&self.screen(&plan_state.session)))?;
        }
        Ok(Exit::Done)
    }
}

impl Status {
    fn screen(&self, session: &Session) -> Screen {
        if self.plain { session.screen.plain() } else { session.screen }
    }

    /// Prints one line. A shell may ask for it before every prompt, so the answer is stored.
    fn run_short(&self, call: &Call) -> Result<Exit> {
        let session = Session::open(call, Vec::new())?;
        let screen = self.screen(&session);
        report::print(&progress(session)?.line(&screen))?;
        Ok(Exit::Done)
    }
}

/// How far the plan has come, as stored for this plan and this HEAD, or read from history.
fn progress(session: Session) -> Result<Progress> {
    let file = session.plan_file()?;
    let stored = file.answer(&session.repository, &session.work_tree, "progress");
    if let Some(progress) = stored.as_ref().and_then(PlanAnswer::get) {
        return Ok(progress);
    }
    let plan = session.plan_in(file)?;
    let plan_state = PlanState::of(session, plan)?;
    let progress = Progress::of(&plan_state.plan_view());
    // Otherwise the warnings would be printed only the first time.
    if let (Some(stored), true) = (stored, plan_state.plan.warnings.is_empty()) {
        stored.keep(&progress);
    }
    Ok(progress)
}

/// What the steps of each task in the run have used, even those that do not count any more: as stored for this plan and
/// this HEAD, or read from history.
fn usage(plan_state: &PlanState) -> Result<HashMap<TaskId, UsageTotal>> {
    let PlanState { session, run, .. } = plan_state;
    let stored = session.plan_file()?.answer(&session.repository, &session.work_tree, "usage");
    if let Some(usage) = stored.as_ref().and_then(PlanAnswer::get) {
        return Ok(usage);
    }
    let steps = pick_steps(&session.repository, &run.range, |kind, message| match kind {
        CommitKind::Task(id, record) if record.step.role().is_some() => {
            Some((id.clone(), *record, StepFacts::of(message).usage))
        }
        _ => None,
    })?;
    let mut usage: HashMap<TaskId, UsageTotal> = HashMap::new();
    for Picked { value: (id, record, used), validity, .. } in steps {
        if validity != StepValidity::Outdated {
            usage.entry(id).or_default().add(&record, used);
        }
    }
    if let Some(stored) = stored {
        stored.keep(&usage);
    }
    Ok(usage)
}

/// The whole tree as text, as other commands show it too.
pub(super) fn text(plan_state: &PlanState, screen: &Screen) -> Result<String> {
    let surroundings = Surroundings::of(plan_state)?;
    let view = StatusView { selection: Selection::Plan(Extent::Everything), ..surroundings.view(plan_state) };
    Ok(view.text(screen))
}

/// The messages that are shown besides the history.
struct Surroundings {
    folder: String,
    refused: Vec<RefusedView>,
    runs: Vec<RunAtWork>,
    /// Only the JSON document tells what was used.
    no_usage: HashMap<TaskId, UsageTotal>,
}

impl Surroundings {
    fn of(plan_state: &PlanState) -> Result<Self> {
        let Session { git, repository, work_tree, .. } = &plan_state.session;
        let refused = |RefusedCommit { commit, what, help }| RefusedView { commit, what, help };
        Ok(Self {
            folder: folder_of(plan_state),
            refused: refused_commits(git, repository, work_tree)?.into_iter().map(refused).collect(),
            runs: active_runs(work_tree).into_iter().map(|run| at_work(run, work_tree)).collect(),
            no_usage: HashMap::new(),
        })
    }

    fn view<'a>(&'a self, plan_state: &'a PlanState) -> StatusView<'a> {
        StatusView {
            plan_view: plan_state.plan_view(),
            folder: &self.folder,
            tree_file: &plan_state.plan.shown,
            head: plan_state.run.range.head(),
            anchor: plan_state.run.range.anchor(),
            marked: &plan_state.run.phases,
            doubts: &plan_state.run.doubts,
            refused: &self.refused,
            usage: &self.no_usage,
            runs: &self.runs,
            running: &[],
            selection: Selection::Plan(Extent::Lines(LINES)),
        }
    }
}

/// A run that is at work, and the step that its journal names. The journal may still be that of an earlier run.
fn at_work(run: ActiveRun, work_tree: &WorkTree) -> RunAtWork {
    let named = RunAtWork::named(&run.shown);
    let journal = Journal::read(&run.git_dir);
    let is_its_own = journal.run.is_some_and(|entry| Some(entry.pid) == named.process);
    let unit = journal.unit.filter(|_| is_its_own).map(|stored| stored.unit);
    RunAtWork {
        work_tree: run.top.map(|top| crate::text::one_line(&top.to_string_lossy())),
        here: run.git_dir == work_tree.git_dir,
        killed: run.was_killed,
        task: unit.as_ref().map(|unit| unit.task.to_string()),
        step: unit.as_ref().map(|unit| unit.step.word()),
        attempt: unit.as_ref().map(|unit| unit.attempt.number),
        ..named
    }
}

fn folder_of(plan_state: &PlanState) -> String {
    let top = plan_state.session.work_tree.top.file_name().unwrap_or_default().to_string_lossy();
    crate::text::one_line(&top)
}
