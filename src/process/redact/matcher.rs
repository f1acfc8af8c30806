//! Finds the secrets of an environment: in a whole text with the variables that hold them, and in a text that arrives byte
//! by byte, where one must know how many of the last bytes may begin a secret.

use std::cmp::Reverse;
use std::ops::Range;

use aho_corasick::automaton::{Automaton, StateID};
use aho_corasick::nfa::contiguous::NFA;
use aho_corasick::{Anchored, MatchKind};

/// A secret of the environment in a text.
#[derive(Clone, PartialEq, Eq)]
pub struct FoundSecret<'s> {
    /// The variable that holds it.
    pub variable: &'s str,
    /// Its place in the text.
    pub place: Range<usize>,
}

impl std::fmt::Debug for FoundSecret<'_> {
    /// Never shows the secret itself.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FoundSecret").field("variable", &self.variable).finish_non_exhaustive()
    }
}

/// A secret to search for.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Secret {
    pub(super) text: String,
    /// The variable that holds it.
    pub(super) variable: String,
    pub(super) found: SecretMatch,
}

/// Where [`Matcher::find`] reports a secret. In output it is masked everywhere.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SecretMatch {
    /// In any context, because the text cannot occur by chance.
    Anywhere,
    /// Only where no letters or digits surround it, because it could be part of an ordinary word.
    NotInWords,
    /// Nowhere: it is a line that other values have too.
    Never,
}

/// The secrets, compiled so that all are searched for at once.
pub(super) struct Matcher {
    automaton: NFA,
    start: StateID,
    /// Sorted by their texts.
    secrets: Vec<Secret>,
}

/// The state of the search after the bytes read so far.
pub(super) type SearchState = StateID;

impl Matcher {
    /// A matcher for these secrets; `None` if there are none.
    pub(super) fn new(mut secrets: Vec<Secret>) -> Option<Self> {
        secrets.retain(|secret| !secret.text.is_empty());
        secrets.sort_unstable();
        secrets.dedup();
        if secrets.is_empty() {
            return None;
        }
        let automaton = NFA::builder()
            .match_kind(MatchKind::Standard)
            .prefilter(false)
            .build(secrets.iter().map(|secret| &secret.text))
            .expect("an environment is far smaller than what an automaton can hold");
        let start = automaton.start_state(Anchored::No).expect("a contiguous automaton can begin anywhere");
        Some(Self { automaton, start, secrets })
    }

    /// The secrets in a text, in order. If secrets overlap, only the first and longest is named.
    pub(super) fn find(&self, text: &[u8]) -> Vec<FoundSecret<'_>> {
        let mut found = Vec::new();
        let mut state = self.start;
        for (at, byte) in text.iter().enumerate() {
            state = self.step(state, *byte);
            for secret in self.ending(state) {
                let place = at + 1 - secret.text.len()..at + 1;
                let counts = match secret.found {
                    SecretMatch::Anywhere => true,
                    SecretMatch::NotInWords => stands_alone(text, &place),
                    SecretMatch::Never => false,
                };
                found.extend(counts.then_some(FoundSecret { variable: &secret.variable, place }));
            }
        }
        found.sort_by_key(|found| (found.place.start, Reverse(found.place.end)));
        let mut end = 0;
        found.retain(|found| {
            let is_first = found.place.start >= end;
            end = end.max(found.place.end);
            is_first
        });
        found
    }

    /// The state before anything was read, and whenever no secret may have begun.
    pub(super) fn start(&self) -> SearchState {
        self.start
    }

    /// The state after one more byte.
    pub(super) fn step(&self, state: SearchState, byte: u8) -> SearchState {
        self.automaton.next_state(Anchored::No, state, byte)
    }

    /// The secrets that end at this state.
    fn ending(&self, state: SearchState) -> impl Iterator<Item = &Secret> {
        let count = if self.automaton.is_match(state) { self.automaton.match_len(state) } else { 0 };
        (0..count).map(move |index| &self.secrets[self.automaton.match_pattern(state, index).as_usize()])
    }

    /// How many of the last bytes are a secret; the longest, if there are several.
    pub(super) fn ends(&self, state: SearchState) -> usize {
        self.ending(state).map(|secret| secret.text.len()).max().unwrap_or(0)
    }

    /// The length of the longest secret.
    pub(super) fn longest(&self) -> usize {
        self.automaton.max_pattern_len()
    }

    /// How many of the last bytes of `text` begin a secret.
    pub(super) fn begun(&self, text: &[u8]) -> usize {
        let begins = |end: &[u8]| {
            let next = self.secrets.partition_point(|secret| secret.text.as_bytes() < end);
            self.secrets.get(next).is_some_and(|secret| secret.text.as_bytes().starts_with(end))
        };
        let longest = text.len().min(self.longest());
        (1..=longest).rev().find(|length| begins(&text[text.len() - length..])).unwrap_or(0)
    }
}

fn stands_alone(text: &[u8], place: &Range<usize>) -> bool {
    let in_word = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    let before = place.start.checked_sub(1).and_then(|before| text.get(before));
    !in_word(before) && !in_word(text.get(place.end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(secrets: &[(&str, &str, SecretMatch)], text: &str) -> Vec<String> {
        let secret = |&(variable, text, found): &(&str, &str, SecretMatch)| Secret {
            variable: variable.to_owned(),
            text: text.to_owned(),
            found,
        };
        let search = Matcher::new(secrets.iter().map(secret).collect()).unwrap();
        let named = |found: FoundSecret<'_>| format!("{}={}", found.variable, &text[found.place]);
        search.find(text.as_bytes()).into_iter().map(named).collect()
    }

    #[test]
    fn if_secrets_overlap_only_the_longest_is_named() {
        let secrets = [
            ("URL", "https://s3cr3tpwQ99@h", SecretMatch::Anywhere),
            ("TOKEN", "s3cr3tpwQ99", SecretMatch::Anywhere),
        ];
        assert_eq!(
            found(&secrets, "s3cr3tpwQ99 https://s3cr3tpwQ99@h"),
            ["TOKEN=s3cr3tpwQ99", "URL=https://s3cr3tpwQ99@h"]
        );
        assert_eq!(found(&secrets, "as3cr3tpwQ99b"), ["TOKEN=s3cr3tpwQ99"]);
    }

    #[test]
    fn a_secret_that_could_be_part_of_a_word_counts_only_on_its_own() {
        let secrets = [
            ("PASSWORD", "development-db", SecretMatch::NotInWords),
            ("KEY", "ment-dbQ7x", SecretMatch::Anywhere),
        ];
        assert_eq!(found(&secrets, "(development-db) development-dbs"), ["PASSWORD=development-db"]);
        assert_eq!(
            found(&secrets, "development-dbQ7x"),
            ["KEY=ment-dbQ7x"],
            "what does not count hides nothing"
        );
        assert_eq!(found(&secrets, "redevelopment-db"), [""; 0]);
    }
}
