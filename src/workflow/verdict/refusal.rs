//! Decides whether a sentence refuses the change with a form of `reject` or with a bad result, and does not merely
//! describe code that rejects something.

use super::prose::{Sentence, is_denial};

/// Whether the word at a place refuses the change.
pub(super) fn refuses(sentence: &Sentence, place: usize) -> bool {
    match sentence.at(place) {
        "reject" | "rejecting" | "rejection" | "decline" | "declining" | "refuse" | "refusing" => {
            is_own_act(sentence, place) || is_bidden(sentence, place) || is_result(sentence, place)
        }
        "rejects" => ["review", "reviewer"].contains(&sentence.before(place)),
        "rejected" | "declined" | "refused" | "denied" => {
            is_result(sentence, place) || is_alone(sentence, place)
        }
        "fail" | "fails" | "failed" | "failing" | "failure" | "blocked" | "negative" | "insufficient"
        | "incomplete" => subject(sentence, place).is_some_and(|subject| RESULTS.contains(&subject)),
        "no" | "not" => {
            let value = sentence.before(place) == ":" && RESULTS.contains(&sentence.before(place - 1));
            value && (sentence.at(place) == "not" || ends(sentence, place))
        }
        _ => false,
    }
}

/// Words for a verdict.
const RESULTS: &[&str] = &[
    "verdict",
    "decision",
    "result",
    "results",
    "status",
    "outcome",
    "conclusion",
    "recommendation",
    "review",
    "assessment",
    "rating",
    "vote",
    "judgment",
    "judgement",
];

/// Words for the change.
pub(super) const CHANGES: &[&str] = &[
    "this",
    "change",
    "changes",
    "patch",
    "pr",
    "mr",
    "diff",
    "commit",
    "implementation",
    "work",
    "task",
    "code",
    "solution",
    "submission",
];

const PERSONS: &[&str] =
    &["i", "i'm", "i'd", "i'll", "i've", "we", "we're", "we'd", "we'll", "we've", "my", "me", "our"];

/// Words that may come between a subject and its verb.
const AUXILIARIES: &[&str] = &[
    "is",
    "are",
    "be",
    "been",
    "being",
    "am",
    "was",
    "must",
    "should",
    "shall",
    "will",
    "would",
    "could",
    "can",
    "has",
    "have",
    "had",
    "to",
    "a",
    "an",
    "the",
    "therefore",
    "thus",
    "hereby",
    "currently",
    "still",
    "clearly",
    "needs",
    "need",
    "ought",
    "gets",
    "get",
    "now",
    "also",
    "again",
    "say",
    "vote",
    "do",
    "does",
    "strongly",
    "sadly",
    "unfortunately",
    "clear",
    "strong",
    "hard",
    "firm",
    ":",
];

/// The subject of the verb at a place, unless a negation comes between the two.
fn subject(sentence: &Sentence, place: usize) -> Option<&str> {
    sentence.skip_back(place, AUXILIARIES).map(|at| sentence.at(at))
}

/// `This change must be rejected`, `The verdict is REJECT`, `My decision: reject`. An earlier rejection does not count
/// any more.
fn is_result(sentence: &Sentence, place: usize) -> bool {
    let past = &["earlier", "previous", "previously", "before", "last", "once", "formerly", "first"];
    let is_past = sentence.has(&["was", "were", "had", "been"]) && sentence.has(past);
    let refused = subject(sentence, place).is_some_and(|subject| {
        RESULTS.contains(&subject) || CHANGES.contains(&subject) || PERSONS.contains(&subject)
    });
    refused && !is_past
}

/// `I reject this`, `We have no choice but to reject the change`.
fn is_own_act(sentence: &Sentence, place: usize) -> bool {
    let colon = (0..place).rev().find(|at| sentence.at(*at) == ":").unwrap_or(0);
    let person = (colon..place).rev().find(|at| PERSONS.contains(&sentence.at(*at)));
    let Some(person) = person else { return false };
    let is_adjacent = sentence.skip_back(place, AUXILIARIES) == Some(person);
    let next = sentence.at(place + 1);
    let has_reason = ["because", "as", "since", "for", "until", "again", "your", "it"].contains(&next);
    (is_adjacent || has_reason || ends(sentence, place) || takes_change(sentence, place))
        && !is_denied(sentence, person, place)
}

/// `Reject this change`, `Reject: the key is missing`, `recommend rejecting`.
fn is_bidden(sentence: &Sentence, place: usize) -> bool {
    const ADVICE: &[&str] = &[
        "recommend",
        "recommending",
        "suggest",
        "propose",
        "advise",
        "vote",
        "leaning",
        "warrants",
        "deserves",
        "merits",
        "a",
        "clear",
        "strong",
        "hard",
        "firm",
    ];
    let advised = ADVICE.contains(&sentence.before(place));
    let told = takes_change(sentence, place) || is_alone(sentence, place);
    (advised || told) && !is_denied(sentence, 0, place)
}

/// Whether the word is a clause by itself, or only followed by a reason.
fn is_alone(sentence: &Sentence, place: usize) -> bool {
    let reasons = ["because", "as", "since", "until", "for", "it", "due"].contains(&sentence.at(place + 1));
    sentence.is_clause_start(place) && (ends(sentence, place) || reasons)
}

fn ends(sentence: &Sentence, place: usize) -> bool {
    sentence.ends_clause(place + 1)
}

/// Whether the change is the object of the verb at a place: `reject this`, `rejecting the patch`.
fn takes_change(sentence: &Sentence, place: usize) -> bool {
    let behind = if ["the", "of"].contains(&sentence.at(place + 1)) { place + 2 } else { place + 1 };
    CHANGES.contains(&sentence.at(behind))
}

/// Whether its clause negates the verb at a place: `I do not reject`, `I found no reason to reject`, but not `no choice
/// but`.
fn is_denied(sentence: &Sentence, from: usize, place: usize) -> bool {
    for at in (from..place).rev() {
        let word = sentence.at(at);
        if ["and", "but", "so", "because", "other", "only", "just", ":", ","].contains(&word) {
            return false;
        }
        let next = sentence.at(at + 1);
        if word == "no" {
            return ["reason", "reasons", "need", "grounds", "cause", "basis", "intention"].contains(&next);
        }
        let plain = is_denial(word) && !["without", "cannot", "can't"].contains(&word);
        if plain || word == "nothing" {
            return next != "only" && next != "just";
        }
    }
    false
}
