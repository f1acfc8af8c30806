//! `git arborist prune`: removes generated artifacts in one commit, before a merge.

use clap::Args;

use crate::config::Setting;
use crate::error::{Error, Result};
use crate::git::Git;
use crate::history::Run;
use crate::process::{CallLimit, Cancel, CancelLevel, StopSignals};
use crate::publish::{KeepReason, PruneInputs, PrunePlan, PruneScope};
use crate::record::TaskId;
use crate::report;
use crate::run::read_run;
use crate::session::take_lock::lock;
use crate::session::{Call, Command, Deletes, Exit, Group, Session, Summary};
use crate::text::{advice, counted, one_line};

/// The arguments of `prune`.
#[derive(Args, Clone, Debug)]
pub struct Prune {
    /// Remove the artifacts of all runs in the history, not only those of the current run
    #[arg(long)]
    all_runs: bool,
    /// List what would be removed, and change nothing
    #[arg(long)]
    dry_run: bool,
}

impl Command for Prune {
    const SUMMARY: Summary = Summary {
        name: "prune",
        group: Group::Deliver,
        about: "remove generated artifacts in one commit, before a merge",
    };

    const MANUAL: &'static str = include_str!("manual/prune.md");

    const DELETES: Deletes = Deletes::Always;

    fn run(self, call: &Call) -> Result<Exit> {
        let session = Session::open(call, Vec::new())?;
        let plan = session.plan()?;
        let cancel = Cancel::new();
        let timeout = session.config.duration(Setting::HookTimeout);
        let git = session.git.clone().with_limit(CallLimit::new(timeout, &cancel));
        let run = read_run(&session.repository, &plan, &session.work_tree)?;
        if let Some(warning) = not_merged(&run) {
            report::warn(&session.screen, &warning);
        }
        let inputs = PruneInputs {
            git: &git,
            work_tree: &session.work_tree,
            repository: &session.repository,
            plan: &plan,
            status: if self.dry_run { Git::status_running_nothing } else { Git::status },
        };
        let prune_plan =
            PrunePlan::decide(&inputs, if self.all_runs { PruneScope::All } else { PruneScope::Current })?;
        for (path, why) in &prune_plan.keep {
            report::warn(&session.screen, &format!("{} is kept: {}", one_line(path), words_of(*why)));
        }
        if self.dry_run {
            let lines: Vec<String> =
                prune_plan.remove.iter().map(|path| format!("{}\n", one_line(path))).collect();
            report::print(&lines.concat())?;
            return Ok(Exit::Done);
        }
        if prune_plan.remove.is_empty() {
            report::print("nothing to prune\n")?;
            if !self.all_runs {
                name_earlier(&session, &inputs)?;
            }
            return Ok(Exit::Done);
        }
        let signals = StopSignals::watch(&cancel)?;
        let lock = lock(&session, "prune")?;
        let commit = prune_plan.carry_out(&inputs, &lock).map_err(|error| match cancel.level() {
            CancelLevel::None => error,
            CancelLevel::Soon | CancelLevel::Now => stopped(&signals),
        })?;
        let files = counted(prune_plan.remove.len(), "generated file");
        report::print(&format!("{} removed {files}\n", commit.short()))?;
        Ok(Exit::Done)
    }
}

/// Why a file is kept, as a clause.
fn words_of(why: KeepReason) -> &'static str {
    match why {
        KeepReason::Changed => "it was changed after its step commit",
        KeepReason::NotAdded => "it existed before the step that names it",
        KeepReason::Unsafe => "its path is not a plain path in the work tree",
    }
}

/// What is not pruned because it is on branches of tasks, as a clause.
fn not_merged(run: &Run) -> Option<String> {
    let tasks: Vec<&str> = run.branches.tasks.keys().map(TaskId::as_str).collect();
    let they = if tasks.len() == 1 { "its branch is" } else { "their branches are" };
    (!tasks.is_empty()).then(|| {
        format!(
            "the generated files of {} can be removed only with another {prune}, when {they} merged",
            report::first_few(tasks.iter().copied()),
            prune = advice::prune()
        )
    })
}

/// Says so if there are artifacts of earlier runs.
fn name_earlier(session: &Session, inputs: &PruneInputs<'_>) -> Result<()> {
    let count = PrunePlan::decide(inputs, PruneScope::All)?.remove.len();
    if count > 0 {
        let files = counted(count, "generated file");
        let earlier = format!("{files} of earlier runs can be removed with {}", advice::prune_all_runs());
        report::warn(&session.screen, &earlier);
    }
    Ok(())
}

fn stopped(signals: &StopSignals) -> Error {
    Error::stopped(
        signals.last(),
        format!("Nothing is lost. {} removes the files when it runs again.", advice::prune()),
    )
}
