//! `git arborist work`: what a job of an engine runs. It claims ready tasks of a run on a remote repository, works on them, and
//! pushes every step.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::error::Result;
use crate::launch::options::{RunOptions, length_of_time};
use crate::launch::run::with_events;
use crate::scheduler::{AllTasks, CloneFrom, FailOn, RemoteRun, Stay, WantedTask};
use crate::session::{Call, Command, Exit, Group, JsonOutput, Summary};

/// The arguments of `work`.
#[derive(Args, Clone, Debug)]
pub struct Work {
    #[command(flatten)]
    options: RunOptions,
    /// The remote repository: its address, or its name in the repository around the current folder
    #[arg(long, value_name = "REMOTE")]
    remote: String,
    /// The branch of the run [default: the one that is checked out here or, for an address, the default branch]
    #[arg(long, value_name = "BRANCH")]
    branch: Option<String>,
    /// The job that claims tasks, as its engine names it, for example slurm:4711.3 [default: a random name]
    #[arg(long, value_name = "JOB")]
    claimant: Option<String>,
    /// How often the engine has started this job before; a higher number takes over the task of a lower one
    #[arg(long, value_name = "N", default_value_t = 0)]
    attempt: u64,
    /// End only when no task was ready for this long, for example 90 (seconds), 10m or 2h, and nothing that others work on can make
    /// one ready
    #[arg(long, value_name = "TIME", value_parser = length_of_time)]
    until_idle: Option<Duration>,
    /// End only when nothing is claimed, nothing is left to be merged, and nothing can become ready without a person: with 0, or
    /// with 7 if only questions or approvals are left
    #[arg(long, conflicts_with = "until_idle")]
    until_done: bool,
    /// Which failed tasks make the exit status 1 in the end: own, those on which this worker has worked, or any
    #[arg(
        long,
        value_name = "WHICH",
        default_value = "own",
        value_enum,
        hide_possible_values = true,
        conflicts_with = "task"
    )]
    fail_on: FailedTasks,
    /// Begin after a random time of at most this length, so that many workers do not all clone at once
    #[arg(long, value_name = "TIME", value_parser = length_of_time)]
    spread: Option<Duration>,
    /// Take the task over from the worker that has claimed it
    #[arg(long, requires = "task")]
    take_over: bool,
    /// The folder of the clone in which the work is done; it is kept [default: a new one in arborist.worktree.dir, otherwise in TMPDIR, removed at the end]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// The task to work on, until it is merged [default: all that are ready, one after the other]
    #[arg(value_name = "TASK")]
    task: Option<String>,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
enum FailedTasks {
    Own,
    Any,
}

impl Command for Work {
    const SUMMARY: Summary = Summary {
        name: "work",
        group: Group::Others,
        about: "claim ready tasks of a run on a remote repository, and work on them",
    };

    const MANUAL: &'static str = include_str!("manual/work.md");

    const OUTPUT: JsonOutput = JsonOutput::Events;

    fn run(self, call: &Call) -> Result<Exit> {
        with_events(call, &self.options, |_| {
            let run = RemoteRun {
                from: CloneFrom {
                    remote: &self.remote,
                    branch: self.branch.as_deref(),
                    folder: self.dir.as_deref(),
                },
                job: self.claimant.as_deref(),
                restarts: self.attempt,
                spread: self.spread.unwrap_or_default(),
            };
            let stay = self.stay();
            match self.task.as_deref() {
                Some(task) => {
                    let wanted = WantedTask { task, is_taken_over: self.take_over, stay };
                    run.work_on(call, &self.options, wanted)
                }
                None => run.work_on_all(call, &self.options, AllTasks { stay, fails_on: self.fails_on() }),
            }
        })
    }
}

impl Work {
    fn stay(&self) -> Stay {
        match self.until_idle {
            _ if self.until_done => Stay::UntilDone,
            Some(length) => Stay::UntilIdle(length),
            None => Stay::WhileReady,
        }
    }

    fn fails_on(&self) -> FailOn {
        match self.fail_on {
            FailedTasks::Own => FailOn::Own,
            FailedTasks::Any => FailOn::Any,
        }
    }
}
