//! Reads sentences about the order of phases and stories, as spec-kit writes them.

use super::imported::Needed;
use super::needs::{before_remark, ids_in, plain_line};

pattern!(SEVERAL, r"(?i)\bphases\s+(\d+(?:(?:\s*(?:,|&|\+|and|or))+\s*\d+)+)");
pattern!(STARTS_AFTER, r"(?i)\b(?:depends? (?:only )?on|requires?|needs?|waits? for|blocked by|after)\b");
pattern!(DENIES, r"(?i)\b(?:not|never|no|none|nothing|neither|without|cannot)\b|n't\b");
pattern!(
    BESIDE,
    r"(?i)\b(?:parallel|beside|alongside|concurrent\w*|simultaneous\w*|same time|independent of|not (?:depend|require|need|wait))"
);

/// What a sentence states about phases and stories: `nodes` come after `on`, and those in `beside` need not wait for each other.
#[derive(Default)]
pub(super) struct Sentence {
    pub(super) nodes: Vec<Needed>,
    pub(super) on: Vec<Needed>,
    pub(super) beside: Vec<Needed>,
}

/// Reads a sentence such as "Polish (Phase 3) depends on Phase 1, but can run beside Phase 2".
pub(super) fn sentence(line: &str) -> Sentence {
    let plain = plain_line(line);
    let each = |found: &regex_lite::Captures<'_>| {
        let numbers = found[1].split(|c: char| !c.is_ascii_digit()).filter(|number| !number.is_empty());
        numbers.map(|number| format!("Phase {number} ")).collect::<String>()
    };
    let plain = SEVERAL.replace_all(&plain, each);
    let word = STARTS_AFTER.find(&plain).filter(|word| !DENIES.is_match(&plain[..word.start()]));
    let (left, right) = word.map_or((&*plain, ""), |word| (&plain[..word.start()], &plain[word.end()..]));
    let [right, remark] = before_remark(right);
    let (nodes, on) = (ids_in(left), ids_in(right));
    let beside = if BESIDE.is_match(&plain) { [nodes.clone(), ids_in(remark)].concat() } else { Vec::new() };
    Sentence { nodes, on, beside }
}
