//! Finds the trailers of a commit message exactly as git does.
//!
//! The reference is `git log --format='%(trailers:only,unfold)'` with git's default configuration: separator `:`,
//! comment character `#`, no `trailer.*` aliases. Other configuration is ignored on purpose, so that a history means
//! the same in every clone. Messages are bytes as the commit stores them, in any encoding.

mod bounds;
mod line;
mod part;
#[cfg(test)]
mod tests;

use std::ops::Range;

pub(super) use bounds::hides_its_end;
pub use bounds::text_range;
pub use part::{Lines, Part, Trailer};

use super::line_ends;
use line::is_from_git;
use part::BlockParts;

/// One trailer as git reads it: key and value trimmed, folded lines joined by a space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawTrailer {
    /// The key as it is written, ASCII letters, digits and `-`.
    pub key: Vec<u8>,
    /// The value, which may be empty and need not be UTF-8.
    pub value: Vec<u8>,
}

impl From<Trailer<'_>> for RawTrailer {
    fn from(trailer: Trailer<'_>) -> Self {
        Self { key: trailer.key().to_vec(), value: trailer.value().into_owned() }
    }
}

/// The trailers of a stored commit's message, as `git log --format='%(trailers:only,unfold)'` gives them
/// under git's default configuration.
#[must_use]
pub fn trailers(message: &[u8]) -> Vec<RawTrailer> {
    locate(message).into_iter().flat_map(|block| block.trailers()).map(RawTrailer::from).collect()
}

/// Finds the trailer block of `message`; `None` if git sees none.
///
/// Takes time linear in the length of the message, for any bytes.
#[must_use]
pub fn locate(message: &[u8]) -> Option<Block<'_>> {
    let bytes = bounds::last_paragraph(message)?;
    let mut tally = TrailerCounts::default();
    BlockParts::new(message, bytes.clone(), 1).for_each(|part| tally.count(message, &part));
    Some(Block { message, bytes, acceptance: tally.acceptance()? })
}

/// Finds the trailer block of `message` and everything in it, in one pass.
#[must_use]
pub fn locate_with_parts(message: &[u8]) -> Option<(Block<'_>, Vec<Part<'_>>)> {
    let bytes = bounds::last_paragraph(message)?;
    let first_line = 1 + line_ends(&message[..bytes.start]);
    let mut tally = TrailerCounts::default();
    let parts = BlockParts::new(message, bytes.clone(), first_line);
    // This capacity is enough for most blocks.
    let mut all = Vec::with_capacity(8);
    all.extend(parts.inspect(|part| tally.count(message, part)));
    Some((Block { message, bytes, acceptance: tally.acceptance()? }, all))
}

/// The paragraphs of a message that consist of trailers alone, wherever they are, first to last. The title and the
/// content of code fences are left out. Git reads only the last one.
#[must_use]
pub fn paragraphs(message: &[u8]) -> Vec<Block<'_>> {
    bounds::paragraphs(message)
        .into_iter()
        .filter_map(|bytes| {
            let mut tally = TrailerCounts::default();
            BlockParts::new(message, bytes.clone(), 1).for_each(|part| tally.count(message, &part));
            let acceptance = tally.acceptance().filter(|rule| *rule == BlockRule::TrailersOnly)?;
            Some(Block { message, bytes, acceptance })
        })
        .collect()
}

/// A paragraph of a message that consists of trailers, such as the last one, which git reads as its trailer block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block<'m> {
    message: &'m [u8],
    bytes: Range<usize>,
    acceptance: BlockRule,
}

impl<'m> Block<'m> {
    /// The place of the block in the message, in bytes: whole lines, including the last line feed if there is one.
    /// Comments and blank lines at the end are left out.
    #[must_use]
    pub fn bytes(&self) -> Range<usize> {
        self.bytes.clone()
    }

    /// The number of the block's first line in the message, counted from 1.
    #[must_use]
    pub fn first_line(&self) -> usize {
        1 + line_ends(&self.message[..self.bytes.start])
    }

    /// Why git reads the paragraph as a block.
    #[must_use]
    pub fn acceptance(&self) -> BlockRule {
        self.acceptance
    }

    /// Everything in the block, in order, without gaps.
    pub fn parts(&self) -> impl Iterator<Item = Part<'m>> + use<'m> {
        BlockParts::new(self.message, self.bytes.clone(), self.first_line())
    }

    /// The trailers of the block, in order. There may be none: a block may consist of a cherry-pick line.
    pub fn trailers(&self) -> impl Iterator<Item = Trailer<'m>> + use<'m> {
        self.parts().filter_map(Part::into_trailer)
    }
}

/// Why git reads a paragraph as a trailer block (git-interpret-trailers).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockRule {
    /// It has no line of prose.
    TrailersOnly,
    /// It has prose, but also a line that git itself writes, and at least 25 % of it are trailers: without
    /// that one line all trailers would be lost.
    QuarterRule,
}

/// The properties of a paragraph that decide whether it is a block.
#[derive(Clone, Copy, Debug, Default)]
struct TrailerCounts {
    trailers: usize,
    prose: usize,
    from_git: bool,
}

impl TrailerCounts {
    fn count(&mut self, message: &[u8], part: &Part<'_>) {
        match part {
            Part::Prose(_) => self.prose += 1,
            Part::Comment(_) => {}
            Part::Trailer(_) | Part::CherryPick(_) => {
                self.trailers += 1;
                self.from_git |= is_from_git(&message[part.lines().bytes.clone()]);
            }
        }
    }

    /// Why git reads the paragraph as a block; `None` if it does not.
    fn acceptance(self) -> Option<BlockRule> {
        // A paragraph has a line that is not a comment, so without prose there is a trailer.
        match self.prose {
            0 => Some(BlockRule::TrailersOnly),
            prose => (self.from_git && prose.div_ceil(3) <= self.trailers).then_some(BlockRule::QuarterRule),
        }
    }
}
