//! `git arborist pr`: pushes the branch of a run and opens a request for it.

mod content;
mod delivery;
mod follow;
mod template;

use std::collections::HashSet;

use clap::Args;

use super::gardener::Gardener;
use super::land::Land;
use super::run_record::RunRecord;
use crate::config::Setting;
use crate::engine::check_clean;
use crate::error::{Error, Kind, Result};
use crate::forge::{Obstacle, Publication, WantedRequest};
use crate::git::ObjectWriter;
use crate::launch::options::{LimitOptions, RunOptions};
use crate::record::{CommitId, CommitKind, Landing, TaskId, commit_kind, title};
use crate::report;
use crate::run::{landed_name, tips_landed_at};
use crate::session::plan_state::PlanState;
use crate::session::{Call, Command, Exit, Forges, Group, Session, Summary};
use crate::text::{advice, one_line, shell_word};
use content::{RequestContent, report_text};
use delivery::Delivery;
pub(super) use delivery::{Delivered, PushWhen};
pub(super) use follow::{Follow, FollowOptions, tasks_of_requests};

/// The arguments of `pr`.
#[derive(Args, Clone, Debug, Default)]
pub struct Pr {
    /// Tell only about these tasks, and those of these phases [default: all tasks]
    #[arg(value_name = "TASK")]
    pub(super) nodes: Vec<String>,

    /// The branch to push [default: the one that was landed from the current one, otherwise the current one]
    #[arg(long, value_name = "BRANCH")]
    pub(super) branch: Option<String>,

    /// The branch into which it is to be merged [default: arborist.pr.base, otherwise the default branch]
    #[arg(long, value_name = "BRANCH")]
    pub(super) base: Option<String>,

    /// The remote repository to which the branch is pushed [default: that of git's configuration]
    #[arg(long, value_name = "REMOTE")]
    pub(super) remote: Option<String>,

    /// The title of a new request [default: made from the plan]
    #[arg(long, value_name = "TEXT")]
    pub(super) title: Option<String>,

    /// Open it for review at once, not as a draft
    #[arg(long)]
    pub(super) ready: bool,

    /// Do everything without asking
    #[arg(short, long)]
    pub(super) yes: bool,

    /// Show what would be done, and do nothing
    #[arg(long)]
    pub(super) dry_run: bool,

    /// Allow uncommitted changes, which are not part of the request
    #[arg(long, conflicts_with = "follow")]
    pub(super) allow_dirty: bool,

    /// Print one JSON document
    #[arg(long)]
    pub(super) json: bool,

    #[command(flatten)]
    pub(super) following: FollowOptions,

    #[command(flatten)]
    pub(super) limits: LimitOptions,

    /// When the branch is pushed.
    #[arg(skip)]
    pub(super) push: PushWhen,
}

impl Command for Pr {
    const SUMMARY: Summary = Summary {
        name: "pr",
        group: Group::Deliver,
        about: "push the branch of a run and open a pull request with its report",
    };

    const MANUAL: &'static str = include_str!("manual/pr.md");

    fn run(self, call: &Call) -> Result<Exit> {
        if self.following.follow.is_some() {
            let work = |limits, allowed| self.work(call, limits, allowed);
            let ready = |reopened: &[Option<TaskId>]| {
                self.gardener(call, self.limits.clone())?.refuse_early(call, reopened)
            };
            let session = Session::open(call, Vec::new())?;
            require_enabled(&session)?;
            let branch = self.branch(&session)?.name;
            let follow = Follow {
                call,
                options: &self.following,
                limits: &self.limits,
                nodes: &self.nodes,
                branch: &branch,
                base: self.base.as_deref(),
                remote: self.remote.as_deref(),
                yes: self.yes,
                dry_run: self.dry_run,
                ready: &ready,
                work: &work,
            };
            return follow.carry_out();
        }
        self.deliver(call, &PlanState::open(call)?).map(|delivered| delivered.exit)
    }
}

/// A branch of this repository.
struct RequestBranch {
    name: String,
    tip: CommitId,
}

impl Pr {
    /// A request for what workers have merged on a branch of the remote repository: nobody is asked anything.
    pub(super) fn of_collected(branch: &str, base: &str, remote: &str) -> Self {
        Self {
            branch: Some(branch.to_owned()),
            base: Some(base.to_owned()),
            remote: Some(remote.to_owned()),
            yes: true,
            allow_dirty: true,
            ..Self::default()
        }
    }

    /// Does the tasks that are open, lands them if the request is for a landed branch, and pushes that.
    fn work(&self, call: &Call, limits: LimitOptions, allowed: Vec<CommitId>) -> Result<Exit> {
        let session = Session::open(call, Vec::new())?;
        let branch = self.branch(&session)?.name;
        let ended = self.gardener(call, limits)?.run(call)?;
        if ended != Exit::Done {
            return Ok(ended);
        }
        if session.repository.branch()?.branch_name() != branch {
            Land::of_tasks(self.followed_nodes(&session)?, self.base.clone())
                .on(&branch, self.yes)
                .allowing(allowed)
                .run(call)?;
        }
        // What a file says belongs to a request of which no program knows.
        let is_known = self.following.follow.as_ref().is_some_and(String::is_empty);
        let push = if is_known { PushWhen::InAnyCase } else { PushWhen::Alone };
        let pr = Self { branch: Some(branch), push, nodes: self.nodes.clone(), ..self.clone() };
        pr.deliver(call, &PlanState::open(call)?).map(|delivered| delivered.exit)
    }

    /// The run over the tasks that are open.
    fn gardener(&self, call: &Call, limits: LimitOptions) -> Result<Gardener> {
        let nodes = self.followed_nodes(&Session::open(call, Vec::new())?)?;
        let mut options = RunOptions::within(limits, self.yes);
        options.dry_run = self.dry_run;
        Ok(Gardener::again(options, nodes, false, advice::pr().of(&call.words)))
    }

    /// The tasks and phases that were named, and the tasks that requests have added; none for all of the plan.
    fn followed_nodes(&self, session: &Session) -> Result<Vec<String>> {
        let mut nodes = self.nodes.clone();
        if !nodes.is_empty() {
            nodes.extend(tasks_of_requests(&session.plan()?));
        }
        Ok(nodes)
    }

    /// Pushes the branch, and opens or updates its request.
    ///
    /// # Errors
    /// If something refuses it. The text of the request is then in a file, which the error names.
    pub(super) fn deliver(&self, call: &Call, plan_state: &PlanState) -> Result<Delivered> {
        let session = &plan_state.session;
        require_enabled(session)?;
        if !self.allow_dirty {
            check_clean(&session.git, &session.work_tree)?;
        }
        if !self.yes && !self.dry_run && (self.json || !report::can_ask()) {
            return Err(Error::new(
                Kind::Input,
                "a branch is pushed and a request is opened only after a question, and nobody can answer here",
                "Nothing was done. Run the same command with --yes, or with --dry-run to see what it would do.",
            ));
        }
        let branch = self.branch(session)?;
        let mut content = RequestContent::of(plan_state, &self.nodes, self.title.as_deref())?;
        let forges = Forges::new(call, session);
        let git = session.git.clone().with_limit(forges.limit.clone());
        let configured = session.config.chosen(Setting::PrBase);
        let wanted = WantedRequest {
            branch: &branch.name,
            tip: branch.tip,
            base: self.base.as_deref().or(configured.as_deref()),
            remote: self.remote.as_deref(),
            forge: forges.stated,
        };
        let mut publication = Publication::prepare(&git, wanted, &|kind| forges.program(kind))?;
        publication.warnings.extend(behind_run(plan_state, &branch)?);
        // The record goes where the branch goes.
        let is_by_hand = matches!(publication.program, Err(Obstacle::ByHand(_)));
        let is_pushed = publication.program.is_ok() || is_by_hand || self.push != PushWhen::WithRequest;
        if is_pushed
            && !self.dry_run
            && let Some(tip) = self.record_tip(plan_state)?
        {
            let (remote, may_ask) = (publication.remotes.push.name.as_str(), !self.json);
            RunRecord { session, git: &git, remote, tip, yes: self.yes, may_ask }.publish()?;
            content.report = report_text(plan_state, &self.nodes)?;
        }
        let draft = !self.ready && session.config.is_on(Setting::PrDraft) || !content.is_complete;
        let Self { yes, dry_run, json, push, .. } = *self;
        Delivery { call, session, git: &git, yes, dry_run, json, push, publication, content, draft }
            .carry_out()
    }

    /// The newest commit of the run, if the run is here: on a landed branch, there are only landed commits.
    fn record_tip(&self, plan_state: &PlanState) -> Result<Option<CommitId>> {
        let PlanState { session, run, .. } = plan_state;
        let head = run.range.head();
        let landings = Landing::all_in(&session.repository.commit(&head)?.message);
        Ok(landings.is_empty().then_some(head))
    }

    fn branch(&self, session: &Session) -> Result<RequestBranch> {
        let name = match &self.branch {
            Some(name) => name.strip_prefix("refs/heads/").unwrap_or(name).to_owned(),
            None => request_branch(session, session.repository.branch()?.branch_name())?,
        };
        let tip = session.repository.tip_of(&name)?;
        let tip = tip.ok_or_else(|| {
            Error::new(
                Kind::Input,
                format!("there is no branch {} here", one_line(&name)),
                "Nothing was done. `git branch` lists the branches.",
            )
        })?;
        Ok(RequestBranch { name, tip })
    }
}

/// The branch of the request for what is done on this one: the landed branch, if there is one. If only a remote repository has that,
/// this is refused: the request is not about the branch of the run.
pub(super) fn request_branch(session: &Session, current: &str) -> Result<String> {
    let landed = landed_name(current);
    if session.repository.tip_of(&landed)?.is_some() {
        return Ok(landed);
    }
    let copies = session.repository.remote_branches()?;
    let copies = copies.iter().filter_map(|(name, _)| name.strip_prefix("refs/remotes/"));
    let is_copy = |name: &&str| name.split_once('/').is_some_and(|(_, branch)| branch == landed);
    let Some(copy) = copies.into_iter().find(is_copy).map(shell_word) else { return Ok(current.to_owned()) };
    let remedy = format!(
        "Nothing was done. `git branch {} {copy}` makes one; with `pr`, --branch names another branch.",
        shell_word(&landed)
    );
    let what = format!("{copy} is there, but no branch {} here", one_line(&landed));
    Err(Error::new(Kind::Input, what, remedy))
}

pub(super) fn require_enabled(session: &Session) -> Result<()> {
    match session.config.is_on(Setting::PrEnabled) {
        true => Ok(()),
        false => Err(Error::new(
            Kind::Input,
            "pull requests are turned off here",
            "Nothing was done. `git config arborist.pr.enabled true` turns them on.",
        )),
    }
}

/// A landed branch that lacks the newest commits of the run, as a warning. The markers of phases and merges are not landed.
fn behind_run(plan_state: &PlanState, branch: &RequestBranch) -> Result<Option<String>> {
    let PlanState { session, run, .. } = plan_state;
    let (git, head) = (&session.git, run.range.head());
    let landed = tips_landed_at(&session.repository, branch.tip)?;
    let known = session.repository.reached_from(head, &landed)?;
    if head == branch.tip || known.is_empty() {
        return Ok(None);
    }
    let known = Vec::from_iter(known);
    // The commits of people are on both branches, one of them as a copy.
    let mut writer = ObjectWriter::new(git, &session.work_tree.git_dir)?;
    let mut copied =
        |id: &CommitId, message: &[u8]| -> Result<_> { Ok((writer.written_by(id)?.author, title(message))) };
    let (mut there, mut since) = (HashSet::new(), 0);
    for commit in git.with_parents(&known, &branch.tip)? {
        there.insert(copied(&commit[0], &session.repository.commit(&commit[0])?.message)?);
    }
    for commit in git.with_parents(&known, &head)? {
        let message = session.repository.commit(&commit[0])?.message;
        let (is_marker, is_merge) =
            (matches!(commit_kind(&message), CommitKind::Phase(..)), commit.len() > 2);
        since += usize::from(!is_marker && !is_merge && !there.contains(&copied(&commit[0], &message)?));
    }
    let behind = match since {
        0 => return Ok(None),
        1 => "the newest commit".to_owned(),
        many => format!("the newest {many} commits"),
    };
    let name = one_line(&branch.name);
    Ok(Some(format!("{name} was landed before {behind} of the run; {} adds them", advice::land())))
}
