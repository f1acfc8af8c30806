//! `git arborist done`: takes the user's changes as a step, and runs the tests of the task. No agent is asked.

use clap::Args;

use super::at_work::work;
use super::decisions::Words;
use super::run_options::RunOptions;
use super::start::Start;
use super::{Call, Command, Common, Exit, Group, Summary, policy, task_configs};
use crate::engine::{Plan, RunEnd, TaskScope};
use crate::error::{Error, Kind, Result};
use crate::history::Run;
use crate::plan::NodeIx;
use crate::record::{Goal, Outcome, State, TaskId};
use crate::report;
use crate::workflow::{NextAction, next_action};

/// The arguments of `done`.
#[derive(Args, Clone, Debug)]
pub struct Done {
    #[command(flatten)]
    common: Common,
    /// The task that your changes belong to [default: the one that is in the middle of its steps]
    #[arg(value_name = "TASK")]
    task: Option<String>,
    /// Confirm the test commands of the plan, which otherwise has to be done on a terminal once
    #[arg(short, long)]
    yes: bool,
    #[command(flatten)]
    words: Words,
}

impl Command for Done {
    const SUMMARY: Summary = Summary {
        name: "done",
        group: Group::Intervene,
        about: "commit your own changes as the work on a task, and run its tests",
    };

    const MANUAL: &'static str = include_str!("manual/done.md");

    fn common(&self) -> &Common {
        &self.common
    }

    fn run(self, call: &Call) -> Result<Exit> {
        let words = self.words.text(call)?;
        let options = &RunOptions::with_users_changes(self.yes);
        let session = &options.open(call)?;
        let plan = &session.plan_to_run()?;
        let tasks = &task_configs(&session.config, plan);
        let named = self.task.as_ref().map(|id| plan.leaf(id)).transpose()?;
        let name = Self::SUMMARY.name;
        let again = match &self.task {
            Some(id) => format!("git arborist {name} {id}"),
            None => format!("git arborist {name}"),
        };
        let start = Start { name, call, options, session, plan, tasks, again: &again };
        start.confirm_commands()?;
        let mut said = None;
        let exit = work(start, &mut None, &[], |engine| {
            // Only now: a step that an earlier run could not commit is committed when the engine opens.
            let leaf = match named {
                Some(leaf) => leaf,
                None => in_the_middle(plan, &*engine.read()?)?,
            };
            let outcome = engine.take_users_work(leaf, &words)?;
            let id = &plan.tree.node(leaf).id;
            let run = engine.read()?;
            let next = next_action(plan.latest(&run, leaf), &policy(tasks.of(leaf)));
            match outcome {
                Outcome::Fail => Err(tests_failed(id, next)),
                Outcome::Pass | Outcome::Skip => {
                    said = Some(tests_pass(id, next));
                    // The other tasks have nothing to do with this command.
                    let RunEnd { complete, skipped, .. } = RunEnd::of(plan, &run, &TaskScope::All);
                    Ok(RunEnd { complete, skipped, ..RunEnd::default() })
                }
            }
        })?;
        report::eprint(&said.expect("the work has ended well, so there is something to say"));
        Ok(exit)
    }
}

fn tests_pass(id: &TaskId, next: NextAction) -> String {
    let then = match next {
        NextAction::AwaitApproval { .. } => format!("`git arborist mark approve {id}` lets it be completed"),
        NextAction::Run { step, .. } if step.row().goal == Goal::Approval => {
            format!("`git arborist garden {id}` goes on with the review")
        }
        NextAction::Run { .. } | NextAction::GiveUp | NextAction::Done | NextAction::Failed => {
            format!("`git arborist garden {id}` completes it")
        }
    };
    format!("The tests of {id} pass. {then}.")
}

fn tests_failed(id: &TaskId, next: NextAction) -> Error {
    // An agent has a limited number of attempts, and those of the user count too.
    let agent = match next {
        NextAction::GiveUp => format!("`git arborist mark reopen {id}` gives an agent new attempts"),
        _ => format!("`git arborist garden {id}` lets an agent try"),
    };
    Error::new(
        Kind::No,
        format!("the tests of {id} failed"),
        format!(
            "See why with `git arborist show {id}`. Correct it and run the same command again; {agent} instead."
        ),
    )
}

/// The only task that is in the middle of its steps.
fn in_the_middle(plan: &Plan, run: &Run) -> Result<NodeIx> {
    let is_active = |leaf: &NodeIx| {
        matches!(plan.state(run, *leaf), State::Implementing | State::Testing | State::Reviewing)
    };
    let active: Vec<NodeIx> = plan.tree.order().iter().copied().filter(is_active).collect();
    let ids: Vec<&str> = active.iter().map(|leaf| plan.tree.node(*leaf).id.as_str()).collect();
    match active.as_slice() {
        [leaf] => Ok(*leaf),
        [] => Err(Error::new(
            Kind::Input,
            "say which task your changes belong to: none is in the middle of its steps",
            "`git arborist done TASK` names it; `git arborist status` lists all tasks.",
        )),
        [..] => Err(Error::new(
            Kind::Input,
            format!(
                "say which task your changes belong to: {} are in the middle of their steps",
                ids.join(", ")
            ),
            format!("For example `git arborist done {}`.", ids[0]),
        )),
    }
}
