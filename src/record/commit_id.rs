//! The object id of a commit, SHA-1 or SHA-256, independent of any git library.

use std::fmt;
use std::str::FromStr;

/// An object id: 20 bytes (SHA-1) or 32 (SHA-256).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CommitId {
    bytes: [u8; 32],
    len: u8,
}

impl CommitId {
    /// The id with these raw bytes; `None` unless there are 20 or 32 of them.
    #[must_use]
    pub fn from_bytes(raw: &[u8]) -> Option<Self> {
        if raw.len() != 20 && raw.len() != 32 {
            return None;
        }
        let mut bytes = [0; 32];
        bytes[..raw.len()].copy_from_slice(raw);
        let len = u8::try_from(raw.len()).ok()?;
        Some(Self { bytes, len })
    }

    /// The id written as 40 or 64 hexadecimal digits; `None` for anything else.
    #[must_use]
    pub fn from_hex(hex: &[u8]) -> Option<Self> {
        let mut raw = [0u8; 32];
        if hex.len() != 40 && hex.len() != 64 {
            return None;
        }
        // A high bit marks characters that are not digits. It is checked once for all of them.
        let mut odd = 0;
        for (byte, pair) in raw.iter_mut().zip(hex.chunks_exact(2)) {
            let (high, low) = (DIGITS[usize::from(pair[0])], DIGITS[usize::from(pair[1])]);
            *byte = (high << 4) | low;
            odd |= high | low;
        }
        if odd > 0xf {
            return None;
        }
        Self::from_bytes(&raw[..hex.len() / 2])
    }

    /// The raw bytes, 20 or 32.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }

    /// The first seven hexadecimal digits, for messages.
    #[must_use]
    pub fn short(&self) -> String {
        let mut text = self.to_string();
        text.truncate(7);
        text
    }

    /// All hexadecimal digits, in `room`.
    fn digits<'r>(&self, room: &'r mut [u8; 64]) -> &'r str {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let pairs = room.as_chunks_mut::<2>().0;
        for (pair, byte) in pairs.iter_mut().zip(self.as_bytes()) {
            *pair = [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]];
        }
        std::str::from_utf8(&room[..2 * self.as_bytes().len()]).expect("hexadecimal digits are text")
    }
}

/// The first digits of an object id, up to all of them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IdPrefix(String);

impl IdPrefix {
    /// The hexadecimal digits at the beginning of `text`, and the rest; `None` if there are none or too many.
    #[must_use]
    pub fn at_start_of(text: &[u8]) -> Option<(Self, &[u8])> {
        let end = text.iter().position(|byte| !byte.is_ascii_hexdigit()).unwrap_or(text.len());
        if end == 0 || end > 64 {
            return None;
        }
        let digits = std::str::from_utf8(&text[..end]).ok()?.to_ascii_lowercase();
        Some((Self(digits), &text[end..]))
    }

    /// All digits of an id.
    #[must_use]
    pub fn whole(id: &CommitId) -> Self {
        Self(id.to_string())
    }

    /// How many digits there are.
    #[must_use]
    pub fn digits(&self) -> usize {
        self.0.len()
    }

    /// The first id, in the order of ids, that begins with these digits.
    #[must_use]
    pub fn first(&self) -> CommitId {
        let length = if self.0.len() > 40 { 64 } else { 40 };
        CommitId::from_hex(format!("{:0<length$}", self.0).as_bytes())
            .expect("as many digits as an id has are an id")
    }

    /// Whether the id begins with these digits.
    #[must_use]
    pub fn fits(&self, id: &CommitId) -> bool {
        id.to_string().starts_with(&self.0)
    }
}

impl fmt::Display for IdPrefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The value of each byte as a hexadecimal digit; 0xff if it is not one. The table makes this fast, because a history
/// has 40 digits per commit.
const DIGITS: [u8; 256] = {
    let mut digits = [0xff; 256];
    let mut value = 0;
    while value < 16 {
        digits[b"0123456789abcdef"[value as usize] as usize] = value;
        digits[b"0123456789ABCDEF"[value as usize] as usize] = value;
        value += 1;
    }
    digits
};

impl fmt::Display for CommitId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.digits(&mut [0; 64]))
    }
}

impl fmt::Debug for CommitId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for CommitId {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::from_hex(text.as_bytes()).ok_or_else(|| format!("`{text}` is not an object id"))
    }
}

impl serde::Serialize for CommitId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.serialize_str(self.digits(&mut [0; 64]))
    }
}

impl<'de> serde::Deserialize<'de> for CommitId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let text = <std::borrow::Cow<'_, str>>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_hash_sizes_survive_conversion_to_hex_and_back() {
        for hex in ["0123456789abcdef0123456789abcdef01234567".to_owned(), "ab".repeat(32)] {
            let id: CommitId = hex.parse().unwrap();
            assert_eq!(id.to_string(), hex);
            assert_eq!(id.as_bytes().len() * 2, hex.len());
            assert_eq!(id.short(), hex[..7]);
        }
    }

    #[test]
    fn other_lengths_and_other_letters_are_refused() {
        for bad in ["", "abc", &"a".repeat(41), &"g".repeat(40)] {
            assert!(bad.parse::<CommitId>().is_err(), "{bad}");
        }
    }
}
