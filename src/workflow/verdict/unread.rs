//! Statements that the review did not take place: `I was unable to read the diff`.

use super::prose::{Sentence, is_denial};

/// What a reviewer does with a change, in the forms behind `could not` and `have not`.
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
];

/// What there is to review.
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
];

/// What may stand between a person and what that person could not do.
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

/// Whether what stands at a place says that the change was not reviewed.
pub(super) fn is_unread(sentence: &Sentence, place: usize) -> bool {
    could_not_read(sentence, place) || was_not_reviewed(sentence, place)
}

/// `I could not read the diff`, `Unable to review.`
fn could_not_read(sentence: &Sentence, place: usize) -> bool {
    let verb = sentence.at(place);
    let Some(denial) = sentence.skip_back(place, BETWEEN) else { return false };
    let word = sentence.at(denial);
    let denies = ["unable", "failed"].contains(&word)
        || (is_denial(word) && !["no", "without", "non"].contains(&word));
    let person = sentence.skip_back(denial, BETWEEN).map_or("", |at| sentence.at(at));
    let is_own = ["i", "i'm", "i've", "we", "we've", "", ":", ",", "but", "and", "as"].contains(&person);
    let articles = ["the", "at", "a", "any", "of", "your", "into"];
    let object = (place + 1..place + 4).find(|at| !articles.contains(&sentence.at(*at))).unwrap_or(place + 1);
    let is_object = REVIEWED.contains(&sentence.at(object)) && is_whole(sentence, object);
    READS.contains(&verb)
        && denies
        && is_own
        && (is_object || (sentence.ends_clause(place + 1) && verb.starts_with("review")))
}

/// Whether nothing behind an object narrows it: `I did not read the files of the vendor`.
fn is_whole(sentence: &Sentence, object: usize) -> bool {
    let next = sentence.at(object + 1);
    sentence.ends_clause(object + 1)
        || REVIEWED.contains(&next)
        || ["because", "since", "as", "yet", "at", "in", "and", "so", "myself"].contains(&next)
}

/// `The change could not be reviewed`, `No review was done`, `Review aborted`.
fn was_not_reviewed(sentence: &Sentence, place: usize) -> bool {
    let is_denied = sentence
        .skip_back(place, &["be", "been", "was", "were", "is"])
        .is_some_and(|at| is_denial(sentence.at(at)));
    match sentence.at(place) {
        "reviewed" => is_denied && sentence.before(place) == "be",
        "done" | "completed" | "performed" | "possible" | "finished" | "conducted" => {
            sentence.has(&["review"]) && (is_denied || sentence.is_phrase_at(0, "no review was"))
        }
        "aborted" | "skipped" | "impossible" | "cancelled" => {
            let subject = sentence.skip_back(place, &["was", "is", "has", "been", ":"]);
            subject.is_some_and(|at| sentence.at(at) == "review")
        }
        _ => false,
    }
}
