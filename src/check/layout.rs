//! Classifies the lines of a message, and finds those that are meant to be the block of trailers.

use std::collections::HashSet;
use std::ops::Range;

use crate::record::{TrailerKey, lines};

use super::scan::{Line, token};

/// A line of the text and its kind.
pub(super) struct LayoutLine {
    pub(super) kind: Line,
    pub(super) bytes: Range<usize>,
}

/// All lines of a text.
pub(super) struct Layout<'m> {
    pub(super) text: &'m [u8],
    pub(super) entries: Vec<LayoutLine>,
    title: usize,
}

/// The lines that are meant to be the block: from the first to the last trailer of ours, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct IntendedBlock {
    pub(super) first: usize,
    pub(super) last: usize,
}

/// How many lines of prose may be between two trailers that belong together.
const PROSE_BETWEEN: usize = 3;

impl<'m> Layout<'m> {
    pub(super) fn of(text: &'m [u8]) -> Self {
        let mut start = 0;
        let entry = |line: &[u8]| {
            let bytes = start..start + line.len();
            start = bytes.end;
            LayoutLine { kind: Line::of(line), bytes }
        };
        let entries: Vec<LayoutLine> = lines(text).map(entry).collect();
        let title = entries.iter().position(|entry| entry.kind != Line::Blank).unwrap_or(0);
        Self { text, entries, title }
    }

    pub(super) fn line(&self, index: usize) -> &'m [u8] {
        &self.text[self.entries[index].bytes.clone()]
    }

    pub(super) fn kind(&self, index: usize) -> Line {
        self.entries[index].kind
    }

    /// The key that a line has, or is meant to have, if it is one of ours.
    pub(super) fn key(&self, index: usize) -> Option<TrailerKey> {
        match self.kind(index) {
            Line::Ours => TrailerKey::from_name(token(self.line(index))?),
            Line::Disguised(key, _) => Some(key),
            _ => None,
        }
    }

    /// The index of the title: the first line that is not blank.
    pub(super) fn title(&self) -> usize {
        self.title
    }

    /// The lines that are meant to be the block: upwards from our last trailer, as long as more of them follow closely
    /// and no key is repeated across a gap. Anything further up is a quotation.
    pub(super) fn intended(&self) -> Option<IntendedBlock> {
        let top = self.title() + 1;
        let last = (top..self.entries.len()).rev().find(|&index| self.kind(index).is_ours())?;
        let mut keys: HashSet<TrailerKey> = self.key(last).into_iter().collect();
        let (mut first, mut prose, mut gap) = (last, 0, false);
        for index in (top..last).rev() {
            match self.kind(index) {
                Line::Ours | Line::Disguised(..) => {
                    let key = self.key(index);
                    if gap && key.is_some_and(|key| keys.contains(&key)) {
                        break;
                    }
                    keys.extend(key);
                    (first, prose, gap) = (index, 0, false);
                }
                Line::Blank => gap = true,
                Line::Prose if gap || prose == PROSE_BETWEEN => break,
                Line::Prose => prose += 1,
                Line::Foreign | Line::CherryPick | Line::Indented | Line::Comment | Line::Fence => {}
            }
        }
        Some(IntendedBlock { first: self.with_foreign_above(first), last: self.with_folds_below(last) })
    }

    /// Trailers of others just above belong to the block too; `Note: ...` may as well be text.
    fn with_foreign_above(&self, first: usize) -> usize {
        let belongs = |index: &usize| match self.kind(*index) {
            Line::Foreign => token(self.line(*index)).is_some_and(|key| key.contains(&b'-')),
            Line::CherryPick => true,
            _ => false,
        };
        (self.title() + 1..first).rev().take_while(belongs).last().unwrap_or(first)
    }

    fn with_folds_below(&self, last: usize) -> usize {
        let folded = |index: &usize| self.kind(*index) == Line::Indented;
        (last + 1..self.entries.len()).take_while(folded).last().unwrap_or(last)
    }
}
