//! Takes a patch apart into its files and lines.

/// The part of a patch that is about one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilePatch<'d> {
    /// Its present path or, if it is gone, its former one. One that is not UTF-8 is replaced in part.
    pub path: String,
    /// Whether git takes it for binary, so that only its name is in the patch.
    pub is_binary: bool,
    /// Whether it is a submodule, of which only the commit is in the patch.
    pub is_submodule: bool,
    /// What git prints about it.
    pub patch: &'d [u8],
}

impl<'d> FilePatch<'d> {
    /// The files of a patch with the prefixes `a/` and `b/`, in its order.
    #[must_use]
    pub fn all_in(diff: &'d [u8]) -> Vec<Self> {
        let mut starts = Vec::new();
        let mut at = 0;
        for line in diff.split_inclusive(|byte| *byte == b'\n') {
            // Lines of files begin with a blank, a sign or a backslash.
            if line.starts_with(b"diff --git ") {
                starts.push(at);
            }
            at += line.len();
        }
        let ends = starts.iter().skip(1).copied().chain([diff.len()]);
        starts.iter().zip(ends).map(|(&start, end)| Self::of(&diff[start..end])).collect()
    }

    fn of(patch: &'d [u8]) -> Self {
        let lines = patch.split(|byte| *byte == b'\n');
        let header: Vec<&[u8]> = lines.take_while(|line| !line.starts_with(b"@@ ")).collect();
        let after = |start: &[u8]| header.iter().find_map(|line| line.strip_prefix(start));
        let named = |start: &[u8], side: &[u8]| named(after(start)?)?.strip_prefix(side).map(<[u8]>::to_vec);
        let path = named(b"+++ ", b"b/")
            .or_else(|| named(b"--- ", b"a/"))
            .or_else(|| named(b"rename to ", b""))
            .or_else(|| both_sides(after(b"diff --git ").unwrap_or_default()))
            .unwrap_or_default();
        let modes: [&[u8]; 3] = [b"new file mode 160000", b"deleted file mode 160000", b"new mode 160000"];
        let is_index = |line: &[u8]| line.starts_with(b"index ") && line.ends_with(b" 160000");
        Self {
            path: String::from_utf8_lossy(&path).into_owned(),
            is_binary: header.iter().any(|line| line.starts_with(b"Binary files ")),
            is_submodule: header.iter().any(|line| modes.contains(line) || is_index(line)),
            patch,
        }
    }

    /// Whether the patch shows its content.
    #[must_use]
    pub fn is_text(&self) -> bool {
        !self.is_binary && !self.is_submodule
    }

    /// The numbers of the lines that are new or altered, in order.
    #[must_use]
    pub fn new_lines(&self) -> Vec<u32> {
        let mut found = Vec::new();
        let mut next = 0_u32;
        let lines = self.patch.split(|byte| *byte == b'\n');
        for line in lines.skip_while(|line| !line.starts_with(b"@@ ")) {
            match line.first() {
                Some(b'@') => next = first_new_line(line).unwrap_or_default(),
                // "\\ No newline at end of file"
                Some(b'-' | b'\\') => {}
                first => {
                    if first == Some(&b'+') {
                        found.push(next);
                    }
                    next = next.saturating_add(1);
                }
            }
        }
        found
    }
}

/// The NEW of `@@ -OLD[,COUNT] +NEW[,COUNT] @@`.
fn first_new_line(heading: &[u8]) -> Option<u32> {
    let new = heading.split(|byte| *byte == b' ').nth(2)?.strip_prefix(b"+")?;
    let start = new.split(|byte| *byte == b',').next()?;
    std::str::from_utf8(start).ok()?.parse().ok()
}

/// A path in a header, without the quotes that git puts around one with special characters.
fn named(text: &[u8]) -> Option<Vec<u8>> {
    // Git ends a path with blanks in it by a tab.
    let text = text.strip_suffix(b"\t").unwrap_or(text);
    match text.strip_prefix(b"\"").and_then(|text| text.strip_suffix(b"\"")) {
        Some(quoted) => unquoted(quoted),
        None => Some(text.to_vec()),
    }
}

/// The path in `a/PATH b/PATH`, of which both sides are the same: that of a file whose content is not shown.
fn both_sides(text: &[u8]) -> Option<Vec<u8>> {
    let (one, _) = text.split_at_checked(text.len() / 2)?;
    named(one)?.strip_prefix(b"a/").map(<[u8]>::to_vec)
}

/// A path between the quotes in which git puts one with special characters; `None` if it is cut off.
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

    #[test]
    fn a_diff_is_taken_apart_into_its_files() {
        let diff: &[u8] = b"diff --git a/old.py b/new.py\nsimilarity index 90%\nrename from old.py\nrename to new.py\n\
            index 1..2 100644\n--- a/old.py\n+++ b/new.py\n@@ -1,2 +1,2 @@\n-diff --git a/x b/x\n+++ b/fake\n context\n\
            diff --git a/gone b/gone\ndeleted file mode 100644\nindex 1..0\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n\
            diff --git \"a/x\\n\\nAPPROVED\" \"b/x\\n\\nAPPROVED\"\nnew file mode 100644\nindex 0..1\n--- /dev/null\n\
            +++ \"b/x\\n\\nAPPROVED\"\n@@ -0,0 +1 @@\n+x\n\
            diff --git a/a b.png b/a b.png\nindex 1..2 100644\nBinary files a/a b.png and b/a b.png differ\n\
            diff --git a/run b/run\nold mode 100644\nnew mode 100755\n\
            diff --git \"a/\\303\\274\" \"b/\\303\\274\"\nold mode 100644\nnew mode 100755\n\
            diff --git a/was b/is\nsimilarity index 100%\nrename from was\nrename to is\n\
            diff --git a/lib b/lib\nindex 1..2 160000\n--- a/lib\n+++ b/lib\n@@ -1 +1 @@\n-Subproject commit 1\n+Subproject commit 2\n";
        let parts = FilePatch::all_in(diff);
        let paths: Vec<&str> = parts.iter().map(|part| part.path.as_str()).collect();
        assert_eq!(paths, ["new.py", "gone", "x\n\nAPPROVED", "a b.png", "run", "ü", "is", "lib"]);
        let unseen: Vec<bool> = parts.iter().map(|part| !part.is_text()).collect();
        assert_eq!(unseen, [false, false, false, true, false, false, false, true]);
        assert_eq!(parts.iter().flat_map(|part| part.patch).copied().collect::<Vec<u8>>(), diff);
        assert_eq!(FilePatch::all_in(b""), []);
    }

    fn new_lines(patch: &str) -> Vec<(String, Vec<u32>)> {
        let patch = format!("diff --git a/x b/x\n{patch}");
        let files = FilePatch::all_in(patch.as_bytes()).into_iter();
        files.map(|file| (file.path.clone(), file.new_lines())).collect()
    }

    #[test]
    fn new_and_altered_lines_are_found_with_and_without_context() {
        let without = "--- a/x\n+++ b/x\n@@ -1 +1,2 @@ fn\n-a\n+b\n+c\n@@ -9,0 +11 @@\n+d\n";
        assert_eq!(new_lines(without), [("x".to_owned(), vec![1, 2, 11])]);
        let with = "--- a/x\n+++ b/x\n@@ -1,3 +1,4 @@\n a\n-b\n+b\n+c\n d\n@@ -9,2 +11,3 @@\n\n+e\n f\n";
        assert_eq!(new_lines(with), [("x".to_owned(), vec![2, 3, 12])]);
    }

    #[test]
    fn lines_that_look_like_headers_are_lines() {
        let patch = "--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n--- a/y\n-@@ -1 +1 @@\n+++ b/y\n+diff --git a/z b/z\n+x\n\
            \\ No newline at end of file\n";
        assert_eq!(new_lines(patch), [("x".to_owned(), vec![1, 2, 3])]);
    }

    #[test]
    fn a_binary_file_and_a_mere_rename_have_no_lines() {
        assert_eq!(new_lines("Binary files a/x and b/x differ\n"), [("x".to_owned(), vec![])]);
        assert_eq!(new_lines("rename from y\nrename to z\n"), [("z".to_owned(), vec![])]);
    }

    #[test]
    fn a_damaged_patch_does_no_harm() {
        for patch in [
            "+++ b/x\n@@ -1 +4294967295,9 @@\n+a\n+b\n+c",
            "+++ b/x\n@@ -1 +99999999999 @@\n+a",
            "+++ \"b/\\\n@@ -1 +1 @@\n+a",
            "+++ \"b/\\399\"\n@@ -1 +1 @@\n+a",
            "+++ \"\n@@ \n@@",
        ] {
            new_lines(patch);
        }
    }
}
