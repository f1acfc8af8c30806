//! `--follow`: takes up what people and checks say on an open request, lets tasks do it, and answers.
//!
//! Every part does nothing if it was done before, so the same command goes on after it was killed: what was taken in is in the
//! history of the run, what is open follows from that, and answers that are there are seen on the request.

mod base_merge;
mod source;
mod take_in;

use std::time::{Duration, Instant};

use clap::Args;

use crate::commands::land::Land;
use crate::engine::check_clean;
use crate::error::{Error, Kind, Result};
use crate::forge::{
    ChosenRemotes, Due, FollowedRequest, Publication, RequestState, Thread, Wanted, WantedRequest,
};
use crate::history::pick_steps;
use crate::inspect::steps::leaves_below;
use crate::launch::options::LimitOptions;
use crate::process::CancelLevel;
use crate::record::{CommitId, CommitKind, Origin, State, StepFacts, TaskId, UsageTotal};
use crate::report;
use crate::run::{DefaultBranch, tasks_of};
use crate::session::plan_state::PlanState;
use crate::session::{Call, Exit, Forges, Session, require_person};
use crate::text::one_line;
use base_merge::BaseMerge;
use source::Source;
use take_in::takers;
pub(in crate::commands) use take_in::tasks_of_requests;

/// How long `--watch` waits between two looks, and how often it looks.
const PAUSE: Duration = Duration::from_secs(300);
const ROUNDS: u32 = 5;

/// What is followed.
#[derive(Args, Clone, Debug, Default)]
pub(in crate::commands) struct FollowOptions {
    /// Take up what reviews and checks say on the open request, as the forge says or a JSON document in FILE
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "", conflicts_with = "json")]
    pub(in crate::commands) follow: Option<String>,

    /// Do so every five minutes, five times at most, until the request is approved and green, merged or closed
    #[arg(long, requires = "follow")]
    pub(in crate::commands) watch: bool,
}

/// Which request it is, and what is asked.
#[derive(Clone, Copy)]
pub(in crate::commands) struct AboutRequest<'a> {
    /// The tasks that it is about, and those of these phases; all of the plan if there are none.
    pub(in crate::commands) nodes: &'a [String],
    pub(in crate::commands) branch: &'a str,
    pub(in crate::commands) base: Option<&'a str>,
    pub(in crate::commands) remote: Option<&'a str>,
    pub(in crate::commands) yes: bool,
    pub(in crate::commands) dry_run: bool,
    pub(in crate::commands) allow_dirty: bool,
}

/// A request that is followed.
pub(in crate::commands) struct Follow<'a> {
    pub(in crate::commands) call: &'a Call,
    pub(in crate::commands) options: &'a FollowOptions,
    pub(in crate::commands) about: AboutRequest<'a>,
    /// What all rounds together may use.
    pub(in crate::commands) limits: &'a LimitOptions,
    /// Does the tasks that are open, within what may still be used, lands them, and pushes. Of the commits of others on the branch, it
    /// takes in only these.
    pub(in crate::commands) work: &'a dyn Fn(LimitOptions, Vec<CommitId>) -> Result<Exit>,
}

/// How a round ended.
enum Round {
    /// There is nothing left to follow.
    Over(Exit),
    /// Others have to do something first.
    Waits(Exit),
}

impl Follow<'_> {
    /// Follows the request: once, or for a while.
    ///
    /// # Errors
    /// If the request cannot be read, somebody says no, or a part of the work fails.
    pub(in crate::commands) fn carry_out(&self) -> Result<Exit> {
        let (pr, call) = (self.about, self.call);
        let state = PlanState::open(call)?;
        require_person(call, &state.session, "pr")?;
        if !pr.yes && !pr.dry_run && !report::can_ask() {
            return Err(Error::new(
                Kind::Input,
                "a request is followed only after a question, and nobody can answer here",
                "Nothing was done. Run the same command with --yes, or with --dry-run to see what it would do.",
            ));
        }
        let source = self.source(&state)?;
        let (began, before) = (Instant::now(), state.run.range.head());
        let mut round = 1;
        loop {
            let limits = self.limits.less(began.elapsed(), &self.spent_since(before)?);
            let exit = match self.round(&source, limits.clone())? {
                Round::Over(exit) => return Ok(exit),
                Round::Waits(exit) if !self.options.watch || pr.dry_run => return Ok(exit),
                Round::Waits(exit) => exit,
            };
            if round == ROUNDS || limits.is_used_up() {
                report::eprint("This was the last look. The same command looks again.");
                return Ok(exit);
            }
            report::eprint("The next look is in five minutes; Ctrl-C ends this.");
            self.wait()?;
            round += 1;
        }
    }

    fn wait(&self) -> Result<()> {
        let (cancel, signals) = self.call.stop.watch()?;
        let until = Instant::now() + PAUSE;
        while Instant::now() < until {
            if cancel.level() != CancelLevel::None {
                return Err(Error::stopped(signals.last(), "Nothing is at work. The same command goes on."));
            }
            std::thread::sleep(Duration::from_millis(200));
        }
        Ok(())
    }

    fn round(&self, source: &Source, limits: LimitOptions) -> Result<Round> {
        let (call, pr) = (self.call, self.about);
        let state = PlanState::open(call)?;
        if !pr.allow_dirty {
            check_clean(&state.session.git, &state.session.work_tree)?;
        }
        let mut request = source.read()?;
        let shown = one_line(&request.url);
        match request.state {
            RequestState::Open => {}
            RequestState::Merged | RequestState::Closed => {
                let word = if request.state == RequestState::Merged { "merged" } else { "closed" };
                report::eprint(&format!("The request {shown} is {word}."));
                return Ok(Round::Over(Exit::Done));
            }
        }
        let state = if pr.dry_run { state } else { self.with_commits_of_others(&request)? };
        let taken = taken_in(&state)?;
        source.complete(&mut request, &taken, pr.dry_run)?;
        request.mask(|text| call.mask(text));
        let due = request.due(&taken);
        let land = self.land(&request);
        let merge = BaseMerge::find(call, &state, &land, request.conflict)?;
        for line in &due.listed {
            report::eprint(&format!("To look at: {line}."));
        }
        // A round that was killed, or commits of others that break tests, leave open tasks, and a push may have been refused.
        let leaves = leaves_below(&state.plan, pr.nodes)?;
        let tip = state.session.repository.tip_of(pr.branch)?.map(|tip| tip.to_string());
        let is_pushed = request.head.is_empty() || tip.is_none_or(|tip| tip == request.head);
        let has_open_work = leaves.iter().any(|leaf| !state.plan.state(&state.run, *leaf).is_done())
            || taken.iter().any(|origin| !is_settled(&request, origin))
            || !is_pushed;
        if request.is_done(&due) && merge.is_none() && !has_open_work && due.waits.is_empty() {
            report::eprint(&format!(
                "The request {shown} is approved, its checks pass, and nothing is open."
            ));
            return Ok(Round::Over(Exit::Done));
        }
        let wanted = self.chosen(&due);
        let is_stuck = due.needs_person;
        let exit = if is_stuck { Exit::NeedsPerson } else { Exit::Done };
        if wanted.is_empty() && merge.is_none() && !has_open_work {
            let waits: Vec<&str> = due.waits.iter().map(String::as_str).collect();
            let waits = if waits.is_empty() { String::new() } else { format!(": {}", waits.join("; ")) };
            report::eprint(&format!("There is nothing new to take up{waits}."));
            return Ok(if is_stuck { Round::Over(exit) } else { Round::Waits(exit) });
        }
        let takers = takers(&state, &request, &wanted)?;
        let mut lines: Vec<String> = takers.iter().map(|taker| taker.line(&state)).collect();
        lines.extend(merge.as_ref().map(BaseMerge::line));
        if lines.is_empty() {
            lines.push("What was taken up before is not done, not pushed or not answered yet.".to_owned());
        }
        report::eprint(&lines.join("\n"));
        if pr.dry_run {
            return Ok(Round::Waits(exit));
        }
        if !pr.yes && report::confirm("", "Take this up?") != Some(true) {
            return Err(Error::new(
                Kind::No,
                "nothing was taken up, because you said no",
                "The same command asks again.",
            ));
        }
        if let Some(merge) = merge {
            merge.make(call, &state, land)?;
        }
        for taker in &takers {
            taker.record(call)?;
        }
        let ended = (self.work)(limits, allowed_in(&request))?;
        if ended != Exit::Done {
            return Ok(Round::Over(ended));
        }
        self.answer(source, &request)?;
        Ok(Round::Waits(exit))
    }

    /// What is taken up: what has to be, and of the rest what the user wants.
    fn chosen<'d>(&self, due: &Due<'d>) -> Vec<Wanted<'d>> {
        let mut wanted = due.wanted.clone();
        for open in &due.asked {
            let is_wanted = !self.about.yes
                && !self.about.dry_run
                && report::confirm(&format!("\n{}", open.words), "Take this up as well?") == Some(true);
            if is_wanted {
                wanted.push(open.clone());
            } else {
                report::eprint(&format!("Left: {}.", open.why));
            }
        }
        wanted
    }

    /// The state after the commits of others on top of the branch were taken into the run.
    fn with_commits_of_others(&self, request: &FollowedRequest) -> Result<PlanState> {
        self.land(request).take_in_new(self.call)?;
        PlanState::open(self.call)
    }

    /// The landing of the branch of the request.
    fn land(&self, request: &FollowedRequest) -> Land {
        let base = Some(&request.base).filter(|base| !base.is_empty()).cloned();
        let base = self.about.base.map(str::to_owned).or(base);
        Land::of_tasks(Vec::new(), base).on(self.about.branch, self.about.yes).allowing(allowed_in(request))
    }

    fn source(&self, state: &PlanState) -> Result<Source> {
        let file = self.options.follow.as_deref().unwrap_or_default();
        let session = &state.session;
        let AboutRequest { branch, base, remote, .. } = self.about;
        let forges = Forges::new(self.call, session);
        if !file.is_empty() {
            // What can only be refused at the end is refused before anything is done.
            ChosenRemotes::of(&session.git, branch, remote, forges.stated)?;
            let default = DefaultBranch::find(&session.git, &session.work_tree, &session.repository)?;
            if base == Some(branch) || base.is_none() && default.is_some_and(|default| default.name == branch)
            {
                return Err(Error::new(
                    Kind::Input,
                    format!("{} is the branch into which requests are merged", one_line(branch)),
                    "Nothing was done. Switch to the branch of the run.",
                ));
            }
            return Ok(Source::File(self.call.environment.folder()?.join(file)));
        }
        let git = session.git.clone().with_limit(forges.limit.clone());
        let tip = session.repository.branch()?.commit;
        let wanted = WantedRequest { branch, tip, base, remote, forge: forges.stated };
        let publication = Publication::of_open(&git, wanted, &|kind| forges.program(kind))?;
        Ok(Source::Forge(Box::new(publication)))
    }

    /// What the steps since then have used.
    fn spent_since(&self, before: CommitId) -> Result<UsageTotal> {
        let PlanState { session, run, .. } = &PlanState::open(self.call)?;
        let mut total = UsageTotal::default();
        let steps = pick_steps(&session.repository, &run.range, |kind, message| match kind {
            CommitKind::Task(_, record) => Some((*record, StepFacts::of(message).usage)),
            _ => None,
        })?;
        for step in steps {
            if !session.repository.reaches(before, step.id)? {
                total.add(&step.value.0, step.value.1);
            }
        }
        Ok(total)
    }

    /// Answers every thread that was taken in with the commit that has taken it up, unless the answer is there.
    fn answer(&self, source: &Source, request: &FollowedRequest) -> Result<()> {
        let PlanState { session, plan, run, .. } = &PlanState::open(self.call)?;
        let picked = pick_steps(&session.repository, &run.range, |kind, message| match kind {
            CommitKind::Task(id, _) => Some((id.clone(), Origin::all_in(message))),
            _ => None,
        })?;
        let mut answered: Vec<&str> = Vec::new();
        for (task, origins) in picked.into_iter().map(|picked| picked.value) {
            for origin in origins {
                let thread = request.threads.iter().find(|thread| thread.id == origin.id);
                let Some(thread) = thread.filter(|thread| !answered.contains(&thread.id.as_str())) else {
                    continue;
                };
                answered.push(&thread.id);
                let is_complete =
                    plan.tree.find(task.as_str()).map(|leaf| plan.state(run, leaf)) == Some(State::Complete);
                if thread.resolved || thread.is_answered(&origin) || !is_complete {
                    continue;
                }
                if let Some(commit) = newest_of(session, self.about.branch, &task)? {
                    source.answer(thread, &Thread::answer(&origin, &commit.to_string()))?;
                }
            }
        }
        Ok(())
    }
}

/// The commits of people who may write. What is not known is a no.
fn allowed_in(request: &FollowedRequest) -> Vec<CommitId> {
    let is_refused = |id: &str| request.commits.iter().any(|commit| commit.id == id && !commit.may_write);
    let allowed = request.commits.iter().filter(|commit| !is_refused(&commit.id));
    allowed.filter_map(|commit| CommitId::from_hex(commit.id.as_bytes())).collect()
}

/// The newest commit of a branch with the work of a task.
fn newest_of(session: &Session, branch: &str, task: &TaskId) -> Result<Option<CommitId>> {
    let Some(tip) = session.repository.tip_of(branch)? else { return Ok(None) };
    for line in session.git.first_parents(&[], &tip)? {
        if tasks_of(&session.repository, &line[0])?.contains(task) {
            return Ok(Some(line[0]));
        }
    }
    Ok(None)
}

/// Whether nothing is left to do about what was taken in: it is not on the request any more, it is answered, or it is about an
/// older commit.
fn is_settled(request: &FollowedRequest, origin: &Origin) -> bool {
    let thread = request.threads.iter().find(|thread| thread.id == origin.id);
    match thread {
        Some(thread) => thread.resolved || thread.has_newer(origin) || thread.is_answered(origin),
        None => request.head != origin.at,
    }
}

/// Everything that the run has taken in.
fn taken_in(state: &PlanState) -> Result<Vec<Origin>> {
    let PlanState { session, run, .. } = state;
    let picked = pick_steps(&session.repository, &run.range, |_, message| {
        Some(Origin::all_in(message)).filter(|origins| !origins.is_empty())
    })?;
    Ok(picked.into_iter().flat_map(|picked| picked.value).collect())
}
