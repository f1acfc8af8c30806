//! `git arborist stats`: tells how a run went, in numbers.

use clap::Args;
use clap::builder::PossibleValuesParser;

use crate::error::Result;
use crate::inspect::steps::{Bodies, leaves_below, steps_of_all};
use crate::report::{self, GroupBy, StatsView, TasksOfRun};
use crate::session::plan_state::PlanState;
use crate::session::{Call, Command, Exit, Group, Summary};

/// Arguments of `git arborist stats`.
#[derive(Args, Debug)]
pub struct Stats {
    /// Count only these tasks, and those of these phases [default: all tasks]
    #[arg(value_name = "TASK")]
    nodes: Vec<String>,

    /// Also count these apart: runner, model, phase or task
    #[arg(long, value_name = "GROUP", value_parser = PossibleValuesParser::new(GroupBy::ALL.map(GroupBy::word)), hide_possible_values = true)]
    by: Option<String>,

    /// Print one JSON document
    #[arg(long)]
    json: bool,

    /// Print plain ASCII without colours
    #[arg(long, conflicts_with = "json")]
    plain: bool,
}

impl Stats {
    /// The numbers of these tasks, for people.
    pub(super) fn of(nodes: Vec<String>) -> Self {
        Self { nodes, by: None, json: false, plain: false }
    }
}

impl Command for Stats {
    const SUMMARY: Summary =
        Summary { name: "stats", group: Group::Inspect, about: "tell in numbers how a run went" };

    const MANUAL: &'static str = include_str!("manual/stats.md");

    fn run(self, call: &Call) -> Result<Exit> {
        let plan_state = PlanState::open(call)?;
        let leaves = leaves_below(&plan_state.plan, &self.nodes)?;
        let steps = steps_of_all(&plan_state, Bodies::Drop)?;
        let view = StatsView {
            tasks: TasksOfRun { plan_view: plan_state.plan_view(), steps: &steps, leaves: &leaves },
            source: plan_state.source(),
            by: self.by.as_deref().and_then(|word| GroupBy::ALL.into_iter().find(|by| by.word() == word)),
        };
        let screen = plan_state.session.screen;
        let screen = if self.plain { screen.plain() } else { screen };
        if self.json {
            report::print(&view.json())?;
        } else {
            let text = call.mask(&view.text(&screen));
            plan_state.session.pager.print(&call.environment, &text)?;
        }
        Ok(Exit::Done)
    }
}
