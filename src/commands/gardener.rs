//! `git arborist gardener`: works until all tasks are complete, or nothing is left that can be done.

use std::num::NonZeroU32;

use clap::Args;

use crate::config::{OnBlocked, Setting};
use crate::engine::{OnFailure, RunGate, RunPart, RunScope};
use crate::error::{Error, Kind, Result};
use crate::history::Run;
use crate::import::source_changes::SourceChanges;
use crate::intervene::questions::put_questions;
use crate::launch::before_run::{RunKind, Start};
use crate::launch::dry_run::{self, DryRunOf};
use crate::launch::monitor::events::RunSummary;
use crate::launch::options::RunOptions;
use crate::launch::run::{with_events, work};
use crate::plan::NodeIx;
use crate::record::TaskId;
use crate::report;
use crate::run::{BranchMode, Plan, TaskScope, has_task_branches, read_run, task_configs};
use crate::scheduler::{JobScope, run_jobs};
use crate::session::{Call, Command, Exit, Group, JsonOutput, Summary};
use crate::text::advice::{self, Advice};
use crate::workflow::FailedTask;

/// The arguments of `gardener`.
#[derive(Args, Clone, Debug)]
pub struct Gardener {
    #[command(flatten)]
    options: RunOptions,
    /// End the run as soon as a task or the tests of a phase have failed
    #[arg(long, conflicts_with = "keep_going")]
    stop_on_failure: bool,
    /// Continue after a failure with what does not depend on it, which is the default
    #[arg(long, hide = true)]
    keep_going: bool,
    /// Try failed tasks again, with the feedback so far
    #[arg(long)]
    failed: bool,
    /// End the run after N tasks
    #[arg(long, value_name = "N")]
    max_tasks: Option<NonZeroU32>,
    /// End the run so that you can look at the work: after each `phase`, after each `task`, `every:N` tasks, or not at
    /// all [default: none]
    #[arg(long, value_name = "WHEN", value_parser = gate)]
    gate: Option<EndsAfter>,
    /// Work on N tasks at the same time, each in a work tree and on a branch of its own [default: 1]
    #[arg(short, long, value_name = "N", value_parser = jobs)]
    jobs: Option<u32>,
    /// Work only on these tasks, and those of these phases [default: all tasks]
    #[arg(value_name = "TASK")]
    nodes: Vec<String>,
    /// The command that goes on with the larger work that this run is a part of.
    #[arg(skip)]
    part_of: Option<Advice>,
}

impl Gardener {
    /// A run with these options over the tasks below these nodes, which ends at the first failure; `failed` says whether it tries failed
    /// tasks again, and `resume` goes on with the larger work that it is a part of.
    pub(super) fn again(options: RunOptions, nodes: Vec<String>, failed: bool, resume: Advice) -> Self {
        let (stop_on_failure, keep_going, part_of) = (true, false, Some(resume));
        Self {
            options,
            stop_on_failure,
            keep_going,
            failed,
            max_tasks: None,
            gate: None,
            jobs: None,
            nodes,
            part_of,
        }
    }

    /// Refuses what this run would refuse before it begins if these tasks were open again; a task without an id is a new one.
    ///
    /// # Errors
    /// If the run could not begin.
    pub(super) fn refuse_early(&self, call: &Call, reopened: &[Option<TaskId>]) -> Result<()> {
        let options = &self.options;
        let session = &options.open(call)?;
        let plan = &session.plan_to_run_again()?;
        let tasks = &task_configs(&session.config, plan);
        let run = read_run(&session.repository, plan, &session.work_tree)?;
        jobs_of(plan, &run, self.jobs)?;
        let (kind, again, part) = (RunKind::Gardener, &self.again_with(options), &RunPart::Whole);
        let start = Start { kind, call, options, session, plan, tasks, again, part };
        let is_reopened = |leaf: NodeIx| reopened.contains(&Some(plan.tree.node(leaf).id.clone()));
        let is_open = |leaf: &NodeIx| !plan.state(&run, *leaf).is_done() || is_reopened(*leaf);
        let scope = self.scope(call, plan)?;
        let leaves: Vec<NodeIx> = scope.tasks.leaves(&plan.tree).filter(is_open).collect();
        start.refuse_early(&leaves, reopened.contains(&None))
    }
}

impl Command for Gardener {
    const SUMMARY: Summary = Summary {
        name: "gardener",
        group: Group::Run,
        about: "work through the plan until nothing is left that can be done",
    };

    const MANUAL: &'static str = include_str!("manual/gardener.md");

    const OUTPUT: JsonOutput = JsonOutput::Events;

    fn run(self, call: &Call) -> Result<Exit> {
        let result = with_events(call, &self.options, |summary| {
            let mut left = self.clone();
            loop {
                let exit = left.run_all(call, summary)?;
                if exit != Exit::NeedsPerson || !left.asks_here(call)? || !put_questions(call, &left.nodes)? {
                    return Ok(exit);
                }
                let worked_on = summary.as_ref().map_or(0, |summary| summary.worked_on);
                let Some(next) = left.after(worked_on) else { return Ok(Exit::Done) };
                left = next;
            }
        });
        // After a run that was stopped for safety, settings of git may not be believed, and opening them may wait for ever.
        let is_over = result.as_ref().map_or_else(|error| error.kind() == Kind::No, |_| true);
        if is_over && !self.options.json && !self.options.dry_run {
            // How the run ended matters more than that this cannot be read.
            self.options.open(call).iter().for_each(SourceChanges::warn_after_run);
        }
        result
    }
}

/// After what a run ends for a person; `None` if it goes on.
#[derive(Clone, Copy, Debug)]
struct EndsAfter(Option<RunGate>);

fn gate(text: &str) -> std::result::Result<EndsAfter, String> {
    let every = || text.strip_prefix("every:")?.parse::<NonZeroU32>().ok();
    match text {
        "none" => Ok(EndsAfter(None)),
        "phase" => Ok(EndsAfter(Some(RunGate::Phase))),
        "task" => Ok(EndsAfter(Some(RunGate::Tasks(1)))),
        _ => every()
            .map(|count| EndsAfter(Some(RunGate::Tasks(count.get()))))
            .ok_or_else(|| "it must be none, phase, task or every:N, for example every:5".to_owned()),
    }
}

impl Gardener {
    /// Whether questions of agents are put to the user while the run goes on.
    fn asks_here(&self, call: &Call) -> Result<bool> {
        let session = self.options.open(call)?;
        let asks = session.config.choice(Setting::OnBlocked, OnBlocked::from_word) == OnBlocked::Ask;
        Ok(asks && !self.options.json && report::can_ask())
    }

    /// What is left of this run after it has worked on this many tasks; `None` if it ends here.
    fn after(self, worked_on: u32) -> Option<Self> {
        let left = |count: NonZeroU32| NonZeroU32::new(count.get().saturating_sub(worked_on));
        let max_tasks = match self.max_tasks {
            Some(count) => Some(left(count)?),
            None => None,
        };
        let gate = match self.gate {
            Some(EndsAfter(Some(RunGate::Tasks(count)))) => {
                Some(EndsAfter(Some(RunGate::Tasks(count.checked_sub(worked_on).filter(|left| *left > 0)?))))
            }
            gate => gate,
        };
        Some(Self { max_tasks, gate, ..self })
    }

    fn run_all(&self, call: &Call, summary: &mut Option<RunSummary>) -> Result<Exit> {
        let options = &self.options;
        let session = &options.open(call)?;
        let plan = &session.plan_to_run()?;
        let scope = self.scope(call, plan)?;
        let tasks = &task_configs(&session.config, plan);
        let again = self.again_with(options);
        let start = Start {
            kind: RunKind::Gardener,
            call,
            options,
            session,
            plan,
            tasks,
            again: &again,
            part: &RunPart::Whole,
        };
        start.check_plan_for_secrets()?;
        let run = read_run(&session.repository, plan, &session.work_tree)?;
        let jobs = jobs_of(plan, &run, self.jobs)?;
        if jobs.is_some() {
            start.check_branch_names()?;
        }
        if options.dry_run {
            return dry_run::print(&start, DryRunOf::All { scope: &scope, jobs });
        }
        let open = |leaf: &NodeIx| !plan.state(&run, *leaf).is_done();
        let leaves: Vec<NodeIx> = scope.tasks.leaves(&plan.tree).filter(open).collect();
        if !leaves.is_empty() || has_open_phase(plan, &run) {
            start.confirm_commands()?;
        }
        if let Some(jobs) = jobs {
            return run_jobs(start, summary, &leaves, JobScope { scope: &scope, jobs });
        }
        work(start, summary, &leaves, |engine| engine.run_plan(&scope))
    }

    /// The command that continues this run, without the options that end it.
    fn again_with(&self, options: &RunOptions) -> Advice {
        if let Some(whole) = &self.part_of {
            return whole.clone();
        }
        let mut again = advice::gardener();
        if let Some(jobs) = self.jobs {
            again = again.jobs(jobs);
        }
        again = options.repeated_in(again);
        if self.stop_on_failure {
            again = again.stop_on_failure();
        }
        if self.failed {
            again = again.failed();
        }
        again.of(&self.nodes)
    }

    fn scope(&self, call: &Call, plan: &Plan) -> Result<RunScope> {
        let nodes = self.nodes.iter().map(|id| plan.node_meant(id)).collect::<Result<Vec<NodeIx>>>()?;
        Ok(RunScope {
            tasks: TaskScope::below(&plan.tree, &nodes),
            on_failure: if self.stop_on_failure { OnFailure::Stop } else { OnFailure::KeepGoing },
            failed_before: if self.failed { FailedTask::StartOver } else { FailedTask::Leave },
            max_tasks: self.max_tasks.map(NonZeroU32::get),
            gate: self.gate.and_then(|gate| gate.0),
            ends_at_question: self.asks_here(call)?,
        })
    }
}

/// The largest number of tasks that are worked on at the same time.
const MOST_JOBS: u32 = 256;

fn jobs(text: &str) -> std::result::Result<u32, String> {
    let number = text.parse::<u32>().ok().filter(|number| (1..=MOST_JOBS).contains(number));
    number.ok_or_else(|| format!("it must be a number from 1 to {MOST_JOBS}"))
}

/// How many tasks are worked on at the same time, each on a branch of its own; `None` if tasks get no branches.
fn jobs_of(plan: &Plan, run: &Run, jobs: Option<u32>) -> Result<Option<u32>> {
    let several = jobs.filter(|jobs| *jobs > 1);
    match (plan.branch_mode(), several) {
        (Some(mode @ (BranchMode::None | BranchMode::Phase)), Some(jobs)) => Err(Error::new(
            Kind::Input,
            format!(
                "--jobs {jobs} needs a branch for each task, and --branches (or arborist.branches) says {}",
                if mode == BranchMode::Phase { "phase" } else { "none" }
            ),
            "Use `--branches task`, or leave --jobs out.",
        )),
        (Some(BranchMode::None), None) if !run.branches.tasks.is_empty() => Err(open_branches(run)),
        (_, Some(jobs)) => Ok(Some(jobs)),
        (mode, None) => {
            Ok((mode == Some(BranchMode::Task) || has_task_branches(plan, run)).then(|| jobs.unwrap_or(1)))
        }
    }
}

/// The error for a run on one branch while tasks have branches with work of it.
fn open_branches(run: &Run) -> Error {
    let names: Vec<String> = run.branches.tasks.values().map(|branch| branch.name.clone()).collect();
    let first = names.first().cloned().unwrap_or_default();
    let what = format!(
        "work of this run that is not merged yet is on {}",
        report::first_few(names.iter().map(String::as_str))
    );
    let remedy = format!(
        "Continue with `--branches task`, or rename the branches (`git branch -m {first} NAME`) to leave the work out."
    );
    Error::new(Kind::Repository, what, remedy)
}

/// Whether a phase is not marked complete, so that its tests may run.
fn has_open_phase(plan: &Plan, run: &Run) -> bool {
    let mut phases = plan.tree.roots().iter();
    phases.any(|phase| {
        let id = &plan.tree.node(*phase).id;
        let is_task = plan.tree.is_leaf(*phase)
            && !run.branches.phases.contains_key(id)
            && !run.failed_phases.contains_key(id);
        !is_task && !run.phases.contains_key(id)
    })
}
