//! `git arborist status`: the plan with the state of every task.

use clap::Args;

use super::plan_state::PlanState;
use super::{Call, Command, Common, Exit, Group, Summary};
use crate::error::Result;
use crate::report::{self, Screen, StatusView};

/// Arguments of `git arborist status`.
#[derive(Args, Debug)]
pub struct Status {
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
        let plan_state = PlanState::open(call)?;
        let folder = folder_of(&plan_state);
        let view = view(&plan_state, &folder);
        let screen = plan_state.session.screen;
        let screen = if self.plain { screen.plain() } else { screen };
        report::print(&match (self.json, self.short) {
            (true, _) => view.json(),
            (false, true) => view.short(&screen),
            (false, false) => view.text(&screen),
        })?;
        Ok(Exit::Done)
    }
}

/// The tree as text, as other commands show it too.
pub(super) fn text(plan_state: &PlanState, screen: &Screen) -> String {
    view(plan_state, &folder_of(plan_state)).text(screen)
}

fn view<'a>(plan_state: &'a PlanState, folder: &'a str) -> StatusView<'a> {
    StatusView {
        plan_view: plan_state.plan_view(),
        folder,
        tree_file: &plan_state.plan.shown,
        head: plan_state.run.range.head(),
        anchor: plan_state.run.range.anchor(),
        marked: &plan_state.run.phases,
        doubts: &plan_state.run.doubts,
    }
}

fn folder_of(plan_state: &PlanState) -> String {
    let top = plan_state.session.work_tree.top.file_name().unwrap_or_default().to_string_lossy();
    crate::text::one_line(&top)
}
