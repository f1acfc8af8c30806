//! Recognises keys with a bad verdict as their value, as in `approved: false` or `| Overall | FAIL |`, and questions
//! that are answered with no.

use super::prose::{Sentence, is_mark};
use super::settled::ENDS;

/// Words for a good change.
const MERITS: &[&str] = &[
    "approve",
    "approved",
    "approves",
    "approval",
    "lgtm",
    "accept",
    "accepted",
    "acceptable",
    "merge",
    "mergeable",
    "ready",
    "ship",
    "shippable",
    "safe",
    "ok",
    "pass",
    "passes",
    "passed",
    "correct",
    "complete",
    "done",
    "meets",
    "met",
    "works",
    "overall",
    "verdict",
    "decision",
    "result",
    "outcome",
    "conclusion",
    "recommendation",
];

/// Words for the things that a review rates, in addition to the verdicts of `refusal`.
const RATED: &[&str] = &[
    "overall",
    "correctness",
    "completeness",
    "correct",
    "complete",
    "tests",
    "test",
    "testing",
    "build",
    "ci",
    "lint",
    "security",
    "safety",
    "quality",
    "requirement",
    "requirements",
    "criterion",
    "criteria",
    "acceptance",
    "scope",
    "coverage",
    "verdict",
    "decision",
    "outcome",
    "conclusion",
    "recommendation",
    "assessment",
    "grade",
    "pr",
];

/// Words for which `no` or `fail` is a good answer.
const PROBLEMS: &[&str] = &[
    "any",
    "anything",
    "issue",
    "issues",
    "problem",
    "problems",
    "bug",
    "bugs",
    "break",
    "breaks",
    "broken",
    "breaking",
    "risk",
    "risks",
    "regression",
    "regressions",
    "concern",
    "concerns",
    "conflict",
    "conflicts",
    "change",
    "changes",
    "changed",
    "missing",
    "wrong",
    "unsafe",
    "gap",
    "gaps",
    "need",
    "needs",
    "needed",
    "required",
    "blocking",
    "blocked",
    "blocker",
    "blockers",
    "fail",
    "fails",
    "failed",
    "failure",
    "failures",
    "error",
    "errors",
    "leak",
    "leaks",
    "skipped",
    "simpler",
    "left",
    "too",
    "without",
    "before",
    "main",
    "expected",
    "else",
    "unrelated",
    "slower",
    "objections",
    "findings",
    "default",
];

/// Bad ratings.
const BAD: &[&str] = &[
    "fail",
    "fails",
    "failed",
    "failing",
    "failure",
    "negative",
    "unmet",
    "unsatisfied",
    "unacceptable",
    "blocked",
    "insufficient",
    "incomplete",
    "incorrect",
    "wrong",
    "broken",
    "poor",
];

/// Instructions to the author that a verdict may contain.
const STOPS: &[&str] = &["block", "hold", "changes", "revise", "rework", "fix", "stop"];

/// Words for such a verdict.
const VERDICTS: &[&str] = &["verdict", "decision", "recommendation", "outcome", "conclusion"];

/// Sentences that only say no.
const OUTRIGHT: &[&str] =
    &["absolutely not", "definitely not", "certainly not", "not yet", "not good", "no way", "hell no"];

/// Words whose negation is a bad rating: `not met`.
const GOOD: &[&str] = &[
    "met",
    "ok",
    "okay",
    "good",
    "acceptable",
    "ready",
    "correct",
    "satisfied",
    "passed",
    "passing",
    "complete",
    "safe",
    "fulfilled",
    "sufficient",
];

/// Whether a sentence of a passage is only a bad rating or answers with no: `FAIL`, `No.`, `LGTM? No.`
pub(super) fn answers_no(sentences: &[Sentence]) -> bool {
    let said: Vec<&Sentence> = sentences.iter().filter(|sentence| !sentence.words.is_empty()).collect();
    if let [only] = said[..]
        && (is_rating(only) || OUTRIGHT.contains(&only.words.join(" ").as_str()))
    {
        return true;
    }
    (0..said.len()).any(|at| {
        let question = at.checked_sub(1).map(|before| said[before]).filter(|before| before.asks);
        match question {
            Some(question) => !asks_for_problem(question) && begins_with_no(said[at]),
            None => {
                let number = said.get(at + 1).is_some_and(|next| counts(next.at(0)));
                is_refusing_no(said[at], at == 0) && !number
            }
        }
    })
}

/// Whether the sentence at a place asks for a problem, and the next one says that there is none.
pub(super) fn is_answered_well(sentences: &[Sentence], at: usize) -> bool {
    let none = |answer: &Sentence| begins_with_no(answer) || ["none", "nothing"].contains(&answer.at(0));
    let question = &sentences[at];
    question.asks && asks_for_problem(question) && sentences.get(at + 1).is_some_and(none)
}

/// `Any blockers?`, `Could it overflow?`, but not `Is the bug fixed?`
fn asks_for_problem(question: &Sentence) -> bool {
    let opens = ["could", "might", "is there", "are there", "did i", "would it"];
    let is_search = opens.iter().any(|phrase| question.is_phrase_at(0, phrase));
    let is_merit = question.has(MERITS) || question.has(RATED);
    (question.has(PROBLEMS) && !question.has(ENDS)) || (is_search && !is_merit)
}

/// Whether a key for a good change has a bad value at a place.
pub(super) fn has_bad_value(sentence: &Sentence, place: usize) -> bool {
    if sentence.before(place) != ":" {
        return false;
    }
    let from = (0..place - 1).rev().find(|at| is_mark(sentence.at(*at))).map_or(0, |mark| mark + 1);
    let key = &sentence.words[from..place - 1];
    let names = |words: &[&str]| key.iter().any(|word| words.contains(&word.as_str()));
    let is_no = ["no", "false", "n", "nope"].contains(&sentence.at(place)) && sentence.ends_clause(place + 1);
    let is_bad = rating_at(sentence, place).is_some_and(|end| {
        sentence.ends_clause(end) || ["because", "due", "for"].contains(&sentence.at(end))
    });
    let is_stop = STOPS.contains(&sentence.at(place)) && sentence.ends_clause(place + 1);
    !names(PROBLEMS) && ((is_stop && names(VERDICTS)) || (is_no && names(MERITS)) || (is_bad && names(RATED)))
}

/// Whether a sentence is a bad rating and nothing else: `FAIL`, `Completely wrong.`
fn is_rating(sentence: &Sentence) -> bool {
    let adverbs = ["completely", "totally", "simply", "just", "plainly", "still"];
    let start = usize::from(adverbs.contains(&sentence.at(0)));
    rating_at(sentence, start) == Some(sentence.words.len())
}

/// The end of the bad rating that begins at a place.
fn rating_at(sentence: &Sentence, place: usize) -> Option<usize> {
    if BAD.contains(&sentence.at(place)) {
        return Some(place + 1);
    }
    (sentence.at(place) == "not" && GOOD.contains(&sentence.at(place + 1))).then_some(place + 2)
}

fn begins_with_no(sentence: &Sentence) -> bool {
    let weak = ["really", "yet", "quite", "at", "entirely"];
    let is_no = ["no", "nope"].contains(&sentence.at(0)) && sentence.ends_clause(1);
    is_no || (sentence.at(0) == "not" && (sentence.ends_clause(1) || weak.contains(&sentence.at(1))))
}

/// `No.`, or `No, this deletes user data` at the start of a passage.
fn is_refusing_no(sentence: &Sentence, is_first: bool) -> bool {
    let fine = ["no", "nothing", "none", "not", "all"].contains(&sentence.at(2));
    let is_no = ["no", "nope"].contains(&sentence.at(0)) && sentence.ends_clause(1);
    is_no && (sentence.words.len() == 1 || (is_first && !fine))
}

/// Words that follow the abbreviation of `number`: `No. 2`, `No. of files`.
fn counts(word: &str) -> bool {
    word == "of" || word.starts_with(|c: char| c.is_ascii_digit())
}
