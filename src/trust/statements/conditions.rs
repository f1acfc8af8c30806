//! Changes the signs and conditions of a statement.

use std::ops::Range;

use super::super::language::Language;
use super::super::scan::{closing, words};
use super::lines::word_at;
use super::place::{Place, SourceEdit, depth_zero};

/// A sign, and the one that replaces it.
pub(super) struct Swap {
    sign: &'static str,
    other: &'static str,
}

const fn swap(sign: &'static str, other: &'static str) -> Swap {
    Swap { sign, other }
}

const EQUALITIES: [Swap; 4] = [swap("===", "!=="), swap("!==", "==="), swap("==", "!="), swap("!=", "==")];
pub(super) const BOUNDS: [Swap; 4] =
    [swap(" < ", " <= "), swap(" <= ", " < "), swap(" > ", " >= "), swap(" >= ", " > ")];
pub(super) const SIGNS: [Swap; 4] =
    [swap(" + ", " - "), swap(" - ", " + "), swap(" += ", " -= "), swap(" -= ", " += ")];

/// The first of these signs replaced by its counterpart.
pub(super) fn swapped(place: &Place<'_>, signs: &[Swap]) -> Option<SourceEdit> {
    if place.lines.language == Some(Language::Shell) {
        return None;
    }
    let code = place.code();
    let found = signs.iter().filter_map(|Swap { sign, other }| {
        memchr::memmem::find(code, sign.as_bytes()).map(|at| (at, sign, other))
    });
    // Of `==` and `===` at one place, the longer one is meant.
    let (at, sign, other) = found.min_by_key(|(at, sign, _)| (*at, std::cmp::Reverse(sign.len())))?;
    let start = place.range.start + at;
    Some(SourceEdit::new(start..start + sign.len(), *other))
}

/// The condition of a branch or loop negated, or else an equality.
pub(super) fn negated(place: &Place<'_>) -> Option<SourceEdit> {
    let code = place.code();
    let lead = code.iter().take_while(|byte| matches!(byte, b'}' | b' ')).count();
    let lead = if code[lead..].starts_with(b"else if") { lead + 5 } else { lead };
    let word = word_at(&code[lead..]);
    let begin = place.range.start + lead + word.len();
    let condition = match word {
        b"if" | b"elif" | b"elsif" | b"while" => condition(place, begin),
        _ => return swapped(place, &EQUALITIES),
    };
    let Some(range) = condition.filter(|range| !range.is_empty()) else { return swapped(place, &EQUALITIES) };
    let old = &place.lines.source[range.clone()];
    // A loop must not run for ever, so its condition becomes false.
    let (open, close): (&[u8], &[u8]) = match (place.lines.language, word == b"while") {
        (Some(Language::Python), true) => (b"False and (", b")"),
        (Some(Language::Python), false) => (b"not (", b")"),
        (Some(Language::Shell), _) => (b"! ", b""),
        (_, true) => (b"false && (", b")"),
        (_, false) => (b"!(", b")"),
    };
    Some(SourceEdit::new(range, [open, old, close].concat()))
}

/// Where the condition is that follows the word before `begin`.
fn condition(place: &Place<'_>, begin: usize) -> Option<Range<usize>> {
    let code = &place.lines.code;
    let end = place.range.end;
    let trimmed = |range: Range<usize>| {
        let text = &code[range.clone()];
        let start = range.start + (text.len() - text.trim_ascii_start().len());
        start..start + text.trim_ascii().len()
    };
    let head = &code[begin..end];
    match place.lines.language? {
        Language::Python => {
            let colon = depth_zero(head, |at| head[at] == b':')?;
            Some(trimmed(begin..begin + colon))
        }
        Language::Go | Language::Rust | Language::Swift => {
            let brace =
                if place.code().ends_with(b"{") { head.len() - 1 } else { memchr::memchr(b'{', head)? };
            let head = &head[..brace];
            if words(head, "let").next().is_some() || words(head, "var").next().is_some() {
                return None;
            }
            let from = memchr::memrchr(b';', head).map_or(0, |at| at + 1);
            Some(trimmed(begin + from..begin + brace))
        }
        Language::Ruby => {
            let line = memchr::memmem::find(head, b" then").unwrap_or(head.len());
            Some(trimmed(begin..begin + line))
        }
        Language::Shell => {
            let semicolon = memchr::memchr(b';', head)?;
            Some(trimmed(begin..begin + semicolon))
        }
        Language::Elixir => None,
        _ => {
            let open = begin + head.iter().position(|byte| !byte.is_ascii_whitespace())?;
            (code[open] == b'(').then_some(())?;
            closing(code, open).map(|end| open + 1..end)
        }
    }
}
