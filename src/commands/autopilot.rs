//! `git arborist autopilot`: takes a node of the plan from a clean branch to a request, with the pipeline of `gardener` and
//! the steps around it.

mod branch;
mod diary;
mod dry_run;
mod finish;
mod paused;
mod preflight;
mod target;

use clap::Args;

use super::gardener::Gardener;
use super::land::message_rules;
use super::pr::{Follow, FollowOptions, request_branch, require_enabled, tasks_of_requests};
use crate::config::Setting;
use crate::engine::uncommitted;
use crate::error::{Error, Kind, Result};
use crate::inspect::steps::leaves_below;
use crate::launch::options::{DefaultOf, RunOptions};
use crate::plan::NodeIx;
use crate::record::{CommitId, TaskId};
use crate::report::{self, AroundPhase, Diagnosis, Health, Screen};
use crate::run::{Plan, read_run};
use crate::session::take_lock::lock;
use crate::session::{Call, Command, Exit, Group, Session, Summary};
use crate::setup::checks::repository::CHANGES;
use crate::text::advice::Advice;
use crate::text::{advice, counted};
use branch::{OwnBranch, Place};
use diary::Diary;
use finish::Finish;
use paused::{Paused, Resumed, resume_command};
use preflight::AutopilotChecks;
use target::{Target, Without};

/// Arguments of `git arborist autopilot`.
#[derive(Args, Clone, Debug)]
#[command(mut_arg("base", |arg| arg.help("Begin the branch at this branch or revision [default: the default branch]")))]
#[command(mut_arg("max_attempts", |arg| arg.help("How many attempts each task gets [default: 3]")))]
pub struct Autopilot {
    #[command(flatten)]
    options: RunOptions,
    #[command(flatten)]
    without: Without,
    /// A task, or a phase whose tasks are done one after the other [default: the whole plan]
    #[arg(value_name = "TASK")]
    node: Option<String>,
    /// Let an agent split the task into subtasks first
    #[arg(long, requires = "node")]
    expand: bool,
    #[command(flatten)]
    following: FollowOptions,

    /// The commits of others on the branch that may be taken in; all of them if there is no list.
    #[arg(skip)]
    allowed: Option<Vec<CommitId>>,
    /// Go on with a run that was interrupted or paused, with the task and the options with which it was started
    #[arg(long)]
    resume: bool,
}

impl Command for Autopilot {
    const SUMMARY: Summary = Summary {
        name: "autopilot",
        group: Group::Run,
        about: "take a task from a new branch to a pull request",
    };

    const MANUAL: &'static str = include_str!("manual/autopilot.md");

    fn run(self, call: &Call) -> Result<Exit> {
        if self.options.json && !self.options.dry_run {
            return Err(Error::new(
                Kind::Input,
                "autopilot prints JSON only with --dry-run",
                format!("For the events of a run, use {}.", advice::gardener_json()),
            ));
        }
        if self.resume && self.node.is_none() {
            let session = Session::open(call, Vec::new())?;
            let branch = session.repository.branch().ok().map(|head| head.branch_name().to_owned());
            let paused = Paused::in_repository(&session);
            let resumed: Resumed<Self> = paused.resumed(branch.as_deref(), call)?;
            return resumed.arguments.carry_out(&resumed.call);
        }
        self.carry_out(call)
    }
}

fn leaves_of(plan: &Plan, node: Option<NodeIx>) -> Vec<NodeIx> {
    match node {
        Some(node) => plan.tree.leaves_below(node).collect(),
        None => plan.tree.order().to_vec(),
    }
}

impl Autopilot {
    fn carry_out(&self, call: &Call) -> Result<Exit> {
        if self.following.follow.is_some() {
            return self.follow(call);
        }
        let session = self.pipeline(false).open(call)?;
        let plan = session.plan_to_run()?;
        if !self.options.dry_run {
            self.refuse_questions()?;
        }
        let node = self.node_of(&plan)?;
        let run = read_run(&session.repository, &plan, &session.work_tree)?;
        let target = Target { node, leaves: leaves_of(&plan, node) };
        let own = OwnBranch::find(&session, &plan, &run, node, self.options.base.as_deref())?;
        let checks = AutopilotChecks {
            call,
            session: &session,
            plan: &plan,
            run: &run,
            target: &target,
            own: &own,
            without: self.without,
            yes: self.options.yes,
        };
        let commits_changes = self.commits_changes(&session)?;
        let mut checked = checks.look(self.options.dry_run, commits_changes)?;
        if commits_changes {
            checked.retain(|check| check.what != CHANGES);
            checked.push(Diagnosis::good(CHANGES, &format!("they are committed first, on {}", own.name)));
        }
        let problems = checked.iter().filter(|diagnosis| diagnosis.health == Health::Bad).count();
        if self.options.dry_run {
            let plan_text = dry_run::DryRunPlan {
                checks: &checks,
                rules: message_rules(&session, &plan, &run)?,
                expand: self.expand && node.is_some_and(|node| plan.tree.is_leaf(node)),
            };
            report::print(&plan_text.text(&checked, self.options.json)?)?;
            return Ok(if problems == 0 { Exit::Done } else { Exit::No });
        }
        let shown = report::diagnoses_text(&checked, &session.screen);
        report::announce(&session.screen, &format!("Preflight\n{}", shown.trim_end()));
        if problems > 0 {
            return Err(Error::new(
                Kind::No,
                format!("{} must be solved first", counted(problems, "problem")),
                "Nothing was changed. The lines above say what to do; then run the same command again.",
            ));
        }
        own.enter(&session, self.options.yes)?;
        if commits_changes {
            let title = session.config.subject_form().title("Keep what was changed before the run");
            let _lock = lock(&session, "autopilot")?;
            session.git.commit_all(&format!("{title}\n"))?;
        }
        Paused::in_repository(&session).begin(&own.name, &call.words)?;
        let diary = Diary::of(call, &session, &own.name);
        diary.note(AroundPhase::Preflight, true, &in_one_line(&checked));
        diary.note(AroundPhase::Branch, true, &own.name);
        let exit = self.work(call, &session.screen, &own)?;
        Paused::in_repository(&session).end(&own.name)?;
        Ok(exit)
    }

    /// Shows on a terminal what is not committed, and asks whether it may be committed.
    fn commits_changes(&self, session: &Session) -> Result<bool> {
        if self.options.dry_run || !report::can_ask() || session.repository.head()?.is_none() {
            return Ok(false);
        }
        let changes = uncommitted(&session.git, &session.work_tree)?.shown();
        let shown: Vec<String> = changes.iter().map(|path| format!("  {path}")).collect();
        let text = format!("These changes are not committed:\n{}", shown.join("\n"));
        Ok(!changes.is_empty()
            && report::confirm(&text, "Commit them on the branch of the run?") == Some(true))
    }

    /// Follows the request that this command has opened.
    fn follow(&self, call: &Call) -> Result<Exit> {
        let session = self.pipeline(false).open(call)?;
        require_enabled(&session)?;
        let plan = session.plan_to_run()?;
        let run = read_run(&session.repository, &plan, &session.work_tree)?;
        let own = OwnBranch::find(&session, &plan, &run, self.node_of(&plan)?, self.options.base.as_deref())?;
        let RunOptions { yes, dry_run, limits, .. } = &self.options;
        if own.place == Place::New {
            return Err(Error::new(
                Kind::Input,
                format!("there is no branch {} whose request could be followed", own.name),
                format!("Nothing was done. {} begins the work.", advice::autopilot("TASK")),
            ));
        }
        if *dry_run && own.place != Place::Here {
            return Err(Error::new(
                Kind::Input,
                format!("the run is on {}, and a dry run switches to no branch", own.name),
                "Nothing was done. Switch to it, then run the same command again.",
            ));
        }
        let branch = request_branch(&session, &own.name)?;
        own.enter(&session, *yes)?;
        let nodes: Vec<String> = self.node.iter().cloned().collect();
        let work = |limits, allowed| {
            let options = self.options.with_limits(limits);
            Self { options, allowed: Some(allowed), ..self.clone() }.work(call, &session.screen, &own)
        };
        let ready = |reopened: &[Option<TaskId>]| self.gardener(call)?.refuse_early(call, reopened);
        let follow = Follow {
            call,
            options: &self.following,
            limits,
            nodes: &nodes,
            branch: &branch,
            base: None,
            remote: None,
            yes: *yes,
            dry_run: *dry_run,
            ready: &ready,
            work: &work,
        };
        follow.carry_out()
    }

    /// The run over the tasks.
    fn gardener(&self, call: &Call) -> Result<Gardener> {
        let is_followed = self.following.follow.is_some();
        let plan = self.pipeline(false).open(call)?.plan()?;
        // Coverage is required where a command measures it; otherwise no attempt could ever be good enough.
        let mut leaves = leaves_of(&plan, self.node_of(&plan)?).into_iter();
        let is_measured = leaves
            .any(|leaf| plan.tree.node(leaf).test_commands.iter().any(|command| command.coverage.is_some()));
        let (mut options, nodes) = (self.pipeline(is_measured), self.nodes_of(&plan));
        options.dry_run = self.options.dry_run;
        Ok(Gardener::again(options, nodes, !is_followed, self.resume(call)))
    }

    /// The node, and the tasks that were added for its request if that is followed.
    fn nodes_of(&self, plan: &Plan) -> Vec<String> {
        let mut nodes: Vec<String> = self.node.iter().cloned().collect();
        if self.following.follow.is_some() && !nodes.is_empty() {
            nodes.extend(tasks_of_requests(plan));
        }
        nodes
    }

    /// The command that goes on.
    fn resume(&self, call: &Call) -> Advice {
        match self.following.follow {
            Some(_) => advice::command("autopilot").of(&call.words),
            None => resume_command::<Self>(&call.words),
        }
    }

    /// The options of the pipeline: test-first, three attempts, protected tests, and a coverage of 80 percent, unless the user
    /// wants something else.
    fn pipeline(&self, requires_coverage: bool) -> RunOptions {
        let default = |setting, text| DefaultOf { setting, text };
        let mut defaults = vec![
            default(Setting::MaxAttempts, "3"),
            default(Setting::TrustProtect, "require"),
            default(Setting::ProtectDefaultBranch, "true"),
            default(Setting::TestFirst, "true"),
        ];
        let coverage = [Setting::CoverageLines, Setting::CoverageBranches, Setting::CoverageFunctions];
        defaults.extend(coverage.map(|setting| default(setting, "80")));
        if requires_coverage {
            defaults.push(default(Setting::TrustCoverage, "require"));
        }
        self.options.on_own_branch(defaults, self.without.settings())
    }

    fn node_of(&self, plan: &Plan) -> Result<Option<NodeIx>> {
        match (&self.node, plan.tree.roots()) {
            (Some(id), _) => plan.node_meant(id).map(Some),
            (None, [only]) => Ok(Some(*only)),
            (None, _) => Ok(None),
        }
    }

    /// Without a terminal, nobody could answer at the end of a long run.
    fn refuse_questions(&self) -> Result<()> {
        if self.options.yes || report::can_ask() {
            return Ok(());
        }
        Err(Error::new(
            Kind::Input,
            "autopilot asks before it makes a branch, pushes it and opens a request, and nobody can answer here",
            "Nothing was changed. Run the same command with --yes, or with --dry-run to see what it would do.",
        ))
    }

    /// Does the tasks on the branch, and finishes.
    fn work(&self, call: &Call, screen: &Screen, own: &OwnBranch) -> Result<Exit> {
        if let (Some(node), true) = (&self.node, self.expand)
            && self.needs_expanding(call)?
        {
            report::announce(screen, "Split the task");
            let exit = super::build::expand_and_commit(call, node)?;
            if exit != Exit::Done {
                return Ok(exit);
            }
        }
        let resume = self.resume(call);
        report::announce(screen, &format!("Work on {}", own.name));
        let ended = self.gardener(call)?.run(call);
        let failure = match ended {
            Ok(_) => None,
            Err(error) if error.kind() == Kind::No => Some(error),
            Err(error) => return Err(error),
        };
        let session = self.pipeline(false).open(call)?;
        let plan = session.plan()?;
        let run = read_run(&session.repository, &plan, &session.work_tree)?;
        let nodes = self.nodes_of(&plan);
        let target = Target { node: self.node_of(&plan)?, leaves: leaves_below(&plan, &nodes)? };
        if failure.is_some() || !target.open(&plan, &run).is_empty() {
            let why = failure.as_ref().map_or("tasks are left to do", |error| error.what());
            Diary::of(call, &session, &own.name).note(AroundPhase::Pause, false, why);
            return Err(dry_run::paused(why, &plan, &run, &target, &resume));
        }
        let finish = Finish {
            call,
            session: &session,
            nodes: &nodes,
            branch: &own.name,
            base: &own.target,
            without: self.without,
            yes: self.options.yes,
            allowed: self.allowed.as_deref(),
            resume: &resume,
        };
        finish.carry_out()
    }

    /// Whether the node is a task that was not split yet.
    fn needs_expanding(&self, call: &Call) -> Result<bool> {
        let plan = Session::open(call, Vec::new())?.plan()?;
        Ok(self.node_of(&plan)?.is_some_and(|node| plan.tree.is_leaf(node)))
    }
}

/// All checks in one line.
fn in_one_line(checks: &[Diagnosis]) -> String {
    let words = checks.iter().map(|check| format!("{}: {}", check.what, check.words));
    words.collect::<Vec<_>>().join("; ")
}
