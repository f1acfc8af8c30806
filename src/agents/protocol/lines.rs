//! Splits an output that arrives in pieces into lines, in bounded memory.

use memchr::memchr;

/// How much of a line that is too long is kept, in bytes: in all streams, its kind stands in this part of it.
const BEGINNING: usize = 800;

/// A line of the output, without its end.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::agents) enum Line<'l> {
    Whole(&'l [u8]),
    /// The beginning of a line that is too long.
    Beginning(&'l [u8]),
}

/// The lines of one output.
#[derive(Debug)]
pub(in crate::agents) struct Lines {
    limit: usize,
    begun: Vec<u8>,
    is_too_long: bool,
}

impl Lines {
    /// Lines of at most `limit` bytes are whole.
    pub(in crate::agents) fn new(limit: usize) -> Self {
        Self { limit, begun: Vec::new(), is_too_long: false }
    }

    /// Takes the next piece, and gives the lines that end in it to `take`.
    pub(in crate::agents) fn push(&mut self, mut piece: &[u8], mut take: impl FnMut(Line<'_>)) {
        while let Some(end) = memchr(b'\n', piece) {
            self.add(&piece[..end]);
            self.end(&mut take);
            piece = &piece[end + 1..];
        }
        self.add(piece);
    }

    /// Gives the line that has begun to `take`, as if it had ended.
    pub(in crate::agents) fn finish(&mut self, take: impl FnMut(Line<'_>)) {
        if !self.begun.is_empty() {
            self.end(take);
        }
    }

    /// How many bytes are held.
    #[cfg(test)]
    pub(in crate::agents) fn held(&self) -> usize {
        self.begun.len()
    }

    /// Gives the line that has ended to `take`.
    fn end(&mut self, mut take: impl FnMut(Line<'_>)) {
        let line = std::mem::take(&mut self.begun);
        if std::mem::take(&mut self.is_too_long) {
            take(Line::Beginning(&line));
        } else {
            take(Line::Whole(&line));
        }
    }

    fn add(&mut self, piece: &[u8]) {
        if self.is_too_long {
            return;
        }
        if self.begun.len() + piece.len() > self.limit {
            self.is_too_long = true;
            let missing = BEGINNING.saturating_sub(self.begun.len()).min(piece.len());
            self.begun.extend_from_slice(&piece[..missing]);
            self.begun.truncate(BEGINNING);
            self.begun.shrink_to_fit();
        } else {
            self.begun.extend_from_slice(piece);
        }
    }
}
