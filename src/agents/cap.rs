//! What a single call may use.

use crate::record::{Cost, Usage, grouped};

/// What a call may use; `None` for what has no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cap {
    /// How much it may cost.
    pub max_cost: Option<Cost>,
    /// How many tokens it may read and write, without those from a cache.
    pub max_tokens: Option<u64>,
}

impl Cap {
    /// Which limit was passed, as a clause; `None` if the call may go on.
    pub(super) fn passed(&self, usage: Usage) -> Option<String> {
        let cost = self.max_cost.zip(usage.cost).filter(|(max, used)| used > max);
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
    use super::*;
    use crate::record::Tokens;

    #[test]
    fn a_call_is_ended_when_it_has_used_more_than_was_left() {
        let usage = |input, dollars: Option<f64>| Usage {
            tokens: Tokens { input: Some(input), output: Some(0), cached: Some(1_000_000) },
            cost: dollars.and_then(Cost::from_dollars),
        };
        let cap = Cap { max_cost: Cost::from_dollars(1.0), max_tokens: Some(100) };
        assert_eq!(cap.passed(usage(100, Some(1.0))), None);
        assert_eq!(cap.passed(usage(100, None)), None, "an unknown cost is not zero, and no limit is passed");
        let told = cap.passed(usage(101, None)).unwrap();
        assert!(told.contains("used 101 tokens, and 100 were left"), "{told}");
        let told = cap.passed(usage(1, Some(1.5))).unwrap();
        assert!(told.contains("has cost $1.50, and $1.00 was left"), "{told}");
        assert_eq!(Cap::default().passed(usage(u64::MAX, Some(9.0))), None);
    }
}
