//! Shares the tests of a red batch. The worker that integrates offers parts of the batch: each offer is a branch with one commit on
//! top of the merge to be tested. A worker that has nothing else to do claims an offer by a second commit, runs its tests, and says by
//! a third one whether they pass.
//!
//! No worker depends on another: the integrator tests one part itself and goes on with what is known by then. It waits for workers
//! that have begun a test, but only for as long again as its own tests took. The next integrator removes the offers of one that was
//! killed.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use super::nonces::Nonces;
use super::remote_state::RemoteState;
use super::remote_worker::RemoteWorker;
use super::source::ORIGIN;
use crate::agents::Lookup;
use crate::config::{CheckLevel, Setting};
use crate::error::Result;
use crate::git::{BranchesToFetch, Fetching, PushEnd, RefUpdate, RemoteTips};
use crate::history::Repository;
use crate::plan::TestCommand;
use crate::process::LiveLine;
use crate::record::CommitId;
use crate::run::awaited::AwaitedAt;
use crate::scheduler::claim::PushAnswer;
use crate::scheduler::integrate::Trial;
use crate::scheduler::worker::{Helpers, TestJob, run_tests};
use crate::trust::awaited::excuses;

/// How the subject of an offer begins.
const OFFERED: &str = "arborist: part of a red batch offered by ";
/// How the subject of a claim of an offer begins.
const CLAIMED: &str = "arborist: part of a red batch claimed by ";
/// The subject of the answer if the tests have passed.
const PASSES: &str = "arborist: part of a red batch passes";
/// The same if they have failed.
const FAILS: &str = "arborist: part of a red batch fails";
/// How the line of an offer begins that names a command.
const TEST: &str = "Test: ";

/// The time between two looks at the offers.
const REST: Duration = Duration::from_secs(1);
/// How often it is tried to take an offer back that somebody claims or answers at the same moment.
const TRIES: u32 = 3;

/// What has come of an offer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Progress {
    /// Nobody has claimed it.
    Free,
    /// Somebody tests it.
    Begun,
    /// Its tests have passed, or not.
    Tested(bool),
}

/// An offer of this worker.
struct Offer {
    branch: String,
    commit: CommitId,
}

/// The parts of a red batch that the worker who integrates has offered.
pub(super) struct Offers<'w> {
    worker: &'w RemoteWorker<'w>,
    nonces: Nonces,
    offers: Vec<Offer>,
    since: Instant,
}

impl<'w> Offers<'w> {
    /// None yet.
    pub(super) fn of(worker: &'w RemoteWorker<'w>) -> Self {
        Self { worker, nonces: Nonces::new(), offers: Vec::new(), since: Instant::now() }
    }

    /// Makes an offer here.
    fn make(&mut self, trial: &Trial) -> Result<Offer> {
        let nonce = self.nonces.text();
        let mut message = format!("{OFFERED}{}\n\nNonce: {nonce}\n", self.worker.claimant);
        for test in &trial.commands {
            message.push_str(&line_of(test));
        }
        let branch = self.worker.remote_state()?.part_branches() + nonce.get(..12).unwrap_or(&nonce);
        let commit = self.worker.commit_on(trial.commit, message)?;
        Ok(Offer { branch, commit })
    }

    fn push(&self, updates: &[RefUpdate]) -> Result<bool> {
        let clone = &self.worker.clone;
        let end = clone.git.push_updates(&clone.folder.join(".git"), ORIGIN, updates)?;
        Ok(end == PushEnd::Moved)
    }

    /// Where the branches of the offers are now; `None` if the remote repository does not answer.
    fn tips(&self) -> Result<Option<RemoteTips>> {
        let below = [self.worker.remote_state()?.part_branches()];
        let wanted = BranchesToFetch { branch: None, below: &below };
        match self.worker.clone.git.fetch_tips(ORIGIN, wanted)? {
            Fetching::Tips(tips) => Ok(Some(tips)),
            Fetching::Missing(_) | Fetching::Silent(_) | Fetching::Refused(_) => Ok(None),
        }
    }

    /// What has come of each offer; `None` if the remote repository does not answer.
    fn progress(&self) -> Result<Option<Vec<Progress>>> {
        let Some(tips) = self.tips()? else { return Ok(None) };
        let repository = &self.worker.remote_state()?.session.repository;
        let of = |Offer { branch, commit }: &Offer| match tips.get(branch) {
            Some(tip) => progress(repository, *tip, *commit),
            None => Ok(Progress::Free),
        };
        self.offers.iter().map(of).collect::<Result<_>>().map(Some)
    }

    /// Takes all offers back. The next worker that integrates removes those that cannot be taken back now.
    fn take_back(&mut self) -> Result<()> {
        for _ in 0..TRIES {
            let Some(tips) = self.tips()? else { continue };
            let mut gone = Vec::new();
            for (branch, tip) in tips {
                if self.offers.iter().any(|offer| offer.branch == branch) {
                    gone.push(RefUpdate { branch, from: Some(tip), to: None });
                }
            }
            if gone.is_empty() || self.push(&gone)? {
                break;
            }
        }
        self.offers.clear();
        Ok(())
    }
}

impl Helpers for Offers<'_> {
    fn offer(&mut self, trials: &[Trial]) {
        let offers: Result<Vec<Offer>> = trials.iter().map(|trial| self.make(trial)).collect();
        let Ok(offers) = offers else { return };
        let update = |Offer { branch, commit }: &Offer| RefUpdate {
            branch: branch.clone(),
            from: None,
            to: Some(*commit),
        };
        // Without a clear answer, they may be there.
        let _ = self.push(&offers.iter().map(update).collect::<Vec<_>>());
        (self.offers, self.since) = (offers, Instant::now());
    }

    fn answers(&mut self, is_enough: &mut dyn FnMut(&[Option<bool>]) -> bool) {
        let until = Instant::now() + self.since.elapsed();
        while let Ok(progress) = self.progress() {
            let progress = progress.unwrap_or_default();
            let answer = |progress: &Progress| match progress {
                Progress::Tested(passes) => Some(*passes),
                Progress::Free | Progress::Begun => None,
            };
            let has_enough = is_enough(&progress.iter().map(answer).collect::<Vec<_>>());
            let is_waited = progress.is_empty() || progress.contains(&Progress::Begun);
            if has_enough
                || !is_waited
                || Instant::now() >= until
                || self.worker.patience.pause(REST).is_err()
            {
                break;
            }
        }
        // That says nothing about the tests.
        let _ = self.take_back();
    }
}

impl Drop for Offers<'_> {
    fn drop(&mut self) {
        if !self.offers.is_empty() {
            let _ = self.take_back();
        }
    }
}

/// What has come of an offer whose branch has this tip.
fn progress(repository: &Repository, tip: CommitId, offer: CommitId) -> Result<Progress> {
    if tip == offer {
        return Ok(Progress::Free);
    }
    let newest = repository.commit(&tip)?;
    let Some(before) = newest.parents.first() else { return Ok(Progress::Free) };
    if *before == offer {
        return Ok(Progress::Begun);
    }
    let is_answer = repository.first_parent(before)? == Some(offer);
    Ok(match is_answer.then(|| subject(&newest.message)).as_deref() {
        Some(PASSES) => Progress::Tested(true),
        Some(FAILS) => Progress::Tested(false),
        _ => Progress::Free,
    })
}

fn subject(message: &[u8]) -> String {
    String::from_utf8_lossy(message).lines().next().unwrap_or_default().to_owned()
}

/// The line of an offer that names a command.
fn line_of(test: &TestCommand) -> String {
    format!("{TEST}{} {}\n", test.kind.word(), serde_json::Value::from(test.command.as_str()))
}

/// The commands of an offer; `None` if the message is not an offer, or if it names a command that is not in this plan, because
/// nobody has confirmed such a command here.
fn commands_in(remote_state: &RemoteState, message: &[u8]) -> Option<Vec<TestCommand>> {
    let text = String::from_utf8_lossy(message);
    text.starts_with(OFFERED).then_some(())?;
    let (plan, config) = (&remote_state.plan, &remote_state.session.config);
    let suite = config.optional(Setting::Suite);
    let suite = suite.filter(|_| config.check_level(Setting::TrustSuite) != CheckLevel::Off);
    let of_tasks =
        plan.tree.order().iter().flat_map(|leaf| plan.tree.node(*leaf).test_commands.iter().cloned());
    let of_phases = plan.tree.roots().iter().flat_map(|phase| plan.tests_of_phase(*phase));
    let known = of_tasks.chain(of_phases).chain(suite.as_deref().map(TestCommand::suite));
    let known: HashMap<String, TestCommand> = known.map(|test| (line_of(&test), test)).collect();
    let lines = text.lines().filter(|line| line.starts_with(TEST));
    lines.map(|line| known.get(&format!("{line}\n")).cloned()).collect()
}

impl RemoteWorker<'_> {
    /// Tests a part of a red batch, if the worker that integrates offers one. Returns whether it did.
    ///
    /// # Errors
    /// If this worker cannot go on.
    pub(super) fn test_a_part(&mut self) -> Result<bool> {
        let Some((branch, offer, trial)) = self.offered()? else { return Ok(false) };
        let nonce = self.own_claims.nonces.text();
        let claim = self.commit_on(offer, format!("{CLAIMED}{}\n\nNonce: {nonce}\n", self.claimant))?;
        if self.push(&branch, Some(offer), Some(claim))? != PushAnswer::Moved {
            return Ok(false);
        }
        let passes = self.test(trial)?;
        self.say(&format!("part of a red batch: {}", if passes { "tests pass" } else { "tests fail" }));
        let answer = self.commit_on(claim, format!("{}\n", if passes { PASSES } else { FAILS }))?;
        // Perhaps no worker waits for it any more.
        self.push(&branch, Some(claim), Some(answer)).map(|_| true)
    }

    /// An unclaimed offer of the worker that integrates: a random one, so that not all workers claim the same.
    fn offered(&mut self) -> Result<Option<(String, CommitId, Trial)>> {
        let remote_state = self.remote_state()?;
        if !remote_state.tips.contains_key(&remote_state.integration_branch()) {
            return Ok(None);
        }
        let mut free = Vec::new();
        for (branch, tip) in remote_state.parts() {
            let commit = remote_state.session.repository.commit(&tip)?;
            let trial = commit.parents.first().copied().zip(commands_in(remote_state, &commit.message));
            free.extend(trial.map(|(commit, commands)| {
                (branch.clone(), tip, Trial { commit, commands, tasks: Vec::new() })
            }));
        }
        let place = usize::try_from(self.own_claims.nonces.number() % free.len().max(1) as u64).unwrap_or(0);
        Ok((!free.is_empty()).then(|| free.swap_remove(place)))
    }

    /// Runs tests in a slot. Returns whether they pass.
    fn test(&self, trial: Trial) -> Result<bool> {
        let RemoteState { session, run, plan, .. } = self.remote_state()?;
        let awaited = AwaitedAt::of_merged(&session.repository, plan, run, trial.commit)?.may_fail;
        let slot = self.take_slot(|git| git.detach(&trial.commit))?;
        let config = &session.config;
        let job = TestJob {
            trial,
            setup: None,
            launch: slot.launch(),
            shell: Lookup::new(&self.call.environment, &session.work_tree.top).shell()?,
            timeout: config.duration(Setting::TestTimeout),
            confirm: config.number(Setting::Confirm),
            live: LiveLine::new(),
        };
        let results = run_tests(job)?;
        slot.git.discard_changes()?;
        Ok(results.first_failed().is_none() || excuses(&awaited, &results))
    }

    /// Removes the parts that a killed worker has offered. Only the worker that integrates calls this.
    ///
    /// # Errors
    /// If the clone cannot be used.
    pub(super) fn remove_parts(&mut self) -> Result<()> {
        let parts: Vec<(String, CommitId)> =
            self.remote_state()?.parts().map(|(branch, tip)| (branch.clone(), tip)).collect();
        for (branch, tip) in parts {
            self.push(&branch, Some(tip), None)?;
        }
        Ok(())
    }
}
