//! Reads a review in words: the verdict on its last line, and the items of its lists.

use super::review::{AskAgain, Verdict};
use crate::record::Remark;
use crate::text::{ellipsis, one_line};
use crate::workflow::answers::{is_alone, last_line};

/// How many remarks of one review are listed.
pub(super) const MOST: usize = 50;
/// How many characters of a remark are kept. The log of the review has the rest.
pub(super) const LENGTH: usize = 300;

/// The verdict on the last line, and why it is unclear or has to be confirmed.
pub(super) fn verdict(text: &str) -> (Verdict, Option<AskAgain>) {
    let Some(verdict) = last_line(text).and_then(verdict_of) else {
        return (Verdict::Unclear, Some(AskAgain::NoVerdict));
    };
    let is_opposite = |line: &str| {
        verdict_of(line).is_some_and(|other| (other == Verdict::Approved) != (verdict == Verdict::Approved))
    };
    match text.lines().any(is_opposite) {
        true => (Verdict::Unclear, Some(AskAgain::Both)),
        false => (verdict, None),
    }
}

/// The verdict that a line is.
fn verdict_of(line: &str) -> Option<Verdict> {
    let words = [
        ("APPROVED", Verdict::Approved),
        ("REJECTED", Verdict::Rejected),
        ("TESTS REJECTED", Verdict::TestsRejected),
    ];
    words.into_iter().find_map(|(word, verdict)| is_alone(line, word).then_some(verdict))
}

/// The items of the lists in a text, with the lines that belong to them; if it has no list, its paragraphs. What is between
/// fences belongs to the item above.
pub(super) fn remarks(text: &str) -> Vec<Remark> {
    let lines: Vec<&str> = text.lines().filter(|line| verdict_of(line).is_none()).collect();
    let mut found = items(&lines);
    if found.is_empty() {
        let is_heading =
            |paragraph: &&[&str]| paragraph.len() == 1 && paragraph[0].trim_start().starts_with('#');
        let paragraphs =
            lines.split(|line| line.trim().is_empty()).filter(|paragraph| !is_heading(paragraph));
        found = paragraphs.map(|paragraph| paragraph.join(" ")).collect();
    }
    found.retain(|item| item.contains(char::is_alphanumeric));
    found.truncate(MOST);
    found.iter().map(|item| Remark::recorded(&ellipsis(&one_line(item), LENGTH))).collect()
}

fn items(lines: &[&str]) -> Vec<String> {
    let mut items: Vec<String> = Vec::new();
    // How far the marks of the present list are indented; `None` outside of lists.
    let mut list: Option<usize> = None;
    let mut in_fence = false;
    for (at, line) in lines.iter().enumerate() {
        let indent = line.len() - line.trim_start().len();
        let is_fence = line.trim_start().starts_with("```");
        in_fence ^= is_fence;
        if in_fence || is_fence {
            continue;
        }
        match item(line) {
            // An item below another one belongs to it.
            Some(text) if list.is_none_or(|outer| indent <= outer) => {
                list = Some(indent);
                items.push(text.to_owned());
            }
            Some(text) => extend(&mut items, text),
            None if line.trim().is_empty() => {}
            // A line belongs to an item if it is indented, or follows it at once.
            None if list.is_some_and(|outer| indent > outer || !lines[at - 1].trim().is_empty()) => {
                extend(&mut items, line.trim());
            }
            None => list = None,
        }
    }
    items
}

fn extend(items: &mut [String], text: &str) {
    let item = items.last_mut().expect("a list begins with an item");
    item.push(' ');
    item.push_str(text);
}

/// The text of an item of a list, without its mark: `1. text`, `2) text`, `- text`, `- [ ] text`.
fn item(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let behind = match rest.len() < line.len() {
        true => rest.strip_prefix(['.', ')'])?,
        false => line.strip_prefix(['-', '*', '+', '•'])?,
    };
    let text = behind.strip_prefix([' ', '\t'])?.trim_start();
    Some(text.strip_prefix("[ ] ").or_else(|| text.strip_prefix("[x] ")).unwrap_or(text))
}
