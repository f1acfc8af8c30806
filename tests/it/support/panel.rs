//! What a run shows while it works, without a run.

use std::path::Path;

use git_arborist::config::Environment;
use git_arborist::git::DiscoveryStart;
use git_arborist::manual::Catalogue;
use git_arborist::report::{Paint, Panel, PlanPanel, Screen, Symbols, TerminalSize};
use git_arborist::run::task_configs;
use git_arborist::session::{Call, Common, Listener, Session, StopWish, plan_panel};

const SCREEN: Screen =
    Screen { out: Paint::Plain, err: Paint::Plain, symbols: Symbols::Unicode, width: None, live: true };

/// What a run of the whole plan shows before its first step, on a terminal with so many columns.
pub(crate) fn panel(folder: &Path, columns: usize) -> String {
    lines(panel_of(folder), columns)
}

/// What is shown of a plan.
pub(crate) fn lines(plan: PlanPanel, columns: usize) -> String {
    Panel::of_plan(plan).lines(TerminalSize { columns, rows: 60 }, &SCREEN).join("\n")
}

/// The plan as a run of all of it begins.
pub(crate) fn panel_of(folder: &Path) -> PlanPanel {
    let call = Call {
        environment: Environment::default(),
        screen: SCREEN,
        common: Common::default(),
        words: Vec::new(),
        catalogue: Catalogue(Vec::new),
        stop: StopWish::default(),
        listener: Listener::default(),
    };
    let session = Session::open_at(DiscoveryStart::Folder(folder.to_owned()), &call, Vec::new()).unwrap();
    let plan = session.plan().unwrap();
    let tasks = task_configs(&session.config, &plan);
    plan_panel(&session, &plan, &tasks, plan.tree.order(), 1).unwrap()
}
