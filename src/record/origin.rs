//! What was taken in from a request, as the trailer `Arborist-From` names it.

use std::fmt::{self, Write as _};

use serde::{Deserialize, Serialize};

use super::{Ours, TrailerKey};

/// What was taken in. Each kind has names of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OriginKind {
    /// A thread.
    #[default]
    Thread,
    /// A check that failed.
    Check,
    /// A base that was merged.
    Merge,
}

/// A thread and the time of its newest comment, or a check and the commit on which it failed. The same thread with a newer
/// comment, or with one that was edited, is another one.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Origin {
    /// What it is.
    #[serde(default)]
    pub kind: OriginKind,
    /// The id of the thread, or the name of the check or of the base.
    pub id: String,
    /// The time, or the commit.
    pub at: String,
}

impl Origin {
    /// Reads a value of the trailer; `None` if it is none.
    #[must_use]
    pub fn parse(value: &str) -> Option<Self> {
        let (id, at) = value.split_once('@')?;
        let (kind, id) = match id.split_once(':') {
            None => (OriginKind::Thread, id),
            Some(("check", name)) => (OriginKind::Check, name),
            Some(("merge", base)) => (OriginKind::Merge, base),
            Some(_) => return None,
        };
        let part = |text: &str| (!text.is_empty() && text.bytes().all(is_plain)).then(|| decoded(text))?;
        Some(Self { kind, id: part(id)?, at: part(at)? })
    }

    /// Everything that a message says was taken in.
    #[must_use]
    pub fn all_in(message: &[u8]) -> Vec<Self> {
        Self::among(&Ours::of(message))
    }

    /// The same of its trailers.
    pub(super) fn among(ours: &Ours<'_>) -> Vec<Self> {
        let values = ours.values(TrailerKey::From);
        values.filter_map(|value| Self::parse(std::str::from_utf8(value).ok()?)).collect()
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.kind {
            OriginKind::Thread => "",
            OriginKind::Check => "check:",
            OriginKind::Merge => "merge:",
        })?;
        for (part, encoded, end) in [(&self.id, "%:", "@"), (&self.at, "%", "")] {
            for byte in part.bytes() {
                match byte {
                    _ if is_plain(byte) && !encoded.as_bytes().contains(&byte) => {
                        f.write_char(char::from(byte))?;
                    }
                    _ => write!(f, "%{byte:02X}")?,
                }
            }
            f.write_str(end)?;
        }
        Ok(())
    }
}

/// Whether a byte is written as it is. All others are encoded as in addresses, so that a value is one word.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_graphic() && !matches!(byte, b'@' | b'"' | b'\\')
}

fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let (byte, left) = match first {
            b'%' => {
                let (digits, left) = after.split_at_checked(2)?;
                (u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?, left)
            }
            _ => (first, after),
        };
        bytes.push(byte);
        rest = left;
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn what_was_taken_in_is_read_back(id in ".{1,30}", at in ".{1,30}", number in 0..3_usize) {
            let kind = [OriginKind::Thread, OriginKind::Check, OriginKind::Merge][number];
            let origin = Origin { kind, id, at };
            let written = origin.to_string();
            proptest::prop_assert!(!written.contains(char::is_whitespace) && written.is_ascii());
            proptest::prop_assert_eq!(Origin::parse(&written), Some(origin));
        }
    }

    #[test]
    fn what_is_no_such_value_is_refused() {
        for value in ["", "@", "a@", "@b", "a b@c", "a@b@c", "a%4@b", "a%zz@b", "other:a@b", "check:@b"] {
            assert_eq!(Origin::parse(value), None, "{value}");
        }
        let written = |kind, id: &str| {
            Origin { kind, id: id.to_owned(), at: "2026-11-30T08:00:00Z".to_owned() }.to_string()
        };
        assert_eq!(written(OriginKind::Thread, "PRRT_kwDO"), "PRRT_kwDO@2026-11-30T08:00:00Z");
        assert_eq!(written(OriginKind::Check, "ci: unit"), "check:ci%3A%20unit@2026-11-30T08:00:00Z");
        assert_eq!(written(OriginKind::Thread, "check:unit"), "check%3Aunit@2026-11-30T08:00:00Z");
    }
}
