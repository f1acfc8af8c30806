//! The lines that a change has added or altered.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// The added and altered lines of each file, by its path from the top of the work tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangedLines(BTreeMap<String, Vec<RangeInclusive<u32>>>);

impl ChangedLines {
    /// Reads what `git diff --src-prefix=a/ --dst-prefix=b/` prints, with any number of lines of context. Files whose paths
    /// are not UTF-8 are left out, because no report can name them.
    #[must_use]
    pub fn of_diff(diff: &[u8]) -> Self {
        let mut changed = Self::default();
        let mut path: Option<String> = None;
        // How many lines of the hunk are left: old ones, and new ones.
        let (mut old, mut new) = (0_u32, 0_u32);
        let mut at: u32 = 0;
        for line in diff.split(|byte| *byte == b'\n') {
            if old > 0 || new > 0 {
                match line.first() {
                    Some(b'+') => {
                        if let Some(path) = &path {
                            changed.add(path, at..=at);
                        }
                        (at, new) = (at.saturating_add(1), new.saturating_sub(1));
                    }
                    Some(b'-') => old = old.saturating_sub(1),
                    // "\ No newline at end of file"
                    Some(b'\\') => {}
                    _ => {
                        (at, old, new) = (at.saturating_add(1), old.saturating_sub(1), new.saturating_sub(1));
                    }
                }
            } else if let Some(name) = line.strip_prefix(b"+++ ") {
                path = new_path(name);
            } else if line.starts_with(b"diff --git ") {
                path = None;
            } else if let Some(hunk) = Hunk::parse(line) {
                Hunk { old, new, at } = hunk;
            }
        }
        changed
    }

    /// Adds lines of a file. Lines are added in order.
    pub fn add(&mut self, path: &str, lines: RangeInclusive<u32>) {
        let ranges = match self.0.get_mut(path) {
            Some(ranges) => ranges,
            None => self.0.entry(path.to_owned()).or_default(),
        };
        match ranges.last_mut() {
            Some(last) if last.end().checked_add(1) == Some(*lines.start()) => {
                *last = *last.start()..=*lines.end();
            }
            _ => ranges.push(lines),
        }
    }

    /// Leaves out the files that do not satisfy a condition.
    pub fn retain(&mut self, wanted: impl Fn(&str) -> bool) {
        self.0.retain(|path, _| wanted(path));
    }

    /// The files, each with its ranges of lines.
    pub fn files(&self) -> impl Iterator<Item = (&str, &[RangeInclusive<u32>])> {
        self.0.iter().map(|(path, lines)| (path.as_str(), lines.as_slice()))
    }
}

/// `@@ -OLD[,COUNT] +NEW[,COUNT] @@`
struct Hunk {
    old: u32,
    new: u32,
    at: u32,
}

impl Hunk {
    fn parse(line: &[u8]) -> Option<Self> {
        let line = std::str::from_utf8(line.split(|byte| *byte == b'\r').next()?).ok().or_else(|| {
            // The words after the second @@ are from the file and may be cut within a character.
            let end = line.iter().skip(2).position(|byte| *byte == b'@')? + 2;
            std::str::from_utf8(&line[..end]).ok()
        })?;
        let (old, rest) = line.strip_prefix("@@ -")?.split_once(" +")?;
        let new = rest.split_once(' ')?.0;
        let of = |side: &str| match side.split_once(',') {
            Some((start, count)) => Some((start.parse().ok()?, count.parse().ok()?)),
            None => Some((side.parse().ok()?, 1)),
        };
        let (_, old) = of(old)?;
        let (at, new) = of(new)?;
        Some(Self { old, new, at })
    }
}

/// The path after `+++`; `None` for a deleted file, and for one that is not UTF-8.
fn new_path(name: &[u8]) -> Option<String> {
    // Git ends a path with blanks in it by a tab.
    let name = name.strip_suffix(b"\t").unwrap_or(name);
    let path = match name.strip_prefix(b"\"").and_then(|name| name.strip_suffix(b"\"")) {
        Some(quoted) => unquoted(quoted)?,
        None => name.to_vec(),
    };
    let path = path.strip_prefix(b"b/")?;
    String::from_utf8(path.to_vec()).ok()
}

/// A path between the quotes in which git puts one with special characters.
fn unquoted(quoted: &[u8]) -> Option<Vec<u8>> {
    let mut path = Vec::with_capacity(quoted.len());
    let mut bytes = quoted.iter().copied();
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            path.push(byte);
            continue;
        }
        path.push(match bytes.next()? {
            b'a' => 7,
            b'b' => 8,
            b't' => b'\t',
            b'n' => b'\n',
            b'v' => 11,
            b'f' => 12,
            b'r' => b'\r',
            first @ b'0'..=b'3' => {
                let (second, third) = (bytes.next()?, bytes.next()?);
                let digit = |byte: u8| matches!(byte, b'0'..=b'7').then(|| byte - b'0');
                digit(first)? * 64 + digit(second)? * 8 + digit(third)?
            }
            other => other,
        });
    }
    Some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(diff: &str) -> Vec<(String, Vec<RangeInclusive<u32>>)> {
        let changed = ChangedLines::of_diff(diff.as_bytes());
        changed.files().map(|(path, lines)| (path.to_owned(), lines.to_vec())).collect()
    }

    #[test]
    fn added_and_altered_lines_are_found_with_and_without_context() {
        let without =
            "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1,2 @@ fn\n-a\n+b\n+c\n@@ -9,0 +11 @@\n+d\n";
        assert_eq!(lines(without), [("x".to_owned(), vec![1..=2, 11..=11])]);
        let with = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,3 +1,4 @@\n a\n-b\n+b\n+c\n d\n";
        assert_eq!(lines(with), [("x".to_owned(), vec![2..=3])]);
    }

    #[test]
    fn lines_that_look_like_headers_are_lines() {
        let diff = "--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n--- a/y\n-@@ -1 +1 @@\n+++ b/y\n+diff --git a/z b/z\n+x\n\
            \\ No newline at end of file\n";
        assert_eq!(lines(diff), [("x".to_owned(), vec![1..=3])]);
    }

    #[test]
    fn paths_are_read_as_git_writes_them() {
        let diff = "+++ b/with blank\t\n@@ -0,0 +1 @@\n+x\n+++ \"b/\\303\\244 \\\"\\t\\\\.txt\"\n@@ -0,0 +1 @@\n+x\n\
            +++ b/größe\n@@ -0,0 +1 @@\n+x\n+++ \"b/\\344\"\n@@ -0,0 +1 @@\n+x\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n";
        let paths: Vec<String> = lines(diff).into_iter().map(|(path, _)| path).collect();
        assert_eq!(paths, ["größe", "with blank", "ä \"\t\\.txt"]);
    }

    #[test]
    fn a_binary_file_and_a_mere_rename_have_no_lines() {
        let diff = "diff --git a/x b/x\nBinary files a/x and b/x differ\ndiff --git a/y b/z\nrename from y\nrename to z\n";
        assert_eq!(lines(diff), []);
    }

    #[test]
    fn a_damaged_diff_does_no_harm() {
        for diff in [
            "@@ -1 +4294967295,9 @@\n+a\n+b\n+c",
            "+++ b/x\n@@ -1 +4294967295,9 @@\n+a\n+b\n+c",
            "+++ b/x\n@@ -1,99999999999 +1 @@\n+a",
            "+++ \"b/\\\n@@ -1 +1 @@\n+a",
            "+++ \"b/\\399\"\n@@ -1 +1 @@\n+a",
            "+++ \"\n@@\n",
        ] {
            lines(diff);
        }
    }
}
