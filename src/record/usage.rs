//! What the work of an agent has used: tokens and money. What an agent does not report is unknown, never zero.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Tokens and cost of one or more calls of agents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Usage {
    /// The tokens.
    #[serde(serialize_with = "known_tokens", deserialize_with = "tokens_or_unknown")]
    #[cfg_attr(test, schemars(with = "Option<Tokens>"))]
    pub tokens: Tokens,
    /// The cost in US dollars; `None` if it is not known.
    pub cost: Option<Cost>,
}

/// Numbers of tokens; `None` for what the agent does not report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Tokens {
    /// Tokens that the model has read, without those from a cache.
    pub input: Option<u64>,
    /// Tokens that the model has written, including those of its reasoning.
    pub output: Option<u64>,
    /// Tokens that were read from a cache.
    pub cached: Option<u64>,
}

impl Usage {
    /// As people read it, such as `1,200 tokens read, 340 written, $0.42`; empty if nothing is known.
    #[must_use]
    pub fn told(self) -> String {
        let Tokens { input, output, cached } = self.tokens;
        let numbers = [(input, "read"), (output, "written"), (cached, "from a cache")];
        let mut parts: Vec<String> = Vec::new();
        for (number, what) in numbers.into_iter().filter_map(|(number, what)| Some((number?, what))) {
            let unit = match (parts.is_empty(), number) {
                (false, _) => "",
                (true, 1) => " token",
                (true, _) => " tokens",
            };
            parts.push(format!("{}{unit} {what}", grouped(number)));
        }
        parts.extend(self.cost.map(Cost::told));
        parts.join(", ")
    }

    /// What two calls have used together. A sum is known only if both parts are.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let sum = |one: Option<u64>, other: Option<u64>| Some(one?.saturating_add(other?));
        Self {
            tokens: Tokens {
                input: sum(self.tokens.input, other.tokens.input),
                output: sum(self.tokens.output, other.tokens.output),
                cached: sum(self.tokens.cached, other.tokens.cached),
            },
            cost: self.cost.zip(other.cost).map(|(one, other)| one.plus(other)),
        }
    }

    /// What was used after `before` was reported. A difference is known only if both parts are, and if there is more than
    /// before.
    #[must_use]
    pub fn since(self, before: Self) -> Self {
        let rest = |now: Option<u64>, before: Option<u64>| now?.checked_sub(before?);
        let (now, before_tokens) = (self.tokens, before.tokens);
        Self {
            tokens: Tokens {
                input: rest(now.input, before_tokens.input),
                output: rest(now.output, before_tokens.output),
                cached: rest(now.cached, before_tokens.cached),
            },
            cost: self.cost.zip(before.cost).and_then(|(now, before)| now.minus(before)),
        }
    }

    /// What several calls have used together; unknown if there are none.
    pub fn together(calls: impl IntoIterator<Item = Self>) -> Self {
        calls.into_iter().reduce(Self::and).unwrap_or_default()
    }
}

impl Tokens {
    /// The names of the numbers in `Arborist-Tokens`.
    pub const NAMES: [&'static str; 3] = ["in", "out", "cached"];

    /// The numbers that the value of `Arborist-Tokens` holds, such as `in=1200 out=340`; `None` if it is not such a value.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut numbers = [None; Self::NAMES.len()];
        for part in text.split(' ') {
            let (name, number) = part.split_once('=')?;
            let place = Self::NAMES.iter().position(|known| *known == name)?;
            if numbers[place..].iter().any(Option::is_some)
                || !number.bytes().all(|byte| byte.is_ascii_digit())
            {
                return None;
            }
            numbers[place] = Some(number.parse().ok()?);
        }
        let [input, output, cached] = numbers;
        Some(Self { input, output, cached })
    }

    /// The tokens that were read and written, without those from a cache; `None` unless both are known.
    #[must_use]
    pub fn total(self) -> Option<u64> {
        Some(self.input?.saturating_add(self.output?))
    }
}

impl fmt::Display for Tokens {
    /// The known numbers as `Arborist-Tokens` holds them; empty if none is known.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers = [self.input, self.output, self.cached];
        let known =
            Self::NAMES.iter().zip(numbers).filter_map(|(name, number)| Some(format!("{name}={}", number?)));
        f.write_str(&known.collect::<Vec<_>>().join(" "))
    }
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
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the range is checked before"
    )]
    pub fn from_dollars(dollars: f64) -> Option<Self> {
        let micros = (dollars * 1e6).round();
        (0.0..=1e15).contains(&micros).then_some(Self { micros: micros as u64 })
    }

    /// The amount of so many US dollars as a decimal number, such as `0.42`; `None` if it is anything else.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
        let is_decimal = is_digits(whole) && is_digits(decimals);
        text.parse().ok().filter(|_| is_decimal).and_then(Self::from_dollars)
    }

    /// What is left of it after another amount; never less than nothing.
    #[must_use]
    pub fn less(self, other: Self) -> Self {
        Self { micros: self.micros.saturating_sub(other.micros) }
    }

    /// The amount in US dollars.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "amounts up to 1e15 millionths are exact")]
    pub fn dollars(self) -> f64 {
        self.micros as f64 / 1e6
    }

    /// The amount as people read it, such as `$0.42`: in cents, or exactly if it is less than ten of them.
    #[must_use]
    pub fn told(self) -> String {
        let amount = if self.micros < 100_000 { self.decimal() } else { format!("{:.2}", self.dollars()) };
        format!("${amount}")
    }

    /// Both amounts together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self { micros: self.micros.saturating_add(other.micros) }
    }

    /// What is left of this amount without the other; `None` if the other one is greater.
    #[must_use]
    pub fn minus(self, other: Self) -> Option<Self> {
        self.micros.checked_sub(other.micros).map(|micros| Self { micros })
    }

    /// US dollars as a decimal number, at least two decimals.
    #[must_use]
    pub fn decimal(self) -> String {
        let digits = format!("{:06}", self.micros % 1_000_000);
        let needed = digits.trim_end_matches('0').len().max(2);
        format!("{}.{}", self.micros / 1_000_000, &digits[..needed])
    }
}

impl fmt::Display for Cost {
    /// As a trailer records it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.decimal())
    }
}

/// A number with commas between its thousands.
#[must_use]
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Tokens for JSON documents: null if nothing is known about them.
pub(super) fn known_tokens<S: Serializer>(tokens: &Tokens, serializer: S) -> Result<S::Ok, S::Error> {
    Some(tokens).filter(|tokens| **tokens != Tokens::default()).serialize(serializer)
}

/// Tokens from a document that [`known_tokens`] has written.
pub(super) fn tokens_or_unknown<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Tokens, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

impl Serialize for Cost {
    /// US dollars.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.dollars())
    }
}

impl<'de> Deserialize<'de> for Cost {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let dollars = f64::deserialize(deserializer)?;
        Self::from_dollars(dollars)
            .ok_or_else(|| serde::de::Error::custom(format!("{dollars} is no amount of money")))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn tokens(input: Option<u64>, output: Option<u64>, cached: Option<u64>) -> Tokens {
        Tokens { input, output, cached }
    }

    #[test]
    fn a_sum_is_known_only_if_both_parts_are() {
        let one = Usage { tokens: tokens(Some(1), Some(2), None), cost: Cost::from_dollars(0.25) };
        let other = Usage { tokens: tokens(Some(10), None, Some(5)), cost: Cost::from_dollars(1.0) };
        let sum = one.and(other);
        assert_eq!(sum, Usage { tokens: tokens(Some(11), None, None), cost: Cost::from_dollars(1.25) });
        assert_eq!(Usage::together([one, other, Usage::default()]), Usage::default());
        assert_eq!(Usage::together([one]), one);
        assert_eq!(Usage::together([]), Usage::default());
    }

    #[test]
    fn people_read_what_is_known() {
        let told = |tokens, dollars: Option<f64>| {
            Usage { tokens, cost: dollars.and_then(Cost::from_dollars) }.told()
        };
        assert_eq!(
            told(tokens(Some(1_234_567), Some(1), Some(0)), Some(12.345)),
            "1,234,567 tokens read, 1 written, 0 from a cache, $12.35"
        );
        assert_eq!(told(tokens(None, Some(1), None), Some(0.0042)), "1 token written, $0.0042");
        assert_eq!(told(Tokens::default(), None), "");
    }

    #[test]
    fn values_of_any_other_form_are_unknown() {
        for text in [
            "",
            "in",
            "in=",
            "in=-1",
            "in=+1",
            "out=1 in=2",
            "in=1 in=2",
            "in=1  out=2",
            "in=1 foo=2",
            "IN=1",
        ] {
            assert_eq!(Tokens::parse(text), None, "{text}");
        }
        for text in ["", "-1", "+1", "1e3", ".5", "5.", "$5", "5 USD", "NaN", "inf", "9999999999"] {
            assert_eq!(Cost::parse(text), None, "{text}");
        }
        assert_eq!(Cost::parse("3"), Cost::from_dollars(3.0));
        assert_eq!(Cost::parse("0").map(|cost| cost.to_string()), Some("0.00".to_owned()));
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(
            input: Option<u64>,
            output: Option<u64>,
            cached: Option<u64>,
            micros in 0_u64..=1_000_000_000_000_000,
        ) {
            let written = tokens(input, output, cached);
            if written != Tokens::default() {
                prop_assert_eq!(Tokens::parse(&written.to_string()), Some(written));
            }
            let cost = Cost { micros };
            prop_assert_eq!(Cost::parse(&cost.to_string()), Some(cost));
        }
    }
}
