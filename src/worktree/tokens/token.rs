//! A token or another secret that was found, and the measure of how varied a text is.

use std::borrow::Cow;
use std::ops::Range;

use crate::text::information;

/// A token, or another secret, in a text.
#[derive(Clone, PartialEq, Eq)]
pub(in crate::worktree) struct Token<'t> {
    /// What it is, with an article: `an npm token`.
    pub(in crate::worktree) kind: Cow<'static, str>,
    /// Its place in the text.
    pub(in crate::worktree) whole: Range<usize>,
    /// The part that cannot be in another text by chance.
    pub(in crate::worktree) text: &'t [u8],
}

impl Token<'_> {
    /// The number of its line, from 1.
    pub(in crate::worktree) fn line(&self, content: &[u8]) -> usize {
        memchr::memchr_iter(b'\n', &content[..self.whole.start]).count() + 1
    }

    /// Whether another text contains it too.
    pub(in crate::worktree) fn is_in(&self, other: &[u8]) -> bool {
        memchr::memmem::find(other, self.text).is_some()
    }
}

impl std::fmt::Debug for Token<'_> {
    /// Never shows the token itself.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Token")
            .field("kind", &self.kind)
            .field("at", &self.whole.start)
            .finish_non_exhaustive()
    }
}

/// How varied a text is: the average information of a character, in bits.
pub(super) fn bits_a_character(text: &str) -> f64 {
    information(text) / text.len().max(1) as f64
}
