//! Numbers as reports write them: too large, negative, with a fraction, or not at all.

use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// A count in JSON. What is negative or not a number is 0; what is too large is the largest count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Count(pub(super) u64);

/// A count in text; `None` if it is none.
pub(super) fn count(text: &str) -> Option<u64> {
    let text = text.trim();
    if let Ok(number) = text.parse::<u64>() {
        return Some(number);
    }
    // Old versions of gcov write 1e+06, and overflown counters are negative.
    text.parse::<f64>().ok().filter(|number| number.is_finite()).map(whole)
}

/// The number of a line in text; `None` if it is none.
pub(super) fn line(text: &str) -> Option<u32> {
    text.trim().parse().ok()
}

/// A float as a count; the conversion keeps to the range of counts.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn whole(number: f64) -> u64 {
    number as u64
}

impl Count {
    /// As the number of a line, which is out of range if there can be no such line.
    pub(super) fn line(self) -> u32 {
        u32::try_from(self.0).unwrap_or(u32::MAX)
    }
}

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(CountVisitor)
    }
}

struct CountVisitor;

impl<'de> Visitor<'de> for CountVisitor {
    type Value = Count;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number")
    }

    fn visit_u64<E>(self, number: u64) -> Result<Count, E> {
        Ok(Count(number))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Count, E> {
        Ok(Count(u64::try_from(number).unwrap_or(0)))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Count, E> {
        Ok(Count(whole(number)))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Count, E> {
        Ok(Count(0))
    }

    fn visit_str<E>(self, _: &str) -> Result<Count, E> {
        Ok(Count(0))
    }

    fn visit_unit<E>(self) -> Result<Count, E> {
        Ok(Count(0))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Count, A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Count(0))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Count, A::Error> {
        while entries.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Count(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_any_form_are_read_without_overflow() {
        for (text, expected) in [
            ("3", Some(3)),
            (" 3 ", Some(3)),
            ("-1", Some(0)),
            ("1e+06", Some(1_000_000)),
            ("18446744073709551616", Some(u64::MAX)),
            ("=====", None),
            ("", None),
            ("NaN", None),
            ("inf", None),
        ] {
            assert_eq!(count(text), expected, "{text}");
        }
        let json = r#"[3, -3, 1.5, 1e300, null, "x", true, [[1]], {"a": {}}]"#;
        let counts: Vec<Count> = serde_json::from_str(json).unwrap();
        assert_eq!(counts.map_to_numbers(), [3, 0, 1, u64::MAX, 0, 0, 0, 0, 0]);
        assert_eq!(Count(u64::MAX).line(), u32::MAX);
    }

    trait Numbers {
        fn map_to_numbers(&self) -> Vec<u64>;
    }

    impl Numbers for Vec<Count> {
        fn map_to_numbers(&self) -> Vec<u64> {
            self.iter().map(|count| count.0).collect()
        }
    }
}
