//! `--follow`: takes up what people and checks say on an open request, lets tasks do it, and answers.
//!
//! Every part does nothing if it was done before, so the same command goes on after it was killed: what was taken in is in the
//! history of the run, what is open follows from that, and answers that are there are seen on the request.

mod base_merge;
mod preparation;
mod source;
mod take_in;

use std::time::{Duration, Instant};

use clap::Args;

use crate::commands::land::Land;
use crate::error::{Error, Kind, Result};
use crate::forge::{ChosenRemotes, Due, FollowedRequest, RequestState, Thread, Wanted};
use crate::history::pick_steps;
use crate::inspect::steps::leaves_below;
use crate::launch::options::LimitOptions;
use crate::plan::NodeIx;
use crate::process::CancelLevel;
use crate::record::{CommitId, CommitKind, Origin, OriginKind, State, StepFacts, TaskId, UsageTotal};
use crate::report;
use crate::run::tasks_of;
use crate::session::plan_state::PlanState;
use crate::session::{Call, Exit, Session, require_person};
use crate::text::one_line;
use base_merge::BaseMerge;
use source::Source;
pub(in crate::commands) use take_in::tasks_of_requests;
use take_in::{NewTask, takers};

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

/// A request that is followed.
pub(in crate::commands) struct Follow<'a> {
    pub(in crate::commands) call: &'a Call,
    pub(in crate::commands) options: &'a FollowOptions,
    /// What all rounds together may use.
    pub(in crate::commands) limits: &'a LimitOptions,
    /// The tasks that it is about, and those of these phases; all of the plan if there are none.
    pub(in crate::commands) nodes: &'a [String],
    pub(in crate::commands) branch: &'a str,
    pub(in crate::commands) base: Option<&'a str>,
    pub(in crate::commands) remote: Option<&'a str>,
    pub(in crate::commands) yes: bool,
    pub(in crate::commands) dry_run: bool,
    /// Refuses what the work would refuse before it begins if these tasks were open again; one without an id is new.
    pub(in crate::commands) ready: &'a dyn Fn(&[Option<TaskId>]) -> Result<()>,
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

/// Something that the run has taken in, and the task of the plan that takes it up.
struct Taken {
    leaf: NodeIx,
    origin: Origin,
}

impl Follow<'_> {
    /// Follows the request: once, or for a while.
    ///
    /// # Errors
    /// If the request cannot be read, somebody says no, or a part of the work fails.
    pub(in crate::commands) fn carry_out(&self) -> Result<Exit> {
        let state = PlanState::open(self.call)?;
        require_person(self.call, &state.session, "pr")?;
        if !self.yes && !self.dry_run && !report::can_ask() {
            return Err(Error::new(
                Kind::Input,
                "a request is followed only after a question, and nobody can answer here",
                "Nothing was done. Run the same command with --yes, or with --dry-run to see what it would do.",
            ));
        }
        let source = self.source(&state)?;
        let (began, before) = (Instant::now(), state.run.range.head());
        let watches = self.options.watch && !self.dry_run;
        let look = || {
            let limits = self.limits.less(began.elapsed(), &self.spent_since(before)?);
            let is_last = limits.is_used_up();
            match self.round(&source, limits)? {
                Round::Waits(exit) if is_last => Ok(Round::Over(exit)),
                round => Ok(round),
            }
        };
        let (exit, is_over) = repeated(if watches { ROUNDS } else { 1 }, look, || self.wait())?;
        if watches && !is_over {
            report::eprint("This was the last look. The same command looks again.");
        }
        Ok(exit)
    }

    fn wait(&self) -> Result<()> {
        report::eprint("The next look is in five minutes; Ctrl-C ends this.");
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
        let call = self.call;
        let state = PlanState::open(call)?;
        let here = self.refuse_early(&state.session)?;
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
        let named = self.base.or(Some(&request.base).filter(|base| !base.is_empty()).map(String::as_str));
        self.fetch_base(&state.session, named)?;
        let land = Land::of_tasks(Vec::new(), named.map(str::to_owned))
            .on(self.branch, self.yes)
            .allowing(allowed_in(&request))
            .only_shown(self.dry_run);
        let there = land.take_in_new(call, self.ready)?;
        // It is looked for where it is pushed to without `--remote`.
        let usual = ChosenRemotes::to_push(&state.session.git, self.branch)?;
        let there = there.filter(|_| self.remote.is_none() || self.remote == usual.as_deref()).or(here);
        let state = PlanState::open(call)?;
        let taken = taken_in(&state)?;
        let origins: Vec<Origin> = taken.iter().map(|taken| taken.origin.clone()).collect();
        source.complete(&mut request, &origins, |check| {
            let question = format!("Let the check {check} run again?");
            !self.dry_run && (self.yes || report::confirm("", &question) == Some(true))
        })?;
        request.mask(|text| call.mask(text));
        let mut due = request.due(&origins);
        if let Some(newest) = there.filter(|newest| !request.is_about(*newest)) {
            due.waits.push(format!("the checks of the newest commit, {}, are not known yet", newest.short()));
        }
        let base = land.base_of(call, &state.session)?;
        let merge = match &base {
            Some(base) => BaseMerge::find(&state.session, self.branch, base, request.conflict)?,
            None => None,
        };
        for line in &due.listed {
            report::eprint(&format!("To look at: {line}."));
        }
        // A round that was killed, or commits of others that break tests, leave open tasks, and a push may have been refused.
        let state_of = |leaf: NodeIx| state.plan.state(&state.run, leaf);
        let leaves = leaves_below(&state.plan, self.nodes)?;
        let is_pushed = match (state.session.repository.tip_of(self.branch)?, there) {
            (None, _) => true,
            (Some(tip), None) => request.is_about(tip),
            (Some(tip), Some(there)) => state.session.git.is_ancestor(&tip, &there)?,
        };
        // What was skipped is answered by a person.
        let has_open_work = leaves.iter().any(|leaf| !state_of(*leaf).is_done())
            || taken
                .iter()
                .any(|taken| state_of(taken.leaf) != State::Skipped && !is_settled(&request, &taken.origin))
            || !is_pushed;
        if request.is_done(&due) && merge.is_none() && !has_open_work {
            let checks = request.state_of_checks();
            report::eprint(&format!("The request {shown} is approved, {checks}, and nothing is open."));
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
        let takers = takers(&state, base.map(|base| base.tip), &wanted)?;
        let mut lines: Vec<String> = takers.iter().map(|taker| taker.line(&state)).collect();
        lines.extend(merge.as_ref().map(BaseMerge::line));
        if lines.is_empty() {
            lines.push("What was taken up before is not done, not pushed or not answered yet.".to_owned());
        }
        report::eprint(&lines.join("\n"));
        // What can only be refused when it is made is refused before anybody is asked.
        if let Some(merge) = &merge {
            merge.tree(&state.session)?;
        }
        let mut reopened: Vec<Option<TaskId>> = takers.iter().map(|taker| taker.task(&state)).collect();
        reopened.extend(merge.as_ref().filter(|merge| merge.needs_task()).map(|_| None));
        if reopened.contains(&None) {
            NewTask::REVIEW.planned(call, &state)?;
        }
        (self.ready)(&reopened)?;
        if self.dry_run {
            return Ok(Round::Waits(exit));
        }
        if !self.yes && report::confirm("", "Take this up?") != Some(true) {
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
            let is_wanted = !self.yes
                && !self.dry_run
                && report::confirm(&format!("\n{}", open.words), "Take this up as well?") == Some(true);
            if is_wanted {
                wanted.push(open.clone());
            } else {
                report::eprint(&format!("Left: {}.", open.why));
            }
        }
        wanted
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
        let state = PlanState::open(self.call)?;
        let mut seen: Vec<String> = Vec::new();
        for Taken { leaf, origin } in taken_in(&state)? {
            let Some(thread) = request.thread_of(&origin).filter(|_| !seen.contains(&origin.id)) else {
                continue;
            };
            let is_complete = state.plan.state(&state.run, leaf) == State::Complete;
            let task = &state.plan.tree.node(leaf).id;
            if is_complete
                && !thread.resolved
                && !thread.is_answered(&origin)
                && let Some(commit) = newest_of(&state.session, self.branch, task)?
            {
                source.answer(thread, &Thread::answer(&origin, &commit.to_string()))?;
            }
            seen.push(origin.id);
        }
        Ok(())
    }
}

/// Looks this often at most, with a pause in between, until nothing is left to follow; whether that is so.
fn repeated(
    most: u32,
    mut look: impl FnMut() -> Result<Round>,
    mut pause: impl FnMut() -> Result<()>,
) -> Result<(Exit, bool)> {
    let mut number = 1;
    loop {
        match look()? {
            Round::Over(exit) => return Ok((exit, true)),
            Round::Waits(exit) if number == most => return Ok((exit, false)),
            Round::Waits(_) => pause()?,
        }
        number += 1;
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
    match (request.thread_of(origin), origin.kind) {
        (Some(thread), _) => thread.resolved || thread.has_newer(origin) || thread.is_answered(origin),
        (None, OriginKind::Check) => request.head != origin.at,
        (None, OriginKind::Thread | OriginKind::Merge) => true,
    }
}

/// Everything that tasks of the plan have taken in, newest first. What a task has taken in that is not in the plan any more is free
/// for another one.
fn taken_in(state: &PlanState) -> Result<Vec<Taken>> {
    let PlanState { session, plan, run, .. } = state;
    let picked = pick_steps(&session.repository, &run.range, |kind, message| {
        let CommitKind::Task(id, _) = kind else { return None };
        let leaf = plan.tree.find(id.as_str()).filter(|leaf| plan.tree.is_leaf(*leaf))?;
        let origins = Origin::all_in(message).into_iter();
        Some(origins.map(|origin| Taken { leaf, origin }).collect::<Vec<_>>())
    })?;
    Ok(picked.into_iter().flat_map(|picked| picked.value).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_looked_at_until_nothing_is_left_or_five_times() {
        let waits = || Round::Waits(Exit::NeedsPerson);
        for (most, over_at, looks, ended) in [
            (ROUNDS, None, 5, (Exit::NeedsPerson, false)),
            (ROUNDS, Some(3), 3, (Exit::Done, true)),
            (1, None, 1, (Exit::NeedsPerson, false)),
        ] {
            let (mut looked, mut paused) = (0, 0);
            let look = || {
                looked += 1;
                Ok(if over_at == Some(looked) { Round::Over(Exit::Done) } else { waits() })
            };
            let pause = || {
                paused += 1;
                Ok(())
            };
            assert_eq!(repeated(most, look, pause).unwrap(), ended);
            assert_eq!((looked, paused), (looks, looks - 1), "{most}, {over_at:?}");
        }
        let stopped = repeated(5, || Ok(waits()), || Err(Error::new(Kind::No, "stopped", "")));
        assert_eq!(stopped.unwrap_err().what(), "stopped");
    }
}
