//! Splits a review into passages: paragraphs, headings and list items.

use super::paragraph::Part;
use super::settled::THINGS;

/// The reviewer's own prose, without options that were not chosen. The lines of one paragraph are one passage, and so
/// are a heading and the `None` below it.
pub(super) fn passages(parts: &[Part<'_>]) -> Vec<String> {
    let mut passages: Vec<String> = Vec::new();
    let mut goes_on = false;
    for part in parts {
        let text = part.line.0;
        if !part.is_prose() || part.line.is_box_without_tick() {
            goes_on = false;
            continue;
        }
        match passages.last_mut() {
            Some(passage) if goes_on && part.follows && !begins_a_block(text) => {
                passage.push(' ');
                passage.push_str(text);
            }
            Some(passage) if is_none(text) && is_title(passage) => {
                passage.push_str(": ");
                passage.push_str(text);
            }
            _ => passages.push(text.to_owned()),
        }
        goes_on = !text.starts_with('#');
    }
    passages
}

/// Whether a line is a heading, an item of a list or a row of a table.
pub(super) fn begins_a_block(text: &str) -> bool {
    let number = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_numbered = number.len() < text.len() && number.starts_with(['.', ')']);
    is_numbered
        || text.starts_with(['#', '|'])
        || ["- ", "* ", "+ "].iter().any(|mark| text.starts_with(mark))
}

pub(super) fn is_none(text: &str) -> bool {
    let text = text.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let is_denied = text.strip_prefix("no ").is_some_and(|things| {
        things.split(' ').all(|word| THINGS.contains(&word) || ["critical", "major", "found"].contains(&word))
    });
    is_denied
        || ["none", "none found", "none identified", "none noted", "nothing", "nothing found", "no"]
            .contains(&text.as_str())
}

/// Whether a passage introduces the one below it.
pub(super) fn is_title(text: &str) -> bool {
    text.starts_with('#') || text.ends_with(':') || (text.starts_with("**") && text.ends_with("**"))
}
