//! What several steps have used, as far as their runners report it.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::usage::{Cost, Tokens, Usage, known_tokens, tokens_or_unknown};
use super::{By, StepRecord};

/// The sums over the steps of agents. If it is not known for all of these steps what they have used, the sums are those of
/// the others, and the number of steps for which it is known says so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct UsageTotal {
    /// How many steps an agent has done.
    #[serde(rename = "agent_steps")]
    pub steps: u32,
    /// The sums of the tokens that are known; `None` for what is known for no step.
    #[serde(serialize_with = "known_tokens", deserialize_with = "tokens_or_unknown")]
    #[cfg_attr(test, schemars(with = "Option<Tokens>"))]
    pub tokens: Tokens,
    /// For how many of these steps it is known how many tokens were read and written.
    #[serde(rename = "tokens_known_for")]
    pub with_tokens: u32,
    /// The cost in US dollars; `None` if it is not known.
    pub cost: Option<Cost>,
    /// For how many of these steps the cost is known.
    #[serde(rename = "cost_known_for")]
    pub with_cost: u32,
}

impl UsageTotal {
    /// Adds a step. Steps that no agent has done use nothing.
    pub fn add(&mut self, step: &StepRecord, usage: Usage) {
        if !step.step.is_work_of_an_agent() || step.by == By::User {
            return;
        }
        let Usage { tokens, cost } = usage;
        self.add_all(Self {
            steps: 1,
            tokens,
            with_tokens: u32::from(tokens.total().is_some()),
            cost,
            with_cost: u32::from(cost.is_some()),
        });
    }

    /// Adds the sums over other steps.
    pub fn add_all(&mut self, other: Self) {
        let sum = |one: Option<u64>, other: Option<u64>| match (one, other) {
            (Some(one), Some(other)) => Some(one.saturating_add(other)),
            (one, other) => one.or(other),
        };
        self.steps += other.steps;
        self.tokens = Tokens {
            input: sum(self.tokens.input, other.tokens.input),
            output: sum(self.tokens.output, other.tokens.output),
            cached: sum(self.tokens.cached, other.tokens.cached),
        };
        self.with_tokens += other.with_tokens;
        self.cost = match (self.cost, other.cost) {
            (Some(one), Some(other)) => Some(one.plus(other)),
            (one, other) => one.or(other),
        };
        self.with_cost += other.with_cost;
    }

    /// The tokens that were read and written, as far as they are known; 0 if nothing is known.
    #[must_use]
    pub fn known_tokens(&self) -> u64 {
        let Tokens { input, output, .. } = self.tokens;
        input.unwrap_or(0).saturating_add(output.unwrap_or(0))
    }

    /// Whether anything is known.
    #[must_use]
    pub fn is_known(&self) -> bool {
        self.tokens != Tokens::default() || self.cost.is_some()
    }
}

impl fmt::Display for UsageTotal {
    /// As people read it, such as `1,200 tokens read, 340 written, $0.42 (the cost of 1 step of 3 is unknown)`; empty if nothing
    /// is known.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.is_known() {
            return Ok(());
        }
        write!(f, "{}", Usage { tokens: self.tokens, cost: self.cost }.told())?;
        let unknown = match (self.steps - self.with_tokens, self.steps - self.with_cost) {
            (0, 0) => return Ok(()),
            (0, cost) => ("the cost", cost),
            (tokens, 0) => ("the tokens", tokens),
            (tokens, cost) if tokens == cost => ("what was used", cost),
            (tokens, cost) => {
                let Self { steps, .. } = self;
                return write!(
                    f,
                    " (unknown: the tokens of {tokens} and the cost of {cost} of {steps} steps)"
                );
            }
        };
        let (what, count) = unknown;
        write!(
            f,
            " (unknown: {what} {} {count} of {} steps)",
            if what == "what was used" { "in" } else { "of" },
            self.steps
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Outcome, Step};

    fn usage(tokens: (u64, u64), dollars: Option<f64>) -> Usage {
        let tokens = Tokens { input: Some(tokens.0), output: Some(tokens.1), cached: None };
        Usage { tokens, cost: dollars.and_then(Cost::from_dollars) }
    }

    #[test]
    fn a_sum_says_for_how_many_steps_it_is_known_and_unknown_is_never_zero() {
        let implement = StepRecord::of_run(Step::IMPLEMENT, Outcome::Pass, 0);
        let mut total = UsageTotal::default();
        assert_eq!(total.to_string(), "");
        total.add(&implement, Usage::default());
        let json = serde_json::to_value(total).unwrap();
        let none = serde_json::json!({
            "agent_steps": 1, "tokens": null, "tokens_known_for": 0, "cost": null, "cost_known_for": 0
        });
        assert_eq!(json, none);
        assert_eq!(serde_json::from_value::<UsageTotal>(json).unwrap(), total);
        total.add(&implement, usage((1200, 300), Some(0.5)));
        total.add(&StepRecord::of_run(Step::REVIEW, Outcome::Fail, 0), usage((100, 40), None));
        // The tests and a person use no agent.
        total.add(&StepRecord::of_run(Step::TEST, Outcome::Pass, 0), Usage::default());
        total.add(&StepRecord { by: By::User, ..implement }, Usage::default());
        let json = serde_json::to_value(total).unwrap();
        let some = serde_json::json!({
            "agent_steps": 3, "tokens": {"input": 1300, "output": 340, "cached": null}, "tokens_known_for": 2,
            "cost": 0.5, "cost_known_for": 1
        });
        assert_eq!(json, some);
        assert_eq!(serde_json::from_value::<UsageTotal>(json).unwrap(), total);
        let told =
            "1,300 tokens read, 340 written, $0.50 (unknown: the tokens of 1 and the cost of 2 of 3 steps)";
        assert_eq!(total.to_string(), told);
        let mut sum = UsageTotal::default();
        sum.add(&implement, usage((1, 2), Some(2.0)));
        assert_eq!(sum.to_string(), "1 token read, 2 written, $2.00");
        sum.add(&implement, Usage::default());
        assert_eq!(
            sum.to_string(),
            "1 token read, 2 written, $2.00 (unknown: what was used in 1 of 2 steps)"
        );
    }
}
