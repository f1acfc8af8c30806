//! Recognises statements that the work falls short of the task: `It does not meet the requirements`, `This is not
//! correct`.

use super::prose::{Sentence, is_denial};
use super::refusal::CHANGES;

/// Words for the standard of the work.
const TASKS: &[&str] = &[
    "task",
    "requirement",
    "requirements",
    "criterion",
    "criteria",
    "spec",
    "specification",
    "acceptance",
    "problem",
    "bug",
];

/// Properties that the work must have.
const MUSTS: &[&str] = &[
    "correct",
    "right",
    "done",
    "complete",
    "finished",
    "sufficient",
    "enough",
    "safe",
    "sound",
    "valid",
    "implemented",
];

/// Whether the words at a place say that the work falls short.
pub(super) fn falls_short(sentence: &Sentence, place: usize) -> bool {
    const INDIRECT: &[&str] = &["if", "when", "whether", "that", "which", "until", "unless", "what"];
    let is_indirect = || sentence.words[..place].iter().any(|word| INDIRECT.contains(&word.as_str()));
    is_shortfall(sentence, place) && !sentence.asks && !is_indirect()
}

fn is_shortfall(sentence: &Sentence, place: usize) -> bool {
    let next = sentence.at(place + 1);
    match sentence.at(place) {
        "work" | "compile" | "build" | "pass" => {
            does_not(sentence, place)
                && (sentence.ends_clause(place + 1) || ["because", "yet"].contains(&next))
        }
        "do" => does_not(sentence, place) && (next == "what" || sentence.is_phrase_at(place + 1, "the task")),
        "meet" | "satisfy" | "fulfil" | "fulfill" | "solve" | "implement" => {
            does_not(sentence, place) && names_task(sentence, place)
        }
        "fails" => names_task(sentence, place),
        "met" | "satisfied" | "fulfilled" => {
            let denied = sentence.skip_back(place, &["yet", "fully", "all"]).map_or("", |at| sentence.at(at));
            is_denial(denied) && denied != "no" && sentence.has(TASKS)
        }
        "what" => {
            is_not(sentence, place)
                && (sentence.is_phrase_at(place + 1, "the task") || sentence.has(&["asked"]))
        }
        word => {
            let goes_on = ["because", "since", "yet", "and"].contains(&next);
            MUSTS.contains(&word) && is_not(sentence, place) && (goes_on || sentence.ends_clause(place + 1))
        }
    }
}

/// Whether the verb at a place is negated for the work: `does not`, `won't`, `fails to`.
fn does_not(sentence: &Sentence, place: usize) -> bool {
    let (denial, verb) = (sentence.before(place), sentence.before(place.saturating_sub(1)));
    match denial {
        "not" => ["do", "does", "will"].contains(&verb),
        "to" => ["fails", "fail"].contains(&verb),
        _ => ["don't", "doesn't", "won't"].contains(&denial),
    }
}

/// Whether the property at a place is denied to the work: `This is not`, `The task isn't yet`.
fn is_not(sentence: &Sentence, place: usize) -> bool {
    let Some(denial) = sentence.skip_back(place, &["yet", "still", "quite", "fully", "at", "all"]) else {
        return false;
    };
    let subject = match sentence.at(denial) {
        "not" => sentence.skip_back(denial, &["is", "are", "still"]).filter(|at| at + 1 < denial),
        "isn't" | "aren't" => sentence.skip_back(denial, &["still"]),
        _ => None,
    };
    subject.is_some_and(|at| CHANGES.contains(&sentence.at(at)) || sentence.at(at) == "it")
}

/// Whether the object of the verb at a place is the task: `meet all requirements`.
fn names_task(sentence: &Sentence, place: usize) -> bool {
    let next = sentence.at(place + 1);
    let is_named = (place + 2..place + 5).any(|at| TASKS.contains(&sentence.at(at)));
    next == "what" || (["the", "all", "its", "any"].contains(&next) && is_named)
}
