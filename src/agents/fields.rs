//! Fields of JSON values from outside: a field of another type is as good as none.

use chrono::{DateTime, Utc};
use serde_json::Value;

use crate::record::{Cost, Tokens, Usage};

/// Typed access by JSON pointers such as `/message/usage/input_tokens`.
pub(super) trait Fields {
    /// The text at `pointer`.
    fn text(&self, pointer: &str) -> Option<&str>;
    /// The whole number at `pointer`.
    fn count(&self, pointer: &str) -> Option<u64>;
    /// The number at `pointer`.
    fn number(&self, pointer: &str) -> Option<f64>;
    /// The truth value at `pointer`.
    fn flag(&self, pointer: &str) -> Option<bool>;
    /// The elements of the list at `pointer`; none if it is no list.
    fn list(&self, pointer: &str) -> &[Value];
    /// The time at `pointer`, in seconds or milliseconds since 1970.
    fn epoch(&self, pointer: &str) -> Option<DateTime<Utc>>;
}

/// No time in seconds that an agent could mean is larger, and none in milliseconds is smaller.
const MOST_SECONDS: u64 = 100_000_000_000;

impl Fields for Value {
    fn text(&self, pointer: &str) -> Option<&str> {
        self.pointer(pointer)?.as_str()
    }

    fn count(&self, pointer: &str) -> Option<u64> {
        self.pointer(pointer)?.as_u64()
    }

    fn number(&self, pointer: &str) -> Option<f64> {
        self.pointer(pointer)?.as_f64()
    }

    fn flag(&self, pointer: &str) -> Option<bool> {
        self.pointer(pointer)?.as_bool()
    }

    fn list(&self, pointer: &str) -> &[Value] {
        self.pointer(pointer).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    fn epoch(&self, pointer: &str) -> Option<DateTime<Utc>> {
        epoch(self.count(pointer)?)
    }
}

/// The time so many seconds or milliseconds after 1970.
pub(super) fn epoch(number: u64) -> Option<DateTime<Utc>> {
    let seconds = if number < MOST_SECONDS { number } else { number.div_ceil(1000) };
    DateTime::from_timestamp(i64::try_from(seconds).ok()?, 0)
}

/// The tokens in an object that names them as most services do. `includes_cached` tells whether the input includes what came from a
/// cache.
pub(super) fn usage(object: &Value, cached: Option<u64>, includes_cached: bool) -> Usage {
    let written = object.count("/cache_creation_input_tokens").unwrap_or(0);
    let input = object.count("/input_tokens").map(|input| match includes_cached {
        true => input.saturating_sub(cached.unwrap_or(0)),
        false => input.saturating_add(written),
    });
    Usage { tokens: Tokens { input, output: object.count("/output_tokens"), cached }, cost: None }
}

/// A cost of nothing means that no price is known, unless no tokens were used either.
pub(super) fn known_cost(dollars: f64, tokens: &Tokens) -> Option<Cost> {
    let is_free = dollars == 0.0 && [tokens.input, tokens.output].iter().flatten().any(|count| *count > 0);
    Cost::from_dollars(dollars).filter(|_| !is_free)
}
