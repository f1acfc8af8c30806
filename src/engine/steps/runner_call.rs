//! Calls the runners of a step. If none can work, no attempt is used up, and the run stops, or waits until one can work
//! again.

mod left;

use std::time::SystemTime;

use chrono::{DateTime, Utc};

use super::follow::StepFollower;
use super::left_work::LeftWork;
use super::memory::{HeldAccount, RunnerMemory};
use super::resume::EarlierSession;
use super::wait_for_agent::{AgentWait, Blocked, Retries, Waits, ended, held_until, refusal, sleep};
use crate::agents::{
    AnswerSchema, Cap, Cause, EnvChange, ExitReason, Following, PastSession, Protocol,
    Request as AgentRequest, Runner, RunnerChain, RunnerResult, Trouble, Unavailable,
};
use crate::engine::event::{Event, Fallback};
use crate::engine::run_context::Assignment;
use crate::engine::run_context::context::stopped;
use crate::engine::run_context::limits;
use crate::engine::tree::handover::Handover;
use crate::engine::tree::workspace::Workspace;
use crate::error::Result;
use crate::git::Head;
use crate::record::{Role, Usage};
use crate::run::WaitingRun;
use crate::workflow::{AnswerForm, AnsweredTo, Verdict, WorkerAnswer, read_review, worker_report};
use crate::worktree::tokens::without_tokens;
use crate::worktree::{Scratch, write_prompt};

/// A request to the runners of a step, and the branch before they work.
#[derive(Clone, Copy)]
pub(crate) struct Request<'a> {
    /// The runners.
    pub(crate) runners: &'a RunnerChain,
    /// Their role.
    pub(crate) role: Role,
    /// The prompt.
    pub(crate) prompt: &'a str,
    /// How they are to answer, as the prompt says it.
    pub(crate) form: AnswerForm,
    /// The head of the branch before they work.
    pub(crate) head: &'a Head,
    /// The scratch work tree in which they work; `None` for the work tree of the run.
    pub(crate) place: Option<&'a Scratch>,
    /// What is said instead of the prompt to a runner that continues the session; `None` for the whole prompt.
    pub(crate) in_session: Option<&'a str>,
    /// The session that its runner continues; `None` for a fresh one.
    pub(crate) session: Option<&'a EarlierSession>,
}

/// A call of the runners of a step.
pub(crate) struct RunnerCall<'e, 'a, 'p> {
    /// The work tree.
    pub(crate) workspace: &'e mut Workspace<'a>,
    /// What the run has learned about its runners.
    pub(crate) memory: &'e mut RunnerMemory,
    /// The task and the step.
    pub(crate) job: Assignment<'p>,
    /// The request.
    pub(crate) request: Request<'p>,
}

/// What a step may still try so that it gets a result, and what its calls so far have left.
struct Tries {
    retries: Retries,
    /// Whether a conversation that became too long may be begun again.
    may_begin_afresh: bool,
    left: LeftWork,
    /// Whether the last call was ended because nothing came of it.
    was_ended: bool,
    waits: Waits,
    /// How often a runner that prints text may still say that it could not work, so that this is no attempt.
    told: u32,
}

impl<'p> RunnerCall<'_, '_, 'p> {
    /// Runs a runner. It is an error, and no attempt, if none could work: it did not start, was stopped, is not logged in,
    /// or hit a limit that is not waited for.
    ///
    /// # Errors
    /// [`Kind::Environment`] in these cases, and [`Kind::Unsafe`] if it changed something that no step may change.
    pub(crate) fn run(mut self) -> Result<Handover> {
        let settings = &self.workspace.run.settings;
        let mut tries = Tries {
            retries: Retries::within(settings.runner.patience.limit),
            may_begin_afresh: true,
            left: LeftWork::default(),
            was_ended: false,
            waits: Waits::new(settings.runner.max_wait),
            told: 3,
        };
        let mut usage: Option<Usage> = None;
        self.name_missing();
        loop {
            let blocked = match self.free_runner() {
                Some(runner) => {
                    let resumed = self.session_for(runner, &tries.left).is_some();
                    let result = self.start(runner, &mut tries.left)?;
                    tries.was_ended = result.job.exit_reason.status().is_none();
                    if resumed && result.has_not_resumed() {
                        tries.left.session = None;
                        self.begin_afresh(runner)?;
                        continue;
                    }
                    let used = usage.map_or(result.usage(), |before| before.and(result.usage()));
                    usage = Some(used);
                    let why = match self.why_unavailable(runner, &result) {
                        None => match self.told(&result, &mut tries)? {
                            None => self.denied(runner, &result)?,
                            why => why,
                        },
                        why => why,
                    };
                    let Some(why) = why else {
                        self.memory.note_uncounted(self.workspace.run, self.job, runner, &result);
                        let session = tries.left.ended;
                        return Ok(Handover {
                            session,
                            ..Handover::of(runner, self.request.role, result, used)
                        });
                    };
                    self.note_left(&mut tries.left)?;
                    Blocked { runner, why }
                }
                None => self.first_to_return(),
            };
            self.overcome(&blocked, &mut tries)?;
        }
    }

    /// The first runner that may be able to work.
    fn free_runner(&self) -> Option<&'p Runner> {
        let now = Utc::now();
        self.request.runners.iter().find(|runner| self.memory.held(runner, now).is_none())
    }

    /// Of runners that cannot work, the one that can work again first.
    fn first_to_return(&self) -> Blocked<'p> {
        let now = Utc::now();
        let held = self.request.runners.iter().map(|runner| {
            let held = self.memory.held(runner, now).expect("all runners are held back");
            (held.until.unwrap_or(DateTime::<Utc>::MAX_UTC), Blocked { runner, why: held.why.clone() })
        });
        held.min_by_key(|(until, _)| *until).expect("a chain has at least one runner").1
    }

    /// Tries again, lets another runner step in, or waits.
    ///
    /// # Errors
    /// [`Kind::Environment`] if nothing of this helps.
    fn overcome(&mut self, blocked: &Blocked<'p>, tries: &mut Tries) -> Result<()> {
        let (run, job) = (self.workspace.run, self.job);
        let Blocked { runner, why } = blocked;
        let words = why.words(&runner.label());
        if let Some(again) = self.use_up_try(blocked, tries) {
            self.check_budget(&words)?;
            run.warn(&format!("{}: {words}; {again}", job.task.id));
            return Ok(());
        }
        // A service that has let a call wait for long is not asked again at once.
        if why.cause == Cause::Service
            && !tries.was_ended
            && let Some(length) = tries.retries.next()
        {
            self.check_budget(&words)?;
            return self.wait(&words, AgentWait { length, until: None, is_for_limit: false });
        }
        if why.cause.calls_for_fallback() {
            let until = held_until(why.cause);
            self.memory.hold(runner, HeldAccount { why: why.clone(), until });
            if let Some(next) = self.free_runner() {
                self.check_budget(&words)?;
                return self.fall_back(Fallback {
                    task: job.task.id.clone(),
                    step: job.step,
                    runner: runner.label(),
                    reason: words,
                    until,
                    instead: next.label(),
                });
            }
        }
        let Some(pause) = tries.waits.next(why.cause, Utc::now()) else {
            return Err(refusal(run.settings.runner.max_wait, blocked, &self.others(runner)));
        };
        self.check_budget(&words)?;
        self.wait(&words, pause)?;
        self.memory.release(runner);
        Ok(())
    }

    /// Uses up one of the ways in which the same runner can go on at once, and returns it as a clause; `None` if none is left.
    fn use_up_try(&mut self, blocked: &Blocked<'p>, tries: &mut Tries) -> Option<&'static str> {
        let has_session = self.request.session.is_some() || tries.left.session.is_some();
        match blocked.why.cause {
            // A conversation may have become too long for its model.
            Cause::Refused if has_session && std::mem::take(&mut tries.may_begin_afresh) => {
                (self.request.session, tries.left.session) = (None, None);
                Some("it begins a new session")
            }
            Cause::Environment(Trouble::BrokeOff) if self.memory.forgives(blocked.runner) => {
                Some("it is called again")
            }
            _ => None,
        }
    }

    /// Says that another runner works instead, and notes it for those who look at the run.
    fn fall_back(&mut self, fallback: Fallback) -> Result<()> {
        self.workspace.run.observer.on(Event::Fallback(fallback));
        self.workspace.journal.left_alone = self.memory.left_alone();
        self.workspace.write_journal()
    }

    /// Waits, and notes that for those who look at the run.
    fn wait(&mut self, why: &str, pause: AgentWait) -> Result<()> {
        let until = (Utc::now() + pause.length).timestamp();
        self.workspace.journal.waits = Some(WaitingRun { reason: why.to_owned(), until });
        self.workspace.write_journal()?;
        sleep(self.workspace.run, self.job, why, pause)?;
        self.workspace.journal.waits = None;
        self.workspace.write_journal()
    }

    /// What happened to the runners that could not step in for this one, as clauses.
    fn others(&self, runner: &Runner) -> Vec<String> {
        let now = Utc::now();
        let others = self.request.runners.iter().filter(|other| other.name() != runner.name());
        others.filter_map(|other| Some(self.memory.held(other, now)?.why.words(&other.label()))).collect()
    }

    /// Why a runner could not work, if so. A reviewer that has no answer, or one that says nothing, has not reviewed.
    fn why_unavailable(&self, runner: &Runner, result: &RunnerResult) -> Option<Unavailable> {
        let no_review = |why: &str| Unavailable {
            cause: Cause::Environment(Trouble::BrokeOff),
            said: format!("did not complete its review: {why}"),
        };
        let is_review = self.request.role == Role::Reviewer;
        let said = result.job.stdout.to_bytes_with_note();
        match (&result.unavailable, &result.failure) {
            (Some(why), _) => Some(why.clone()),
            (None, Some(failure)) if is_review && runner.protocol() != Protocol::Text => {
                Some(no_review(failure))
            }
            (None, None) if is_review && said.trim_ascii().is_empty() => Some(no_review("it said nothing")),
            _ => None,
        }
    }

    /// What a runner that prints text says of why it could not work, if nothing else came of its work.
    fn told(&mut self, result: &RunnerResult, tries: &mut Tries) -> Result<Option<Unavailable>> {
        let Some(told) = &result.told else { return Ok(None) };
        let said = result.job.stdout.to_bytes_with_note();
        let to = AnsweredTo { prompt: self.request.prompt, has_changed: false };
        let has_answered = match self.request.role {
            Role::Reviewer => read_review(&said).verdict != Verdict::Unclear,
            _ => worker_report(&said, to).answer != WorkerAnswer::Done,
        };
        if has_answered || tries.told == 0 || self.has_changed()? {
            return Ok(None);
        }
        tries.told -= 1;
        Ok(Some(told.clone()))
    }

    /// Refuses another call in this step if the calls so far have used as much as the run may use. `why` is a clause that
    /// says why another one is necessary.
    ///
    /// # Errors
    /// [`Kind::No`] in this case.
    fn check_budget(&self, why: &str) -> Result<()> {
        match self.workspace.run.limits.budget.reached(&self.memory.spending) {
            Some(reached) => {
                Err(ended(format!("the run ended {}, and {why}", limits::Pause::Budget(reached))))
            }
            None => Ok(()),
        }
    }

    /// What a call of a runner may use. A review is finished, because all that was paid for before depends on it.
    fn cap(&self) -> Cap {
        let budget = &self.workspace.run.settings.tasks.of(self.job.leaf).budget;
        if self.request.role == Role::Reviewer || !budget.has_limit() {
            return Cap::default();
        }
        budget.cap(&self.memory.task_spent)
    }

    /// The session that a runner continues: that of the last call, or an earlier one.
    fn session_for(&self, runner: &Runner, left: &LeftWork) -> Option<PastSession> {
        let earlier = || self.request.session.and_then(|session| session.for_runner(runner));
        left.session_for(runner).or_else(earlier).cloned()
    }

    /// Gives up a session that a runner could not continue. It may have been deleted, or be too long.
    fn begin_afresh(&mut self, runner: &Runner) -> Result<()> {
        self.workspace.check_after(self.request.head, self.job.step)?;
        self.request.session = None;
        let (run, task, runner) = (self.workspace.run, self.job.task.id, runner.label());
        run.warn(&format!("{task}: {runner} could not continue its session, and begins a new one"));
        Ok(())
    }

    /// Says once which runners of the step are not installed.
    fn name_missing(&mut self) {
        for missing in self.request.runners.missing() {
            let words = format!("{missing}; {} works instead", self.request.runners.first().label());
            if self.memory.tells(&words) {
                self.workspace.run.warn(&words);
            }
        }
    }

    /// Runs a runner once, and tells it what the last call has `left`. It is an error, and no attempt, if it was stopped.
    fn start(&mut self, runner: &Runner, left: &mut LeftWork) -> Result<RunnerResult> {
        let (run, job) = (self.workspace.run, self.job);
        let Request { role, prompt, form, place, in_session, .. } = self.request;
        let past = self.session_for(runner, left);
        let prompt = in_session.filter(|_| past.is_some()).unwrap_or(prompt);
        let prompt = &format!("{prompt}{}", left.section());
        if self.memory.has_changed(runner.program().to_owned()) {
            run.warn(&format!("the program of {} has changed since the last step", runner.label()));
        }
        let live = run.announce(job, Some(runner.label()));
        let schema = (form == AnswerForm::Schema).then(|| AnswerSchema::of(role));
        let prompt_file = write_prompt(&run.work_tree, prompt, schema)?;
        let set = |name: &str, value: String| EnvChange::Set(name.into(), value.into());
        let env = [
            set("ARBORIST_TASK", job.task.id.to_string()),
            set("ARBORIST_STEP", job.step.word().to_owned()),
            set("ARBORIST_ATTEMPT", job.attempt.number.to_string()),
            match job.attempt.merge {
                Some(merge) => set("ARBORIST_MERGE", merge.to_string()),
                None => EnvChange::Remove("ARBORIST_MERGE".into()),
            },
        ];
        let (started, timeout) = (SystemTime::now(), run.settings.tasks.of(job.leaf).runner_timeout);
        let launch = run.agent_launch(runner, place);
        let session = past.as_ref();
        let cap = self.cap();
        let request = AgentRequest { role, prompt, prompt_file: &prompt_file, timeout, session, cap, schema };
        let against_pushes = self.workspace.snapshot.against_pushes();
        let mut program = runner.job(&launch, request).env(env.into_iter().chain(against_pushes));
        if runner.protocol() == Protocol::Text {
            program = program.live(&live);
        }
        let counted_again = session.and_then(|session| runner.counted_again(session));
        let mut follower = StepFollower::new(run, job, runner, live).without(counted_again);
        let patience = run.settings.runner.patience;
        let following = Following { secrets: &run.programs.secrets, follower: &mut follower, patience, cap };
        self.workspace.note_compared()?;
        let mut result = runner.run(program, following);
        follower.finish(&result);
        left.ended = PastSession::of_activity(&result.activity);
        if role != Role::Reviewer && result.activity.turns > 0 {
            left.runner = runner.label();
            left.session.clone_from(&left.ended);
        }
        result.activity.usage = follower.used(&result.activity);
        self.memory.spending.add_call(result.usage());
        self.memory.task_spent.add_call(result.usage());
        let result = RunnerResult { job: result.job.map_outputs(without_tokens), ..result };
        run.name_leaks(&result.job, &runner.label());
        run.note_killed(&result.job, started);
        if matches!(result.job.exit_reason, ExitReason::Cancelled) { Err(stopped()) } else { Ok(result) }
    }
}
