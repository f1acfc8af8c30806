//! The pieces in which two versions of a file differ.

use std::ops::Range;

use super::Git;
use crate::error::Result;

/// A piece in which two versions of a file differ, without lines around it. Lines are counted from 1. A side without lines
/// names the line before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hunk {
    /// Its first line in the old version.
    pub old_start: usize,
    /// How many lines it has there.
    pub old_lines: usize,
    /// Its first line in the new version.
    pub new_start: usize,
    /// How many lines it has there.
    pub new_lines: usize,
}

impl Hunk {
    /// Reads `@@ -3,2 +4,0 @@ ...`.
    fn parse(line: &str) -> Option<Self> {
        let (ranges, _) = line.strip_prefix("@@ -")?.split_once(" @@")?;
        let (old, new) = ranges.split_once(" +")?;
        let range = |text: &str| {
            let (start, lines) = text.split_once(',').unwrap_or((text, "1"));
            Some((start.parse().ok()?, lines.parse().ok()?))
        };
        let ((old_start, old_lines), (new_start, new_lines)) = (range(old)?, range(new)?);
        Some(Self { old_start, old_lines, new_start, new_lines })
    }

    /// Its lines in the old version, counted from 0.
    #[must_use]
    pub fn old_range(&self) -> Range<usize> {
        place(self.old_start, self.old_lines)
    }

    /// Its lines in the new version, counted from 0.
    #[must_use]
    pub fn new_range(&self) -> Range<usize> {
        place(self.new_start, self.new_lines)
    }

    /// Whether versions with so many lines can differ in it.
    #[must_use]
    pub fn fits(&self, old: usize, new: usize) -> bool {
        self.old_range().end <= old && self.new_range().end <= new
    }
}

fn place(start: usize, lines: usize) -> Range<usize> {
    let start = if lines == 0 { start } else { start.saturating_sub(1) };
    start..start + lines
}

impl Git {
    /// The pieces in which two blobs differ; none if they are not text.
    ///
    /// # Errors
    /// If a blob cannot be read.
    pub fn hunks(&self, old: &str, new: &str) -> Result<Vec<Hunk>> {
        let args = [
            "diff",
            "--no-ext-diff",
            "--no-textconv",
            "--no-color",
            "--unified=0",
            "--inter-hunk-context=0",
            old,
            new,
        ];
        let patch = self.demand(args)?;
        Ok(String::from_utf8_lossy(&patch).lines().filter_map(Hunk::parse).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heading_says_which_lines_differ() {
        let hunk = Hunk::parse("@@ -3,2 +4,0 @@ fn x()").unwrap();
        assert_eq!((hunk.old_range(), hunk.new_range()), (2..4, 4..4));
        let hunk = Hunk::parse("@@ -7 +8,3 @@").unwrap();
        assert_eq!((hunk.old_range(), hunk.new_range()), (6..7, 7..10));
        assert_eq!(Hunk::parse("+@@ -7 +8 @@"), None);
    }
}
