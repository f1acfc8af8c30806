//! `git arborist show`: shows one task with all its attempts, or a parent with its tasks.

use std::num::NonZeroU32;

use clap::Args;

use crate::error::Result;
use crate::history::read_steps;
use crate::inspect::active::Active;
use crate::inspect::steps::{has_end, view_of};
use crate::inspect::transcript::transcript_view;
use crate::plan::NodeIx;
use crate::record::StepCommit;
use crate::report::{self, FailedPhaseTests, ParentView, StepView, TaskView};
use crate::run::{LandedTasks, body_of};
use crate::session::paging::Paging;
use crate::session::plan_state::PlanState;
use crate::session::{Call, Command, Exit, Group, Summary};

/// Arguments of `git arborist show`.
#[derive(Args, Debug)]
pub struct Show {
    /// The task or phase to show
    #[arg(value_name = "TASK")]
    task: String,

    /// Show what the agents did, step by step, as far as it is kept
    #[arg(long)]
    transcript: bool,

    /// Only of this attempt, counted from 1
    #[arg(long, value_name = "N", requires = "transcript")]
    attempt: Option<NonZeroU32>,

    /// Print one JSON document
    #[arg(long)]
    json: bool,

    /// Print plain ASCII without colours
    #[arg(long, conflicts_with = "json")]
    plain: bool,

    #[command(flatten)]
    paging: Paging,
}

impl Command for Show {
    const SUMMARY: Summary =
        Summary { name: "show", group: Group::Inspect, about: "show one task with all its attempts" };

    const MANUAL: &'static str = include_str!("manual/show.md");

    fn run(self, call: &Call) -> Result<Exit> {
        let plan_state = PlanState::open(call)?;
        let screen = plan_state.session.screen;
        let screen = if self.plain { screen.plain() } else { screen };
        let tree = &plan_state.plan.tree;
        let active = Active::of(&plan_state.session.work_tree);
        let running = active.running(tree, plan_state.now);
        let presence = active.presence(&running);
        if self.transcript {
            let id = &tree.node(plan_state.plan.leaf_meant(&self.task)?).id;
            let view = transcript_view(&plan_state.session, id, self.attempt)?;
            let text = if self.json { view.json() } else { view.text(&screen) };
            self.print(call, &plan_state, &text)?;
            return Ok(Exit::Done);
        }
        let node = plan_state.plan.node_meant(&self.task)?;
        let text = match tree.is_leaf(node) {
            false => {
                let id = &tree.node(node).id;
                let marker = plan_state.run.phases.get(id);
                let failed =
                    plan_state.run.failed_phases.get(id).map(|step| failed_tests(&plan_state, *step));
                let plan_view = plan_state.plan_view().with_presence(presence);
                let view = ParentView { plan_view, node, marker, failed: failed.transpose()? };
                if self.json { view.json() } else { view.text(&screen) }
            }
            true => {
                let mut view = task_view(&plan_state, node)?;
                view.plan_view = view.plan_view.with_presence(presence);
                if self.json { view.json() } else { view.text(&screen) }
            }
        };
        self.print(call, &plan_state, &text)?;
        Ok(Exit::Done)
    }
}

impl Show {
    fn print(&self, call: &Call, plan_state: &PlanState, text: &str) -> Result<()> {
        let text = call.mask(text);
        if self.json {
            return report::print(&text);
        }
        self.paging.print(&plan_state.session.pager, &call.environment, &text)
    }
}

/// The tests of a phase that have failed, with their output.
fn failed_tests(plan_state: &PlanState, step: StepCommit) -> Result<FailedPhaseTests> {
    let message = plan_state.session.repository.commit(&step.id)?.message;
    Ok(FailedPhaseTests { step, output: body_of(&message) })
}

fn task_view(plan_state: &PlanState, leaf: NodeIx) -> Result<TaskView<'_>> {
    let id = &plan_state.plan.tree.node(leaf).id;
    let steps = read_steps(&plan_state.session.repository, &plan_state.run.range, id)?;
    let mut steps: Vec<StepView> = steps.iter().rev().map(view_of).collect();
    let tasks = LandedTasks::read(&plan_state.session.repository, &plan_state.run)?;
    let landed = tasks.get(id);
    if let Some(landed) = landed.filter(|_| !has_end(&steps)) {
        steps = landed.steps().iter().rev().map(view_of).collect();
    }
    Ok(TaskView {
        plan_view: plan_state.plan_view(),
        leaf,
        steps,
        landed: landed.map(|landed| landed.commit),
    })
}
