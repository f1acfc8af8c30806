//! Recognises plain statements that the work is defective: `This is broken`, `The tests fail`, `There is a bug in line
//! 5`.

use super::prose::Sentence;
use super::refusal::CHANGES;

/// Adjectives that mean a defect of anything.
const DEFECTIVE: &[&str] =
    &["broken", "wrong", "incorrect", "buggy", "flawed", "faulty", "unusable", "unfinished", "missing"];

/// Adjectives that mean a defect only of the work itself.
const LACKING: &[&str] = &["incomplete", "unsafe", "insecure", "untested", "useless", "bad", "vulnerable"];

/// Nouns for defects.
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

/// Words after which a sentence does not describe the work itself: `if the name is wrong`, `the message says which line
/// is wrong`.
const INDIRECT: &[&str] = &[
    "if", "when", "whether", "where", "unless", "that", "which", "who", "what", "once", "until", "would",
    "could", "might", "nothing", "none", "neither", "no", "not", "never", "0", "zero",
];

/// Words of sentences about the state before the change.
const ELSEWHERE: &[&str] = &[
    "main",
    "master",
    "before",
    "without",
    "earlier",
    "previously",
    "base",
    "old",
    "upstream",
    "formerly",
    "parent",
    "previous",
];

/// Whether the words at a place say that the work is defective.
pub(super) fn finds_defect(sentence: &Sentence, place: usize) -> bool {
    let is_defect = is_defective(sentence, place)
        || fails_tests(sentence, place)
        || breaks(sentence, place)
        || brings_flaw(sentence, place);
    let is_indirect = || sentence.words[..place].iter().any(|word| INDIRECT.contains(&word.as_str()));
    is_defect && !sentence.asks && !sentence.has(ELSEWHERE) && !is_indirect()
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
    // The reviewer tried this out.
    const EXPERIMENTS: &[&str] =
        &["reverted", "removed", "broke", "deleted", "disabled", "mutated", "stashed"];
    if !["fail", "fails", "failed", "failing"].contains(&sentence.at(place)) {
        return false;
    }
    let Some(subject) = sentence.skip_back(place, &["still", "now", "are", "is"]) else { return false };
    let goes_on = ["because", "with", "on", "for", "again"].contains(&sentence.at(place + 1));
    ["test", "tests", "build", "ci", "suite", "compilation"].contains(&sentence.at(subject))
        && (goes_on || sentence.ends_clause(place + 1))
        && !sentence.has(EXPERIMENTS)
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

/// `This introduces a regression`, `There is a bug in line 5`, but not `it adds a regression test`.
fn brings_flaw(sentence: &Sentence, place: usize) -> bool {
    const ADJECTIVES: &[&str] =
        &["serious", "critical", "security", "subtle", "memory", "data", "sql", "new"];
    const NAMES: &[&str] = &["test", "tests", "fix", "report", "reports", "tracker", "check", "detector"];
    let word = sentence.at(place);
    let is_flaw = FLAWS.contains(&word) || ["race", "leak", "deadlock", "injection"].contains(&word);
    let Some(article) = sentence.skip_back(place, ADJECTIVES) else { return false };
    let verb = sentence.before(article);
    let is_there = ["is", "there's"].contains(&verb) && sentence.at(0).starts_with("there");
    is_flaw
        && ["a", "an", "another", "one"].contains(&sentence.at(article))
        && (is_there || ["introduces", "causes", "creates", "has", "contains"].contains(&verb))
        && !NAMES.contains(&sentence.at(place + 1))
}
