//! Replaces a literal with another one.

use std::ops::Range;

use super::super::scan::{TEXT, closing, is_word};

/// The last literal of the last side that looks like an expected value, and another one. A side that begins with a literal
/// is preferred to one that makes a value, as `Some(3)`; calls and elements are not expected values.
pub(super) fn last_literal(
    text: &str,
    code: &[u8],
    sides: &[Range<usize>],
) -> Option<(Range<usize>, String)> {
    let trimmed = |side: &Range<usize>| code[side.clone()].trim_ascii_start();
    let is_plain = |side: &&Range<usize>| {
        let side = trimmed(side);
        let first = side.first().copied().unwrap_or_default();
        // What is done with a list or a group makes another value of it.
        let is_whole = || closing(side, 0).is_some_and(|end| side[end + 1..].trim_ascii().is_empty());
        first.is_ascii_digit()
            || matches!(first, TEXT | b'-')
            || matches!(first, b'[' | b'{' | b'(') && is_whole()
            || truth(side).is_some()
    };
    let is_made = |side: &&Range<usize>| {
        let side = trimmed(side);
        let starts: [&[u8]; 6] = [b"vec!", b"new ", b"[]", b"&", b"b\"", b"array("];
        side.first().is_some_and(u8::is_ascii_uppercase) || starts.iter().any(|start| side.starts_with(start))
    };
    let preferred = sides.iter().rev().filter(is_plain).chain(sides.iter().rev().filter(is_made));
    preferred.into_iter().find_map(|side| last_in(text, code, side.clone()))
}

fn last_in(text: &str, code: &[u8], side: Range<usize>) -> Option<(Range<usize>, String)> {
    let mut found = None;
    let mut at = side.start;
    while at < side.end {
        let rest = &code[at..side.end];
        let is_inner = at > 0 && (is_word(code[at - 1]) || code[at - 1] == b'.');
        let length = match rest[0] {
            TEXT => rest.iter().take_while(|byte| **byte == TEXT).count(),
            byte if is_word(byte) => rest.iter().take_while(|byte| is_word(**byte) || **byte == b'.').count(),
            _ => 1,
        };
        let range = at..at + length;
        let new = match rest[0] {
            TEXT => other_text(&text[range.clone()], &code[..at]),
            b'0'..=b'9' if !is_inner => other_number(&text[range.clone()]),
            _ if !is_inner => {
                truth(rest).filter(|(word, _)| word.len() == length).map(|(_, other)| other.to_owned())
            }
            _ => None,
        };
        if let Some(new) = new {
            found = Some((range, new));
        }
        at += length;
    }
    found
}

/// A truth value at the beginning, and its opposite.
fn truth(code: &[u8]) -> Option<(&'static str, &'static str)> {
    let pairs = [("true", "false"), ("false", "true"), ("True", "False"), ("False", "True")];
    pairs.into_iter().find(|(word, _)| {
        code.starts_with(word.as_bytes()) && !code.get(word.len()).is_some_and(|byte| is_word(*byte))
    })
}

/// The next number of the same type. None if this is not how numbers are written.
fn other_number(text: &str) -> Option<String> {
    let is_radix = text.len() > 2 && text.starts_with('0') && text.as_bytes()[1].is_ascii_alphabetic();
    if is_radix {
        let last = text.chars().next_back().filter(char::is_ascii_hexdigit)?;
        return Some(format!("{}{}", &text[..text.len() - 1], if last == '0' { '1' } else { '0' }));
    }
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let number: u64 = text[..digits].parse().ok()?;
    // The greatest values of integers have no next one.
    let is_greatest = number >= 127 && (number == u64::MAX || (number + 1).is_power_of_two());
    let other = if is_greatest { number - 1 } else { number + 1 };
    Some(format!("{other}{}", &text[digits..]))
}

/// A text with a letter more, or another character. None for a pattern, and for a text with code in it.
fn other_text(text: &str, before: &[u8]) -> Option<String> {
    let prefix =
        before.iter().rev().take_while(|byte| byte.is_ascii_alphabetic()).map(u8::to_ascii_lowercase);
    let prefix: Vec<u8> = prefix.collect();
    if prefix.len() < 3 && prefix.contains(&b'f') || text.contains("${") || text.contains("#{") {
        return None;
    }
    // The text of Rust begins with its prefix.
    let open = text.find(['"', '\'', '`'])?;
    if !text[..open].chars().all(|sign| matches!(sign, 'r' | '#')) {
        return None;
    }
    let quote = &text[open..=open];
    let triple = quote.repeat(3);
    let width = if text.len() >= 6 && text[open..].starts_with(&triple) { 3 } else { 1 };
    let (head, inside) = text.split_at(open + width);
    Some(format!("{head}x{inside}"))
}
