//! `git arborist garden`: takes one task through implement → test → review → complete.

use std::path::PathBuf;

use clap::Args;

use crate::engine::{Journal, RunEnd, RunPart, RunScope, TaskPart};
use crate::error::{Error, Kind, Result};
use crate::history::Repository;
use crate::launch::before_run::{RunKind, Start};
use crate::launch::dry_run::{self, DryRunOf};
use crate::launch::monitor::ending::RunEnding;
use crate::launch::monitor::events::RunSummary;
use crate::launch::monitor::tally::RunTally;
use crate::launch::options::RunOptions;
use crate::launch::run::{with_events, work};
use crate::plan::{NodeIx, Readiness};
use crate::process::end_with_starter;
use crate::record::CommitId;
use crate::report::{self, DryRunView};
use crate::run::{Plan, TaskScope, has_task_branches, phase_ends, read_run, task_configs};
use crate::scheduler::{JobScope, Told, run_jobs};
use crate::session::availability::Availability;
use crate::session::{Call, Command, Exit, Group, JsonOutput, Summary};
use crate::text::advice;
use crate::workflow::FailedTask;

/// The arguments of `garden`.
#[derive(Args, Clone, Debug)]
pub struct Garden {
    #[command(flatten)]
    options: RunOptions,
    /// The task to work on [default: the next ready one]. A failed task that you name starts over
    #[arg(value_name = "TASK")]
    task: Option<String>,
    /// Work on the branch of the task, for a run whose branch has this tip
    #[arg(long, hide = true, value_name = "COMMIT", requires = "task")]
    onto: Option<String>,
    /// What the branch of the task names
    #[arg(long, hide = true, value_name = "COMMIT", requires = "onto")]
    tip: Option<String>,
    /// The file with what the run knows of the task
    #[arg(long, hide = true, value_name = "FILE", requires = "onto")]
    told: Option<PathBuf>,
}

impl Command for Garden {
    const SUMMARY: Summary = Summary {
        name: "garden",
        group: Group::Run,
        about: "take one task through implement, test, review and complete",
    };

    const MANUAL: &'static str = include_str!("manual/garden.md");

    const OUTPUT: JsonOutput = JsonOutput::Events;

    fn run(self, call: &Call) -> Result<Exit> {
        with_events(call, &self.options, |summary| self.run_one(call, summary))
    }
}

/// The task to work on, if there is one.
enum Choice {
    /// This task.
    Task(NodeIx),
    /// Nothing, for this reason.
    Nothing(String),
}

impl Garden {
    fn run_one(&self, call: &Call, summary: &mut Option<RunSummary>) -> Result<Exit> {
        let options = &self.options;
        let session = &options.open(call)?;
        let plan = &session.plan_to_run()?;
        let tasks = &task_configs(&session.config, plan);
        let again = match &self.task {
            Some(id) => advice::garden(&plan.tree.node(plan.leaf(id)?).id),
            None => advice::garden_any(),
        };
        let again = options.repeated_in(again);
        let part = &self.part()?;
        let start = Start { kind: RunKind::Garden, call, options, session, plan, tasks, again: &again, part };
        start.check_plan_for_secrets()?;
        let run = read_run(&session.repository, plan, &session.work_tree)?;
        let ends = phase_ends(&session.git, &session.repository, plan, &run)?;
        let available = Availability::new(plan, &run, tasks).with_ends(&ends);
        let leaf = match self.choose(available, plan, &session.repository)? {
            Choice::Task(leaf) => leaf,
            Choice::Nothing(_) if matches!(part, RunPart::Task(TaskPart { failure: Some(_), .. })) => {
                plan.leaf(self.task.as_deref().expect("only a named task has a part"))?
            }
            // The work of an interrupted step is checked first, because it may be the reason why everything seems to be
            // done.
            Choice::Nothing(_)
                if !options.dry_run && Journal::read(&session.work_tree.git_dir).has_open_work() =>
            {
                return work(start, summary, &[], |engine| {
                    Ok(RunEnd::of(plan, &*engine.read()?, &TaskScope::All))
                });
            }
            Choice::Nothing(why) => {
                let end = RunEnd::of(plan, &run, &TaskScope::All);
                *summary = Some(RunSummary::new(&end, plan, RunEnding::complete(), &RunTally::new()));
                return nothing_to_do(options, &why);
            }
        };
        if options.dry_run {
            return dry_run::print(&start, DryRunOf::One(leaf));
        }
        start.confirm_commands()?;
        if *part == RunPart::Whole && has_task_branches(plan, &run) {
            let scope = RunScope { tasks: TaskScope::below(&plan.tree, &[leaf]), ..RunScope::whole_plan() };
            return run_jobs(start, summary, &[leaf], JobScope { scope: &scope, jobs: 1 });
        }
        let failed = if self.task.is_some() { FailedTask::StartOver } else { FailedTask::Leave };
        work(start, summary, &[leaf], |engine| {
            let mut end = engine.run_one(leaf, failed)?;
            end.failed.retain(|failed| *failed == leaf);
            Ok(end)
        })
    }

    /// The part of this run in one that works on several tasks at the same time.
    fn part(&self) -> Result<RunPart> {
        let Some(onto) = &self.onto else { return Ok(RunPart::Whole) };
        end_with_starter().map_err(|error| Error::short_of("a thread", &error))?;
        let onto = commit_in("--onto", onto)?;
        let tip = self.tip.as_deref().map(|tip| commit_in("--tip", tip)).transpose()?;
        let Told { failure, known } = self.told.as_deref().map(Told::read).unwrap_or_default();
        Ok(RunPart::Task(TaskPart { onto, tip, failure, known }))
    }

    /// The task to work on: the named one, otherwise the first that is ready.
    fn choose(&self, availability: Availability<'_>, plan: &Plan, repository: &Repository) -> Result<Choice> {
        let readiness = availability.readiness();
        let Some(id) = &self.task else {
            if let Some(next) = readiness.ready().next() {
                return Ok(Choice::Task(next));
            }
            return match availability.nothing_ready(repository)? {
                Some(failed) => Err(failed),
                None => Ok(Choice::Nothing(availability.all_done(repository)?)),
            };
        };
        let leaf = plan.leaf_meant(id)?;
        if readiness.of(leaf) == Readiness::Held {
            Err(availability.held(leaf))
        } else if readiness.of(leaf) == Readiness::Asked {
            Err(availability.asked(repository, leaf)?)
        } else if readiness.of(leaf) == Readiness::Done {
            Ok(Choice::Nothing(availability.task_is_done(leaf)))
        } else if readiness.dependencies_are_met(leaf) {
            Ok(Choice::Task(leaf))
        } else {
            let remedy = |first: &str| format!("{} works on that task first.", advice::garden(first));
            Err(availability.not_ready(leaf, remedy))
        }
    }
}

/// The commit that an option names.
fn commit_in(option: &str, id: &str) -> Result<CommitId> {
    let missing = || Error::new(Kind::Input, format!("{option} needs the full id of a commit"), "");
    CommitId::from_hex(id.as_bytes()).ok_or_else(missing)
}

/// Says that there is nothing to do, in the requested format.
fn nothing_to_do(options: &RunOptions, why: &str) -> Result<Exit> {
    match (options.json, options.dry_run) {
        (true, true) => report::print(&DryRunView::new(Vec::new(), Vec::new()).json())?,
        // The `end` event of the stream says so.
        (true, false) => {}
        (false, _) => report::print(&format!("{why}\n"))?,
    }
    Ok(Exit::Done)
}
