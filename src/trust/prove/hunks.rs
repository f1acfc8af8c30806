//! Takes back one piece of the change after the other, and looks whether a test notices it.

use std::time::{Duration, Instant};

use super::files::{ChangedFiles, Undo};
use super::prover::{Prover, Wanted, put};
use super::subject::Subject;
use crate::error::Result;
use crate::git::{Entry, EntryKind, Git, Hunk, PathEntry};
use crate::plan::{TestCommand, TestType};
use crate::record::{Check, Finding, Severity};
use crate::suite::Failure;
use crate::worktree::Purpose;

/// How much is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HunkLimits {
    /// How many pieces.
    pub most: usize,
    /// After how much time no further one is tried.
    pub time: Duration,
}

/// A piece of the change that no test noticed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnnoticedHunk {
    /// The file.
    pub file: String,
    /// The first of its lines in the commit.
    pub first: usize,
    /// The last of its lines; before the first if it only removes lines.
    pub last: usize,
}

/// What taking back pieces of the change has shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HunkReport {
    /// How many pieces the change to the source has, not counting comments and blank lines.
    pub all: usize,
    /// How many were tried.
    pub tried: usize,
    /// Those that no test noticed.
    pub unnoticed: Vec<UnnoticedHunk>,
    /// Why nothing was tried.
    pub not_applicable: Option<&'static str>,
}

impl HunkReport {
    /// The pieces that no test noticed, as a finding that this command shows.
    #[must_use]
    pub fn finding(&self, look: &str) -> Option<Finding> {
        let places = self.unnoticed.iter().map(UnnoticedHunk::place);
        let finding =
            Finding::new(Check::Prove, Severity::Warning, "No test notices if these lines are taken back");
        (!self.unnoticed.is_empty()).then(|| finding.at(places).look(&format!("{look} --hunks")))
    }
}

impl UnnoticedHunk {
    /// `FILE:FIRST-LAST`.
    #[must_use]
    pub fn place(&self) -> String {
        match self.last {
            last if last <= self.first => format!("{}:{}", self.file, self.first),
            last => format!("{}:{}-{last}", self.file, self.first),
        }
    }
}

/// A piece of the change to one file.
struct Piece {
    path: Vec<u8>,
    kind: EntryKind,
    hunk: Hunk,
    size: usize,
    /// The file without this piece.
    content: Vec<u8>,
}

impl Prover<'_> {
    /// Takes back the largest pieces of the change to the source, each alone, and runs the first unit test command.
    ///
    /// # Errors
    /// As for [`Prover::prove`].
    pub fn try_hunks(&self, subject: &Subject, limits: HunkLimits) -> Result<HunkReport> {
        let first = subject.commands.iter().find(|command| command.kind == TestType::Unit);
        let Some(unit) = first else {
            let not_applicable = Some("it has no test command of type unit");
            return Ok(HunkReport { not_applicable, ..HunkReport::default() });
        };
        let mut pieces = self.pieces(subject)?;
        pieces.sort_by_key(|piece| std::cmp::Reverse(piece.size));
        let mut report = HunkReport { all: pieces.len(), ..HunkReport::default() };
        let around = |kind| subject.commands.iter().filter(move |command| command.kind == kind).cloned();
        let commands: Vec<TestCommand> =
            around(TestType::Setup).chain([unit.clone()]).chain(around(TestType::Teardown)).collect();
        let began = Instant::now();
        for piece in pieces.into_iter().take(limits.most) {
            if began.elapsed() >= limits.time {
                break;
            }
            report.tried += 1;
            let live =
                self.watcher.begins(&format!("hunk {} of {}", report.tried, report.all.min(limits.most)));
            let scratch = self.scratches.make(Purpose::new("prove-hunk"), &subject.head)?;
            let id = scratch.git.write_blob(piece.content)?;
            let entry = Some(Entry { kind: piece.kind, id });
            put(&scratch, &[PathEntry { path: piece.path.clone(), entry }])?;
            self.scratches.prepare(&scratch, &live)?;
            let results = self.judge_in(&scratch, &commands, Wanted::Failure, &live)?;
            self.remove(scratch);
            // A command that cannot be executed has noticed nothing.
            if matches!(results.failure(), None | Some(Failure::NotRun)) {
                let first = piece.hunk.new_start;
                report.unnoticed.push(UnnoticedHunk {
                    file: String::from_utf8_lossy(&piece.path).into_owned(),
                    first,
                    last: (first + piece.hunk.new_lines).saturating_sub(1),
                });
            }
        }
        Ok(report)
    }

    /// The pieces of the change to the source that are more than comments and blank lines.
    fn pieces(&self, subject: &Subject) -> Result<Vec<Piece>> {
        let files = ChangedFiles::read(self.git, self.repository, subject)?;
        let mut pieces = Vec::new();
        for file in &files.files {
            let (Undo::Put(before), Some(now)) = (&file.red, &file.now) else { continue };
            pieces.extend(match before {
                Some(before) => pieces_of(self.git, &file.path, before, now)?,
                None => blocks_of_new_file(self.git, &file.path, now)?,
            });
        }
        Ok(pieces)
    }
}

fn pieces_of(git: &Git, path: &[u8], before: &Entry, now: &Entry) -> Result<Vec<Piece>> {
    let (old, new) = (git.blob(&before.id)?, git.blob(&now.id)?);
    let (old, new) = (lines(&old), lines(&new));
    let piece = |hunk: Hunk| {
        let there = &new[hunk.new_range()];
        let back = &old[hunk.old_range()];
        let content = [&new[..hunk.new_range().start], back, &new[hunk.new_range().end..]].concat().concat();
        let size = there.iter().chain(back).filter(|line| is_code(line)).count();
        Piece { path: path.to_vec(), kind: now.kind, hunk, size, content }
    };
    let hunks = git.hunks(&before.id, &now.id)?.into_iter();
    Ok(hunks
        .filter(|hunk| hunk.fits(old.len(), new.len()))
        .map(piece)
        .filter(|piece| piece.size > 0)
        .collect())
}

/// The blocks of a new file that empty lines separate and that begin at the left, each as one piece: without the rest, a
/// file often cannot even be read.
fn blocks_of_new_file(git: &Git, path: &[u8], now: &Entry) -> Result<Vec<Piece>> {
    let content = git.blob(&now.id)?;
    if content.contains(&0) {
        return Ok(Vec::new());
    }
    let all = lines(&content);
    let mut pieces = Vec::new();
    let mut start = 0;
    for at in 1..=all.len() {
        let is_border = at == all.len()
            || all[at - 1].trim_ascii().is_empty()
                && all[at].first().is_some_and(|byte| !byte.is_ascii_whitespace());
        if !is_border {
            continue;
        }
        let size = all[start..at].iter().filter(|line| is_code(line)).count();
        let hunk = Hunk { old_start: 1, old_lines: 0, new_start: start + 1, new_lines: at - start };
        let content = [&all[..start], &all[at..]].concat().concat();
        pieces.push(Piece { path: path.to_vec(), kind: now.kind, hunk, size, content });
        start = at;
    }
    pieces.retain(|piece| piece.size > 0);
    Ok(if pieces.len() > 1 { pieces } else { Vec::new() })
}

/// The lines of a text, each with its end.
fn lines(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|byte| *byte == b'\n').collect()
}

/// Whether a line is more than a comment, a blank, or a single sign such as a bracket.
fn is_code(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    let comments: [&[u8]; 7] = [b"//", b"#", b"--", b"/*", b"*", b"<!--", b";"];
    let is_comment = comments.iter().any(|start| line.starts_with(start))
        && !line.starts_with(b"#[")
        && !line.starts_with(b"#include")
        && !line.starts_with(b"#define");
    !is_comment && line.iter().any(u8::is_ascii_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_blank_lines_and_brackets_are_not_code() {
        for line in ["", "  ", "}", "# why", "// why", " * why", "-- why", "});", "/* why */"] {
            assert!(!is_code(line.as_bytes()), "{line}");
        }
        for line in ["x = 1  # why", "#[test]", "#include <a.h>", "return", "} else {", "\"\"\"text"] {
            assert!(is_code(line.as_bytes()), "{line}");
        }
    }
}
