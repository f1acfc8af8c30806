//! What `garden` and `gardener` do alike: take the lock, open the garden, work, and say how it ended.

use std::path::PathBuf;

use super::run_options::{RunOptions, runners, settings};
use super::watcher::{Form, Watcher};
use super::{Call, Exit, Session};
use crate::error::{Error, Kind, Result};
use crate::output;
use crate::pipeline::{Garden, Lock, Parts, Plan, RunEnd, Settings};
use crate::runner::{Lookup, Secrets, Stop, StopSignals, Urgency};
use crate::task::{NodeIx, TaskTree};

/// Takes the lock, opens a garden over the plan, and lets `work` run in it.
///
/// # Errors
/// Whatever stands in the way; a signal that asked to stop goes before anything that followed from it.
pub(super) fn work(
    (name, call, options): (&str, &Call, &RunOptions),
    (session, plan): (&Session, &Plan),
    work: impl FnOnce(&mut Garden<'_>) -> Result<RunEnd>,
) -> Result<Exit> {
    // Before anything is opened: what an earlier run left behind must not be rescued by halves.
    let stop = Stop::new();
    let signals = StopSignals::watch(&stop)?;
    let (_lock, warning) = Lock::take(&session.work_tree, name)?;
    if let Some(warning) = warning {
        output::warn(&session.screen, &warning);
    }
    let secrets = Secrets::of(call.environment.all());
    let lookup = Lookup::new(&call.environment, &session.work_tree.top);
    let mut watcher = Watcher::new(session.screen, form(options));
    let parts = Parts {
        git: session.git.clone(),
        work_tree: session.work_tree.clone(),
        repository: &session.repository,
        plan,
        settings: Settings { patience: options.patience(), ..settings(&session.config) },
        runners: runners(&session.config, &lookup)?,
        shell: lookup.find("sh")?.unwrap_or_else(|| PathBuf::from("/bin/sh")),
        stop: stop.clone(),
        secrets: secrets.clone(),
        observer: &mut watcher,
    };
    // What a hook of the user's printed stands in an error too. If a stop was asked for, other errors follow from it.
    let masked =
        |error: Error| Error::new(error.kind(), secrets.redact(error.what()), secrets.redact(error.remedy()));
    let shown = |error| if stop.urgency() == Urgency::None { masked(error) } else { stopped(&signals, name) };
    let mut garden = Garden::open(parts, options.dirty()).map_err(shown)?;
    let result = work(&mut garden).map_err(shown);
    // That something could not be saved is worse than why the run ended.
    let closed = garden.close().map_err(masked);
    let end = match result {
        Err(error) if matches!(error.kind(), Kind::Signal(_)) => {
            closed?;
            return Err(error);
        }
        result => result?,
    };
    closed?;
    watcher.end(&end, &plan.tree);
    conclude(&end, plan, options)
}

fn form(options: &RunOptions) -> Form {
    match (options.json, options.verbose) {
        (true, _) => Form::Json,
        (false, true) => Form::Verbose,
        (false, false) => Form::Lines,
    }
}

fn stopped(signals: &StopSignals, name: &str) -> Error {
    Error::new(
        Kind::Signal(signals.last().unwrap_or(2)),
        "stopped",
        format!("Every finished step is committed. Run `git arborist {name}` again to go on."),
    )
}

/// Says how a run ended, and with which exit status.
fn conclude(end: &RunEnd, plan: &Plan, options: &RunOptions) -> Result<Exit> {
    let tree = &plan.tree;
    if !options.json {
        output::answer(&format!("{}/{} complete\n", end.complete, tree.order().len()))?;
    }
    if !end.failed.is_empty() {
        let first = &tree.node(end.failed[0]).id;
        return Err(Error::new(
            Kind::No,
            format!("{} failed", names(tree, &end.failed)),
            format!(
                "See why with `git arborist show {first}`, and try again with `git arborist garden {first}`; its feedback so \
                 far goes along."
            ),
        ));
    }
    if !end.failed_phases.is_empty() {
        return Err(Error::new(
            Kind::No,
            format!("the tests of {} failed, and its phase is not complete", names(tree, &end.failed_phases)),
            "Correct what they find and commit it; the next run tries them again.",
        ));
    }
    Ok(Exit::Done)
}

fn names(tree: &TaskTree, nodes: &[NodeIx]) -> String {
    nodes.iter().map(|ix| tree.node(*ix).id.as_str()).collect::<Vec<_>>().join(", ")
}
