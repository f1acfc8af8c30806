//! Reads what many commits have changed, with one program for all of them, and in which lines two versions of a file differ.

use std::collections::HashMap;
use std::ops::Range;

use super::Git;
use crate::error::Result;
use crate::record::CommitId;
use crate::text::show_path;

/// A commit whose changes are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compared {
    /// The commit.
    pub commit: CommitId,
    /// The commit with which it is compared; `None` for its parent.
    pub base: Option<CommitId>,
}

/// How many lines of a file a commit has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileLines {
    /// The path, for people.
    pub path: String,
    /// How many lines were added; `None` for a binary file.
    pub added: Option<u64>,
    /// How many lines were removed.
    pub removed: Option<u64>,
}

/// These options fix the format of a diff. Files over a megabyte count as binary, so that their text is never read.
const FORM: &[&str] = &[
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.bigFileThreshold=1m",
    "diff-tree",
    "--stdin",
    "--root",
    "-r",
    "-M",
    "--no-ext-diff",
    "--no-textconv",
    "--src-prefix=a/",
    "--dst-prefix=b/",
];

impl Git {
    /// How many lines of which files these commits have changed.
    ///
    /// # Errors
    /// If an object cannot be read.
    pub fn changed_lines(&self, compared: &[Compared]) -> Result<HashMap<CommitId, Vec<FileLines>>> {
        let output = self.differences(compared, &["--numstat", "-z"])?;
        let mut found: HashMap<CommitId, Vec<FileLines>> = HashMap::new();
        let mut files = None;
        let mut fields = output.split(|byte| *byte == 0);
        while let Some(field) = fields.next() {
            if let Some(commit) = CommitId::from_hex(field) {
                files = Some(found.entry(commit).or_default());
                continue;
            }
            let mut columns = field.splitn(3, |byte| *byte == b'\t');
            let (Some(added), Some(removed), Some(path)) = (columns.next(), columns.next(), columns.next())
            else {
                continue;
            };
            // The two paths of a renamed file are in two more fields.
            let path = if path.is_empty() { fields.nth(1).unwrap_or_default() } else { path };
            if let Some(files) = &mut files {
                files.push(FileLines {
                    path: show_path(path),
                    added: number(added),
                    removed: number(removed),
                });
            }
        }
        Ok(found)
    }

    /// The patches of these commits, as far as they are text.
    ///
    /// # Errors
    /// If an object cannot be read.
    pub fn patches(&self, compared: &[Compared]) -> Result<HashMap<CommitId, String>> {
        let output = self.differences(compared, &["-p"])?;
        let mut found: HashMap<CommitId, Vec<u8>> = HashMap::new();
        let mut patch = None;
        for line in output.split_inclusive(|byte| *byte == b'\n') {
            // No line of a patch is only an id.
            if let Some(commit) = CommitId::from_hex(line.trim_ascii_end()) {
                patch = Some(found.entry(commit).or_default());
            } else if let Some(patch) = &mut patch {
                patch.extend_from_slice(line);
            }
        }
        let text = |patch: Vec<u8>| String::from_utf8_lossy(&patch).into_owned();
        Ok(found.into_iter().map(|(commit, patch)| (commit, text(patch))).collect())
    }

    fn differences(&self, compared: &[Compared], form: &[&str]) -> Result<Vec<u8>> {
        if compared.is_empty() {
            return Ok(Vec::new());
        }
        let line = |Compared { commit, base }: &Compared| match base {
            Some(base) => format!("{commit} {base}\n"),
            None => format!("{commit}\n"),
        };
        let input: String = compared.iter().map(line).collect();
        self.command(FORM.iter().chain(form)).stdin(input).demand()
    }
}

fn number(text: &[u8]) -> Option<u64> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// The lines, counted from 0, that a piece `@@ -3,2 +4,0 @@ ...` of a diff has in the new version.
fn lines_now(heading: &str) -> Option<Range<usize>> {
    let (ranges, _) = heading.strip_prefix("@@ -")?.split_once(" @@")?;
    let (_, now) = ranges.split_once(" +")?;
    let (start, lines) = now.split_once(',').unwrap_or((now, "1"));
    let (start, lines): (usize, usize) = (start.parse().ok()?, lines.parse().ok()?);
    // A piece without lines names the line before it.
    let start = if lines == 0 { start } else { start.saturating_sub(1) };
    Some(start..start + lines)
}

impl Git {
    /// The lines of a blob, counted from 0, that another one does not have there; none if they are not text.
    ///
    /// # Errors
    /// If a blob cannot be read.
    pub fn lines_not_in(&self, old: &str, new: &str) -> Result<Vec<Range<usize>>> {
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
        Ok(String::from_utf8_lossy(&patch).lines().filter_map(lines_now).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heading_says_which_lines_differ() {
        assert_eq!(lines_now("@@ -3,2 +4,0 @@ fn x()"), Some(4..4));
        assert_eq!(lines_now("@@ -7 +8,3 @@"), Some(7..10));
        assert_eq!(lines_now("+@@ -7 +8 @@"), None);
    }
}
