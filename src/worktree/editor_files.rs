//! Recognises files that an editor keeps next to an open one, by their names. They are never part of the work.
//!
//! Vim and nano keep a swap file (`.name.swp`, and `.swo` and `.swn` for the second and the third), Emacs a lock (`.#name`)
//! and a copy (`#name#`), Kate `.name.kate-swp`, and `LibreOffice` `.~lock.name#`. Other editors leave no trace.

/// How the names of such files begin and end.
const NAMES: [(&[u8], &[u8]); 7] = [
    (b".", b".swp"),
    (b".", b".swo"),
    (b".", b".swn"),
    (b".#", b""),
    (b"#", b"#"),
    (b".", b".kate-swp"),
    (b".~lock.", b"#"),
];

/// Whether a path, in the bytes that git uses, has the name of such a file.
pub(super) fn is_of_editor(path: &[u8]) -> bool {
    let name = path.rsplit(|byte| *byte == b'/').next().expect("a split path has a last part");
    NAMES.iter().any(|(start, end)| {
        name.strip_prefix(*start)
            .and_then(|rest| rest.strip_suffix(*end))
            .is_some_and(|name| !name.is_empty())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_editors_are_known_by_their_names() {
        for name in
            [".main.c.swp", "src/.main.c.swo", ".#main.el", "a/#main.el#", ".a.txt.kate-swp", ".~lock.b.odt#"]
        {
            assert!(is_of_editor(name.as_bytes()), "{name}");
        }
        for name in ["main.swp", ".swp", "#", "##", ".#", "#x", "a#b#", ".gitignore", ".#a/b", "movie.swf"] {
            assert!(!is_of_editor(name.as_bytes()), "{name}");
        }
    }
}
