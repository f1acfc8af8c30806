//! `git arborist show`: shows one task with all its attempts, or a parent with its tasks.

use std::num::NonZeroU32;
use std::time::Duration;

use clap::Args;

use crate::error::{Error, Kind, Result};
use crate::history::read_steps;
use crate::inspect::active::Active;
use crate::inspect::effort::effort;
use crate::inspect::follow::{Followed, raw_output};
use crate::inspect::steps::{has_end, view_of};
use crate::plan::NodeIx;
use crate::record::CommitId;
use crate::report::{self, Known, Printed, StepView, json_document};
use crate::run::LandedTasks;
use crate::session::plan_state::PlanState;
use crate::session::{Call, Command, Exit, Group, Summary};
use crate::text::advice;

/// The time between two looks at the agents that are followed.
const POLL: Duration = Duration::from_millis(250);

/// Arguments of `git arborist show`.
#[derive(Args, Debug)]
pub struct Show {
    /// The task or phase to show; with `--follow`, the task whose agent is followed [default: all agents]
    #[arg(value_name = "TASK", required_unless_present = "follow")]
    task: Option<String>,

    /// Follow the agents at work in another terminal, until the run has ended
    #[arg(short, long, conflicts_with_all = ["raw", "json"])]
    follow: bool,

    /// Show what the agents printed, as far as it is kept
    #[arg(long, conflicts_with = "json")]
    raw: bool,

    /// Only of this attempt, counted from 1
    #[arg(long, value_name = "N", requires = "raw")]
    attempt: Option<NonZeroU32>,

    /// Print one JSON document
    #[arg(long)]
    json: bool,

    /// Print plain ASCII without colours
    #[arg(long, conflicts_with = "json")]
    plain: bool,
}

impl Command for Show {
    const SUMMARY: Summary =
        Summary { name: "show", group: Group::Inspect, about: "show one task with all its attempts" };

    const MANUAL: &'static str = include_str!("manual/show.md");

    fn run(self, call: &Call) -> Result<Exit> {
        let plan_state = PlanState::open(call)?;
        if self.follow {
            return follow(call, &plan_state, self.task.as_deref());
        }
        let task = self.task.as_deref().expect("without --follow, it is required");
        let screen = plan_state.session.screen;
        let screen = if self.plain { screen.plain() } else { screen };
        let tree = &plan_state.plan.tree;
        let active = Active::of(&plan_state.session.work_tree);
        let running = active.running(tree, plan_state.now);
        let presence = active.presence(&running);
        if self.raw {
            let id = &tree.node(plan_state.plan.leaf_meant(task)?).id;
            self.print(call, &plan_state, &raw_output(&plan_state.session, id, self.attempt)?)?;
            return Ok(Exit::Done);
        }
        let node = plan_state.plan.node_meant(task)?;
        let steps = if tree.is_leaf(node) { steps_of(&plan_state, node)? } else { StepsOfTask::default() };
        let mut document = plan_state.document(Known { presence, ..plan_state.known() });
        if tree.is_leaf(node) {
            document.add_steps(node, &steps.steps, steps.landed, None);
        } else if self.json {
            document = document.with_effort(&effort(&plan_state)?);
        }
        let text = match self.json {
            false => report::page(&document, node, &screen),
            true if tree.is_leaf(node) => json_document(&Printed::new("show-task", document.task(node))),
            true => json_document(&Printed::new("show-node", &document.phase_in_full(node))),
        };
        self.print(call, &plan_state, &text)?;
        Ok(Exit::Done)
    }
}

/// Shows what agents do while they do it, until no run is at work any more.
fn follow(call: &Call, plan_state: &PlanState, task: Option<&str>) -> Result<Exit> {
    let PlanState { session, plan, .. } = plan_state;
    let only =
        task.map(|task| plan.leaf_meant(task)).transpose()?.map(|leaf| plan.tree.node(leaf).id.clone());
    let mut followed = Followed::new(call);
    let mut was_at_work = false;
    while let Some(text) = followed.news(session, only.as_ref(), &session.screen)? {
        was_at_work = true;
        report::print(&text)?;
        if !report::is_read(POLL) {
            return Ok(Exit::Done);
        }
    }
    if was_at_work {
        return Ok(Exit::Done);
    }
    Err(Error::new(
        Kind::No,
        "no run is at work here, so there is no agent to follow",
        format!("{} shows what was done before.", advice::raw("TASK")),
    ))
}

impl Show {
    fn print(&self, call: &Call, plan_state: &PlanState, text: &str) -> Result<()> {
        let text = call.mask(text);
        if self.json {
            return report::print(&text);
        }
        plan_state.session.pager.print(&call.environment, &text)
    }
}

/// The steps of a task, oldest first.
#[derive(Default)]
struct StepsOfTask {
    steps: Vec<StepView>,
    /// The commit that has landed its work.
    landed: Option<CommitId>,
}

fn steps_of(plan_state: &PlanState, leaf: NodeIx) -> Result<StepsOfTask> {
    let id = &plan_state.plan.tree.node(leaf).id;
    let steps = read_steps(&plan_state.session.repository, &plan_state.run.range, id)?;
    let mut steps: Vec<StepView> = steps.iter().rev().map(view_of).collect();
    let tasks = LandedTasks::read(&plan_state.session.repository, &plan_state.run)?;
    let landed = tasks.get(id);
    if let Some(landed) = landed.filter(|_| !has_end(&steps)) {
        steps = landed.steps().iter().rev().map(view_of).collect();
    }
    Ok(StepsOfTask { steps, landed: landed.map(|landed| landed.commit) })
}
