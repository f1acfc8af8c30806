//! The numbers that a run or a part of it adds up to: attempts, what rejected them, time, tokens and costs.

mod words;

use std::time::Duration;

use serde::Serialize;

use super::{RunStep, RunTask};
use crate::record::{By, Goal, Outcome, Severity, State, StepRecord, UsageTotal, rounded_seconds};

pub(crate) use words::{cost, lines, tokens};

/// What rejected attempts, and how many of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Rejections {
    /// The tests of the task failed.
    pub tests: u32,
    /// A reviewer rejected the change.
    pub review: u32,
    /// A check found an error, for example a change of protected files.
    pub checks: u32,
    /// The agent gave up, changed nothing, or a hook refused its commit.
    pub agent: u32,
    /// The finished task could not be merged into the branch of the run.
    pub merge: u32,
}

/// The numbers of some tasks.
#[derive(Clone, Copy, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Figures {
    /// How many tasks there are.
    pub tasks: u32,
    /// How many of them are complete.
    pub complete: u32,
    /// How many have failed.
    pub failed: u32,
    /// How many are skipped.
    pub skipped: u32,
    /// How many were worked on and have ended, well or not.
    pub ended: u32,
    /// How many of those are complete after one attempt.
    pub first_pass: u32,
    /// How many attempts there were.
    pub attempts: u32,
    /// How many of the attempts belong to tasks that are complete.
    #[serde(skip)]
    pub successful_attempts: u32,
    /// How many tasks are complete and were worked on.
    #[serde(skip)]
    pub worked_and_complete: u32,
    /// How many attempts a complete task needed, on average.
    #[serde(serialize_with = "rounded")]
    #[cfg_attr(test, schemars(with = "Option<f64>"))]
    pub attempts_until_complete: Option<f64>,
    /// How many attempts a complete task needed at most; 0 if there is none.
    pub most_attempts: u32,
    /// What rejected the attempts that failed.
    pub rejected: Rejections,
    /// How long the agents worked, as far as it is known.
    #[serde(rename = "agent_seconds", serialize_with = "seconds")]
    #[cfg_attr(test, schemars(with = "f64"))]
    pub agents: Duration,
    /// How long the test commands ran, without proofs, as far as it is known.
    #[serde(rename = "test_seconds", serialize_with = "seconds")]
    #[cfg_attr(test, schemars(with = "f64"))]
    pub tests: Duration,
    /// How often test commands ran for proofs, as far as it is known.
    pub proof_runs: u32,
    /// How long they ran for proofs.
    #[serde(rename = "proof_seconds", serialize_with = "seconds")]
    #[cfg_attr(test, schemars(with = "f64"))]
    pub proofs: Duration,
    /// How many steps there were, also decisions and notes.
    #[serde(rename = "all_steps")]
    pub steps: u32,
    /// How many of them a person made.
    pub person_steps: u32,
    /// How many seconds passed from the beginning of the first step to the end of the newest one; `None` without steps.
    #[serde(rename = "elapsed_seconds", serialize_with = "elapsed")]
    #[cfg_attr(test, schemars(with = "Option<i64>"))]
    pub span: Option<RunSpan>,
    /// Tokens and costs.
    #[serde(flatten)]
    pub usage: UsageTotal,
}

/// From the beginning of the first step to the end of the newest one, in seconds since the epoch.
#[derive(Clone, Copy, Debug)]
pub struct RunSpan {
    first: i64,
    newest: i64,
}

impl RunSpan {
    /// How long that is.
    pub(crate) fn duration(self) -> Duration {
        Duration::from_secs(u64::try_from(self.newest.saturating_sub(self.first)).unwrap_or(0))
    }
}

fn elapsed<S: serde::Serializer>(span: &Option<RunSpan>, serializer: S) -> Result<S::Ok, S::Error> {
    span.map(|span| span.duration().as_secs()).serialize(serializer)
}

fn seconds<S: serde::Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(rounded_seconds(*duration))
}

fn rounded<S: serde::Serializer>(number: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    number.map(|number| (number * 100.0).round() / 100.0).serialize(serializer)
}

impl Figures {
    /// Counts a task in this state that was worked on in this many attempts.
    fn add_task(&mut self, state: State, attempts: u32) {
        self.tasks += 1;
        match state {
            State::Complete => self.complete += 1,
            State::Failed => self.failed += 1,
            State::Skipped => self.skipped += 1,
            _ => {}
        }
        if attempts == 0 || !matches!(state, State::Complete | State::Failed) {
            return;
        }
        self.ended += 1;
        if state == State::Complete {
            self.first_pass += u32::from(attempts == 1);
            self.successful_attempts += attempts;
            self.worked_and_complete += 1;
            self.most_attempts = self.most_attempts.max(attempts);
            let average = f64::from(self.successful_attempts) / f64::from(self.worked_and_complete);
            self.attempts_until_complete = Some(average);
        }
    }

    /// Counts an attempt.
    fn add_attempt(&mut self, steps: &[RunStep<'_>]) {
        self.attempts += 1;
        let failed = steps.iter().find(|step| rejects(&step.record));
        if let Some(step) = failed {
            *self.rejected.by(step) += 1;
        }
        self.add_merge(steps);
    }

    /// Counts what made an attempt to merge necessary. The attempt before it was good by itself. Histories of earlier versions
    /// number both together.
    fn add_merge(&mut self, steps: &[RunStep<'_>]) {
        self.rejected.merge += u32::from(steps.iter().any(|step| step.facts.not_merged.is_some()));
    }

    /// Counts what a step has used.
    fn add_use(&mut self, step: &RunStep<'_>) {
        let facts = step.facts;
        self.steps += 1;
        self.person_steps += u32::from(step.record.by == By::User);
        let began = step.began();
        let RunSpan { first, newest } = self.span.unwrap_or(RunSpan { first: began, newest: step.time.0 });
        self.span = Some(RunSpan { first: first.min(began), newest: newest.max(step.time.0) });
        self.usage.add(&step.record, facts.usage);
        let is_agents = step.record.step.is_work_of_an_agent() && step.record.by == By::Run;
        let agents =
            if is_agents { facts.took().unwrap_or_default().min(facts.worked()) } else { Duration::ZERO };
        self.agents = self.agents.saturating_add(agents);
        let (runs, proof) = facts.proof_cost().map(|spent| (spent.runs, spent.time)).unwrap_or_default();
        self.proof_runs = self.proof_runs.saturating_add(runs);
        self.proofs = self.proofs.saturating_add(proof);
        let tests = facts.worked().saturating_sub(agents).saturating_sub(proof);
        self.tests = self.tests.saturating_add(tests);
    }

    /// How long agents, tests and proofs worked together.
    pub(crate) fn worked(&self) -> Duration {
        self.agents.saturating_add(self.tests).saturating_add(self.proofs)
    }
}

fn rejects(record: &StepRecord) -> bool {
    record.outcome == Outcome::Fail && record.step.is_part_of_an_attempt()
}

impl Rejections {
    fn by(&mut self, step: &RunStep<'_>) -> &mut u32 {
        let has_error = step.facts.found.iter().any(|finding| finding.severity == Severity::Error);
        match step.record.step.row().goal {
            _ if has_error => &mut self.checks,
            Goal::TestsPass => &mut self.tests,
            Goal::Approval => &mut self.review,
            _ => &mut self.agent,
        }
    }
}

/// The numbers of these tasks together.
pub(super) fn total<'t>(tasks: impl Iterator<Item = &'t RunTask<'t>>) -> Figures {
    let mut total = Figures::default();
    for task in tasks {
        // What is not merged is still to be done.
        let state = if task.unmerged { State::Pending } else { task.state };
        let attempts = task.attempts();
        total.add_task(state, u32::try_from(task.effort.attempts).unwrap_or(u32::MAX));
        for attempt in attempts {
            match (attempt.attempt, attempt.merge) {
                (Some(_), _) => total.add_attempt(&attempt.steps),
                (None, Some(_)) => total.add_merge(&attempt.steps),
                (None, None) => {}
            }
            attempt.steps.iter().for_each(|step| total.add_use(step));
        }
    }
    total
}
