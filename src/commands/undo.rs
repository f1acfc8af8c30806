//! `git arborist undo`: prints or does the reverts that take back the work on tasks.

use clap::Args;

use crate::error::Result;
use crate::intervene::undo::StepUndo;
use crate::record::TaskId;
use crate::report;
use crate::session::plan_state::PlanState;
use crate::session::refuse_inside;
use crate::session::take_lock::lock;
use crate::session::{Call, Command, Exit, Group, Session, Summary};
use crate::text::listed;

/// The arguments of `undo`.
#[derive(Args, Clone, Debug)]
pub struct Undo {
    /// The tasks; a phase means the tasks below it
    #[arg(value_name = "TASK", required = true)]
    tasks: Vec<String>,
    /// Make the commit that takes them back, instead of printing the commands
    #[arg(short, long)]
    yes: bool,
}

impl Command for Undo {
    const SUMMARY: Summary = Summary {
        name: "undo",
        group: Group::Intervene,
        about: "take back the work on tasks by reverting their steps",
    };

    const MANUAL: &'static str = include_str!("manual/undo.md");

    fn run(self, call: &Call) -> Result<Exit> {
        let session = Session::open(call, Vec::new())?;
        let held = if self.yes {
            refuse_inside(call, &session, Self::SUMMARY.name)?;
            Some(lock(&session, Self::SUMMARY.name)?)
        } else {
            None
        };
        let plan = session.plan()?;
        let plan_state = PlanState::of(session, plan)?;
        let reverts = StepUndo::of(&plan_state, &self.tasks)?;
        let names = |tasks: &[TaskId]| listed(&tasks.iter().map(TaskId::to_string).collect::<Vec<_>>());
        if !reverts.dependents.is_empty() {
            report::warn(
                &plan_state.session.screen,
                &format!(
                    "{} stay complete, although they depend on {}; name them too to take them back",
                    names(&reverts.dependents),
                    names(&reverts.tasks)
                ),
            );
        }
        if held.is_none() {
            report::print(&reverts.commands())?;
            report::eprint("Nothing was changed. With --yes, the same command does this.");
            return Ok(Exit::Done);
        }
        let commit = reverts.carry_out(&plan_state).map_err(|error| call.mask_error(&error))?;
        report::print(&format!("{} takes back {}\n", commit.short(), names(&reverts.tasks)))?;
        report::eprint(&format!(
            "They are pending again. `git revert --no-edit {}` and `git commit --allow-empty --no-edit` bring the work back.",
            commit.short()
        ));
        Ok(Exit::Done)
    }
}
