//! Decides whether a passage of a review objects to the change. If so, an approval below it is in doubt.

use super::prose::{Sentence, is_denial, is_mark, sentences};
use super::sign::has_sign;
use super::withheld::{
    approves_later, approves_on_condition, denies_approval, has_no_reason, takes_word_back,
    withholds_approval,
};
use super::{defect, demand, foreign, keyed, refusal, severity, shortfall, unread};

/// Whether a passage objects, and does not plainly say that the objection is over or never was one.
pub(super) fn objects(passage: &str) -> bool {
    let sentences = sentences(passage);
    has_sign(passage)
        || foreign::rejects_unspaced(passage)
        || keyed::answers_no(&sentences)
        || (0..sentences.len())
            .any(|at| !keyed::is_answered_well(&sentences, at) && sentence_objects(&sentences[at]))
}

/// Whether a passage refuses the change in plain words: `I must reject this`, `I can't approve this`, `approved: false`. Other
/// objections may be settled by the next answer of the reviewer, but not these.
pub(super) fn refuses_plainly(passage: &str) -> bool {
    let refuses_at = |sentence: &Sentence, place: usize| {
        denies_approval(sentence, place)
            || withholds_approval(sentence, place)
            || denies_readiness(sentence, place)
            || refusal::refuses(sentence, place)
            || keyed::has_bad_value(sentence, place)
            || foreign::rejects(sentence, place)
    };
    let refuses = |sentence: &Sentence| {
        takes_word_back(sentence) || (0..sentence.words.len()).any(|place| refuses_at(sentence, place))
    };
    let sentences = sentences(passage);
    foreign::rejects_unspaced(passage) || keyed::answers_no(&sentences) || sentences.iter().any(refuses)
}

/// Whether a line of JSON contains a bad verdict: `{"approved": false}`. Some reviewers answer like this in a fence.
pub(super) fn is_bad_answer(line: &str) -> bool {
    let says_no = |sentence: &Sentence| {
        (0..sentence.words.len())
            .any(|place| keyed::has_bad_value(sentence, place) || refusal::refuses(sentence, place))
    };
    line.starts_with(['{', '"']) && sentences(line).iter().any(says_no)
}

fn sentence_objects(sentence: &Sentence) -> bool {
    (0..sentence.words.len()).any(|place| {
        names_objection(sentence, place)
            || denies_approval(sentence, place)
            || withholds_approval(sentence, place)
            || denies_readiness(sentence, place)
            || refusal::refuses(sentence, place)
            || keyed::has_bad_value(sentence, place)
            || demand::demands(sentence, place)
            || defect::finds_defect(sentence, place)
            || shortfall::falls_short(sentence, place)
            || severity::names_severe_finding(sentence, place)
            || unread::is_unread(sentence, place)
            || foreign::rejects(sentence, place)
    }) || approves_later(sentence)
        || approves_on_condition(sentence)
        || takes_word_back(sentence)
        || lists_issues(sentence)
}

/// Phrases that always object.
const OBJECTIONS: &[&str] = &[
    "changes requested",
    "change requested",
    "changes required",
    "changes needed",
    "changes necessary",
    "changes are requested",
    "changes are required",
    "changes are needed",
    "changes are necessary",
    "requested changes",
    "request changes",
    "requests changes",
    "requesting changes",
    "required changes",
    "requires changes",
    "require changes",
    "need changes",
    "needs changes",
    "needs work",
    "needs more work",
    "needs some work",
    "need work",
    "needs revision",
    "needs rework",
    "needs another pass",
    "must fix",
    "needs fixing",
    "need fixing",
    "fix before",
    "fixed before",
    "addressed before",
    "before merge",
    "before merging",
    "before it is merged",
    "before it can be merged",
    "before this is merged",
    "before this can be merged",
    "before approval",
    "before approving",
    "before i approve",
    "before i can approve",
    "blocking",
    "blocker",
    "blockers",
    "blocks the merge",
    "blocks merge",
    "blocks merging",
    "blocks approval",
    "blocks this",
    "nack",
    "nacked",
    "nak",
    "no go",
    "showstopper",
    "show stopper",
    "deal breaker",
    "dealbreaker",
    "unacceptable",
    "disapprove",
    "disapproves",
    "disapproved",
    "disapproval",
    "unapproved",
    "thumbs down",
    "veto",
    "fails review",
    "fails the review",
    "fail review",
    "fail the review",
    "fail this",
    "failing this",
    "say no to",
    "unmergeable",
    "send this back",
    "send it back",
    "sending this back",
    "sending it back",
    "sent back",
    "against merging",
    "against approving",
    "against approval",
    "hard no",
    "a no from me",
    "answer is no",
    "i say no",
    "vote is no",
    "vote no",
    "vote against it",
    "vote against this",
    "vote against the",
    "voting against it",
    "voting against this",
    "voting against the",
    "i disagree with this",
    "i disagree with the approach",
    "i disagree with the change",
    "not agree with this",
    "have an objection",
    "have objections",
    "not in favour",
    "not in favor",
    "back this out",
    "back it out",
    "roll this back",
    "roll it back",
    "causes data loss",
    "skipped the review",
    "i want changes",
    "i object",
    "i strongly object",
    "i oppose",
    "i'm against",
    "i am against",
    "i remain against",
    "needs a fix",
    "needs fixes",
    "needs a rewrite",
    "needs a redesign",
    "needs another round",
    "back to the drawing board",
    "i'd block",
    "i would block",
    "strong no",
    "sorry , no",
    "verdict pending",
    "unsafe to ship",
    "unsafe to merge",
    "unsafe to deploy",
    "unsafe to release",
    "lgtm except",
    "good except",
    "fine except",
    "okay except",
    "ok except",
];

/// Words after which `blocking` is a property of the code: `a blocking call`.
const BLOCKING_CODE: &[&str] = &[
    "call",
    "calls",
    "read",
    "reads",
    "write",
    "writes",
    "io",
    "i",
    "operation",
    "operations",
    "queue",
    "mode",
    "socket",
    "sockets",
    "lock",
    "locks",
    "thread",
    "threads",
    "wait",
    "send",
    "receive",
    "api",
    "pool",
    "client",
    "function",
    "functions",
];

fn names_objection(sentence: &Sentence, place: usize) -> bool {
    let phrase = OBJECTIONS
        .iter()
        .filter(|phrase| sentence.is_phrase_at(place, phrase))
        .max_by_key(|phrase| phrase.len());
    let Some(phrase) = phrase else { return false };
    let end = place + phrase.split(' ').count();
    let is_code = *phrase == "blocking" && BLOCKING_CODE.contains(&sentence.at(end));
    !is_code && !sentence.takes_back(place, end)
}

/// `This must not be merged`, `it isn't ready`, `I am not convinced`, `do not merge`.
fn denies_readiness(sentence: &Sentence, place: usize) -> bool {
    const BETWEEN: &[&str] = &[
        "be",
        "been",
        "yet",
        "to",
        "it",
        "is",
        "this",
        "currently",
        "fully",
        "being",
        "get",
        "quite",
        "really",
        "at",
        "in",
        "a",
        "an",
        "state",
        "considered",
        "anywhere",
        "near",
        "for",
        "can",
        "still",
        "entirely",
        "production",
        "think",
        "we",
        "should",
        "i",
        "that",
        "would",
        "could",
        "want",
        "able",
    ];
    let next = sentence.at(place + 1);
    let ends = next.is_empty() || is_mark(next);
    let is_target = match sentence.at(place) {
        "ready" | "mergeable" | "mergable" | "acceptable" | "lgtm" | "satisfied" | "convinced" | "happy"
        | "comfortable" | "shippable" => true,
        "merged" | "accepted" | "shipped" => ["be", "get"].contains(&sentence.before(place)),
        "merge" | "accept" | "ship" | "deploy" | "merging" | "accepting" => {
            ends || ["this", "it", "the", "until", "before", "as", "yet", "cleanly", "these"].contains(&next)
        }
        "good" => next == "enough",
        "go" => {
            ["in", "live"].contains(&next)
                && (sentence.ends_clause(place + 2) || sentence.at(place + 2) == "as")
        }
        "enough" => sentence.before(place) == "good",
        _ => false,
    };
    let Some(denial) = sentence.skip_back(place, BETWEEN).filter(|_| is_target) else { return false };
    let word = sentence.at(denial);
    is_denial(word) && !["no", "non", "without"].contains(&word) && !has_no_reason(sentence, denial)
}

/// `Issues found: 1. The key is logged.`, but not `Issues found: none`.
fn lists_issues(sentence: &Sentence) -> bool {
    const NONE: &[&str] = &["none", "no", "nothing", "0", "zero", "not", "n", "na"];
    let is_heading = ["issues found :", "problems found :", "bugs found :"]
        .iter()
        .any(|heading| sentence.is_phrase_at(0, heading));
    is_heading && !NONE.contains(&sentence.at(3))
}
