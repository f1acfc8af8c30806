//! A worker and its clone: what it has seen of the run, and how it waits, ends and speaks.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::time::{Duration, Instant};

use super::board::{Board, Look, Looked};
use super::holder::{Hold, last_claim};
use super::messages;
use super::private_clone::{CloneFrom, PrivateClone};
use crate::agents::{CancelLevel, StopSignals};
use crate::config::Setting;
use crate::engine::RunPart;
use crate::error::{Error, Kind, Result};
use crate::launch::options::RunOptions;
use crate::launch::perform::WORK;
use crate::launch::start::Start;
use crate::process::Cancel;
use crate::record::{Claimant, CommitId};
use crate::report;
use crate::scheduler::claim::{Expiry, Sighting};
use crate::session::{Call, Exit, StopWish};

/// The first time to wait for an answer.
const FIRST_WAIT: Duration = Duration::from_secs(1);
/// The longest time to wait for one.
const LONGEST_WAIT: Duration = Duration::from_secs(30);
/// How often a worker that waits checks whether it has to end.
const TICK: Duration = Duration::from_millis(100);
/// What is added to the time that a step may take before its worker is believed to be dead.
const GRACE: Duration = Duration::from_secs(300);

/// How many steps with an agent an attempt has at most.
const STEPS: u32 = 3;

/// How a worker is named.
#[derive(Clone, Copy)]
pub(super) struct WorkerName<'a> {
    /// The job, if the user names it.
    pub(super) job: Option<&'a str>,
    /// How often its engine has started it before.
    pub(super) restarts: u32,
}

/// A worker and its clone.
pub(super) struct Site<'a> {
    pub(super) call: &'a Call,
    pub(super) options: &'a RunOptions,
    pub(super) clone: PrivateClone,
    pub(super) claimant: Claimant,
    pub(super) cancel: Cancel,
    signals: StopSignals,
    /// What it has seen last.
    pub(super) known: Option<Box<Board>>,
    /// The branches of others, and since when they have not moved.
    seen: HashMap<String, Sighting<CommitId>>,
    began: Instant,
    pub(super) longest_step: Duration,
    /// What git said when the remote repository did not answer or accept something.
    pub(super) said: String,
    /// Whether each step is pushed when it is committed.
    pub(super) pushes_steps: bool,
    /// How many tasks are merged together at most.
    pub(super) batch: usize,
    /// The claim of the integration, while this worker holds it.
    pub(super) integration: Option<Hold>,
    random: RandomState,
    count: u64,
}

impl<'a> Site<'a> {
    /// Makes the clone, and looks at the run.
    ///
    /// # Errors
    /// If the options are wrong, or the remote repository cannot be reached.
    pub(super) fn open(
        call: &'a Call,
        options: &'a RunOptions,
        from: &CloneFrom<'_>,
        name: WorkerName<'_>,
    ) -> Result<Self> {
        let (cancel, signals) = call.stop.watch()?;
        let random = RandomState::new();
        let nonce = format!("{:016x}{:08x}", random.hash_one(0_u64), std::process::id());
        let own = format!("work:{nonce}");
        let job = name.job.unwrap_or(&own);
        let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
        let claimant = Claimant::new(job, name.restarts, &host)
            .map_err(|problem| messages::bad_claimant(job, problem))?;
        let say = |text: &str| {
            if !options.json {
                report::eprint(&call.mask(text));
            }
        };
        let clone = PrivateClone::make(call, from, &nonce, &say)?;
        let mut site = Self {
            call,
            options,
            clone,
            claimant,
            cancel,
            signals,
            known: None,
            seen: HashMap::new(),
            began: Instant::now(),
            longest_step: Duration::MAX,
            said: String::new(),
            pushes_steps: true,
            batch: usize::MAX,
            integration: None,
            random,
            count: 0,
        };
        site.clone.git.check_version()?;
        if !site.look(None).inspect_err(|_| site.clone.remove())? {
            site.clone.remove();
            return Err(messages::silent(from.remote, &site.said));
        }
        site.clone.git.check_identity().inspect_err(|_| site.clone.remove())?;
        site.confirm().inspect_err(|_| site.clone.remove())?;
        Ok(site)
    }

    /// Works, and removes the clone if nothing in it is needed any more.
    ///
    /// # Errors
    /// As for `work`.
    pub(super) fn in_the_end(mut self, work: impl FnOnce(&mut Self) -> Result<Exit>) -> Result<Exit> {
        let result = work(&mut self);
        if result.is_ok() || !self.has_unpushed_work() {
            self.clone.remove();
        } else if self.clone.keep() {
            report::eprint(&format!("The clone {} is kept.", self.clone.folder.display()));
        }
        result
    }

    /// What it has seen last.
    pub(super) fn board(&self) -> Result<&Board> {
        self.known.as_deref().ok_or_else(|| messages::silent(&self.clone.branch, &self.said))
    }

    /// Looks at the remote repository. Returns whether it has answered.
    pub(super) fn look(&mut self, spared: Option<&str>) -> Result<bool> {
        let folder = self.known.as_ref().map(|board| board.folder());
        let overrides = || self.options.overrides();
        let last_head = self.known.as_ref().map(|board| board.head);
        let look = Look { call: self.call, clone: &self.clone, overrides: &overrides, spared, last_head };
        match look.take(folder.as_deref())? {
            Looked::Silent(said) => {
                self.said = said;
                Ok(false)
            }
            Looked::Board(board) => {
                let config = &board.session.config;
                let [runner, tests] = [Setting::RunnerTimeout, Setting::TestTimeout];
                let step = config.duration(runner) + config.duration(tests);
                self.pushes_steps = config.text(Setting::Push) == "steps";
                // Otherwise nothing is seen of a task before all its attempts are over.
                let attempts =
                    [Setting::MaxAttempts, Setting::MergeAttempts].map(|key| config.count(key).get());
                let all = attempts.into_iter().fold(0, u32::saturating_add);
                let steps = if self.pushes_steps { 1 } else { STEPS.saturating_mul(all) };
                self.longest_step = step.saturating_mul(steps) + GRACE;
                let now = self.began.elapsed();
                self.seen.retain(|branch, _| board.tips.contains_key(branch));
                for (branch, tip) in &board.tips {
                    self.seen
                        .entry(branch.clone())
                        .and_modify(|seen| seen.see(*tip, now))
                        .or_insert_with(|| Sighting::new(*tip, now));
                }
                self.known = Some(board);
                Ok(true)
            }
        }
    }

    /// For how long a branch has named this commit, as far as this worker has seen.
    pub(super) fn unmoved(&mut self, branch: &str, tip: CommitId) -> Duration {
        let now = self.began.elapsed();
        let seen = self.seen.entry(branch.to_owned()).or_insert_with(|| Sighting::new(tip, now));
        seen.see(tip, now);
        seen.age(now)
    }

    /// A random number.
    pub(super) fn number(&mut self) -> u64 {
        self.count += 1;
        self.random.hash_one(self.count)
    }

    /// A random text for a claim.
    pub(super) fn nonce(&mut self) -> String {
        format!("{:016x}{:016x}", self.number(), self.number())
    }

    /// Whether a branch has not moved for longer than a step may take.
    pub(super) fn is_still(&self, branch: &str, tip: CommitId) -> bool {
        let now = self.began.elapsed();
        self.seen.get(branch).is_some_and(|seen| seen.names(tip) && seen.age(now) > self.longest_step)
    }

    /// Whether whoever holds a branch is believed to be dead.
    pub(super) fn is_dead(&self, branch: &str, tip: CommitId) -> Result<bool> {
        let last = self.board()?.last_claim(tip)?;
        let expiry = Expiry {
            own: &self.claimant,
            longest_step: self.longest_step,
            is_declared: self.is_still(branch, tip),
        };
        Ok(expiry.has_passed(last.claimant.as_ref(), Duration::ZERO))
    }

    /// The input of commands that this one runs in its clone: they end when this one has to end.
    pub(super) fn inner_call(&self) -> Call {
        Call {
            environment: self.call.environment.clone(),
            screen: self.call.screen,
            common: self.call.common.clone(),
            catalogue: self.call.catalogue,
            stop: StopWish::Cancel(self.cancel.clone()),
            listener: self.call.listener.clone(),
        }
    }

    /// A run in the clone.
    pub(super) fn start<'s>(&'s self, call: &'s Call, board: &'s Board) -> Start<'s> {
        Start {
            name: WORK,
            call,
            options: self.options,
            session: &board.session,
            plan: &board.plan,
            tasks: &board.tasks,
            again: "git arborist work",
            part: &RunPart::Scheduler { jobs: 1 },
        }
    }

    /// Refuses a plan that cannot be worked on here, and lets the user confirm its commands, which have come with the clone.
    fn confirm(&self) -> Result<()> {
        let call = self.inner_call();
        let start = self.start(&call, self.board()?);
        start.check_branch_names()?;
        start.confirm_commands()
    }

    /// Whether the clone has commits that the remote repository does not have.
    fn has_unpushed_work(&self) -> bool {
        let Some(board) = &self.known else { return false };
        let Ok(own) = board.session.repository.branches_in(&board.folder()) else { return true };
        own.iter().any(|(name, tip)| {
            let is_known = |known: &CommitId| board.session.repository.reaches(*known, *tip).unwrap_or(false);
            let known = self.tip(name).unwrap_or(board.head);
            // A claim that nobody has seen is not worth keeping.
            let is_bare =
                || last_claim(&board.session.repository, *tip, known).is_ok_and(|last| last.is_bare);
            !is_known(&known) && !is_known(&board.head) && !is_bare()
        })
    }

    /// Waits, unless the user asks to stop.
    pub(super) fn pause(&self, length: Duration) -> Result<()> {
        let until = Instant::now() + length;
        while Instant::now() < until {
            self.check_stop()?;
            std::thread::sleep(TICK.min(until.saturating_duration_since(Instant::now())));
        }
        Ok(())
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.cancel.level() != CancelLevel::None
    }

    /// # Errors
    /// [`Kind::Signal`] if the user asks to stop.
    pub(super) fn check_stop(&self) -> Result<()> {
        if self.is_stopped() { Err(self.stopped()) } else { Ok(()) }
    }

    pub(super) fn stopped(&self) -> Error {
        debug_assert!(matches!(messages::stopped(None).kind(), Kind::Signal(_)));
        messages::stopped(self.signals.last())
    }

    /// Says what is done, on standard error.
    pub(super) fn say(&self, text: &str) {
        if !self.options.json {
            report::eprint(&self.call.mask(text));
        }
    }
}

/// How long to wait after so many questions without an answer.
pub(super) fn wait_after(silent: u32) -> Duration {
    FIRST_WAIT.saturating_mul(1 << silent.min(6)).min(LONGEST_WAIT)
}
