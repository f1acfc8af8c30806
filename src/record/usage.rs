//! What the work of an agent has used: tokens and money. What an agent does not report is unknown, never zero.

use std::fmt;

/// Tokens and cost of one or more calls of agents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// The tokens.
    pub tokens: Tokens,
    /// The cost; `None` if the agent does not report it.
    pub cost: Option<Cost>,
}

/// Numbers of tokens; `None` for what the agent does not report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tokens {
    /// Tokens that the model has read, without those from a cache.
    pub input: Option<u64>,
    /// Tokens that the model has written, including those of its reasoning.
    pub output: Option<u64>,
    /// Tokens that were read from a cache.
    pub cached: Option<u64>,
}

/// An amount of money in millionths of a US dollar.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cost {
    micros: u64,
}

impl Cost {
    /// The amount of so many US dollars, rounded to a millionth; `None` if it is negative, not a number, or more than
    /// anybody could spend.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range is checked before")]
    pub fn from_dollars(dollars: f64) -> Option<Self> {
        let micros = (dollars * 1e6).round();
        (0.0..=1e15).contains(&micros).then_some(Self { micros: micros as u64 })
    }

    /// The amount in US dollars.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "amounts up to 1e15 millionths are exact")]
    pub fn dollars(self) -> f64 {
        self.micros as f64 / 1e6
    }

    /// Both amounts together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self { micros: self.micros.saturating_add(other.micros) }
    }
}

impl fmt::Display for Cost {
    /// US dollars as a decimal number, at least two decimals.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = format!("{:06}", self.micros % 1_000_000);
        let needed = digits.trim_end_matches('0').len().max(2);
        write!(f, "{}.{}", self.micros / 1_000_000, &digits[..needed])
    }
}
