//! Reads the answer of an agent that writes tests or code: the lines with a fixed beginning in its last message or, from an agent
//! that can be bound to a schema, a document of that schema (`src/agents/work-schema.json`).

use std::collections::BTreeMap;

use serde::Deserialize;

use super::line::{is_alone, is_fence, is_none, plain};
use super::object::objects;
use crate::text::{clean, one_line};

/// The beginning of a line with a question, as the prompts of agents ask for it.
pub(crate) const BLOCKED: &str = "BLOCKED";
/// The same for tests that were written before.
pub(super) const TESTS_WRONG: &str = "TESTS WRONG";
/// The line with which an agent must end if nothing is left to do.
pub(crate) const NOTHING_LEFT: &str = "NOTHING LEFT TO DO";
/// The line above the answers to the objections of the last review.
pub(super) const ANSWERS: &str = "ANSWERS";
/// The line above what an agent leaves for later tasks.
pub(super) const NOTES: &str = "NOTES";
/// The word that says that the change is made.
pub(super) const DONE: &str = "DONE";

/// How an agent says that its work has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorkerAnswer {
    /// The change is made, or it says nothing about that.
    Done,
    /// It says that it is blocked, but not by what.
    Unclear,
    /// Nothing is left to do.
    NothingLeft,
    /// It cannot go on without a person.
    Blocked(Asked),
    /// The tests that were written before are wrong.
    TestsWrong(Asked),
}

/// What an agent asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// What follows the label in its line.
    pub reason: String,
    /// The paragraph above that line, the reason and what follows it.
    pub text: String,
}

/// What an agent has said at the end of its work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerReport {
    /// How its work has ended.
    pub answer: WorkerAnswer,
    /// Its answers to the objections of the last review, by number.
    pub answers: BTreeMap<usize, String>,
    /// What it leaves for later tasks; empty if there is nothing.
    pub notes: String,
    /// Everything but the notes, as a text.
    pub words: String,
}

/// What is known when an answer is read.
#[derive(Clone, Copy, Debug)]
pub struct AnsweredTo<'a> {
    /// What the agent was told. A line of that which it repeats is no answer, unless it ends with it.
    pub prompt: &'a str,
    /// Whether it has changed anything. Then only its last line says how the work has ended.
    pub has_changed: bool,
}

/// Reads what an agent has printed.
#[must_use]
pub fn worker_report(said: &[u8], to: AnsweredTo<'_>) -> WorkerReport {
    let text = clean(said);
    if let Some(Ok(mut found)) = objects::<WorkDocument>(&text, "\"status\"")
        && let Some(document) = found.objects.pop()
    {
        return document.into_report(found.above);
    }
    let lines: Vec<&str> = text.lines().collect();
    let (at, answer) = answer_in(&lines, to);
    let heading = |heading: &str| lines.iter().rposition(|line| is_heading(line, heading));
    // The part below a heading goes on to the next one, or to the answer.
    let part = |begin: usize| {
        let is_end = |(number, line): (usize, &&str)| {
            at == Some(number) || is_heading(line, NOTES) || is_heading(line, ANSWERS)
        };
        let end = (begin + 1..lines.len()).find(|number| is_end((*number, &lines[*number])));
        begin..end.unwrap_or(lines.len())
    };
    let notes = heading(NOTES).map(part).unwrap_or(0..0);
    let answers = heading(ANSWERS).map(part).unwrap_or(0..0);
    let below =
        |part: &std::ops::Range<usize>| lines[part.clone()].iter().skip(1).copied().collect::<Vec<_>>();
    let words = lines[..notes.start].iter().chain(&lines[notes.end..]).copied().collect::<Vec<_>>();
    WorkerReport {
        answer,
        answers: numbered_answers(&below(&answers)),
        notes: below(&notes).join("\n").trim().to_owned(),
        words: words.join("\n"),
    }
}

/// How the work has ended, and the line that says it.
fn answer_in(lines: &[&str], to: AnsweredTo<'_>) -> (Option<usize>, WorkerAnswer) {
    let is_text = |at: &usize| !lines[*at].trim().is_empty() && !is_fence(lines[*at]);
    let Some(last) = (0..lines.len()).rev().find(is_text) else { return (None, WorkerAnswer::Done) };
    let asks = |at: usize| {
        let line = bare(lines[at]);
        let asked = |reason: &str| Asked { reason: reason.to_owned(), text: question(lines, at, reason) };
        match (reason_behind(line, BLOCKED), reason_behind(line, TESTS_WRONG)) {
            (Some(reason), _) | (_, Some(reason)) if is_none(reason) || is_placeholder(reason) => {
                Some(WorkerAnswer::Unclear)
            }
            (Some(reason), _) => Some(WorkerAnswer::Blocked(asked(reason))),
            (_, Some(reason)) => Some(WorkerAnswer::TestsWrong(asked(reason))),
            (None, None) => None,
        }
    };
    if is_alone(lines[last], NOTHING_LEFT) {
        return (Some(last), WorkerAnswer::NothingLeft);
    }
    if let Some(answer) = asks(last) {
        return (Some(last), answer);
    }
    let is_own = |at: &usize| !to.has_changed && is_text(at) && !to.prompt.contains(lines[*at].trim());
    let above = (0..last).rev().filter(is_own).find_map(|at| Some((at, asks(at)?)));
    match above.filter(|(_, answer)| *answer != WorkerAnswer::Unclear) {
        Some((at, answer)) => (Some(at), answer),
        None => (is_alone(lines[last], DONE).then_some(last), WorkerAnswer::Done),
    }
}

/// A line without the Markdown around it, and without the mark of an item of a list.
fn bare(line: &str) -> &str {
    let line = line.trim();
    let line = line.strip_prefix(['-', '*', '+']).filter(|rest| rest.starts_with(' ')).unwrap_or(line).trim();
    let code = line.strip_prefix('`').and_then(|line| line.strip_suffix('`'));
    code.unwrap_or(line).trim_start_matches(['*', '_', '#', ' ']).trim_end()
}

/// What follows a label; empty if nothing does.
fn reason_behind<'l>(line: &'l str, label: &str) -> Option<&'l str> {
    let code = line.strip_prefix('`').and_then(|line| line.strip_prefix(label)?.strip_prefix('`'));
    let rest = code
        .or_else(|| line.strip_prefix(label))?
        .trim_start_matches(['*', '_'])
        .trim_end_matches(['*', '_']);
    if rest.is_empty() || rest == "." {
        return Some("");
    }
    Some(rest.strip_prefix(':')?.trim_matches(['*', '_', ' ']))
}

/// Whether this is what a prompt says in the place of a reason.
fn is_placeholder(reason: &str) -> bool {
    reason.starts_with('<') && reason.ends_with('>')
}

/// The paragraph above a question, unless it is a note for later tasks, and what follows it.
fn question(lines: &[&str], at: usize, reason: &str) -> String {
    let is_part = |line: &&&str| !is_heading(line, NOTES) && !is_heading(line, ANSWERS);
    let is_text = |line: &&&str| !line.trim().is_empty();
    let notes = lines[..at].iter().rposition(|line| is_heading(line, NOTES));
    let above = lines[..notes.unwrap_or(at)].iter().filter(|line| !is_fence(line)).rev();
    let mut above: Vec<&str> = above.skip_while(|line| !is_text(line)).take_while(is_text).copied().collect();
    above.reverse();
    let below: Vec<&str> =
        lines[at + 1..].iter().take_while(is_part).filter(|line| !is_fence(line)).copied().collect();
    let below = [reason].into_iter().chain(below).collect::<Vec<_>>().join("\n");
    [above.join("\n").trim(), below.trim()]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join("\n\n")
}

/// The numbered items of these lines, with the lines that belong to them.
fn numbered_answers(lines: &[&str]) -> BTreeMap<usize, String> {
    let mut answers: BTreeMap<usize, String> = BTreeMap::new();
    let mut current = None;
    for line in lines.iter().map(|line| line.trim()) {
        if let Some((number, text)) = numbered(line) {
            current = Some(number);
            answers.insert(number, text.to_owned());
        } else if let Some(answer) =
            current.and_then(|number| answers.get_mut(&number)).filter(|_| !line.is_empty())
        {
            answer.push(' ');
            answer.push_str(line);
        }
    }
    answers.retain(|_, answer| !answer.trim().is_empty());
    answers
}

/// The number and the words of an item: `1. done`, `**2)** done`.
fn numbered(line: &str) -> Option<(usize, &str)> {
    let bare = line.trim_start_matches(['*', '_', '-', ' ']);
    let digits = bare.len() - bare.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let text = bare[digits..].strip_prefix(['.', ')', ':'])?;
    Some((bare[..digits].parse().ok()?, text.trim_start_matches(['*', '_', ' '])))
}

/// Whether a line is this heading and nothing else.
fn is_heading(line: &str, heading: &str) -> bool {
    let line = plain(line);
    let line = line.trim_end_matches(':');
    // Many answers have a heading for notes to their reader.
    line == heading || heading == ANSWERS && line.eq_ignore_ascii_case(ANSWERS)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WorkDocument {
    status: Status,
    question: String,
    answers: Vec<String>,
    notes: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Status {
    Done,
    Blocked,
    NothingLeft,
    TestsWrong,
}

impl WorkDocument {
    /// The report, with the text `above` the document.
    fn into_report(self, above: &str) -> WorkerReport {
        let Self { status, question, answers, notes } = self;
        let text = question.trim().to_owned();
        let asked = Asked { reason: one_line(&text), text };
        let is_unclear = is_none(&asked.reason);
        let (line, answer) = match status {
            Status::Done => (DONE.to_owned(), WorkerAnswer::Done),
            Status::NothingLeft => (NOTHING_LEFT.to_owned(), WorkerAnswer::NothingLeft),
            Status::Blocked | Status::TestsWrong if is_unclear => (BLOCKED.to_owned(), WorkerAnswer::Unclear),
            Status::Blocked => (format!("{BLOCKED}: {}", asked.text), WorkerAnswer::Blocked(asked)),
            Status::TestsWrong => (format!("{TESTS_WRONG}: {}", asked.text), WorkerAnswer::TestsWrong(asked)),
        };
        let mut answers: BTreeMap<usize, String> =
            (1..).zip(answers.iter().map(|answer| one_line(answer))).collect();
        answers.retain(|_, answer| !answer.is_empty());
        let above = if above.lines().all(is_fence) { "" } else { above.trim() };
        WorkerReport {
            answer,
            answers,
            notes: notes.trim().to_owned(),
            words: format!("{above}\n\n{line}").trim().to_owned(),
        }
    }
}

#[cfg(test)]
mod tests;
