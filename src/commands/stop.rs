//! `git arborist stop`: ends the active run after the current task or step.

use clap::Args;

use crate::error::Result;
use crate::report;
use crate::run::JournalView;
use crate::session::{Call, Command, Exit, Group, Session, Summary, refuse_inside};
use crate::text::advice;
use crate::worktree::{StopAfter, request_stop};

/// Arguments of `git arborist stop`.
#[derive(Args, Debug)]
pub struct Stop {
    /// End the run after the current step, and not only after the current task
    #[arg(long)]
    now: bool,
}

impl Command for Stop {
    const SUMMARY: Summary = Summary {
        name: "stop",
        group: Group::Run,
        about: "end the active run after the current task or step",
    };

    const MANUAL: &'static str = include_str!("manual/stop.md");

    fn run(self, call: &Call) -> Result<Exit> {
        let session = Session::open(call, Vec::new())?;
        refuse_inside(call, &session, Self::SUMMARY.name)?;
        let after = if self.now { StopAfter::Step } else { StopAfter::Task };
        let run = request_stop(&session.work_tree, after)?;
        let unit = JournalView::read(&session.work_tree.git_dir).unit.map(|step| step.unit.begun);
        let when = match (after, unit) {
            (StopAfter::Task, Some(unit)) => format!("after {}", unit.task),
            (StopAfter::Task, None) => "after the current task".to_owned(),
            (StopAfter::Step, Some(unit)) => format!("after the {} step of {}", unit.step.word(), unit.task),
            (StopAfter::Step, None) => "before its next step".to_owned(),
        };
        let sooner = match after {
            StopAfter::Task => {
                format!("\n{} ends it after the current step.", advice::stop_now())
            }
            StopAfter::Step => String::new(),
        };
        report::print(&format!("{run} ends {when}.{sooner}\n"))?;
        Ok(Exit::Done)
    }
}
