//! Reads a review in words: the verdict on its last line, and the items of its lists.

use super::review::Verdict;
use crate::record::Remark;
use crate::text::{ellipsis, one_line};
use crate::workflow::line::{is_fence, is_none, last_line, plain};

/// How many remarks of one review are listed.
pub(super) const MOST: usize = 50;
/// How many characters of a remark are kept. The log of the review has the rest.
pub(super) const LENGTH: usize = 300;

/// What a line may call its verdict.
const LABELS: [&str; 7] = [
    "verdict",
    "final verdict",
    "my verdict",
    "review verdict",
    "overall verdict",
    "decision",
    "final decision",
];
/// The marks of an approval, and those of a rejection.
const MARKS: [&[char]; 2] =
    [&['✅', '☑', '✔', '✓', '👍', '🎉', '🟢'], &['❌', '✖', '✗', '✘', '👎', '🚫', '⛔', '🔴']];
/// The character that asks for the colours of a mark.
const VARIANT: char = '\u{fe0f}';

/// The verdict on the last line, with the text above it.
pub(super) fn last_verdict(text: &str) -> Option<(Verdict, &str)> {
    let last = last_line(text)?;
    let above = &text[..text.rfind(last)?];
    let verdict = verdict_of(last)?;
    (!ends_sentence(above, last)).then_some((verdict, above))
}

/// Whether a word without capitals only ends the sentence that was broken in the line above: `The change cannot be` and `approved.`
fn ends_sentence(above: &str, last: &str) -> bool {
    let is_word = !last.contains(':') && last.contains(char::is_lowercase);
    let above = above.trim_end_matches([' ', '\t', '\r']).strip_suffix('\n').unwrap_or(above);
    let before = above.rsplit('\n').next().unwrap_or_default().trim_end();
    is_word && !is_fence(before) && before.ends_with(|c: char| c.is_alphanumeric() || ",;-".contains(c))
}

/// Whether a line above the last one says the opposite of the verdict.
pub(super) fn is_contradicted(above: &str, verdict: Verdict) -> bool {
    let opposite = |other: Verdict| (other == Verdict::Approved) != (verdict == Verdict::Approved);
    above.lines().filter_map(verdict_of).any(opposite)
}

/// The verdict that a line is.
fn verdict_of(line: &str) -> Option<Verdict> {
    line_of_verdict(line).map(|(verdict, _)| verdict)
}

/// The verdict that a line is, and the reasons behind it, which only a rejection has.
fn line_of_verdict(line: &str) -> Option<(Verdict, Option<String>)> {
    let line = plain(line);
    let behind =
        line.split_once(':').filter(|(label, _)| LABELS.contains(&label.to_ascii_lowercase().as_str()));
    let words = behind.map_or(line.as_str(), |(_, words)| words);
    if let Some(verdict) = verdict_alone(words) {
        return Some((verdict, None));
    }
    let (word, reasons) = words.split_once(':')?;
    let verdict = verdict_alone(word).filter(|verdict| *verdict != Verdict::Approved)?;
    let reasons = reasons.trim();
    let are_reasons = !is_none(reasons) && verdict_alone(reasons).is_none();
    are_reasons.then(|| (verdict, Some(reasons.to_owned())))
}

/// The verdict that these words are, with a mark or without one.
fn verdict_alone(word: &str) -> Option<Verdict> {
    let [good, bad] = MARKS.map(|marks| word.contains(marks));
    let is_mark = |c: char| c == VARIANT || MARKS.iter().any(|marks| marks.contains(&c));
    let word = plain(word.trim().trim_matches(is_mark)).to_ascii_uppercase().replace(['_', '-'], " ");
    match word.as_str() {
        "APPROVED" if !bad => Some(Verdict::Approved),
        "REJECTED" if !good => Some(Verdict::Rejected),
        "TESTS REJECTED" if !good => Some(Verdict::TestsRejected),
        _ => None,
    }
}

/// The items of the lists in a text, with the lines that belong to them; if it has no list, its paragraphs. What is between
/// fences belongs to the item above. The reasons behind a rejection are one more.
pub(super) fn remarks(text: &str) -> Vec<Remark> {
    let lines: Vec<&str> = text.lines().filter(|line| verdict_of(line).is_none()).collect();
    let mut found = items(&lines);
    if found.is_empty() {
        let is_heading =
            |paragraph: &&[&str]| paragraph.len() == 1 && paragraph[0].trim_start().starts_with('#');
        let paragraphs = lines
            .split(|line| line.trim().is_empty() || is_fence(line))
            .filter(|paragraph| !is_heading(paragraph));
        found = paragraphs.map(|paragraph| paragraph.join(" ")).collect();
    }
    found.extend(text.lines().filter_map(|line| line_of_verdict(line)?.1));
    let remarks = found.iter().map(|item| Remark::recorded(&ellipsis(&one_line(item), LENGTH)));
    remarks
        .filter(|remark| remark.what.contains(char::is_alphanumeric) && !is_none(&remark.what))
        .take(MOST)
        .collect()
}

fn items(lines: &[&str]) -> Vec<String> {
    let mut items: Vec<String> = Vec::new();
    // How far the marks of the present list are indented; `None` outside of lists.
    let mut list: Option<usize> = None;
    let mut in_fence = false;
    for (at, line) in lines.iter().enumerate() {
        let indent = line.len() - line.trim_start().len();
        in_fence ^= is_fence(line);
        if in_fence || is_fence(line) {
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
