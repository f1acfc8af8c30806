//! What a run or a task may use, and what its steps have used according to their commits.

use std::collections::HashSet;
use std::fmt;
use std::time::Duration;

use crate::agents::Cap;
use crate::config::Setting;
use crate::error::{Error, Kind};
use crate::history::{StepValidity, TaskStep};
use crate::record::{Cost, Effect, Outcome, StepFacts, StepRecord, Tokens, Usage, UsageTotal, grouped};
use crate::text::duration;

/// What a run or a task may use; `None` for what has no limit. No step begins once as much is used, and a step that has begun
/// is finished.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    /// How much its steps may cost.
    pub max_cost: Option<Cost>,
    /// How many tokens its steps may read and write, without those from a cache.
    pub max_tokens: Option<u64>,
    /// How long its agents and tests may work.
    pub max_time: Option<Duration>,
}

/// A limit of a budget, and what was used when it was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reached {
    /// What the steps have cost, as far as it is known.
    Cost {
        /// The limit.
        limit: Cost,
        /// What was used.
        used: Cost,
    },
    /// The tokens that the steps have read and written, as far as they are known.
    Tokens {
        /// The limit.
        limit: u64,
        /// What was used.
        used: u64,
    },
    /// How long agents and tests have worked.
    Time {
        /// The limit.
        limit: Duration,
        /// What was used.
        used: Duration,
    },
}

impl Reached {
    /// The key of the setting that limits it for a task.
    #[must_use]
    pub fn task_setting(&self) -> &'static str {
        let setting = match self {
            Self::Cost { .. } => Setting::TaskMaxCost,
            Self::Tokens { .. } => Setting::TaskMaxTokens,
            Self::Time { .. } => Setting::TaskMaxTime,
        };
        setting.rule().key
    }
}

impl fmt::Display for Reached {
    /// As a clause about some steps: "have cost $5.02, and the limit is $5.00".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cost { limit, used } => {
                write!(f, "have cost {}, and the limit is {}", used.told(), limit.told())
            }
            Self::Tokens { limit, used } => {
                write!(f, "have used {} tokens, and the limit is {}", grouped(*used), grouped(*limit))
            }
            Self::Time { limit, used } => {
                write!(f, "have taken {}, and the limit is {}", duration(*used), duration(*limit))
            }
        }
    }
}

/// What some steps have used. In a run, the calls are counted, and not the commits: a call may have used something although
/// its step was not committed, or although it is not known what another call of the same step has used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Spent {
    /// The sums, and for how many committed steps they are complete.
    pub(crate) usage: UsageTotal,
    /// How long agents and tests have worked; only counted for a task.
    time: Duration,
}

impl Spent {
    /// Adds what a call has used, however it ended.
    pub(crate) fn add_call(&mut self, usage: Usage) {
        let Usage { tokens, cost } = usage;
        self.usage.add_all(UsageTotal { tokens, cost, ..UsageTotal::default() });
    }

    /// Adds a step that was committed, and whose calls were added before. All that they have used is `usage`.
    pub(crate) fn add_step(&mut self, step: &StepRecord, usage: Usage) {
        let mut of_step = UsageTotal::default();
        of_step.add(step, usage);
        self.usage.add_all(UsageTotal { tokens: Tokens::default(), cost: None, ..of_step });
    }

    /// What the steps of a task, newest first, have used since it began or was last asked for again. Steps that do not count
    /// any more have used something as well, but those of an earlier plan were made for another task.
    pub(crate) fn on_task(newest_first: &[TaskStep]) -> Self {
        let mut spent = Self::default();
        for step in newest_first.iter().filter(|step| step.validity != StepValidity::Outdated) {
            if step.validity == StepValidity::Counts && begins_again_after(&step.step.record) {
                break;
            }
            let facts = StepFacts::of(&step.message);
            let (usage, worked) = (facts.usage, facts.worked());
            spent.usage.add(&step.step.record, usage);
            spent.time += worked;
        }
        spent
    }
}

/// Whether a task whose latest step this is begins from the start if it is worked on.
fn begins_again_after(record: &StepRecord) -> bool {
    match record.step.row().effect {
        Effect::Restart => record.restarts(),
        Effect::End => record.outcome == Outcome::Fail,
        Effect::Stage { .. } | Effect::Question | Effect::None => false,
    }
}

impl Budget {
    /// Whether anything is limited.
    pub(crate) fn has_limit(&self) -> bool {
        *self != Self::default()
    }

    /// Its limits for a task, in words that fit after "no step begins after".
    #[must_use]
    pub fn told(&self) -> Vec<String> {
        let cost = self.max_cost.map(|limit| format!("a cost of {} (arborist.task.maxCost)", limit.told()));
        let tokens =
            self.max_tokens.map(|limit| format!("{} tokens (arborist.task.maxTokens)", grouped(limit)));
        let time = self.max_time.map(|limit| format!("{} of work (arborist.task.maxTime)", duration(limit)));
        cost.into_iter().chain(tokens).chain(time).collect()
    }

    /// The limit that is reached; `None` if another step may begin.
    pub(crate) fn reached(&self, spent: &Spent) -> Option<Reached> {
        let Spent { usage, time } = *spent;
        let cost = self.max_cost.zip(usage.cost).filter(|(limit, used)| used >= limit);
        let tokens = self.max_tokens.map(|limit| (limit, usage.known_tokens()));
        let tokens = tokens.filter(|(limit, used)| used >= limit);
        let time = self.max_time.filter(|limit| time >= *limit).map(|limit| (limit, time));
        cost.map(|(limit, used)| Reached::Cost { limit, used })
            .or(tokens.map(|(limit, used)| Reached::Tokens { limit, used }))
            .or(time.map(|(limit, used)| Reached::Time { limit, used }))
    }

    /// What a call of a runner may use after this was spent.
    pub(crate) fn cap(&self, spent: &Spent) -> Cap {
        let Spent { usage, .. } = *spent;
        let left = |limit: Cost| limit.minus(usage.cost.unwrap_or_default()).unwrap_or_default();
        let max_tokens = self.max_tokens.map(|limit| limit.saturating_sub(usage.known_tokens()));
        Cap { max_cost: self.max_cost.map(left), max_tokens }
    }
}

/// The runners that have reported a cost in this run. One that has may also have a call without, for example one that was ended.
#[derive(Debug, Default)]
pub(crate) struct CostReporters(HashSet<String>);

impl CostReporters {
    /// Takes note of what a runner has used. Returns the error if it has `ended_well` and has never reported a cost, so that a limit on
    /// it cannot hold.
    pub(crate) fn note(&mut self, runner: &str, usage: Usage, ended_well: bool) -> Option<Error> {
        if usage.cost.is_some() {
            self.0.insert(runner.to_owned());
        }
        (ended_well && !self.0.contains(runner)).then(|| without_cost(runner))
    }
}

/// The end of a run whose limit on the cost cannot hold, because this runner has reported none.
fn without_cost(runner: &str) -> Error {
    Error::new(
        Kind::Environment,
        format!("{runner} has not reported what its step has cost, so no limit on the cost can hold"),
        "The step is committed. Limit tokens or time instead (--max-tokens, --max-time; arborist.task.maxTokens, \
         arborist.task.maxTime), or choose a runner that reports its cost.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Step;

    fn usage(input: u64, dollars: Option<f64>) -> Usage {
        let tokens = Tokens { input: Some(input), output: Some(0), cached: Some(1_000_000) };
        Usage { tokens, cost: dollars.and_then(Cost::from_dollars) }
    }

    #[test]
    fn only_a_runner_that_has_never_reported_a_cost_is_without_one() {
        let mut reporters = CostReporters::default();
        let (told, untold) = (usage(1, Some(0.5)), usage(1, None));
        assert!(reporters.note("claude", untold, false).is_none(), "it was ended before it could tell");
        assert!(reporters.note("codex", untold, true).unwrap().what().starts_with("codex has not reported"));
        assert!(reporters.note("claude", told, true).is_none());
        assert!(reporters.note("claude", untold, true).is_none());
        assert!(reporters.note("codex", untold, true).is_some());
    }

    #[test]
    fn a_limit_is_reached_when_as_much_is_used_and_a_cache_does_not_count() {
        let mut spending = Spent::default();
        let budget = Budget { max_cost: Cost::from_dollars(1.0), max_tokens: Some(500), max_time: None };
        let none = Budget::default();
        assert!(budget.has_limit() && !none.has_limit());
        for used in [usage(200, Some(0.4)), usage(200, Some(0.5))] {
            spending.add_call(used);
            assert_eq!(budget.reached(&spending), None);
        }
        spending.add_call(usage(100, None));
        let reached = budget.reached(&spending).unwrap();
        assert_eq!(reached.to_string(), "have used 500 tokens, and the limit is 500");
        spending.add_call(usage(0, Some(0.25)));
        let reached = budget.reached(&spending).unwrap();
        assert_eq!(reached.to_string(), "have cost $1.15, and the limit is $1.00");
        assert_eq!(none.reached(&spending), None);
    }

    #[test]
    fn a_call_counts_without_a_step_and_a_step_counts_nothing_twice() {
        let mut spending = Spent::default();
        spending.add_call(usage(100, Some(0.5)));
        assert_eq!(spending.usage.to_string(), "100 tokens read, 0 written, 1,000,000 from a cache, $0.50");
        let second = usage(200, None);
        spending.add_call(second);
        let implement = StepRecord::of_run(Step::IMPLEMENT, Outcome::Pass, 0);
        spending.add_step(&implement, usage(100, Some(0.5)).and(second));
        assert_eq!(
            spending.usage.to_string(),
            "300 tokens read, 0 written, 2,000,000 from a cache, $0.50 (unknown: the cost of 1 of 1 steps)"
        );
    }
}
