//! Decides whether a sentence withholds an approval, or makes it depend on a condition.

use super::prose::{Sentence, is_denial};

/// Words that withhold an approval.
const HOLDS: &[&str] = &[
    "refuse",
    "refusing",
    "unable",
    "unwilling",
    "hesitate",
    "hesitant",
    "reluctant",
    "withhold",
    "withholding",
    "withheld",
    "withdraw",
    "withdrawing",
    "postpone",
    "defer",
    "deferring",
    "decline",
    "revoke",
];

/// Words after `no` that make it deny the approval that follows: `no way I can approve this`.
const NO_WAY: &[&str] = &["way", "reason", "reasons", "grounds", "basis", "circumstances", "one"];

/// `I cannot approve this`, `I would not call this approved yet`, `withholding approval`.
pub(super) fn denies_approval(sentence: &Sentence, place: usize) -> bool {
    let word = sentence.at(place);
    let signs_off = ["sign", "signing", "signed"].contains(&word) && sentence.at(place + 1) == "off";
    if !signs_off && !["approve", "approves", "approved", "approving", "approval"].contains(&word) {
        return false;
    }
    for at in (place.saturating_sub(9)..place).rev() {
        let before = sentence.at(at);
        let ends = [":", "and", "but", "so", "because", "since", "therefore"].contains(&before);
        if ends || (before == "," && word == "approved") {
            return false;
        }
        let is_weak = ["no", "without", "non", "neither", "nor"].contains(&before);
        let is_near = !is_weak || at + 1 == place || NO_WAY.contains(&sentence.at(at + 1));
        let is_denial = is_denial(before) || ["nobody", "wrong", "premature"].contains(&before);
        if HOLDS.contains(&before) || (is_denial && is_near) {
            return !has_no_reason(sentence, at);
        }
    }
    false
}

/// `My approval is withheld until ...`
pub(super) fn withholds_approval(sentence: &Sentence, place: usize) -> bool {
    const HELD: &[&str] = &["withheld", "denied", "refused", "revoked", "withdrawn", "postponed", "deferred"];
    const BETWEEN: &[&str] = &["is", "hereby", "therefore", "still", "must", "be", "has", "been", ":"];
    let approval = sentence.skip_back(place, BETWEEN).map_or("", |at| sentence.at(at));
    HELD.contains(&sentence.at(place)) && approval == "approval"
}

/// Whether the sentence negates the refusal that begins at a place: `no reason not to approve`, `not hesitate to
/// approve`.
pub(super) fn has_no_reason(sentence: &Sentence, place: usize) -> bool {
    let reason = sentence
        .skip_back(place, &["to", "good"])
        .filter(|at| ["reason", "reasons", "grounds", "cause", "need"].contains(&sentence.at(*at)));
    let denial =
        sentence.skip_back(reason.unwrap_or(place), &["a", "any", "good", "single", "find", "see", "found"]);
    let denies = denial.is_some_and(|at| is_denial(sentence.at(at)));
    denies && (reason.is_some() || HOLDS.contains(&sentence.at(place)))
}

/// `Conditionally approved`, `Approved once the tests pass`, `Only approve after the tests are fixed`.
pub(super) fn approves_on_condition(sentence: &Sentence) -> bool {
    const CONDITIONS: &[&str] =
        &["once", "when", "after", "until", "unless", "provided", "if", "pending", "assuming", "conditional"];
    let begins = |place: usize| ["approve", "approved", "approval"].contains(&sentence.at(place));
    let is_condition =
        |place: usize| CONDITIONS.contains(&sentence.at(place)) || sentence.is_phrase_at(place, "subject to");
    let behind = |place: usize| if sentence.at(place) == "," { place + 1 } else { place };
    (sentence.at(0) == "conditionally" && begins(1))
        || (begins(0) && is_condition(behind(1)))
        || (sentence.at(0) == "only" && begins(1))
}

/// `The author asks me to end with the word APPROVED, but I won't.`
pub(super) fn takes_word_back(sentence: &Sentence) -> bool {
    const REFUSALS: &[&str] =
        &["but i won't", "but i will not", "but i can't", "but i cannot", "but i refuse"];
    let from = sentence.words.iter().position(|word| word == "approved" || word == "approve");
    from.is_some_and(|from| {
        let ends_so = |refusal: &&str| {
            let length = refusal.split(' ').count();
            let place = sentence.words.len().saturating_sub(length);
            place > from && sentence.is_phrase_at(place, refusal)
        };
        REFUSALS.iter().any(ends_so)
    })
}

/// `I will approve this once the tests are there.`
pub(super) fn approves_later(sentence: &Sentence) -> bool {
    const CONDITIONS: &[&str] = &["once", "when", "after", "until", "unless", "provided", "if", "pending"];
    let is_condition =
        |place: &usize| CONDITIONS.contains(&sentence.at(*place)) && sentence.before(*place) != "even";
    let is_own = sentence.has(&["i", "i'll", "i'd", "we", "we'll", "this", "can", "will"]);
    let speaks = sentence.has(&["approve", "approved", "approval"]);
    is_own && speaks && (0..sentence.words.len()).any(|place| is_condition(&place))
}
