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

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use memchr::{memchr, memrchr};

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

/// All prefixes, each with the rule to which it belongs.
struct Prefixes {
    searcher: AhoCorasick,
    rules: Vec<&'static TokenForm>,
}

static PREFIXES: LazyLock<Prefixes> = LazyLock::new(|| {
    let pairs = || RULES.iter().flat_map(|rule| rule.prefixes.iter().map(move |prefix| (*prefix, rule)));
    // Every command makes it, most of them for a page of text: the other kinds take longer to make than to search with.
    let mut searcher = AhoCorasick::builder();
    let searcher =
        searcher.kind(Some(AhoCorasickKind::ContiguousNFA)).build(pairs().map(|(prefix, _)| prefix));
    Prefixes {
        searcher: searcher.expect("a few short prefixes are far less than a searcher can hold"),
        rules: pairs().map(|(_, rule)| rule).collect(),
    }
});

/// The tokens in a text, in order.
pub(super) fn tokens(content: &[u8]) -> Vec<Token<'_>> {
    let prefixes = &*PREFIXES;
    let mut found: Vec<Token<'_>> = private_key::private_keys(content).collect();
    // Prefixes overlap, and to find all of them is slow. Few lines have one at all, which is found out much faster.
    let mut at = 0;
    while let Some(first) = prefixes.searcher.find(&content[at..]) {
        let begin = memrchr(b'\n', &content[..at + first.start()]).map_or(0, |end| end + 1);
        at += first.end();
        at += memchr(b'\n', &content[at..]).unwrap_or(content.len() - at);
        for prefix in prefixes.searcher.find_overlapping_iter(&content[begin..at]) {
            let place = begin + prefix.start()..begin + prefix.end();
            found.extend(follows(prefixes.rules[prefix.pattern().as_usize()], content, place));
        }
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
