//! `git arborist status`: shows the plan with the state of every task.

use std::collections::HashMap;

use clap::Args;

use super::active::Active;
use super::plan_state::PlanState;
use super::{Call, Command, Common, Exit, Group, Session, Summary};
use crate::engine::{RefusedCommit, refused_commits};
use crate::error::Result;
use crate::history::{Picked, PlanAnswer, StepValidity, pick_steps};
use crate::record::{CommitKind, StepFacts, TaskId};
use crate::report::{
    self, Effort, Extent, Progress, RefusedView, RunningStep, Screen, Selection, StatusView, WorkedStep,
};

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

    const MANUAL: &'static str = include_str!("manual/status.md");

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
            let effort = effort(&plan_state)?;
            report::print_document(&StatusView { effort: &effort, ..shown.view(&plan_state) }.document())?;
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

/// What the steps of each task in the run have taken, even those that do not count any more: as stored for this plan and
/// this HEAD, or read from history.
fn effort(plan_state: &PlanState) -> Result<HashMap<TaskId, Effort>> {
    let PlanState { session, run, .. } = plan_state;
    let stored = session.plan_file()?.answer(&session.repository, &session.work_tree, "effort");
    if let Some(effort) = stored.as_ref().and_then(PlanAnswer::get) {
        return Ok(effort);
    }
    let picked = pick_steps(&session.repository, &run.range, |kind, message| match kind {
        CommitKind::Task(id, record) => {
            Some((id.clone(), WorkedStep { record: *record, facts: StepFacts::of(message) }))
        }
        _ => None,
    })?;
    let mut steps: HashMap<TaskId, Vec<WorkedStep>> = HashMap::new();
    for Picked { value: (id, step), validity, .. } in picked {
        if validity != StepValidity::Outdated {
            steps.entry(id).or_default().push(step);
        }
    }
    let of_task = |(id, mut steps): (TaskId, Vec<WorkedStep>)| {
        // They were read newest first.
        steps.reverse();
        (id, Effort::of(&steps))
    };
    let effort = steps.into_iter().map(of_task).collect();
    if let Some(stored) = stored {
        stored.keep(&effort);
    }
    Ok(effort)
}

/// The whole tree as text, as other commands show it too.
pub(super) fn text(plan_state: &PlanState, screen: &Screen) -> Result<String> {
    let surroundings = Surroundings::of(plan_state)?;
    let view = StatusView { selection: Selection::Plan(Extent::Everything), ..surroundings.view(plan_state) };
    Ok(view.text(screen))
}

/// What is shown besides the history.
struct Surroundings {
    folder: String,
    branch: Option<String>,
    refused: Vec<RefusedView>,
    active: Active,
    running: Vec<RunningStep>,
    /// Only the JSON document tells what the steps have taken.
    no_effort: HashMap<TaskId, Effort>,
}

impl Surroundings {
    fn of(plan_state: &PlanState) -> Result<Self> {
        let Session { git, repository, work_tree, .. } = &plan_state.session;
        let refused = |RefusedCommit { commit, what, help }| RefusedView { commit, what, help };
        let active = Active::of(work_tree);
        Ok(Self {
            folder: plan_state.session.folder_name(),
            // Without a branch, there is only a name less.
            branch: repository.branch().ok().map(|head| head.branch_name().to_owned()),
            refused: refused_commits(git, repository, work_tree)?.into_iter().map(refused).collect(),
            running: active.running(&plan_state.plan.tree, plan_state.now),
            active,
            no_effort: HashMap::new(),
        })
    }

    fn view<'a>(&'a self, plan_state: &'a PlanState) -> StatusView<'a> {
        StatusView {
            plan_view: plan_state.plan_view().with_presence(self.active.presence(&self.running)),
            folder: &self.folder,
            tree_file: &plan_state.plan.shown,
            branch: self.branch.as_deref(),
            head: plan_state.run.range.head(),
            anchor: plan_state.run.range.anchor(),
            marked: &plan_state.run.phases,
            doubts: &plan_state.run.doubts,
            refused: &self.refused,
            effort: &self.no_effort,
            runs: &self.active.runs,
            selection: Selection::Plan(Extent::Lines(LINES)),
        }
    }
}
