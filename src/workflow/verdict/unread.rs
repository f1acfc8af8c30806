//! Recognises statements that the review did not take place: `I was unable to read the diff`.

use super::prose::{Sentence, is_denial};

/// Verbs for what a reviewer does with a change, in the forms after `could not` and `have not`.
const READS: &[&str] = &[
    "review",
    "reviewed",
    "read",
    "see",
    "seen",
    "access",
    "accessed",
    "open",
    "opened",
    "load",
    "loaded",
    "view",
    "viewed",
    "inspect",
    "inspected",
    "examine",
    "examined",
    "evaluate",
    "evaluated",
    "assess",
    "assessed",
    "judge",
    "judged",
    "retrieve",
    "fetch",
    "given",
    "look",
    "looked",
    "complete",
    "finish",
    "perform",
    "conduct",
];

/// Words for what is reviewed.
const REVIEWED: &[&str] = &[
    "diff",
    "change",
    "changes",
    "code",
    "file",
    "files",
    "patch",
    "commit",
    "implementation",
    "repository",
    "work",
    "task",
    "this",
    "it",
    "them",
    "anything",
    "review",
];

/// Words that may come between a person and what that person could not do.
const BETWEEN: &[&str] = &[
    "was",
    "were",
    "am",
    "have",
    "had",
    "has",
    "do",
    "did",
    "could",
    "can",
    "still",
    "unfortunately",
    "been",
    "be",
    "able",
    "to",
];

/// Whether the words at a place say that the change was not reviewed.
pub(super) fn is_unread(sentence: &Sentence, place: usize) -> bool {
    could_not_read(sentence, place)
        || has_no_access(sentence, place)
        || was_not_reviewed(sentence, place)
        || had_nothing_to_read(sentence, place)
}

/// `The diff was empty`, `Permission denied reading a.txt; reviewing from memory.`
fn had_nothing_to_read(sentence: &Sentence, place: usize) -> bool {
    const PHRASES: &[&str] = &[
        "nothing to review",
        "no diff was",
        "no changes were shown",
        "diff was empty so",
        "diff is empty so",
        "permission denied reading",
        "reviewing from memory",
        "reviewed from memory",
        "unable to run git",
        "context length exceeded",
        "assuming it works",
        "assume it works",
        "assuming that it works",
    ];
    PHRASES.iter().any(|phrase| sentence.is_phrase_at(place, phrase))
}

/// `I could not read the diff`, `Unable to review.`
fn could_not_read(sentence: &Sentence, place: usize) -> bool {
    let verb = sentence.at(place);
    if !READS.contains(&verb) {
        return false;
    }
    let Some(denial) = sentence.skip_back(place, BETWEEN) else { return false };
    let word = sentence.at(denial);
    let denies = ["unable", "failed"].contains(&word)
        || (is_denial(word) && !["no", "without", "non"].contains(&word));
    let person = sentence.skip_back(denial, BETWEEN).map_or("", |at| sentence.at(at));
    let is_own = ["i", "i'm", "i've", "we", "we've", "", ":", ",", "but", "and", "as"].contains(&person);
    let articles = ["the", "at", "a", "any", "of", "your", "into"];
    let object = (place + 1..place + 4).find(|at| !articles.contains(&sentence.at(*at))).unwrap_or(place + 1);
    let is_object = REVIEWED.contains(&sentence.at(object)) && is_whole(sentence, object);
    denies && is_own && (is_object || (sentence.ends_clause(place + 1) && verb.starts_with("review")))
}

/// `I have no access to the diff.`
fn has_no_access(sentence: &Sentence, place: usize) -> bool {
    if !sentence.is_phrase_at(place, "access to") {
        return false;
    }
    let denial = sentence.skip_back(place, &["have", "any"]);
    let is_denied = denial.is_some_and(|at| is_denial(sentence.at(at)));
    let is_own = sentence.has(&["i", "we"]) || denial == Some(0);
    let object = if sentence.at(place + 2) == "the" { place + 3 } else { place + 2 };
    is_denied && is_own && REVIEWED.contains(&sentence.at(object)) && is_whole(sentence, object)
}

/// Whether nothing after the object restricts it, as in `I did not read the files of the vendor`.
fn is_whole(sentence: &Sentence, object: usize) -> bool {
    let next = sentence.at(object + 1);
    sentence.ends_clause(object + 1)
        || REVIEWED.contains(&next)
        || ["because", "since", "as", "yet", "at", "in", "and", "so", "myself"].contains(&next)
}

/// `The change could not be reviewed`, `No review was done`, `Review aborted`.
fn was_not_reviewed(sentence: &Sentence, place: usize) -> bool {
    let is_denied = || {
        let denial = sentence.skip_back(place, &["be", "been", "was", "were", "is"]);
        denial.is_some_and(|at| is_denial(sentence.at(at)))
    };
    match sentence.at(place) {
        "reviewed" => {
            (sentence.before(place) == "be" && is_denied())
                || sentence.is_phrase_at(place.saturating_sub(2), "nothing was")
        }
        "read" | "opened" | "loaded" => {
            let is_diff = sentence.at(0) == "the" && ["diff", "changes", "patch"].contains(&sentence.at(1));
            is_diff && is_denied()
        }
        "done" | "completed" | "performed" | "possible" | "finished" | "conducted" => {
            sentence.has(&["review"]) && (is_denied() || sentence.is_phrase_at(0, "no review was"))
        }
        "aborted" | "skipped" | "impossible" | "cancelled" => {
            let subject = sentence.skip_back(place, &["was", "is", "has", "been", ":"]);
            subject.is_some_and(|at| sentence.at(at) == "review")
        }
        _ => false,
    }
}
