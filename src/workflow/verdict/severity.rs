//! Recognises findings of a high severity: `P0: data loss`, `Critical issues: 2`, `There is a serious problem with the
//! lock`.

use super::defect::FLAWS;
use super::prose::Sentence;
use super::settled::{ENDS, THINGS};

/// Words for findings that keep a change from being merged.
const SEVERITIES: &[&str] =
    &["critical", "p0", "p1", "sev0", "sev1", "major", "serious", "severe", "fatal", "high", "security"];

/// The words among them that are unambiguous on their own.
const PLAIN: &[&str] = &["critical", "p0", "p1", "sev0", "sev1"];

/// Words that say that the change removes a finding.
const REPAIRS: &[&str] = &[
    "fix",
    "fixes",
    "fixed",
    "fixing",
    "resolves",
    "resolved",
    "closes",
    "closed",
    "addresses",
    "addressed",
    "solves",
    "solved",
    "removes",
    "removed",
    "prevents",
    "avoids",
    "was",
    "were",
    "reports",
    "logs",
    "shows",
];

/// Whether a finding of a high severity is named at a place.
pub(super) fn names_severe_finding(sentence: &Sentence, place: usize) -> bool {
    is_label(sentence, place)
        || is_bug_label(sentence, place)
        || is_severity(sentence, place)
        || speaks_of(sentence, place)
}

fn is_thing(word: &str) -> bool {
    THINGS.contains(&word) || FLAWS.contains(&word)
}

/// `Critical: the key is logged`, `P0 issues: 2`, or such a heading alone.
fn is_label(sentence: &Sentence, place: usize) -> bool {
    if !sentence.is_clause_start(place) || !SEVERITIES.contains(&sentence.at(place)) {
        return false;
    }
    let belongs =
        |word: &str| SEVERITIES.contains(&word) || ["severity", "priority", "and", "or"].contains(&word);
    let words = (place..).find(|at| !belongs(sentence.at(*at))).unwrap_or(place);
    let end = (words..).find(|at| !is_thing(sentence.at(*at))).unwrap_or(words);
    let is_plain = PLAIN.contains(&sentence.at(place)) || end > place + 1;
    let is_clear =
        is_plain || (place == 0 && sentence.at(place) != "security") || is_cell(sentence, place, end);
    match sentence.at(end) {
        ":" => is_clear && !is_harmless_value(sentence, end + 1),
        "" => place == 0 && is_clear,
        _ => false,
    }
}

/// Whether a severity is a cell of a table and does not describe something else, as in `Confidence: high (I read it
/// all)`.
fn is_cell(sentence: &Sentence, place: usize, end: usize) -> bool {
    const NEUTRAL: &[&str] =
        &["confidence", "certainty", "quality", "coverage", "readability", "value", "benefit", "tests"];
    let is_row = place >= 2 && sentence.before(place) == ":" && !sentence.ends_clause(end + 2);
    is_row && sentence.at(place) != "security" && !NEUTRAL.contains(&sentence.at(place - 2))
}

/// `Bug: the lock is never released`, `FAIL: there are no tests`.
fn is_bug_label(sentence: &Sentence, place: usize) -> bool {
    let is_flaw = FLAWS.contains(&sentence.at(0)) || ["fail", "failed"].contains(&sentence.at(0));
    place == 0 && is_flaw && sentence.at(1) == ":" && !is_harmless_value(sentence, 2)
}

/// `Severity: critical`.
fn is_severity(sentence: &Sentence, place: usize) -> bool {
    place >= 2
        && SEVERITIES.contains(&sentence.at(place))
        && sentence.before(place) == ":"
        && ["severity", "priority"].contains(&sentence.at(place - 2))
}

/// Whether a value says that there is no finding. A column of another severity is not a value.
fn is_harmless_value(sentence: &Sentence, place: usize) -> bool {
    let word = sentence.at(place);
    let next = sentence.at(place + 1);
    let is_none = ["none", "0", "zero", "false", ""].contains(&word);
    let is_empty = ["no", "nothing", "not"].contains(&word)
        && (sentence.ends_clause(place + 1)
            || is_thing(next)
            || ["found", "left", "here", "further", "applicable"].contains(&next));
    let is_name =
        SEVERITIES.contains(&word) || ["minor", "medium", "low", "count", "severity"].contains(&word);
    is_none || is_empty || is_name || ENDS.contains(&word)
}

/// `There is a critical bug in the parser`, unless there is none, or the change removes it.
fn speaks_of(sentence: &Sentence, place: usize) -> bool {
    let behind = if sentence.at(place + 1) == "severity" { place + 2 } else { place + 1 };
    let is_named =
        SEVERITIES.contains(&sentence.at(place)) && is_thing(sentence.at(behind)) && !sentence.asks;
    if !is_named || sentence.at(behind).starts_with("change") {
        return false;
    }
    let joined =
        |at: &usize| SEVERITIES.contains(&sentence.at(*at)) || ["or", "and", ","].contains(&sentence.at(*at));
    let from = (0..place).rev().take_while(joined).last().unwrap_or(place);
    let is_sought = sentence.before(from) == "for";
    let is_repaired = is_sought || sentence.words[..from].iter().any(|word| REPAIRS.contains(&word.as_str()));
    let is_count = sentence.at(behind + 1) == ":" && is_harmless_value(sentence, behind + 2);
    !is_repaired && !is_count && !sentence.takes_back(from, behind + 1)
}
