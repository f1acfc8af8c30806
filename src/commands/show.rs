//! `git arborist show`: one task with all its attempts, or a parent with its tasks.

use clap::Args;

use super::reading::Reading;
use super::{Call, Command, Common, Exit, Group, Summary};
use crate::engine::body_of;
use crate::error::Result;
use crate::history::{StepValidity, TaskStep, read_steps};
use crate::plan::NodeIx;
use crate::record::{StepFacts, TrailerKey};
use crate::report::{self, Account, ArtifactView, ParentView, StepView, TaskView};

/// Arguments of `git arborist show`.
#[derive(Args, Debug)]
pub struct Show {
    /// The task, phase or other node to show
    #[arg(value_name = "TASK")]
    task: String,

    /// Print one JSON document
    #[arg(long)]
    json: bool,

    /// Print plain ASCII without colours
    #[arg(long, conflicts_with = "json")]
    plain: bool,

    #[command(flatten)]
    common: Common,
}

impl Command for Show {
    const SUMMARY: Summary =
        Summary { name: "show", group: Group::Inspect, about: "show one task with all its attempts" };

    fn common(&self) -> &Common {
        &self.common
    }

    fn run(self, call: &Call) -> Result<Exit> {
        let reading = Reading::open(call)?;
        let screen = reading.session.screen;
        let screen = if self.plain { screen.plain() } else { screen };
        let tree = &reading.plan.tree;
        report::print(&match tree.find(&self.task).filter(|ix| !tree.is_leaf(*ix)) {
            Some(node) => {
                let marker = reading.run.phases.get(&tree.node(node).id);
                let view = ParentView { plan_view: reading.plan_view(), node, marker };
                if self.json { view.json() } else { view.text(&screen) }
            }
            None => {
                let view = task_view(&reading, reading.plan.leaf(&self.task)?)?;
                if self.json { view.json() } else { view.text(&screen) }
            }
        })?;
        Ok(Exit::Done)
    }
}

fn task_view(reading: &Reading, leaf: NodeIx) -> Result<TaskView<'_>> {
    let id = &reading.plan.tree.node(leaf).id;
    let steps = read_steps(&reading.session.repository, &reading.run.range, id)?;
    Ok(TaskView { plan_view: reading.plan_view(), leaf, steps: steps.iter().rev().map(step_view).collect() })
}

fn step_view(step: &TaskStep) -> StepView {
    let facts = StepFacts::of(&step.message);
    let artifact = |(key, path)| match key {
        TrailerKey::TestLog => (ArtifactView::TestLog, path),
        TrailerKey::ReviewLog => (ArtifactView::ReviewLog, path),
        _ => (ArtifactView::Report, path),
    };
    StepView {
        commit: step.step.id,
        time: step.step.time,
        record: step.step.record,
        account: match step.validity {
            StepValidity::Counts => Account::Counts,
            StepValidity::Reverted => Account::Reverted,
            StepValidity::Outdated => Account::Outdated,
        },
        runner: facts.runner,
        duration: facts.duration,
        tests: facts.tests,
        artifact: facts.artifact.map(artifact),
        findings: facts.findings,
        body: body_of(&step.message),
    }
}
