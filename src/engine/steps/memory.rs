//! What a run has learned about its runners. It is in no file: a later run learns it again.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use chrono::{DateTime, Utc};

use crate::agents::{Runner, RunnerResult, Unavailable};
use crate::engine::run_context::Assignment;
use crate::engine::run_context::budget::{CostReporters, Spent};
use crate::engine::run_context::context::RunContext;
use crate::error::Error;
use crate::run::journal::LeftAlone;
use crate::worktree::path_states::Fingerprint;

/// What a run has learned about its runners.
#[derive(Debug, Default)]
pub(crate) struct RunnerMemory {
    /// The programs of the runners, as they were when last started.
    programs: HashMap<PathBuf, Fingerprint>,
    /// The accounts that cannot be used now.
    held: HashMap<String, HeldAccount>,
    /// How often each account has had an accident: its program was killed, broke off or printed what cannot be read.
    accidents: HashMap<String, u32>,
    /// What the calls of this run have used.
    pub(crate) spending: Spent,
    /// What the steps of the task at work have used, if that is limited, with the calls of the present step.
    pub(crate) task_spent: Spent,
    /// Who has reported a cost.
    pub(crate) cost_reporters: CostReporters,
    /// Why the run ends after the present step: its cost is limited, and its runner reports none.
    pub(crate) without_cost: Option<Error>,
    /// What the user was told already.
    told: HashSet<String>,
}

/// How many accidents a runner may have in a run and is called again at once.
const ACCIDENTS: u32 = 2;

/// An account that cannot be used now.
#[derive(Clone, Debug)]
pub(super) struct HeldAccount {
    /// Why.
    pub(super) why: Unavailable,
    /// Until when; `None` if only a person can help.
    pub(super) until: Option<DateTime<Utc>>,
}

impl HeldAccount {
    fn shown(&self, account: &str) -> LeftAlone {
        LeftAlone {
            account: account.to_owned(),
            reason: self.why.words(account),
            until: self.until.map(|until| until.timestamp()),
        }
    }
}

impl RunnerMemory {
    /// Takes note of a program that is about to be started. Returns whether it has changed since it was last started.
    pub(super) fn has_changed(&mut self, program: PathBuf) -> bool {
        let now = Fingerprint::of(&program);
        self.programs.insert(program, now).is_some_and(|before| before != now)
    }

    /// Holds back all tasks of an account.
    pub(super) fn hold(&mut self, runner: &Runner, held: HeldAccount) {
        self.held.insert(runner.name().to_owned(), held);
    }

    /// The accounts that are left alone, by name, for those who look at the run.
    pub(super) fn left_alone(&self) -> Vec<LeftAlone> {
        let mut all: Vec<LeftAlone> = self.held.iter().map(|(account, held)| held.shown(account)).collect();
        all.sort_by(|one, other| one.account.cmp(&other.account));
        all
    }

    /// Lets an account work again.
    pub(super) fn release(&mut self, runner: &Runner) {
        self.held.remove(runner.name());
    }

    /// Takes note of an accident of a runner. Returns whether it is called again in spite of it.
    pub(super) fn forgives(&mut self, runner: &Runner) -> bool {
        let accidents = self.accidents.entry(runner.name().to_owned()).or_default();
        *accidents += 1;
        *accidents <= ACCIDENTS
    }

    /// Why the account of a runner cannot be used now; `None` if the runner is worth a call.
    pub(super) fn held(&self, runner: &Runner, now: DateTime<Utc>) -> Option<&HeldAccount> {
        self.held.get(runner.name()).filter(|held| held.until.is_none_or(|until| now < until))
    }

    /// Whether these words are new, so that the user is told them once.
    pub(super) fn tells(&mut self, words: &str) -> bool {
        self.told.insert(words.to_owned())
    }

    /// Notes what no budget can count of a runner that has worked.
    pub(super) fn note_uncounted(
        &mut self,
        run: &RunContext<'_>,
        job: Assignment<'_>,
        runner: &Runner,
        result: &RunnerResult,
    ) {
        let usage = result.usage();
        let budgets = [&run.limits.budget, &run.settings.tasks.of(job.leaf).budget];
        let without_cost = self.cost_reporters.note(&runner.label(), usage, result.failure.is_none());
        if budgets.iter().any(|budget| budget.max_cost.is_some()) {
            self.without_cost = self.without_cost.take().or(without_cost);
        }
        if usage.tokens.total().is_none() && budgets.iter().any(|budget| budget.max_tokens.is_some()) {
            let warning = format!(
                "{} does not report its tokens, so no limit on them counts its steps",
                runner.label()
            );
            if self.tells(&warning) {
                run.warn(&warning);
            }
        }
    }
}
