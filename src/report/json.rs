//! Prints JSON, and escapes characters that could move a cursor, reverse text or hide it.
//!
//! JSON itself requires escapes only for the first 32 characters. But a terminal obeys others too, and some cannot be
//! seen. They never occur outside of strings, so the whole text may be escaped.

use std::io::{self, Write};

use serde::Serialize;

use crate::text::is_unprintable;

/// A document with the name of its definition in docs/schema.json, and the version of that.
#[derive(Serialize)]
pub struct Printed<'a, T> {
    version: u32,
    definition: &'a str,
    #[serde(flatten)]
    content: &'a T,
}

impl<'a, T: Serialize> Printed<'a, T> {
    /// A document of this definition.
    pub fn new(definition: &'a str, content: &'a T) -> Self {
        Self { version: version_of(definition), definition, content }
    }
}

/// The definitions of which there was another version before.
const VERSIONS: [(&str, u32); 1] = [("prove", 2)];

/// The version of a definition.
pub(crate) fn version_of(definition: &str) -> u32 {
    VERSIONS.iter().find(|(name, _)| *name == definition).map_or(1, |(_, version)| *version)
}

/// A document over several lines, with the end of its last line.
#[must_use]
pub fn json_document(value: &impl Serialize) -> String {
    let mut bytes = Vec::new();
    let written = serde_json::to_writer_pretty(Escaping(&mut bytes), value);
    written.expect("plain values with texts as keys are always JSON, and fit into memory");
    bytes.push(b'\n');
    String::from_utf8(bytes).expect("JSON is text")
}

/// A document on one line, with the end of that line.
#[must_use]
pub fn json_line(value: &impl Serialize) -> String {
    let mut bytes = Vec::new();
    let written = serde_json::to_writer(Escaping(&mut bytes), value);
    written.expect("plain values with texts as keys are always JSON, and fit into memory");
    bytes.push(b'\n');
    String::from_utf8(bytes).expect("JSON is text")
}

/// Escapes what passes through.
struct Escaping<W>(W);

impl<W: Write> Write for Escaping<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes).map(|()| bytes.len())
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        // Plain ASCII passes unchanged, and most documents have nothing else. To look at every byte is faster than to stop
        // at the first one that is not plain.
        let is_plain = bytes.iter().fold(true, |plain, byte| plain & (*byte < 0x7f));
        if is_plain {
            return self.0.write_all(bytes);
        }
        let mut rest = std::str::from_utf8(bytes).expect("serde_json writes whole characters");
        while let Some(plain) = rest.bytes().position(|byte| byte >= 0x7f) {
            let (before, after) = rest.split_at(plain);
            self.0.write_all(before.as_bytes())?;
            let mut chars = after.chars();
            let c = chars.next().expect("there is a byte, so there is a character");
            if is_unprintable(c) {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    write!(self.0, "\\u{unit:04x}")?;
                }
            } else {
                write!(self.0, "{c}")?;
            }
            rest = chars.as_str();
        }
        self.0.write_all(rest.as_bytes())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_contains_no_character_that_a_terminal_obeys_or_hides_and_loses_none() {
        let text = "a\u{1b}[31m\u{7f}\u{85}\u{9b}31m\u{ad}\u{61c}\u{200b}\u{202e}\u{2028}\u{2066}\u{feff}\u{e0041} \n\t\"größe ✓";
        for json in [json_line(&text), json_document(&text)] {
            assert!(json.trim_end().chars().all(|c| !is_unprintable(c)), "{json:?}");
            assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
            assert!(json.contains("größe ✓"), "what can be read stays: {json}");
        }
        assert_eq!(json_line(&"\u{e0041}"), "\"\\udb40\\udc41\"\n");
    }
}
