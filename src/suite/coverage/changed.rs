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
        let mut walk = Walk::default();
        for line in diff.split(|byte| *byte == b'\n') {
            match walk.kind_of(line) {
                DiffLine::File => path = None,
                DiffLine::NewName(name) => path = name_after(name, b"b/"),
                DiffLine::Added(at) => {
                    if let Some(path) = &path {
                        changed.add(path, at..=at);
                    }
                }
                DiffLine::OldName(_) | DiffLine::Other => {}
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

    /// Leaves out lines of a file.
    pub fn remove(&mut self, path: &str, lines: &RangeInclusive<u32>) {
        let Some(ranges) = self.0.get_mut(path) else { return };
        let without = |range: &RangeInclusive<u32>| {
            let before = *range.start()..=(*range.end()).min(lines.start().saturating_sub(1));
            let after = (*range.start()).max(lines.end().saturating_add(1))..=*range.end();
            if range.end() < lines.start() || lines.end() < range.start() {
                vec![range.clone()]
            } else {
                vec![before, after]
            }
        };
        *ranges = ranges.iter().flat_map(without).filter(|range| !range.is_empty()).collect();
        if ranges.is_empty() {
            self.0.remove(path);
        }
    }

    /// The files, each with its ranges of lines.
    pub fn files(&self) -> impl Iterator<Item = (&str, &[RangeInclusive<u32>])> {
        self.0.iter().map(|(path, lines)| (path.as_str(), lines.as_slice()))
    }
}

/// The parts of a diff that are about files whose present paths, or former ones if they are deleted, satisfy a condition.
#[must_use]
pub fn only_files(diff: &[u8], wanted: impl Fn(&str) -> bool) -> Vec<u8> {
    let mut kept = Vec::new();
    let mut walk = Walk::default();
    // The part that is being read: where it begins, and its path.
    let (mut start, mut path): (usize, Option<String>) = (0, None);
    let mut at = 0;
    for line in diff.split_inclusive(|byte| *byte == b'\n') {
        match walk.kind_of(line.strip_suffix(b"\n").unwrap_or(line)) {
            DiffLine::File => {
                if path.take().is_some_and(|path| wanted(&path)) {
                    kept.extend_from_slice(&diff[start..at]);
                }
                start = at;
            }
            DiffLine::OldName(name) => path = name_after(name, b"a/"),
            DiffLine::NewName(name) => path = name_after(name, b"b/").or(path),
            DiffLine::Added(_) | DiffLine::Other => {}
        }
        at += line.len();
    }
    if path.is_some_and(|path| wanted(&path)) {
        kept.extend_from_slice(&diff[start..]);
    }
    kept
}

/// Tells what the lines of a diff are. A line within a hunk may look like a header.
#[derive(Default)]
struct Walk {
    /// How many old lines of the hunk are left.
    old: u32,
    /// How many new ones.
    new: u32,
    /// The number of the next new line.
    at: u32,
}

enum DiffLine<'a> {
    /// The part of another file begins.
    File,
    /// After `---`.
    OldName(&'a [u8]),
    /// After `+++`.
    NewName(&'a [u8]),
    /// An added or altered line, with its number.
    Added(u32),
    Other,
}

impl Walk {
    fn kind_of<'a>(&mut self, line: &'a [u8]) -> DiffLine<'a> {
        if self.old == 0 && self.new == 0 {
            return self.header(line);
        }
        match line.first() {
            Some(b'+') => {
                let at = self.at;
                (self.at, self.new) = (at.saturating_add(1), self.new.saturating_sub(1));
                return DiffLine::Added(at);
            }
            Some(b'-') => self.old = self.old.saturating_sub(1),
            // "\\ No newline at end of file"
            Some(b'\\') => {}
            _ => {
                self.at = self.at.saturating_add(1);
                (self.old, self.new) = (self.old.saturating_sub(1), self.new.saturating_sub(1));
            }
        }
        DiffLine::Other
    }

    fn header<'a>(&mut self, line: &'a [u8]) -> DiffLine<'a> {
        if line.starts_with(b"diff --git ") {
            return DiffLine::File;
        }
        if let Some(name) = line.strip_prefix(b"--- ") {
            return DiffLine::OldName(name);
        }
        if let Some(name) = line.strip_prefix(b"+++ ") {
            return DiffLine::NewName(name);
        }
        if let Some(Hunk { old, new, at }) = Hunk::parse(line) {
            *self = Self { old, new, at };
        }
        DiffLine::Other
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

/// The path after `---` or `+++`; `None` for a file that is not on that side, and for one that is not UTF-8.
fn name_after(name: &[u8], prefix: &[u8]) -> Option<String> {
    // Git ends a path with blanks in it by a tab.
    let name = name.strip_suffix(b"\t").unwrap_or(name);
    let path = match name.strip_prefix(b"\"").and_then(|name| name.strip_suffix(b"\"")) {
        Some(quoted) => unquoted(quoted)?,
        None => name.to_vec(),
    };
    let path = path.strip_prefix(prefix)?;
    String::from_utf8(path.to_vec()).ok()
}

/// A path between the quotes in which git puts one with special characters; `None` if it is cut off.
pub fn unquoted(quoted: &[u8]) -> Option<Vec<u8>> {
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
    fn the_parts_of_some_files_are_kept_as_they_are() {
        let part = |path: &str| {
            format!(
                "diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -0,0 +1,2 @@\n+a\n+diff --git a/x b/x\n"
            )
        };
        let gone = "diff --git a/gone b/gone\ndeleted file mode 100644\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n";
        let diff = [part("x").as_str(), part("y").as_str(), gone, part("z").as_str()].concat();
        let kept = |wanted: &[&str]| {
            String::from_utf8(only_files(diff.as_bytes(), |path| wanted.contains(&path))).unwrap()
        };
        assert_eq!(kept(&["x", "z"]), part("x") + &part("z"));
        assert_eq!(kept(&["gone"]), gone);
        assert_eq!(kept(&["x", "y", "z", "gone"]), diff);
        assert_eq!(kept(&[]), "");
    }

    #[test]
    fn lines_are_left_out() {
        let mut changed = ChangedLines::default();
        changed.add("x", 1..=5);
        changed.add("x", 10..=12);
        changed.remove("x", &(3..=10));
        changed.remove("y", &(1..=10));
        assert_eq!(changed.files().collect::<Vec<_>>(), [("x", [1..=2, 11..=12].as_slice())]);
        changed.remove("x", &(0..=u32::MAX));
        assert_eq!(changed, ChangedLines::default());
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
