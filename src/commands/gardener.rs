//! `git arborist gardener`: works until all tasks are complete or one fails.

use std::num::NonZeroU32;

use clap::Args;

use super::at_work::{Start, with_events, work};
use super::dry_run::{self, DryRunOf};
use super::run_options::RunOptions;
use super::stream::RunSummary;
use super::task_configs;
use super::{Call, Command, Common, Exit, Group, JsonOutput, Summary};
use crate::engine::{OnFailure, RunScope, read_run};
use crate::error::Result;
use crate::plan::NodeIx;
use crate::record::State;
use crate::workflow::FailedTask;

/// The arguments of `gardener`.
#[derive(Args, Clone, Debug)]
pub struct Gardener {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    options: RunOptions,
    /// After a task has failed, continue with the tasks that do not depend on it
    #[arg(long)]
    keep_going: bool,
    /// Try failed tasks again, with the feedback so far
    #[arg(long)]
    failed: bool,
    /// Stop after N tasks
    #[arg(long, value_name = "N")]
    max_tasks: Option<NonZeroU32>,
}

impl Command for Gardener {
    const SUMMARY: Summary = Summary {
        name: "gardener",
        group: Group::Run,
        about: "work through the plan until all tasks are complete or one fails",
    };

    const OUTPUT: JsonOutput = JsonOutput::Events;

    fn common(&self) -> &Common {
        &self.common
    }

    fn run(self, call: &Call) -> Result<Exit> {
        with_events(call, &self.options, |summary| self.run_all(call, summary))
    }
}

impl Gardener {
    fn run_all(&self, call: &Call, summary: &mut Option<RunSummary>) -> Result<Exit> {
        let (options, name) = (&self.options, Self::SUMMARY.name);
        let session = &options.open(call)?;
        let plan = &session.plan_to_run()?;
        let scope = RunScope {
            on_failure: if self.keep_going { OnFailure::KeepGoing } else { OnFailure::Stop },
            failed_before: if self.failed { FailedTask::StartOver } else { FailedTask::Leave },
            max_tasks: self.max_tasks.map(NonZeroU32::get),
        };
        let tasks = &task_configs(&session.config, plan);
        let start = Start { name, call, options, session, plan, tasks };
        start.check_plan_for_secrets()?;
        start.warn_about_fields();
        if options.dry_run {
            return dry_run::print(&start, DryRunOf::All(scope));
        }
        let run = read_run(&session.repository, plan, &session.work_tree)?;
        let open = |leaf: &NodeIx| plan.state(&run, *leaf) != State::Complete;
        let leaves: Vec<NodeIx> = plan.tree.order().iter().copied().filter(open).collect();
        work(start, summary, &leaves, |engine| engine.run_plan(scope))
    }
}
