//! Finds secrets in a text that arrives byte by byte: where a secret ends, and how many of the last bytes may begin
//! another one.

use aho_corasick::automaton::{Automaton, StateID};
use aho_corasick::nfa::contiguous::NFA;
use aho_corasick::{Anchored, MatchKind};

/// The secrets, compiled so that all are searched for at once.
pub(super) struct Matcher {
    automaton: NFA,
    start: StateID,
    /// Sorted.
    secrets: Vec<String>,
}

/// The state of the search after the bytes read so far.
pub(super) type State = StateID;

impl Matcher {
    /// A matcher for these texts; `None` if there are none.
    pub(super) fn new(mut secrets: Vec<String>) -> Option<Self> {
        secrets.retain(|secret| !secret.is_empty());
        secrets.sort_unstable();
        secrets.dedup();
        if secrets.is_empty() {
            return None;
        }
        let automaton = NFA::builder()
            .match_kind(MatchKind::Standard)
            .prefilter(false)
            .build(&secrets)
            .expect("an environment is far smaller than what an automaton can hold");
        let start = automaton.start_state(Anchored::No).expect("a contiguous automaton can begin anywhere");
        Some(Self { automaton, start, secrets })
    }

    /// The state before anything was read, and whenever no secret may have begun.
    pub(super) fn start(&self) -> State {
        self.start
    }

    /// The state after one more byte.
    pub(super) fn step(&self, state: State, byte: u8) -> State {
        self.automaton.next_state(Anchored::No, state, byte)
    }

    /// How many of the last bytes are a secret; the longest, if there are several.
    pub(super) fn ends(&self, state: State) -> usize {
        if !self.automaton.is_match(state) {
            return 0;
        }
        let found =
            (0..self.automaton.match_len(state)).map(|index| self.automaton.match_pattern(state, index));
        found.map(|secret| self.automaton.pattern_len(secret)).max().unwrap_or(0)
    }

    /// The length of the longest secret.
    pub(super) fn longest(&self) -> usize {
        self.automaton.max_pattern_len()
    }

    /// How many of the last bytes of `text` begin a secret.
    pub(super) fn begun(&self, text: &[u8]) -> usize {
        let begins = |end: &[u8]| {
            let next = self.secrets.partition_point(|secret| secret.as_bytes() < end);
            self.secrets.get(next).is_some_and(|secret| secret.as_bytes().starts_with(end))
        };
        let longest = text.len().min(self.longest());
        (1..=longest).rev().find(|length| begins(&text[text.len() - length..])).unwrap_or(0)
    }
}
