//! Finds the runners of a run before its first task begins.

use super::before_run::{RunKind, Start};
use super::confirmation::Confirmation;
use crate::agents::{CommandCheck, Lookup, RunnerChain, check_command};
use crate::config::{Config, Environment, Origin};
use crate::engine::Runners;
use crate::error::{Error, Kind, Result};
use crate::plan::{NodeIx, PerTask};
use crate::record::Role;
use crate::run::{Plan, policy};

/// Refuses runners whose commands certainly cannot start, so that the user learns this now and not hours later. A
/// missing script in the work tree is accepted, because a task may write it.
///
/// # Errors
/// [`Kind::Environment`], naming the first of them.
fn check_commands(runners: &Runners, environment: &Environment, lookup: &Lookup) -> Result<()> {
    for runner in runners.all() {
        let Some(command) = runner.own_command() else { continue };
        let CommandCheck::Missing(missing) = check_command(command, environment, lookup) else { continue };
        if missing.path().is_none_or(|path| !path.starts_with(lookup.top())) {
            return Err(Error::new(
                Kind::Environment,
                format!("the runner {} cannot start: {missing}", runner.name()),
                format!("Nothing was done, and no attempt is used up. {}", missing.remedy(runner.name())),
            ));
        }
    }
    Ok(())
}

/// The runners of these tasks, found on PATH, with commands that can start, and those of the other tasks where there are any; for a task
/// that was handed in, only those that review it. All of them are looked for before the first task begins, so that the user learns now and
/// not hours later that one is missing.
///
/// # Errors
/// If one is unknown or missing. The error names the first task that needs it if the plan chooses it.
pub(crate) fn runners(
    start: Start<'_>,
    leaves: &[NodeIx],
    lookup: &Lookup,
) -> Result<PerTask<Option<Runners>>> {
    let is_done_already = start.kind == RunKind::Done;
    // A run opens a complete task again if the tests of its phase fail, but it may well end without that.
    let others = if is_done_already { &[] } else { start.plan.tree.order() };
    let all = leaves.iter().chain(others).copied();
    start.tasks.try_map_of(all, |leaf, config| {
        let found = if is_done_already { reviewers_of(config, lookup) } else { runners_of(config, lookup) };
        let found = found.and_then(|runners| {
            check_commands(&runners, &start.call.environment, lookup)?;
            Ok(runners)
        });
        match found {
            Err(_) if !leaves.contains(&leaf) => Ok(None),
            found => found.map(Some).map_err(|error| named(error, start.plan, leaf, config)),
        }
    })
}

impl Start<'_> {
    /// Refuses what a run over these tasks refuses before it begins, so that nothing is recorded for it in vain; with a task that is
    /// not in the plan yet if `has_new`. Unless it is a dry run, the user confirms the commands.
    ///
    /// # Errors
    /// If such a run cannot begin.
    pub(crate) fn refuse_early(self, leaves: &[NodeIx], has_new: bool) -> Result<()> {
        let Self { call, options, session, plan, .. } = self;
        if leaves.is_empty() && !has_new {
            return Ok(());
        }
        self.require_coverage(leaves)?;
        self.phases()?;
        let lookup = Lookup::new(&call.environment, &session.work_tree.top);
        runners(self, leaves, &lookup)?;
        if has_new {
            check_commands(&runners_of(&session.config, &lookup)?, &call.environment, &lookup)?;
        }
        match options.dry_run {
            true => Ok(()),
            false => Confirmation { session, plan, yes: options.yes, may_ask: !options.json }.obtain(),
        }
    }
}

/// Whether the settings choose a reviewer for a task. An agent that only happens to be installed was not chosen.
pub(crate) fn has_reviewer(config: &Config) -> bool {
    config.runner_for(Role::Reviewer).is_some()
}

/// The reviewers alone; the first of them takes the place of the implementer, who has nothing to do.
fn reviewers_of(config: &Config, lookup: &Lookup) -> Result<Runners> {
    let reviewers = RunnerChain::choose_all(config, lookup, Role::Reviewer)?;
    let implement = reviewers.first().cloned().expect("the settings choose a reviewer, or there is an error");
    Ok(Runners { implement, red: None, reviewers })
}

fn runners_of(config: &Config, lookup: &Lookup) -> Result<Runners> {
    let implement = RunnerChain::choose(config, lookup, Role::Implementer)?;
    let (pipeline, mut red, mut reviewers) = (policy(config).pipeline, None, Vec::new());
    if pipeline.asks(Role::TestWriter) {
        red = Some(RunnerChain::choose(config, lookup, Role::TestWriter)?);
    }
    if pipeline.asks(Role::Reviewer) {
        reviewers = RunnerChain::choose_all(config, lookup, Role::Reviewer)?;
    }
    Ok(Runners { implement, red, reviewers })
}

/// The error about a runner, with the task for which the plan chooses the runner.
pub(crate) fn named(error: Error, plan: &Plan, leaf: NodeIx, config: &Config) -> Error {
    let by_plan =
        |role| config.runner_for(role).is_some_and(|chosen| matches!(chosen.origin, Origin::Plan(_)));
    if !Role::ALL.into_iter().any(by_plan) {
        return error;
    }
    let what = format!("{}: {}", plan.tree.node(leaf).id, error.what());
    Error::new(error.kind(), what, error.remedy())
}
