//! `git arborist status`: shows the plan with the state of every task.

mod display;
mod watch;

use clap::Args;

use crate::error::Result;
use crate::import::source_changes::SourceChanges;
use crate::inspect::active::Active;
use crate::inspect::effort::effort;
use crate::inspect::surroundings::RunSurroundings;
use crate::report::{self, Known};
use crate::run::plan::changed::plan_changed_warning;
use crate::scheduler::RunWatcher;
use crate::session::plan_state::PlanState;
use crate::session::{Call, Command, Exit, Group, Summary};
use display::{Display, session};
use watch::{WatchForm, watch};

/// Arguments of `git arborist status`.
#[derive(Args, Debug)]
#[command(group(clap::ArgGroup::new("output").args(["short", "json"])))]
pub struct Status {
    #[command(flatten)]
    display: Display,

    /// Print one line, for example for a shell prompt
    #[arg(short, long, conflicts_with_all = ["nodes", "ready", "failed", "blocked", "active", "all"])]
    short: bool,

    /// Show the state again whenever it changes, until you press q or Ctrl-C; with `--json`, print a document for each change
    #[arg(short, long)]
    watch: bool,

    /// Show a run on this remote repository, which workers push to: its address, or its name here
    #[arg(long, value_name = "REMOTE")]
    remote: Option<String>,

    /// The branch of the run on the remote repository [default: the one that is checked out here or, for an address, the default
    /// branch]
    #[arg(long, value_name = "BRANCH", requires = "remote")]
    branch: Option<String>,

    /// Print one JSON document
    #[arg(long, conflicts_with_all = ["all", "plain"])]
    json: bool,
}

impl Command for Status {
    const SUMMARY: Summary = Summary {
        name: "status",
        group: Group::Inspect,
        about: "show the plan with the state of every task",
    };

    const MANUAL: &'static str = include_str!("manual/status.md");

    fn run(self, call: &Call) -> Result<Exit> {
        let remote = self.remote.as_deref();
        let observer =
            remote.map(|remote| RunWatcher::open(call, remote, self.branch.as_deref())).transpose()?;
        if self.watch {
            let form = match (self.short, self.json) {
                (true, _) => WatchForm::Line,
                (_, true) => WatchForm::Document,
                _ => WatchForm::Tree,
            };
            return watch(call, &self.display, form, observer);
        }
        let session = session(call, observer.as_ref())?;
        if self.short {
            let screen = self.display.screen(&session);
            let plan = session.plan_in(session.plan_file()?)?;
            let plan_state = PlanState::of(session, plan)?;
            let active = Active::of(&plan_state.session.work_tree);
            let running = active.running(&plan_state.plan.tree, plan_state.now);
            let known = Known { presence: active.presence(&running), ..plan_state.known() };
            report::print(&report::progress(&plan_state.document(known), &screen))?;
            return Ok(Exit::Done);
        }
        let plan = session.plan()?;
        let plan_state = PlanState::of(session, plan)?;
        let mut surroundings = RunSurroundings::of(&plan_state)?;
        surroundings.remote = observer.as_ref().map(RunWatcher::remote);
        if self.json {
            surroundings.effort = effort(&plan_state)?;
        }
        let mut document = surroundings.document(&plan_state);
        let chosen = self.display.tasks(&plan_state, &document)?;
        let is_empty = chosen.as_ref().is_some_and(Vec::is_empty);
        if self.json {
            chosen.iter().for_each(|tasks| document.keep_tasks(tasks));
            report::print_document("status", &document)?;
        } else if !is_empty {
            let session = &plan_state.session;
            let text = self.display.view(&document, chosen.as_deref()).text(&self.display.screen(session));
            session.pager.print(&call.environment, &text)?;
        }
        let PlanState { session, plan, run, .. } = &plan_state;
        SourceChanges::warn(session, plan, run);
        if let Some(warning) = plan_changed_warning(&session.repository, plan, run)? {
            report::warn(&session.screen, &warning);
        }
        let exit = if is_empty { Exit::No } else { Exit::Done };
        if exit == Exit::No {
            report::eprint(&self.display.none());
        }
        // The process ends. To free what was read of a long history would take a twentieth of its time.
        std::mem::forget(document);
        std::mem::forget(plan_state);
        Ok(exit)
    }
}
