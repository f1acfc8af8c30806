//! `git arborist integrate`: merges finished tasks into the branch of the run.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::pr::Pr;
use crate::engine::RunPart;
use crate::error::{Error, Kind, Result};
use crate::git::DiscoveryStart;
use crate::launch::before_run::{RunKind, Start};
use crate::launch::monitor::events::RunSummary;
use crate::launch::options::RunOptions;
use crate::launch::run::with_events;
use crate::report;
use crate::run::task_configs;
use crate::scheduler::{CloneFrom, Collected, Integrating, RemoteRun, merge_finished};
use crate::session::plan_state::PlanState;
use crate::session::{Call, Command, Exit, Group, JsonOutput, Session, Summary};
use crate::text::advice;

/// The arguments of `integrate`.
#[derive(Args, Clone, Debug)]
pub struct Integrate {
    #[command(flatten)]
    options: RunOptions,
    /// Integrate what workers have pushed to this remote repository: its address, or its name here
    #[arg(long, value_name = "REMOTE")]
    remote: Option<String>,
    /// The branch of the run on the remote repository [default: the one that is checked out here or, for an address, the default
    /// branch]
    #[arg(long, value_name = "BRANCH", requires = "remote")]
    branch: Option<String>,
    /// Where what is merged goes: branch, that of the run, or pull-request, a branch from which a pull request is opened and updated, for a
    /// branch of the run that nobody may push to
    #[arg(
        long,
        value_name = "WHERE",
        default_value = "branch",
        value_enum,
        hide_possible_values = true,
        requires = "remote"
    )]
    to: Destination,
    /// Merge at most N tasks before they are tested and pushed together [default: all that are finished]
    #[arg(long, value_name = "N", requires = "remote")]
    batch: Option<std::num::NonZeroU32>,
    /// The job that claims the integration, as its engine names it [default: a random name]
    #[arg(long, value_name = "JOB", requires = "remote")]
    claimant: Option<String>,
    /// How often the engine has started this job before
    #[arg(long, value_name = "N", default_value_t = 0, requires = "remote")]
    attempt: u64,
    /// The folder of the clone in which the work is done; it is kept [default: a new one in arborist.worktree.dir, otherwise in TMPDIR, removed at the end]
    #[arg(long, value_name = "DIR", requires = "remote")]
    dir: Option<PathBuf>,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
enum Destination {
    Branch,
    PullRequest,
}

impl Command for Integrate {
    const SUMMARY: Summary = Summary {
        name: "integrate",
        group: Group::Others,
        about: "merge finished tasks into the branch of the run, if their tests pass there",
    };

    const MANUAL: &'static str = include_str!("manual/integrate.md");

    const OUTPUT: JsonOutput = JsonOutput::Events;

    fn run(self, call: &Call) -> Result<Exit> {
        with_events(call, &self.options, |summary| match &self.remote {
            Some(remote) => self.integrate_there(call, remote),
            None => self.integrate_here(call, summary),
        })
    }
}

impl Integrate {
    fn remote_run<'s>(&'s self, remote: &'s str) -> RemoteRun<'s> {
        RemoteRun {
            from: CloneFrom { remote, branch: self.branch.as_deref(), folder: self.dir.as_deref() },
            job: self.claimant.as_deref(),
            restarts: self.attempt,
            spread: Duration::ZERO,
        }
    }

    /// Merges what workers have pushed.
    fn integrate_there(&self, call: &Call, remote: &str) -> Result<Exit> {
        let deliver = |collected: Collected<'_>| -> Result<()> {
            let Collected { session: clone, git, branch, base, remote } = collected;
            let place = DiscoveryStart::Folder(clone.work_tree.top.clone());
            let mut session = Session::open_at(place, call, Vec::new())?;
            session.git = session.git.with_unwritten_of(git);
            let plan = session.plan()?;
            let pr = Pr::of_collected(branch, base, remote);
            pr.deliver(call, &PlanState::of(session, plan)?).map(drop)
        };
        let is_request = matches!(self.to, Destination::PullRequest);
        if is_request && self.options.json {
            return Err(Error::new(
                Kind::Input,
                "--json and --to pull-request cannot be used together",
                "Nothing was done. Leave one of them out.",
            ));
        }
        let how = Integrating { batch: self.batch, deliver: if is_request { Some(&deliver) } else { None } };
        self.remote_run(remote).integrate(call, &self.options, how)
    }

    /// Merges the branches of finished tasks into the branch that is checked out.
    fn integrate_here(&self, call: &Call, summary: &mut Option<RunSummary>) -> Result<Exit> {
        if self.options.dry_run {
            return Err(Error::new(
                Kind::Input,
                "`integrate` has no dry run",
                format!("{} shows which tasks are complete.", advice::status()),
            ));
        }
        let session = &self.options.open(call)?;
        let plan = &session.plan_to_run()?;
        let tasks = &task_configs(&session.config, plan);
        let start = Start {
            kind: RunKind::Integrate,
            call,
            options: &self.options,
            session,
            plan,
            tasks,
            again: &advice::integrate(),
            part: &RunPart::Scheduler { jobs: 1 },
        };
        start.check_plan_for_secrets()?;
        start.confirm_commands()?;
        let (end, _) = merge_finished(start, summary)?;
        if !self.options.json {
            for failed in &end.not_merged {
                report::print(&format!("{} could not be merged: {}\n", failed.task, failed.why.clause()))?;
            }
        }
        Ok(if end.not_merged.is_empty() { Exit::Done } else { Exit::No })
    }
}
