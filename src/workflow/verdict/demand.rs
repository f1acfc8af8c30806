//! Recognises demands for another change: `Revert this`, `Please fix the leak`, `This has to be redone`.

use super::prose::{Sentence, is_denial};
use super::refusal::CHANGES;

/// Verbs that tell someone to change the work.
const REPAIRS: &[&str] = &[
    "fix", "revert", "redo", "rewrite", "rework", "undo", "correct", "repair", "split", "refactor",
    "restore", "drop", "withdraw",
];

/// Participles for what has to happen to unfinished work.
const REPAIRED: &[&str] = &[
    "fixed",
    "addressed",
    "resolved",
    "corrected",
    "reworked",
    "redone",
    "rewritten",
    "reverted",
    "repaired",
    "undone",
    "reconsidered",
    "revised",
    "redesigned",
    "rethought",
];

/// Words that turn a demand into an offer.
const OPTIONAL: &[&str] = &[
    "nit",
    "nits",
    "nitpick",
    "optional",
    "optionally",
    "later",
    "consider",
    "followup",
    "follow",
    "some",
    "minor",
    "maybe",
    "perhaps",
    "eventually",
    "someday",
    "next",
    "if",
];

/// Whether the words at a place demand another change.
pub(super) fn demands(sentence: &Sentence, place: usize) -> bool {
    let is_demand = (is_told(sentence, place) && (stops(sentence, place) || repairs(sentence, place)))
        || asks_politely(sentence, place)
        || binds_author(sentence, place)
        || binds_work(sentence, place);
    is_demand && !sentence.has(OPTIONAL)
}

/// Whether the word at a place begins an order.
fn is_told(sentence: &Sentence, place: usize) -> bool {
    sentence.is_clause_start(place) || ["please", "then", "and"].contains(&sentence.before(place))
}

/// `Hold off`, `Resubmit with tests`, `Try again.`
fn stops(sentence: &Sentence, place: usize) -> bool {
    let again = ["try again", "ask again", "start over", "start again", "go back", "do over"]
        .iter()
        .any(|phrase| sentence.is_phrase_at(place, phrase));
    let goes_on = ["with", "from", "and", "to"].contains(&sentence.at(place + 2));
    sentence.is_phrase_at(place, "hold off")
        || sentence.is_phrase_at(place, "come back when")
        || (sentence.at(place) == "resubmit")
        || (again && (sentence.ends_clause(place + 2) || goes_on))
}

/// `Revert this`, `Fix line 5`, `Fix the leak first`.
fn repairs(sentence: &Sentence, place: usize) -> bool {
    if !REPAIRS.contains(&sentence.at(place)) {
        return false;
    }
    let next = sentence.at(place + 1);
    let is_change = ["the", "your"].contains(&next)
        && CHANGES.contains(&sentence.at(place + 2))
        && sentence.ends_clause(place + 3);
    let is_line = ["line", "lines"].contains(&next) && sentence.at(place + 2).parse::<u32>().is_ok();
    let is_first = sentence.words.last().is_some_and(|last| last == "first");
    ["this", "it"].contains(&next) || is_change || is_line || is_first
}

/// `Please fix the leak`: a polite order, unless it asks for nothing more than attention.
fn asks_politely(sentence: &Sentence, place: usize) -> bool {
    const HARMLESS: &[&str] = &[
        "note",
        "see",
        "ignore",
        "disregard",
        "feel",
        "find",
        "refer",
        "bear",
        "excuse",
        "be",
        "let",
        "keep",
        "merge",
        "ship",
        "proceed",
        "go",
        "accept",
        "approve",
    ];
    let starts = sentence.is_clause_start(place) || sentence.before(place) == "you";
    let next = sentence.at(place + 1);
    sentence.at(place) == "please" && starts && !sentence.ends_clause(place + 1) && !HARMLESS.contains(&next)
}

/// `You need to release the lock.`
fn binds_author(sentence: &Sentence, place: usize) -> bool {
    let must = ["must", "need to", "have to"].iter().any(|must| sentence.is_phrase_at(place + 1, must));
    let is_guess = sentence.is_phrase_at(place + 1, "must have");
    sentence.at(place) == "you" && sentence.is_clause_start(place) && must && !is_guess
}

/// `This has to be redone`, `it must first be fixed`, `the leak should be fixed before`.
fn binds_work(sentence: &Sentence, place: usize) -> bool {
    const BETWEEN: &[&str] = &["first", "still", "also", "all", "be", "get", "completely"];
    let start = match sentence.at(place) {
        "must" | "should" => place + 1,
        "has" | "have" | "needs" | "need" | "ought" if sentence.at(place + 1) == "to" => place + 2,
        _ => return false,
    };
    let end = (start..).find(|at| !BETWEEN.contains(&sentence.at(*at))).unwrap_or(start);
    let verb = sentence.at(end);
    let is_advice =
        sentence.at(place) == "should" && ["fixed", "addressed", "resolved", "corrected"].contains(&verb);
    let is_test = verb == "added" && sentence.has(&["test", "tests"]);
    let is_first = sentence.at(end + 1) == "first" && sentence.at(end + 2).is_empty();
    let is_bound = sentence.words[start..end].iter().any(|word| word == "be" || word == "get")
        && (REPAIRED.contains(&verb) || is_test || is_first)
        && (!is_advice || sentence.at(end + 1) == "before");
    is_bound && !is_denial(sentence.before(place)) && !sentence.takes_back(place, end + 1)
}
