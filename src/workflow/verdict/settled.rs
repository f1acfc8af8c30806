//! Decides whether a sentence says that an objection is settled, or that there is none.

use super::prose::{Sentence, is_denial, is_mark};

impl Sentence {
    /// Whether the sentence negates the words from `from` up to but not including `to`: `no blocking issues`,
    /// `Blockers: none`, `the changes requested earlier are done`.
    pub(super) fn takes_back(&self, from: usize, to: usize) -> bool {
        let ends = (to..self.words.len()).find(|place| ENDS.contains(&self.at(*place)));
        match ends {
            Some(end) => self.says_it_is_over(from, to, end),
            None => self.is_absent(from) || self.is_followed_by_none(to),
        }
    }

    /// Whether only words that change nothing come between a negation and a place.
    fn is_absent(&self, place: usize) -> bool {
        let is_harmless = |at: &usize| HARMLESS.contains(&self.at(*at)) || THINGS.contains(&self.at(*at));
        let Some(at) = (0..place).rev().find(|at| !is_harmless(at)) else { return false };
        let denies = is_denial(self.at(at)) || ["none", "nothing", "zero", "0"].contains(&self.at(at));
        denies && !["only", "just", "merely", "why", "how"].contains(&self.at(at + 1))
    }

    /// Whether the clause after a place consists of `none` or a similar word.
    fn is_followed_by_none(&self, place: usize) -> bool {
        let rest = self.words.get(place..).unwrap_or_default();
        let mut rest =
            rest.iter().map(String::as_str).skip_while(|word| THINGS.contains(word) || is_mark(word));
        let none = rest.next().is_some_and(|word| ["none", "no", "nothing", "0", "zero"].contains(&word));
        none && rest
            .all(|word| ["found", "left", "remain", "remaining", "at", "all", "here", ":"].contains(&word))
    }

    /// Whether the sentence says at `end`, without reservation, that something is settled.
    fn says_it_is_over(&self, from: usize, to: usize, end: usize) -> bool {
        let harmless = |place: usize| PAST.contains(&self.at(place)) || THINGS.contains(&self.at(place));
        let is_reserved = (end..self.words.len())
            .any(|place| RESERVES.contains(&self.at(place)) || is_denial(self.at(place)));
        (0..from).all(harmless) && (to..end).all(harmless) && !is_reserved && !self.asks
    }
}

/// Words that say that something is settled.
pub(super) const ENDS: &[&str] = &[
    "done",
    "addressed",
    "fixed",
    "resolved",
    "made",
    "implemented",
    "gone",
    "solved",
    "settled",
    "removed",
    "corrected",
];

/// Words for findings.
pub(super) const THINGS: &[&str] = &[
    "issue",
    "issues",
    "problem",
    "problems",
    "point",
    "points",
    "finding",
    "findings",
    "item",
    "items",
    "comment",
    "comments",
    "remark",
    "remarks",
    "nit",
    "nits",
    "suggestion",
    "suggestions",
    "concern",
    "concerns",
    "change",
    "changes",
];

/// Words that may come between a negation and its object, in addition to findings.
const HARMLESS: &[&str] = &[
    "a",
    "an",
    "any",
    "the",
    "of",
    "them",
    "these",
    "those",
    "that",
    "is",
    "are",
    "be",
    "been",
    "to",
    "as",
    "it",
    "further",
    "more",
    "other",
    "real",
    "new",
    "found",
    "find",
    "see",
    "longer",
    "remaining",
    "open",
    "known",
    "critical",
    "major",
    "serious",
    "really",
    "considered",
    "here",
    "there",
    "left",
    "obvious",
    "need",
    "reason",
    "potential",
    "which",
    "speaks",
];

/// Words that may surround something that is settled.
const PAST: &[&str] = &[
    "all",
    "both",
    "the",
    "these",
    "those",
    "every",
    "each",
    "my",
    "of",
    "earlier",
    "before",
    "previous",
    "previously",
    "last",
    "time",
    "round",
    "in",
    "review",
    "by",
    "me",
    "i",
    "from",
    "first",
    "attempt",
    "was",
    "were",
    "are",
    "is",
    "have",
    "has",
    "been",
    "now",
    "raised",
    "named",
    "mentioned",
];

/// Words that cancel that something is settled.
const RESERVES: &[&str] = &[
    "but",
    "if",
    "once",
    "except",
    "until",
    "unless",
    "when",
    "only",
    "partly",
    "partially",
    "still",
    "wrongly",
    "badly",
    "incorrectly",
    "though",
    "although",
    "however",
    "yet",
    "before",
    "hardly",
    "almost",
    "some",
];
