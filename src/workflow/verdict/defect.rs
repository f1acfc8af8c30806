//! Plain statements that the work is defective: `This is broken`, `The tests fail`, `It does not meet the requirements`.

use super::prose::{Sentence, is_denial};
use super::refusal::CHANGES;

/// What nothing may be.
const DEFECTIVE: &[&str] =
    &["broken", "wrong", "incorrect", "buggy", "flawed", "faulty", "unusable", "unfinished"];

/// What only the work itself may not be.
const LACKING: &[&str] = &["incomplete", "unsafe", "insecure", "untested", "useless", "bad", "vulnerable"];

/// What defects are called.
pub(super) const FLAWS: &[&str] = &[
    "bug",
    "bugs",
    "flaw",
    "flaws",
    "defect",
    "defects",
    "vulnerability",
    "vulnerabilities",
    "regression",
    "regressions",
];

/// Words before which nothing is said of the work as it is: `if the name is wrong`, `the message says which line is wrong`.
const INDIRECT: &[&str] = &[
    "if", "when", "whether", "where", "unless", "that", "which", "who", "what", "once", "until", "would",
    "could", "might", "nothing", "none", "neither", "no", "not", "never", "0", "zero",
];

/// Words of a sentence that speaks of the state before the change.
const ELSEWHERE: &[&str] =
    &["main", "master", "before", "without", "earlier", "previously", "base", "old", "upstream", "formerly"];

/// Whether what stands at a place says that the work is defective.
pub(super) fn finds_defect(sentence: &Sentence, place: usize) -> bool {
    let is_indirect = sentence.words[..place].iter().any(|word| INDIRECT.contains(&word.as_str()));
    if sentence.asks || sentence.has(ELSEWHERE) {
        return false;
    }
    falls_short(sentence, place)
        || (!is_indirect
            && (is_defective(sentence, place)
                || fails_tests(sentence, place)
                || breaks(sentence, place)
                || brings_flaw(sentence, place)))
}

/// `This is broken`, `The code is still incorrect because ...`
fn is_defective(sentence: &Sentence, place: usize) -> bool {
    const ADVERBS: &[&str] =
        &["still", "also", "now", "simply", "plainly", "clearly", "completely", "fundamentally", "badly"];
    let word = sentence.at(place);
    let Some(verb) = sentence.skip_back(place, ADVERBS) else { return false };
    let subject = sentence.before(verb);
    let is_own = CHANGES.contains(&subject) || subject == "it";
    let goes_on = ["because", "since", "for", "and", "in"].contains(&sentence.at(place + 1));
    ["is", "are"].contains(&sentence.at(verb))
        && (DEFECTIVE.contains(&word) || (LACKING.contains(&word) && is_own))
        && (goes_on || sentence.ends_clause(place + 1))
}

/// `Two tests fail`, `The build fails because ...`
fn fails_tests(sentence: &Sentence, place: usize) -> bool {
    let Some(subject) = sentence.skip_back(place, &["still", "now", "are", "is"]) else { return false };
    let goes_on = ["because", "with", "on", "for", "again"].contains(&sentence.at(place + 1));
    ["fail", "fails", "failed", "failing"].contains(&sentence.at(place))
        && ["test", "tests", "build", "ci", "suite", "compilation"].contains(&sentence.at(subject))
        && (goes_on || sentence.ends_clause(place + 1))
        && !sentence.takes_back(subject, place + 1)
}

/// `This breaks the public API`, but not `it breaks the line`.
fn breaks(sentence: &Sentence, place: usize) -> bool {
    const OBJECTS: &[&str] =
        &["the", "every", "all", "existing", "our", "public", "backward", "backwards", "compatibility"];
    const BREAKABLE: &[&str] = &[
        "loop",
        "line",
        "lines",
        "tie",
        "ties",
        "cycle",
        "cycles",
        "text",
        "word",
        "words",
        "list",
        "paragraph",
        "deadlock",
    ];
    let subject = sentence.before(place);
    let behind = (place + 1..place + 5).any(|at| BREAKABLE.contains(&sentence.at(at)));
    sentence.at(place) == "breaks"
        && (CHANGES.contains(&subject) || subject == "it")
        && OBJECTS.contains(&sentence.at(place + 1))
        && !behind
}

/// `This introduces a regression`, but not `it adds a regression test`.
fn brings_flaw(sentence: &Sentence, place: usize) -> bool {
    let article = sentence.skip_back(place, &["new", "serious", "critical", "security", "subtle"]);
    let verb = article
        .filter(|at| ["a", "an", "new"].contains(&sentence.at(*at)))
        .map_or("", |at| sentence.before(at));
    let is_name = ["test", "tests", "fix", "report", "tracker"].contains(&sentence.at(place + 1));
    FLAWS.contains(&sentence.at(place))
        && ["introduces", "adds", "causes", "creates", "has", "contains"].contains(&verb)
        && !is_name
}

/// `It does not meet the requirements`, `The criteria are not met`, `This doesn't work.`
fn falls_short(sentence: &Sentence, place: usize) -> bool {
    const TASKS: &[&str] = &[
        "task",
        "requirement",
        "requirements",
        "criterion",
        "criteria",
        "spec",
        "specification",
        "acceptance",
    ];
    let denial = sentence.before(place);
    let does = match denial {
        "not" => ["do", "does"].contains(&sentence.before(place - 1)),
        _ => ["don't", "doesn't"].contains(&denial),
    };
    let next = sentence.at(place + 1);
    let is_clear = !sentence.words[..place]
        .iter()
        .any(|word| ["if", "when", "whether", "that", "which"].contains(&word.as_str()));
    is_clear
        && match sentence.at(place) {
            "work" | "compile" | "build" | "pass" => {
                does && (sentence.ends_clause(place + 1) || ["because", "yet"].contains(&next))
            }
            "do" => does && (next == "what" || sentence.is_phrase_at(place + 1, "the task")),
            "meet" | "satisfy" | "fulfil" | "fulfill" | "solve" | "implement" => {
                let named = (place + 2..place + 5).any(|at| TASKS.contains(&sentence.at(at)));
                does && ["the", "all", "its", "any", "what"].contains(&next) && (next == "what" || named)
            }
            "met" | "satisfied" | "fulfilled" => {
                let denied =
                    sentence.skip_back(place, &["yet", "fully", "all"]).map_or("", |at| sentence.at(at));
                is_denial(denied) && denied != "no" && sentence.has(TASKS)
            }
            _ => false,
        }
}
