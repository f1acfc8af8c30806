//! What a brief says about earlier attempts, and what people and agents have written about the task.

use std::collections::BTreeMap;

use super::facts::{FailedAttempt, Feedback, FeedbackSource, Objection};
use super::parts::quoted;
use crate::text::{CUT_MARK, clean, one_line, tail};

/// How many characters a brief may have about earlier attempts, and how many of notes.
const LIMIT: usize = 20_000;
/// Less room than this is not worth an attempt.
const LEAST: usize = 400;
/// How many failing tests of an attempt are named.
const NAMED: usize = 40;

/// The attempts that have failed, newest first, as far as there is room. What was repaired since is only named.
pub(super) fn attempts(feedback: &[Feedback]) -> String {
    let failures: Vec<&Feedback> =
        feedback.iter().filter(|item| item.source == FeedbackSource::Failure).collect();
    let mut room = LIMIT;
    let mut parts = Vec::new();
    for (place, item) in failures.iter().enumerate() {
        if room < LEAST {
            let left_out = failures.len() - place;
            parts.push(format!("{CUT_MARK} ({left_out} older one(s) left out)"));
            break;
        }
        let part = attempt(item, room);
        room = room.saturating_sub(part.chars().count());
        parts.push(part);
    }
    parts.join("\n\n")
}

fn attempt(item: &Feedback, room: usize) -> String {
    let Some(attempt) = &item.attempt else {
        return format!("### {}\n\n{}", item.title, output_of(item, room, ""));
    };
    let FailedAttempt { number, because, repaired_in, objections, is_by_person, shown_by, .. } = attempt;
    let heading = format!("### Attempt {number}: {because}");
    let list: String = objections.iter().map(|(number, text)| format!("{number}. {text}\n")).collect();
    let list = if list.is_empty() { list } else { format!("Objections:\n{}", list.trim_end()) };
    let rest = match is_by_person {
        _ if repaired_in.is_some() => String::new(),
        true => without_listed(item.text.trim(), objections),
        false => output_of(item, room.saturating_sub(list.chars().count()), shown_by),
    };
    let repaired = repaired_in.map_or_else(String::new, |repaired| {
        format!("This was repaired since: the same step passed in attempt {repaired}.")
    });
    [heading, list, rest, repaired]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join("\n\n")
}

/// What another program has said in an attempt: the names of the tests that failed, and the end of the output, as data.
fn output_of(item: &Feedback, room: usize, shown_by: &str) -> String {
    let failing = item.attempt.as_ref().map_or(&[][..], |attempt| attempt.failing.as_slice());
    let names: String =
        failing.iter().take(NAMED).map(|name| format!("Failed: {}\n", one_line(name))).collect();
    let more = failing.len().saturating_sub(NAMED);
    let names = if more > 0 { format!("{names}Failed: and {more} more\n") } else { names };
    let text = clean(item.text.as_bytes());
    let text =
        item.attempt.as_ref().map_or(text.clone(), |attempt| without_listed(&text, &attempt.objections));
    let room = room.saturating_sub(names.chars().count()).max(LEAST);
    let end = tail(&text, room);
    let missing = text.chars().count().saturating_sub(room);
    let remark = match (missing, shown_by) {
        (0, _) => String::new(),
        (missing, "") => format!("The first {missing} characters of this are missing.\n"),
        (missing, shown_by) => {
            format!("The first {missing} characters of this are missing; `{shown_by}` shows all of it.\n")
        }
    };
    let gap = if names.is_empty() || end.is_empty() { "" } else { "\n" };
    let quote = quoted(&format!("{names}{gap}{end}"));
    if quote.is_empty() { String::new() } else { format!("{remark}{quote}") }
}

/// A text without the lines that a list of objections contains already, and without what only announces or repeats the
/// verdict.
fn without_listed(text: &str, objections: &BTreeMap<usize, String>) -> String {
    if objections.is_empty() {
        return text.to_owned();
    }
    let plain = |line: &str| line.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase();
    let listed: Vec<String> = objections.values().map(|text| plain(text)).collect();
    let numberless =
        |line: &str| plain(line.trim_start().trim_start_matches(|c: char| c.is_ascii_digit() || c == '.'));
    let is_new = |line: &&str| {
        let words = numberless(line);
        let is_verdict = ["review", "rejected", "verdictrejected", "testsrejected"].contains(&words.as_str());
        !is_verdict && (words.is_empty() || !listed.iter().any(|text| text.contains(&words)))
    };
    let kept: Vec<&str> = text.lines().filter(is_new).collect();
    let kept = kept.join("\n");
    if plain(&kept).is_empty() { String::new() } else { kept.trim().to_owned() }
}

/// What people have written, as they wrote it, and what agents have said, as data; newest first. `all` says whether the words
/// of agents are among it.
pub(super) fn notes(feedback: &[Feedback], all: bool) -> String {
    let mut room = LIMIT;
    let mut parts = Vec::new();
    let notes = feedback.iter().filter(|item| match item.source {
        FeedbackSource::Person | FeedbackSource::Request => true,
        FeedbackSource::Agent => all,
        FeedbackSource::Failure => false,
    });
    for item in notes {
        let said = clean(item.text.as_bytes());
        let said = said.trim();
        let shown: String = said.chars().take(room).collect();
        let missing = said.chars().count() - shown.chars().count();
        room = room.saturating_sub(shown.chars().count()).max(LEAST);
        let cut = if missing > 0 { format!("\n{CUT_MARK} ({missing} characters)") } else { String::new() };
        parts.push(match item.source {
            FeedbackSource::Agent => format!("{}, a claim:\n{}", item.title, quoted(&(shown + &cut))),
            FeedbackSource::Request => format!("{}:\n{}", item.title, quoted(&(shown + &cut))),
            _ => format!("{}:\n\n{shown}{cut}", item.title),
        });
    }
    parts.join("\n\n")
}

/// The objections with the answers of the author; empty if there are none.
pub(super) fn claims(objections: &[Objection]) -> String {
    let one = |Objection { number, text, answer }: &Objection| {
        format!("{number}. {text}\n   Answer: {}\n", answer.as_deref().unwrap_or("none"))
    };
    objections.iter().map(one).collect()
}
