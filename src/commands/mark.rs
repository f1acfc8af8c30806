//! `git arborist mark`: records what a person decides about tasks.

use clap::{Args, Subcommand};

use super::whereabouts::whereabouts;
use crate::error::{Error, Kind, Result};
use crate::intervene::decisions::{Chosen, Recording, Words};
use crate::intervene::landed::MarkLanded;
use crate::plan::NodeIx;
use crate::record::State;
use crate::report;
use crate::session::plan_state::PlanState;
use crate::session::{Call, Command, Exit, Group, Summary};
use crate::text::advice;
use crate::workflow::Decision;

/// The arguments of `mark`.
#[derive(Args, Clone, Debug)]
pub struct Mark {
    #[command(subcommand)]
    action: MarkAction,
}

#[derive(Subcommand, Clone, Debug)]
enum MarkAction {
    /// Leave tasks out: tasks that depend on them do not wait for them
    Skip(NamedTasks),
    /// Vouch for tasks that are done: there is no evidence, and every view says so
    Complete(NamedTasks),
    /// Begin tasks again, with all the feedback so far
    Reopen(Reopen),
    /// Approve a change whose tests have passed, in place of a reviewer or at a gate
    Approve(NamedTasks),
    /// Reject the change of a task, in place of a reviewer
    Reject(NamedTasks),
    /// Record that a commit contains the work of tasks, where its own message does not say so
    Landed(LandedByCommit),
}

/// A commit, and the tasks of which it contains the work.
#[derive(Args, Clone, Debug)]
struct LandedByCommit {
    /// The commit
    #[arg(value_name = "COMMIT")]
    commit: String,
    /// The tasks; a phase means the tasks below it [default: all that are pending, after a question]
    #[arg(value_name = "TASK")]
    tasks: Vec<String>,
    /// Without tasks, take all that are pending without asking
    #[arg(short, long, conflicts_with = "tasks")]
    yes: bool,
}

/// Tasks, and a person's words about them.
#[derive(Args, Clone, Debug)]
struct NamedTasks {
    /// The tasks; a phase means the tasks below it
    #[arg(value_name = "TASK", required = true)]
    tasks: Vec<String>,
    #[command(flatten)]
    words: Words,
}

#[derive(Args, Clone, Debug)]
struct Reopen {
    /// The tasks; a phase means the tasks below it
    #[arg(value_name = "TASK", required_unless_present_any = ["failed", "edited"])]
    tasks: Vec<String>,
    /// All tasks that have failed
    #[arg(long, conflicts_with_all = ["tasks", "edited"])]
    failed: bool,
    /// All complete tasks whose description, dependencies or tests were edited since
    #[arg(long, conflicts_with = "tasks")]
    edited: bool,
    #[command(flatten)]
    words: Words,
}

impl Command for Mark {
    const SUMMARY: Summary =
        Summary { name: "mark", group: Group::Intervene, about: "record what you decide about tasks" };

    const MANUAL: &'static str = include_str!("manual/mark.md");

    fn run(self, call: &Call) -> Result<Exit> {
        let exit = self.record(call)?;
        if exit == Exit::Done {
            report::eprint(&whereabouts(call).words);
        }
        Ok(exit)
    }
}

impl Mark {
    fn record(&self, call: &Call) -> Result<Exit> {
        let (decision, named, why) = match &self.action {
            MarkAction::Skip(named) => (Decision::Skip, named, Some("why the task is skipped")),
            MarkAction::Complete(named) => {
                (Decision::Complete, named, Some("why the task counts as complete"))
            }
            MarkAction::Approve(named) => (Decision::Approve, named, None),
            MarkAction::Reject(named) => (Decision::Reject, named, Some("what is wrong with the change")),
            MarkAction::Reopen(reopen) => return reopen.record(call),
            MarkAction::Landed(LandedByCommit { commit, tasks, yes }) => {
                return MarkLanded { commit, tasks, yes: *yes }.record(call);
            }
        };
        let words = match why {
            Some(why) => named.words.required(call, why)?,
            None => named.words.text(call)?,
        };
        let recording = Recording { command: Self::SUMMARY.name, decision, words: &words, request: None };
        recording.record(call, |plan_state| Chosen::named(plan_state, &named.tasks))
    }
}

impl Reopen {
    fn record(&self, call: &Call) -> Result<Exit> {
        let words = self.words.text(call)?;
        let recording = Recording {
            command: Mark::SUMMARY.name,
            decision: Decision::Reopen,
            words: &words,
            request: None,
        };
        recording.record(call, |plan_state| {
            let PlanState { plan, run, .. } = plan_state;
            match (self.failed, self.edited) {
                (true, _) => {
                    all(plan_state, "no task has failed", |leaf| plan.state(run, leaf) == State::Failed)
                }
                (false, true) => all(plan_state, "no complete task was edited since", |leaf| {
                    run.edited.contains(&plan.tree.node(leaf).id)
                }),
                (false, false) => Chosen::named(plan_state, &self.tasks),
            }
        })
    }
}

/// All tasks that are meant, in order; `none` says that there are none.
fn all(plan_state: &PlanState, none: &str, is_meant: impl Fn(NodeIx) -> bool) -> Result<Vec<Chosen>> {
    let meant = plan_state.plan.tree.order().iter().filter(|leaf| is_meant(**leaf));
    let chosen: Vec<Chosen> = meant.map(|leaf| Chosen::Task(*leaf)).collect();
    if chosen.is_empty() {
        return Err(Error::new(
            Kind::No,
            none,
            format!("{} shows the state of all tasks.", advice::status()),
        ));
    }
    Ok(chosen)
}
