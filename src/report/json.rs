//! Prints JSON, and escapes characters that could move a cursor, reverse text or hide it.
//!
//! JSON itself requires escapes only for the first 32 characters. But a terminal obeys others too, and some cannot be
//! seen. They never occur outside of strings, so the whole text may be escaped.

use serde::Serialize;

use crate::text::is_unprintable;

/// A document on several lines, ending in a newline.
#[must_use]
pub fn json_document(value: &impl Serialize) -> String {
    let text = serde_json::to_string_pretty(value).expect("plain values with texts as keys are always JSON");
    escaped(&text) + "\n"
}

/// A document on one line, ending in a newline.
#[must_use]
pub fn json_line(value: &impl Serialize) -> String {
    let text = serde_json::to_string(value).expect("plain values with texts as keys are always JSON");
    escaped(&text) + "\n"
}

fn escaped(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        if c != '\n' && is_unprintable(c) {
            let units =
                c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect::<String>();
            text.push_str(&units);
        } else {
            text.push(c);
        }
    }
    text
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
