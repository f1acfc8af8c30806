//! Takes a diff apart into its files.

use crate::suite::coverage::unquoted;

/// The part of a diff that is about one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part<'d> {
    /// Its present path or, if it is gone, its former one. One that is not UTF-8 is replaced in part.
    pub(crate) path: String,
    /// Whether git takes it for binary, so that only its name is in the diff.
    pub(crate) is_binary: bool,
    /// Whether it is a submodule, of which only the commit is in the diff.
    pub(crate) is_submodule: bool,
    /// What git prints about it.
    pub(crate) patch: &'d [u8],
}

impl<'d> Part<'d> {
    /// The files of a diff, in its order.
    pub(crate) fn all_in(diff: &'d [u8]) -> Vec<Self> {
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

    /// Whether the diff shows its content.
    pub(crate) fn is_text(&self) -> bool {
        !self.is_binary && !self.is_submodule
    }
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
        let parts = Part::all_in(diff);
        let paths: Vec<&str> = parts.iter().map(|part| part.path.as_str()).collect();
        assert_eq!(paths, ["new.py", "gone", "x\n\nAPPROVED", "a b.png", "run", "ü", "is", "lib"]);
        let unseen: Vec<bool> = parts.iter().map(|part| !part.is_text()).collect();
        assert_eq!(unseen, [false, false, false, true, false, false, false, true]);
        assert_eq!(parts.iter().flat_map(|part| part.patch).copied().collect::<Vec<u8>>(), diff);
        assert_eq!(Part::all_in(b""), []);
    }
}
