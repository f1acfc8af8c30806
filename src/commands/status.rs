//! `git arborist status`: the plan with the state of every task.

use clap::Args;

use super::reading::Reading;
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
        let reading = Reading::open(call)?;
        let folder = folder_of(&reading);
        let view = view(&reading, &folder);
        let screen = reading.session.screen;
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
pub(super) fn text(reading: &Reading, screen: &Screen) -> String {
    view(reading, &folder_of(reading)).text(screen)
}

fn view<'a>(reading: &'a Reading, folder: &'a str) -> StatusView<'a> {
    StatusView {
        plan_view: reading.plan_view(),
        folder,
        tree_file: &reading.plan.shown,
        head: reading.run.range.head(),
        anchor: reading.run.range.anchor(),
        marked: &reading.run.phases,
        doubts: &reading.run.doubts,
    }
}

fn folder_of(reading: &Reading) -> String {
    let top = reading.session.work_tree.top.file_name().unwrap_or_default().to_string_lossy();
    crate::text::one_line(&top)
}
