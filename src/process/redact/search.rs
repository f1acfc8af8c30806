//! Finds the secrets of the environment in files and messages to be committed, with the variables that hold them.

use std::cmp::Reverse;
use std::ops::Range;

use aho_corasick::AhoCorasick;

/// A secret of the environment in a text.
#[derive(Clone, PartialEq, Eq)]
pub struct FoundSecret<'s> {
    /// The variable that holds it.
    pub variable: &'s str,
    /// Its place in the text.
    pub place: Range<usize>,
}

/// A secret that can be searched for.
pub(super) struct Pattern {
    pub(super) variable: String,
    pub(super) text: String,
    pub(super) within: Within,
}

/// The context in which a text counts as the secret.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Within {
    /// Any context, because the text cannot occur by chance.
    Anything,
    /// Only where no letters or digits surround it, because it could be part of an ordinary word.
    NoWord,
}

/// All secrets of an environment, compiled so that they are searched for at once.
pub(super) struct Search {
    searcher: AhoCorasick,
    patterns: Vec<Pattern>,
}

impl Search {
    /// `None` if there are no secrets.
    pub(super) fn new(patterns: Vec<Pattern>) -> Option<Self> {
        if patterns.is_empty() {
            return None;
        }
        let searcher = AhoCorasick::new(patterns.iter().map(|pattern| &pattern.text))
            .expect("an environment is far smaller than what an automaton can hold");
        Some(Self { searcher, patterns })
    }

    /// The secrets in a text, in order. If secrets overlap, only the first and longest is named.
    pub(super) fn find(&self, text: &[u8]) -> Vec<FoundSecret<'_>> {
        let mut found: Vec<FoundSecret<'_>> = self
            .searcher
            .find_overlapping_iter(text)
            .filter_map(|found| {
                let Pattern { variable, within, .. } = &self.patterns[found.pattern().as_usize()];
                let place = found.range();
                let counts = *within == Within::Anything || stands_alone(text, &place);
                counts.then_some(FoundSecret { variable, place })
            })
            .collect();
        found.sort_by_key(|found| (found.place.start, Reverse(found.place.end)));
        let mut end = 0;
        found.retain(|found| {
            let is_first = found.place.start >= end;
            end = end.max(found.place.end);
            is_first
        });
        found
    }
}

fn stands_alone(text: &[u8], place: &Range<usize>) -> bool {
    let in_word = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    let before = place.start.checked_sub(1).and_then(|before| text.get(before));
    !in_word(before) && !in_word(text.get(place.end))
}

impl std::fmt::Debug for FoundSecret<'_> {
    /// Never shows the secret itself.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FoundSecret").field("variable", &self.variable).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(patterns: &[(&str, &str, Within)], text: &str) -> Vec<String> {
        let pattern = |&(variable, text, within): &(&str, &str, Within)| Pattern {
            variable: variable.to_owned(),
            text: text.to_owned(),
            within,
        };
        let search = Search::new(patterns.iter().map(pattern).collect()).unwrap();
        let named = |found: FoundSecret<'_>| format!("{}={}", found.variable, &text[found.place]);
        search.find(text.as_bytes()).into_iter().map(named).collect()
    }

    #[test]
    fn if_secrets_overlap_only_the_longest_is_named() {
        let patterns =
            [("URL", "https://s3cr3tpwQ99@h", Within::Anything), ("TOKEN", "s3cr3tpwQ99", Within::Anything)];
        assert_eq!(
            found(&patterns, "s3cr3tpwQ99 https://s3cr3tpwQ99@h"),
            ["TOKEN=s3cr3tpwQ99", "URL=https://s3cr3tpwQ99@h"]
        );
        assert_eq!(found(&patterns, "as3cr3tpwQ99b"), ["TOKEN=s3cr3tpwQ99"]);
    }

    #[test]
    fn a_secret_that_could_be_part_of_a_word_counts_only_on_its_own() {
        let patterns =
            [("PASSWORD", "development-db", Within::NoWord), ("KEY", "ment-dbQ7x", Within::Anything)];
        assert_eq!(found(&patterns, "(development-db) development-dbs"), ["PASSWORD=development-db"]);
        assert_eq!(
            found(&patterns, "development-dbQ7x"),
            ["KEY=ment-dbQ7x"],
            "what does not count hides nothing"
        );
        assert_eq!(found(&patterns, "redevelopment-db"), [""; 0]);
    }
}
