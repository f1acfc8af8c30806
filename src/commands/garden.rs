//! `git arborist garden`: takes one task through implement → test → review → complete.

use clap::Args;

use super::at_work::work;
use super::forecast;
use super::run_options::RunOptions;
use super::{Call, Command, Common, Exit, Group, Session, Summary};
use crate::error::{Error, Kind, Result};
use crate::output;
use crate::pipeline::{Plan, read_run};
use crate::task::{FailedTask, NodeIx, Readiness, Standing, State};

/// The arguments of `garden`.
#[derive(Args, Clone, Debug)]
pub struct Garden {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    options: RunOptions,
    /// The task; the next ready one where none is named. A task that has failed starts over when it is named
    #[arg(value_name = "TASK")]
    task: Option<String>,
}

impl Command for Garden {
    const SUMMARY: Summary = Summary {
        name: "garden",
        group: Group::Run,
        about: "take one task through implement, test, review and complete",
    };

    fn common(&self) -> &Common {
        &self.common
    }

    fn run(self, call: &Call) -> Result<Exit> {
        let session = self.options.open(call)?;
        let plan = session.plan()?;
        let Some(leaf) = self.choose(&session, &plan)? else {
            output::answer("everything is complete\n")?;
            return Ok(Exit::Done);
        };
        if self.options.dry_run {
            return forecast::answer(call, (&session, &plan), forecast::Wanted::One(leaf));
        }
        let failed = if self.task.is_some() { FailedTask::StartOver } else { FailedTask::Leave };
        work((Self::SUMMARY.name, call, &self.options), (&session, &plan), |garden| {
            let (_, mut end) = garden.tend_one(leaf, failed)?;
            end.failed.retain(|failed| *failed == leaf);
            Ok(end)
        })
    }
}

impl Garden {
    /// The task to work on; `None` if nothing is left to do.
    fn choose(&self, session: &Session, plan: &Plan) -> Result<Option<NodeIx>> {
        let run = read_run(&session.repository, plan)?;
        let readiness = Readiness::new(&plan.tree, |leaf| plan.state(&run, leaf));
        let Some(id) = &self.task else {
            if let Some(next) = readiness.ready().next() {
                return Ok(Some(next));
            }
            let failed: Vec<&str> = plan
                .tree
                .order()
                .iter()
                .filter(|leaf| plan.state(&run, **leaf) == State::Failed)
                .map(|leaf| plan.tree.node(*leaf).id.as_str())
                .collect();
            if failed.is_empty() {
                return Ok(None);
            }
            return Err(Error::new(
                Kind::No,
                format!("no task is ready: {} failed", failed.join(", ")),
                format!(
                    "See why with `git arborist show {0}`; `git arborist garden {0}` tries again.",
                    failed[0]
                ),
            ));
        };
        let leaf = plan.leaf(id)?;
        if readiness.dependencies_are_met(leaf) || readiness.standing(leaf) == Standing::Complete {
            return Ok(Some(leaf).filter(|leaf| readiness.standing(*leaf) != Standing::Complete));
        }
        let names: Vec<&str> =
            readiness.waits_for(leaf).into_iter().map(|node| plan.tree.node(node).id.as_str()).collect();
        Err(Error::new(
            Kind::No,
            format!("{id} is not ready: it waits for {}", names.join(", ")),
            format!("Do that first: `git arborist garden {}`.", names.first().unwrap_or(&"")),
        ))
    }
}
