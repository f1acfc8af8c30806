//! A worker and its clone: what it has seen of the run, and how it waits, ends and speaks.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use super::branch_activity::BranchActivity;
use super::holder::{Hold, last_claim};
use super::messages;
use super::nonces::{Nonces, OwnClaims};
use super::private_clone::{CloneFrom, PrivateClone, Waiting};
use super::remote_state::{Look, Looked, RemoteState};
use super::waiting::{RemoteAnswer, WorkerPatience};
use crate::config::Setting;
use crate::engine::RunPart;
use crate::error::{Error, Result};
use crate::git::SUPERSEDED;
use crate::launch::before_run::{RunKind, Start};
use crate::launch::options::RunOptions;
use crate::plan::NodeIx;
use crate::record::{Claimant, CommitId};
use crate::report;
use crate::scheduler::claim::Expiry;
use crate::session::{Call, Exit, StopWish};
use crate::text::advice::{self, Advice};

/// A run on a remote repository, and the job that works on it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RemoteRun<'a> {
    pub(crate) from: CloneFrom<'a>,
    /// The job, if the user names it.
    pub(crate) job: Option<&'a str>,
    /// How often its engine has started it before.
    pub(crate) restarts: u64,
    /// How long it waits at most before it asks the remote repository for the first time.
    pub(crate) spread: Duration,
}

/// A worker and its clone.
pub(super) struct RemoteWorker<'a> {
    pub(super) call: &'a Call,
    pub(super) options: &'a RunOptions,
    /// The command that goes on if this worker is stopped.
    pub(super) again: Advice,
    pub(super) clone: PrivateClone,
    pub(super) claimant: Claimant,
    pub(super) patience: WorkerPatience,
    /// What it has seen last.
    pub(super) known: Option<Box<RemoteState>>,
    /// The newest commit of the branch of the run, as this worker has seen or pushed it.
    pub(super) newest: Option<CommitId>,
    /// The branches of others, and since when they have not moved.
    pub(super) branch_activity: BranchActivity,
    /// What git said when the remote repository did not answer or accept something.
    pub(super) said: String,
    /// How many tasks are merged together at most.
    pub(super) batch: usize,
    /// The claim of the integration, while this worker holds it.
    pub(super) integration: Option<Hold>,
    pub(super) own_claims: OwnClaims,
    /// The tasks on which no step can be done before a person has changed something, and why.
    pub(super) refused: HashMap<NodeIx, Error>,
}

impl<'a> RemoteWorker<'a> {
    /// Makes the clone, and looks at the run.
    ///
    /// # Errors
    /// If the options are wrong, or the remote repository cannot be reached.
    pub(super) fn open(call: &'a Call, options: &'a RunOptions, run: &RemoteRun<'_>) -> Result<Self> {
        let mut patience = WorkerPatience::new(&call.stop)?;
        let mut nonces = Nonces::new();
        let nonce = nonces.of_process();
        let own = format!("work:{nonce}");
        let job = run.job.unwrap_or(&own);
        let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
        let claimant = Claimant::new(job, run.restarts, &host)
            .map_err(|problem| messages::bad_claimant(job, problem))?;
        let say = |text: &str| {
            if !options.json {
                report::eprint(text);
            }
        };
        patience.pause(part_of(run.spread, nonces.number()))?;
        let waiting = Waiting { patience: &mut patience, say: &say };
        let clone = PrivateClone::make(call, &run.from, waiting, &nonce)?;
        let mut worker = Self {
            call,
            options,
            again: advice::work_any(run.from.remote),
            clone,
            claimant,
            patience,
            known: None,
            newest: None,
            branch_activity: BranchActivity::new(),
            said: String::new(),
            batch: usize::MAX,
            integration: None,
            own_claims: OwnClaims { nonces, made: HashSet::new() },
            refused: HashMap::new(),
        };
        worker.clone.git.check_version()?;
        worker.look_first(run.from.remote, &say).inspect_err(|_| worker.clone.remove())?;
        worker.try_git().inspect_err(|_| worker.clone.remove())?;
        worker.confirm().inspect_err(|_| worker.clone.remove())?;
        Ok(worker)
    }

    /// Makes sure that git can make commits here before an agent is paid.
    fn try_git(&self) -> Result<()> {
        self.clone.git.check_identity()?;
        self.clone.git.try_signing(&self.clone.git.work_tree()?)
    }

    /// Looks at the run for the first time.
    fn look_first(&mut self, address: &str, say: &dyn Fn(&str)) -> Result<()> {
        let patience = self.patience.clone();
        patience.ask_first(address, say, || {
            let has_answered = self.look(None)?;
            Ok(if has_answered { RemoteAnswer::Given(()) } else { RemoteAnswer::Silent(self.said.clone()) })
        })
    }

    /// Works, and removes the clone if nothing in it is needed any more.
    ///
    /// # Errors
    /// As for `work`.
    pub(super) fn in_the_end(mut self, work: impl FnOnce(&mut Self) -> Result<Exit>) -> Result<Exit> {
        let result = work(&mut self);
        // If that cannot be read, nothing is removed.
        let is_needed = self.clone.git.keeps_any(SUPERSEDED).unwrap_or(true)
            || result.is_err() && self.has_unpushed_work();
        if !is_needed {
            self.clone.remove();
        } else if self.clone.keep() {
            report::eprint(&format!("The clone {} is kept.", self.clone.folder.display()));
        }
        result
    }

    /// What it has seen last.
    pub(super) fn remote_state(&self) -> Result<&RemoteState> {
        self.known.as_deref().ok_or_else(|| messages::silent(messages::THERE, &self.said))
    }

    /// Looks at the remote repository. Returns whether it has answered.
    pub(super) fn look(&mut self, spared: Option<&str>) -> Result<bool> {
        let folder = self.known.as_ref().map(|remote_state| remote_state.folder());
        let overrides = || self.options.overrides();
        let last_head = self.known.as_ref().map(|remote_state| remote_state.head);
        let look = Look {
            call: self.call,
            clone: &self.clone,
            overrides: &overrides,
            spared,
            last_head,
            only_looks: false,
        };
        match look.take(folder.as_deref())? {
            Looked::Silent(said) => {
                self.said = said;
                Ok(false)
            }
            Looked::RemoteState(remote_state) => {
                self.say_if_rewritten(&remote_state)?;
                self.newest = Some(remote_state.head);
                let config = &remote_state.session.config;
                self.patience.set_length(config.duration(Setting::Patience));
                self.branch_activity.see(&remote_state.tips, config);
                self.known = Some(remote_state);
                self.bring_back_removed()?;
                Ok(true)
            }
        }
    }

    /// Says that the branch of the run has lost something since it was seen or pushed last, if so.
    fn say_if_rewritten(&self, remote_state: &RemoteState) -> Result<()> {
        if let Some(last) = self.newest
            && !remote_state.session.repository.reaches(remote_state.head, last)?
        {
            let (last, now) = (last.short(), remote_state.head.short());
            self.say(&messages::rewritten(&self.clone.branch, &last, &now));
        }
        Ok(())
    }

    /// Whether the worker that holds a branch is believed to be dead.
    pub(super) fn is_dead(&self, branch: &str, tip: CommitId) -> Result<bool> {
        let remote_state = self.remote_state()?;
        let last = remote_state.last_claim(tip)?;
        let is_empty = || remote_state.session.repository.reaches(remote_state.head, tip);
        let expiry = Expiry {
            own: &self.claimant,
            longest_step: self.branch_activity.longest_step,
            is_declared: self.branch_activity.is_still(branch, tip)
                || self.own_claims.has_left_behind(&last)
                || is_empty()?,
        };
        Ok(expiry.has_passed(last.claimant.as_ref(), Duration::ZERO))
    }

    /// The input of commands that this one runs in its clone: they end when this one has to end.
    pub(super) fn inner_call(&self) -> Call {
        Call { stop: StopWish::Cancel(self.patience.cancel.clone()), ..self.call.clone() }
    }

    /// A run in the clone.
    pub(super) fn start<'s>(&'s self, call: &'s Call, remote_state: &'s RemoteState) -> Start<'s> {
        Start {
            kind: RunKind::Work,
            call,
            options: self.options,
            session: &remote_state.session,
            plan: &remote_state.plan,
            tasks: &remote_state.tasks,
            again: &self.again,
            part: &RunPart::Scheduler { jobs: 1 },
        }
    }

    /// Refuses a plan that cannot be worked on here, and lets the user confirm its commands, which have come with the clone.
    fn confirm(&self) -> Result<()> {
        let call = self.inner_call();
        let start = self.start(&call, self.remote_state()?);
        start.check_branch_names()?;
        start.confirm_commands()
    }

    /// Whether the clone has commits that the remote repository does not have. What cannot be read counts as such.
    fn has_unpushed_work(&self) -> bool {
        let Some(remote_state) = &self.known else { return false };
        let Ok(own) = remote_state.session.repository.branches_in(&remote_state.folder()) else {
            return true;
        };
        own.iter().any(|(name, tip)| self.is_unpushed(name, *tip).unwrap_or(true))
    }

    /// Whether a branch of the clone with this tip has more than claims that neither this branch nor that of the run has in the remote
    /// repository. A claim that nobody has seen is not worth keeping.
    ///
    /// # Errors
    /// If a commit cannot be read.
    pub(super) fn is_unpushed(&self, branch: &str, tip: CommitId) -> Result<bool> {
        let remote_state = self.remote_state()?;
        let repository = &remote_state.session.repository;
        let known = self.tip(branch).unwrap_or(remote_state.head);
        Ok(!repository.reaches(known, tip)?
            && !repository.reaches(remote_state.head, tip)?
            && !last_claim(repository, tip, Some(known))?.is_bare)
    }

    /// Says what is done, on standard error.
    pub(super) fn say(&self, text: &str) {
        if !self.options.json {
            report::eprint(text);
        }
    }
}

/// A part of a time, by chance.
fn part_of(length: Duration, chance: u64) -> Duration {
    let whole = u64::try_from(length.as_millis()).unwrap_or(u64::MAX);
    Duration::from_millis(chance.checked_rem(whole).unwrap_or(0))
}
