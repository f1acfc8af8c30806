//! What models cost, for agents that report tokens but no costs, and what a single call may use. A cost that is
//! computed from this is marked as estimated wherever it is recorded or shown.

use crate::config::Config;
use crate::record::{Cost, Tokens, Usage, grouped};

/// The price of a model in US dollars for a million tokens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Price {
    /// Of those that it reads.
    read: f64,
    /// Of those that it writes.
    written: f64,
    /// Of those that it reads from a cache.
    cached: f64,
}

/// How many digits the date of a version after the name of a model has at least.
const DATE: usize = 8;

/// The list prices of models by their names, without the date of a version, for requests of ordinary length. A model with a similar
/// name may cost many times as much, so it has no price here. They agree with the tables that opencode 1.18.33 and pi-ai 0.74.2
/// ship, as far as these know the models.
const TABLE: &[(&str, Price)] = &[
    ("claude-haiku-4-5", of(1.0, 5.0, 0.1)),
    ("claude-opus-4", of(15.0, 75.0, 1.5)),
    ("claude-opus-4-1", of(15.0, 75.0, 1.5)),
    ("claude-opus-4-5", of(5.0, 25.0, 0.5)),
    ("claude-opus-4-6", of(5.0, 25.0, 0.5)),
    ("claude-opus-4-7", of(5.0, 25.0, 0.5)),
    ("claude-opus-4-8", of(5.0, 25.0, 0.5)),
    ("claude-sonnet-4", of(3.0, 15.0, 0.3)),
    ("claude-sonnet-4-5", of(3.0, 15.0, 0.3)),
    ("claude-sonnet-4-6", of(3.0, 15.0, 0.3)),
    ("gemini-2.5-flash", of(0.3, 2.5, 0.03)),
    ("gemini-2.5-flash-lite", of(0.1, 0.4, 0.01)),
    ("gemini-2.5-pro", of(1.25, 10.0, 0.125)),
    ("gemini-3-flash-preview", of(0.5, 3.0, 0.05)),
    ("gemini-3-pro-preview", of(2.0, 12.0, 0.2)),
    ("gemini-3.1-flash-lite", of(0.25, 1.5, 0.025)),
    ("gemini-3.1-pro-preview", of(2.0, 12.0, 0.2)),
    ("gemini-3.5-flash", of(1.5, 9.0, 0.15)),
    ("gpt-5", of(1.25, 10.0, 0.125)),
    ("gpt-5-codex", of(1.25, 10.0, 0.125)),
    ("gpt-5-mini", of(0.25, 2.0, 0.025)),
    ("gpt-5-nano", of(0.05, 0.4, 0.005)),
    ("gpt-5.1", of(1.25, 10.0, 0.125)),
    ("gpt-5.1-codex", of(1.25, 10.0, 0.125)),
    ("gpt-5.1-codex-max", of(1.25, 10.0, 0.125)),
    ("gpt-5.1-codex-mini", of(0.25, 2.0, 0.025)),
    ("gpt-5.2", of(1.75, 14.0, 0.175)),
    ("gpt-5.2-codex", of(1.75, 14.0, 0.175)),
    ("gpt-5.3-codex", of(1.75, 14.0, 0.175)),
    ("gpt-5.4", of(2.5, 15.0, 0.25)),
    ("gpt-5.4-mini", of(0.75, 4.5, 0.075)),
    ("gpt-5.4-nano", of(0.2, 1.25, 0.02)),
    ("gpt-5.5", of(5.0, 30.0, 0.5)),
];

const fn of(read: f64, written: f64, cached: f64) -> Price {
    Price { read, written, cached }
}

impl Price {
    /// The price of a model: what git config says, otherwise that of the table; `None` if neither knows it.
    #[must_use]
    pub fn of_model(config: &Config, model: &str) -> Option<Self> {
        if let Some([read, written, cached]) = config.price_of(model) {
            return Some(of(read, written, cached));
        }
        let name = model.rsplit('/').next().unwrap_or(model);
        let known = TABLE.iter().find(|(known, _)| name.strip_prefix(known).is_some_and(is_date));
        known.map(|(_, price)| *price)
    }

    /// What a call has used, with an estimated cost if the agent has reported its tokens alone.
    #[must_use]
    pub fn complete(self, usage: Usage) -> Usage {
        Usage { cost: usage.cost.or_else(|| self.cost(usage.tokens)), ..usage }
    }

    /// Without the tokens that were read and written, nothing can be estimated.
    #[expect(clippy::cast_precision_loss, reason = "it is an estimate")]
    fn cost(self, tokens: Tokens) -> Option<Cost> {
        let millions = |count: u64| count as f64 / 1e6;
        let (read, written) = (millions(tokens.input?), millions(tokens.output?));
        let cached = millions(tokens.cached.unwrap_or(0));
        let dollars = read * self.read + written * self.written + cached * self.cached;
        Cost::from_dollars(dollars).map(Cost::estimated)
    }
}

/// Whether nothing follows the name of a model but the date of a version, as in `-20251001` and `-2025-08-07`.
fn is_date(rest: &str) -> bool {
    let digits = rest.bytes().filter(u8::is_ascii_digit).count();
    let is_plain = rest.bytes().all(|byte| byte == b'-' || byte.is_ascii_digit());
    rest.is_empty() || rest.starts_with('-') && is_plain && digits >= DATE
}

/// What a call may use; `None` for what has no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cap {
    /// How much it may cost.
    pub max_cost: Option<Cost>,
    /// How many tokens it may read and write, without those from a cache.
    pub max_tokens: Option<u64>,
    /// What its model costs, if the agent does not say what it has spent.
    pub price: Option<Price>,
}

impl Cap {
    /// Which limit was passed, as a clause; `None` if the call may go on.
    pub(super) fn passed(&self, usage: Usage) -> Option<String> {
        let usage = self.price.map_or(usage, |price| price.complete(usage));
        let cost = self.max_cost.zip(usage.cost).filter(|(max, used)| !used.is_at_most(*max));
        let cost = cost.map(|(max, used)| {
            format!("this call has cost {}, and {} was left (arborist.task.maxCost)", used.told(), max.told())
        });
        let tokens = self.max_tokens.zip(usage.tokens.total()).filter(|(max, used)| used > max);
        let tokens = tokens.map(|(max, used)| {
            let (used, max) = (grouped(used), grouped(max));
            format!("this call has used {used} tokens, and {max} were left (arborist.task.maxTokens)")
        });
        cost.or(tokens)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::config::Environment;
    use crate::git::ConfigEntry;
    use crate::record::Tokens;

    #[test]
    fn the_price_of_a_model_comes_from_git_config_or_from_its_name_in_the_table() {
        let entry = ConfigEntry {
            scope: "local".to_owned(),
            origin: "file:.git/config".to_owned(),
            key: "arborist.price.gpt-5.1-Max.dollars".to_owned(),
            value: "2 16 0.2".to_owned(),
        };
        let config = Config::load(&Environment::default(), &[entry], Path::new("/nowhere"), &[]).unwrap();
        let price = |model| Price::of_model(&config, model);
        assert_eq!(price("gpt-5.1-Max"), Some(of(2.0, 16.0, 0.2)));
        assert_eq!(price("openai/gpt-5-mini-2025-08-07"), Some(of(0.25, 2.0, 0.025)));
        assert_eq!(price("claude-haiku-4-5-20251001"), Some(of(1.0, 5.0, 0.1)));
        for unknown in ["llama", "gpt-6", "gpt-5-pro", "gpt-5-mini-2", "claude-opus-3", "gpt-5-"] {
            assert_eq!(price(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn a_cost_is_estimated_only_where_the_agent_reports_tokens_and_no_cost() {
        let price = of(1.0, 10.0, 0.1);
        let tokens = |input, output, cached| Usage { tokens: Tokens { input, output, cached }, cost: None };
        let told = |usage| price.complete(usage).cost.map(Cost::told);
        assert_eq!(
            told(tokens(Some(1_000_000), Some(100_000), Some(1_000_000))),
            Some("$2.10 (estimated)".to_owned())
        );
        assert_eq!(told(tokens(Some(1_000_000), None, None)), None);
        let reported = Usage { cost: Cost::from_dollars(0.5), ..tokens(Some(1), Some(1), None) };
        assert_eq!(price.complete(reported), reported);
    }

    #[test]
    fn a_call_is_ended_when_it_has_used_more_than_was_left() {
        let usage = |input, dollars: Option<f64>| Usage {
            tokens: Tokens { input: Some(input), output: Some(0), cached: Some(1_000_000) },
            cost: dollars.and_then(Cost::from_dollars),
        };
        let cap = Cap { max_cost: Cost::from_dollars(1.0), max_tokens: Some(100), price: None };
        assert_eq!(cap.passed(usage(100, Some(1.0))), None);
        assert_eq!(cap.passed(usage(100, None)), None, "an unknown cost is not zero, and no limit is passed");
        let told = cap.passed(usage(101, None)).unwrap();
        assert!(told.contains("used 101 tokens, and 100 were left"), "{told}");
        let told = cap.passed(usage(1, Some(1.5))).unwrap();
        assert!(told.contains("has cost $1.50, and $1.00 was left"), "{told}");
        assert_eq!(Cap::default().passed(usage(u64::MAX, Some(9.0))), None);
    }
}
