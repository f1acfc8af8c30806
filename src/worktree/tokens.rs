//! Finds tokens of a well-known form in the content of a file, that is, passwords that a service issues, and private
//! keys.
//!
//! Services give their tokens a prefix so that they can be found. A rule says what follows the prefix. A text that is
//! less varied than random text, or that contains a word such as `example`, is not a token.

mod private_key;
mod rules;
mod token;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use crate::process::MASK;
use rules::{RULES, TokenForm};
pub(super) use token::Token;
use token::bits_a_character;

/// How much of a file is searched, in bytes from its beginning.
pub(crate) const SEARCHED: u64 = 5 << 20;

/// Words that show that something only looks like a token, in lower case.
const PLACEHOLDERS: &[&str] = &[
    "example",
    "placeholder",
    "redacted",
    "xxxx",
    "your",
    "dummy",
    "sample",
    "changeme",
    "insert",
    "replace",
    "123456",
    "abcdef",
];

fn prefixes() -> impl Iterator<Item = (&'static str, &'static TokenForm)> {
    RULES.iter().flat_map(|rule| rule.prefixes.iter().map(move |prefix| (*prefix, rule)))
}

/// Finds the places where a prefix begins. Every command makes it, most of them for a page of text: the kind that searches fastest
/// takes longer to make than it saves.
static PLACES: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let mut searcher = AhoCorasick::builder();
    searcher.kind(Some(AhoCorasickKind::ContiguousNFA)).match_kind(MatchKind::LeftmostFirst);
    let searcher = searcher.build(prefixes().map(|(prefix, _)| prefix));
    searcher.expect("a few short prefixes are far less than a searcher can hold")
});

/// The tokens in a text, in order.
pub(super) fn tokens(content: &[u8]) -> Vec<Token<'_>> {
    let mut found: Vec<Token<'_>> = private_key::private_keys(content).collect();
    let mut at = 0;
    while let Some(first) = PLACES.find(&content[at..]) {
        at += first.start();
        for (prefix, rule) in prefixes().filter(|(prefix, _)| content[at..].starts_with(prefix.as_bytes())) {
            found.extend(follows(rule, content, at..at + prefix.len()));
        }
        at += 1;
    }
    found.sort_by_key(|token| token.whole.start);
    found
}

/// The text with every token masked.
pub(crate) fn without_tokens(content: &[u8]) -> Cow<'_, [u8]> {
    let tokens = tokens(content);
    if tokens.is_empty() {
        return content.into();
    }
    let mut masked = Vec::with_capacity(content.len());
    let mut done = 0;
    for Token { whole, .. } in tokens {
        if whole.start >= done {
            masked.extend_from_slice(&content[done..whole.start]);
            masked.extend_from_slice(MASK.as_bytes());
        }
        done = done.max(whole.end);
    }
    masked.extend_from_slice(&content[done..]);
    masked.into()
}

/// The token that begins with the prefix at this place, if there is one.
fn follows<'t>(rule: &TokenForm, content: &'t [u8], prefix: Range<usize>) -> Option<Token<'t>> {
    if prefix.start > 0 && is_part_of_a_word(content[prefix.start - 1]) {
        return None;
    }
    let rest = &content[prefix.end..];
    let most = rule.length.end() + 1;
    let length = rest.iter().take(most).take_while(|byte| rule.alphabet.holds(**byte)).count();
    let end = prefix.end + length;
    if !rule.length.contains(&length) {
        return None;
    }
    if content.get(end).is_some_and(|byte| is_part_of_a_word(*byte)) {
        return None;
    }
    let body = std::str::from_utf8(&content[prefix.end..end]).ok()?;
    let is_token = bits_a_character(body) >= rule.least_bits && (rule.also)(body) && !is_placeholder(body);
    is_token.then_some(Token {
        kind: rule.kind.into(),
        whole: prefix.start..end,
        text: &content[prefix.start..end],
    })
}

fn is_part_of_a_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn is_placeholder(body: &str) -> bool {
    let body = body.to_ascii_lowercase();
    PLACEHOLDERS.iter().any(|word| body.contains(word))
}

#[cfg(test)]
mod tests;
