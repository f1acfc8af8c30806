//! `git arborist land`: makes a branch with one good commit for each task of a run.

mod messages;
mod others;
mod testing;

use clap::Args;
use clap::builder::PossibleValuesParser;

use super::run_record::RunRecord;
use crate::audit::proving::Proving;
use crate::config::Setting;
use crate::engine::put_back_owed_by_runs;
use crate::error::{Error, Kind, Result};
use crate::forge::{ChosenRemotes, push_branch};
use crate::import::source_changes::SourceChanges;
use crate::import::tick::with_boxes_to_tick;
use crate::inspect::steps::leaves_below;
use crate::process::Cancel;
use crate::publish::{
    BuiltBranch, LandBase, LandInputs, LandPlan, LandRequest, LandStyle, LandTarget, LandedBranchChange,
    LandedCommit, LeftOut, OthersCommits,
};
use crate::record::{CommitId, Landing, RunWord, TaskId};
use crate::report::{self, LandOutcome, LandView, LandedView, LeftOutView};
use crate::run::{DefaultBranch, Plan, landed_name, read_run, task_configs};
use crate::session::availability::Availability;
use crate::session::{Call, Command, Exit, Forges, Group, Session, Summary};
use crate::text::{advice, listed, one_line, shell_word};
pub(super) use messages::message_rules;
use messages::{hooks_for_messages, pass_hooks};
use testing::{TasksToTest, TestedTask};

/// The words for the styles.
const STYLES: [&str; 3] = ["task", "merge", "one"];

/// Arguments of `git arborist land`.
#[derive(Args, Debug, Default)]
pub struct Land {
    /// Require only these tasks, and those of these phases, to be complete [default: all tasks]
    #[arg(value_name = "TASK")]
    nodes: Vec<String>,

    /// One commit for each task, the run under one merge, or one commit
    #[arg(long, value_name = "STYLE", value_parser = PossibleValuesParser::new(STYLES), default_value = "task")]
    style: String,

    /// The new branch [default: the current one with `-landed` added]
    #[arg(long, value_name = "NAME")]
    branch: Option<String>,

    /// The branch into which the new one will be merged [default: arborist.pr.base, otherwise the default branch]
    #[arg(long, value_name = "BRANCH")]
    base: Option<String>,

    /// Leave out the work of tasks that are not complete
    #[arg(long)]
    partial: bool,

    /// Run the tests of each task on its landed commit first
    #[arg(long)]
    verify: bool,

    /// Push the branch, and the commits of the run as its record
    #[arg(long, conflicts_with = "dry_run")]
    push: bool,

    /// Print the message for a squash merge of the run, and change nothing
    #[arg(long, conflicts_with_all = ["json", "verify", "push", "dry_run", "branch"])]
    message: bool,

    /// Show what would be landed, and make no branch
    #[arg(long)]
    dry_run: bool,

    /// With `--verify`, run commands of a plan from elsewhere without asking; with `--push`, push the record without asking
    #[arg(long)]
    yes: bool,

    /// Print one JSON document
    #[arg(long)]
    json: bool,

    /// Whether commits of others were taken into the run already.
    #[arg(skip)]
    has_taken_in: bool,

    /// Whether no test runs on what they change.
    #[arg(skip)]
    is_untested: bool,

    /// The commits of others that may be taken into the run; all of them if there is no list.
    #[arg(skip)]
    allowed: Option<Vec<CommitId>>,
}

impl Land {
    /// What is asked for.
    fn request(
        &self,
        session: &Session,
        inputs: LandInputs<'_>,
        into: Option<LandBase>,
        onto: Option<LandTarget>,
    ) -> Result<LandRequest> {
        let LandInputs { git, plan, run, .. } = inputs;
        let is_new = self.branch.is_some() && onto.as_ref().is_some_and(|target| target.tip.is_none());
        let usual = session.repository.branch().ok().map(|head| landed_name(head.branch_name()));
        let landed_on = match usual.filter(|_| is_new) {
            Some(usual) => match (session.repository.tip_of(&usual)?, ChosenRemotes::to_push(git, &usual)?) {
                (None, Some(remote)) => git.commit_named(&format!("refs/remotes/{remote}/{usual}"))?,
                (here, _) => here,
            },
            None => None,
        };
        Ok(LandRequest {
            style: self.style(),
            into,
            onto,
            landed_on,
            leaves: if self.nodes.is_empty() { Vec::new() } else { leaves_below(plan, &self.nodes)? },
            partial: self.partial,
            messages: message_rules(session, plan, run)?,
            title: self.title(session, plan),
        })
    }

    /// The landing of the tasks below these nodes, with one commit for each, for a request into this branch.
    pub(super) fn of_tasks(nodes: Vec<String>, base: Option<String>) -> Self {
        Self { nodes, base, style: STYLES[0].to_owned(), ..Self::default() }
    }
}

impl Command for Land {
    const SUMMARY: Summary = Summary {
        name: "land",
        group: Group::Deliver,
        about: "make a branch with one good commit for each task",
    };

    const MANUAL: &'static str = include_str!("manual/land.md");

    fn run(self, call: &Call) -> Result<Exit> {
        let session = Session::open(call, Vec::new())?;
        for warning in put_back_owed_by_runs(&session.git, &session.work_tree)? {
            report::warn(&session.screen, &warning);
        }
        let plan = session.plan()?;
        let run = read_run(&session.repository, &plan, &session.work_tree)?;
        let tasks = task_configs(&session.config, &plan);
        let available = Availability::new(&plan, &run, &tasks);
        let (go_on, held) = (available.how_to_go_on(&session)?, available.waiting_for_approval());
        let inputs = LandInputs {
            go_on: &go_on,
            held: &held,
            git: &session.git,
            work_tree: &session.work_tree,
            repository: &session.repository,
            plan: &plan,
            run: &run,
        };
        let named = self.branch.as_deref().map(|name| LandTarget::find(&inputs, name)).transpose()?;
        if self.message {
            let land = LandPlan::decide(
                inputs,
                self.request(&session, inputs, self.base_of(call, &session)?, None)?,
            )?;
            report::print(&String::from_utf8_lossy(&land.message()))?;
            return Ok(Exit::Done);
        }
        session.git.check_identity()?;
        let mut target = match named {
            Some(target) => target,
            None => LandTarget::find(&inputs, &self.branch_name(&session)?)?,
        };
        let remote = self.fetch(call, &inputs, &session, &mut target)?;
        let into = self.base_of(call, &session)?;
        if let Some(others) = OthersCommits::find(&inputs, into.as_ref(), &target)? {
            if self.has_taken_in {
                return Err(Error::new(
                    Kind::Repository,
                    format!("commits of others are not recognised in the run: {}", listed(&others.names())),
                    "They were copied onto this branch, and the copies differ in author, date or title. Look at both with \
                     `git log`, and bring them here by hand.",
                ));
            }
            let opened = self.take_in(call, &session, &inputs, &others)?;
            if !opened.is_empty() {
                return Err(Self::opened_by_others(&opened));
            }
            return Self { has_taken_in: true, ..self }.run(call);
        }
        let land = LandPlan::decide(inputs, self.request(&session, inputs, into, Some(target.clone()))?)?;
        let cancel = Cancel::new();
        let mut proving = None;
        let built = land.build(&mut |on, message| {
            let Some(hooks) = hooks_for_messages(&session)? else { return Ok(message) };
            let proving = match &mut proving {
                Some(proving) => proving,
                none => none.insert(Proving::new(&session, call, &cancel)?),
            };
            proving.at_commit(&on, |scratch| pass_hooks(scratch, &hooks, &message))
        })?;
        for warning in &built.warnings {
            report::warn(&session.screen, warning);
        }
        if let (Some(remote), Some(tip)) = (remote, target.tip)
            && !session.git.is_ancestor(&tip, &built.tip)?
        {
            let (name, remote) = (shell_word(&target.name), shell_word(&remote));
            return Err(Error::new(
                Kind::Repository,
                format!("{remote} still has the branch {name}, whose work was merged"),
                format!(
                    "Nothing was changed. `git push {remote} --delete {name}` removes it there; then run the same command again, or \
                     choose another name with `--branch NAME`."
                ),
            ));
        }
        SourceChanges::warn(&session, &plan, &run);
        let mut view = view(&target, &built, &land);
        view.remote = ChosenRemotes::to_push(&session.git, &target.name)?;
        view.is_pushed = self.push;
        view.is_run_on = default_branch_here(&session)?;
        if self.verify {
            self.verify(
                call,
                &BuiltRun { session: &session, plan: &plan, land: &land, built: &built },
                &mut view,
            )?;
        }
        let failed = view.commits.iter().any(|commit| commit.verified == Some(false));
        view.outcome = match (failed, self.dry_run) {
            (true, _) => LandOutcome::NotVerified,
            (false, true) => LandOutcome::DryRun,
            (false, false) => outcome_of(target.set(&inputs, &built.base, &built.tip)?),
        };
        report::print(&if self.json { view.json() } else { view.text() })?;
        if !self.json {
            report::eprint(&view.conclusion());
            let sources = with_boxes_to_tick(&session, &plan, &run);
            if !failed && !sources.is_empty() {
                let (tick, sources) = (advice::build_tick(), one_line(&listed(&sources)));
                report::eprint(&format!("{tick} ticks the boxes of the completed tasks in {sources}."));
            }
        }
        if self.push && !failed {
            self.publish(call, &session, &target.name, built.head)?;
        }
        Ok(if failed { Exit::No } else { Exit::Done })
    }
}

/// A run, and the branch that was built from it.
struct BuiltRun<'a> {
    session: &'a Session,
    plan: &'a Plan,
    land: &'a LandPlan<'a>,
    built: &'a BuiltBranch,
}

impl Land {
    fn style(&self) -> LandStyle {
        match self.style.as_str() {
            "merge" => LandStyle::Merge,
            "one" => LandStyle::One,
            _ => LandStyle::Task,
        }
    }

    /// The branch into which the landed one will be merged.
    pub(super) fn base_of(&self, call: &Call, session: &Session) -> Result<Option<LandBase>> {
        let Session { git, work_tree, repository, config, .. } = session;
        let configured = config.chosen(Setting::PrBase);
        let named = self.base.clone().or(configured);
        let head = repository.branch().ok();
        let branch = head.as_ref().map_or("HEAD", |head| head.branch_name());
        let remotes = ChosenRemotes::of(git, branch, None, Forges::new(call, session).stated);
        let remote = remotes.ok().map(|remotes| remotes.base.name);
        LandBase::find(git, work_tree, repository, named.as_deref(), remote.as_deref())
    }

    pub(super) fn branch_name(&self, session: &Session) -> Result<String> {
        match &self.branch {
            Some(name) => Ok(name.clone()),
            None => {
                let head = session.repository.branch().map_err(|error| {
                    Error::new(error.kind(), error.what(), "Name the new branch with `--branch NAME`.")
                })?;
                Ok(landed_name(head.branch_name()))
            }
        }
    }

    /// The title of a merge or of a single commit: the name of the only node that was asked for, or that of the plan.
    fn title(&self, session: &Session, plan: &Plan) -> String {
        let node = match self.nodes.as_slice() {
            [only] => plan.tree.find(only),
            _ => None,
        };
        match (node, plan.tree.roots()) {
            (Some(node), _) => plan.tree.node(node).name.clone(),
            (None, [only]) => plan.tree.node(*only).name.clone(),
            (None, _) => plan.tree.spec_id().map_or_else(|| session.folder_name(), str::to_owned),
        }
    }

    /// Pushes the landed branch, and the commits of the run up to this tip as its record.
    fn publish(&self, call: &Call, session: &Session, branch: &str, tip: CommitId) -> Result<()> {
        let git = &session.git;
        let stated = Forges::new(call, session).stated;
        let remote = &ChosenRemotes::of(git, branch, None, stated)?.push.name;
        push_branch(git, remote, branch)?;
        report::eprint(&format!("Pushed {} to {}.", one_line(branch), one_line(remote)));
        RunRecord { session, git, remote, tip, yes: self.yes, may_ask: !self.json }.publish()
    }

    /// Runs the tests of every landed task on its commit.
    fn verify(&self, call: &Call, landed: &BuiltRun<'_>, view: &mut LandView) -> Result<()> {
        let BuiltRun { session, plan, land, built } = *landed;
        let mut awaited = land.awaited_before()?;
        let mut subjects: Vec<TestedTask> = Vec::new();
        for commit in &built.commits {
            let change = Landing::awaited_in(&session.repository.commit(&commit.id)?.message);
            for task in &commit.tasks {
                awaited.take(task, change.clone());
                // What was done again since need not pass the tests of today.
                subjects.retain(|before| before.task != *task);
                subjects.extend(TestedTask::at(plan, task, commit.id, &awaited));
            }
        }
        let (yes, may_ask) = (self.yes, !self.json);
        TasksToTest { call, session, plan, subjects, yes, may_ask }.run(
            |TestedTask { task, subject }, seen| {
                let commit = subject.head;
                // Otherwise there is no test yet, and none is needed for this kind of task.
                if seen.verdict != RunWord::None
                    && let Some(shown) = view.commits.iter_mut().find(|shown| shown.commit == commit)
                {
                    let passed = seen.verdict == RunWord::Pass;
                    if !passed {
                        report::eprint(&format!("{task} at {}: {seen}\n{}", commit.short(), seen.output));
                    }
                    shown.awaiting += seen.counts.map_or(0, |counts| counts.failed);
                    shown.verified = Some(passed && shown.verified != Some(false));
                }
            },
        )
    }
}

/// The branch that is checked out, if it is the default branch and the name under which its steps would be kept is free.
fn default_branch_here(session: &Session) -> Result<Option<String>> {
    let Session { git, work_tree, repository, .. } = session;
    let Ok(head) = repository.branch() else { return Ok(None) };
    let name = head.branch_name();
    let default = DefaultBranch::find(git, work_tree, repository)?;
    let is_here = default.is_some_and(|default| default.name == name);
    Ok((is_here && repository.tip_of(&format!("{name}-run"))?.is_none()).then(|| name.to_owned()))
}

fn outcome_of(change: LandedBranchChange) -> LandOutcome {
    match change {
        LandedBranchChange::Made => LandOutcome::Made,
        LandedBranchChange::Advanced => LandOutcome::Advanced,
        LandedBranchChange::Unchanged => LandOutcome::Unchanged,
    }
}

/// What would be landed, before anything is done.
fn view(target: &LandTarget, built: &BuiltBranch, land: &LandPlan<'_>) -> LandView {
    let commit = |commit: &LandedCommit| LandedView {
        commit: commit.id,
        title: commit.title.clone(),
        tasks: commit.tasks.iter().map(TaskId::to_string).collect(),
        verified: None,
        awaiting: 0,
    };
    let left_out = |left: &LeftOut| LeftOutView {
        task: left.task.to_string(),
        state: left.word(),
        words: left.in_words(),
    };
    LandView {
        branch: target.name.clone(),
        base: built.base,
        tip: built.tip,
        head: built.head,
        outcome: LandOutcome::DryRun,
        commits: built.commits.iter().map(commit).collect(),
        left_out: land.left_out.iter().map(left_out).collect(),
        remote: None,
        is_pushed: false,
        is_run_on: None,
    }
}
