//! Tells whether the documents that a plan names can be read in a work tree.

use std::io::ErrorKind;
use std::path::Path;

use crate::files;

/// The largest document that an agent can be expected to read, in bytes.
const MOST: u64 = 1 << 20;
/// How many bytes are looked at to tell text from anything else.
const BEGINNING: u64 = 8_000;

/// Why a document cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentTrouble {
    /// There is no such file.
    Missing,
    /// A link leads to a place outside of the work tree, or into the git directory.
    Outside,
    /// It is a folder, a pipe or a device.
    NoFile,
    /// It has so many bytes, which is more than an agent can be expected to read.
    Large(u64),
    /// It is not text.
    Binary,
    /// The user may not read it.
    Unreadable,
}

impl DocumentTrouble {
    /// The reason, as a clause about the file.
    #[must_use]
    pub fn what(self) -> String {
        match self {
            Self::Missing => "it does not exist".to_owned(),
            Self::Outside => "a link leads out of the repository".to_owned(),
            Self::NoFile => "it is not a file".to_owned(),
            Self::Large(bytes) => format!("it has {} MiB", bytes.div_ceil(MOST)),
            Self::Binary => "it is not a text in UTF-8".to_owned(),
            Self::Unreadable => "it cannot be read".to_owned(),
        }
    }
}

/// Why the document at `path`, which begins at `top`, cannot be read; `None` if it can.
#[must_use]
pub fn document_trouble(top: &Path, path: &str) -> Option<DocumentTrouble> {
    let (top, file) = match (top.canonicalize(), top.join(path).canonicalize()) {
        (Ok(top), Ok(file)) => (top, file),
        (_, Err(error)) if error.kind() == ErrorKind::PermissionDenied => {
            return Some(DocumentTrouble::Unreadable);
        }
        _ => return Some(DocumentTrouble::Missing),
    };
    let is_inside = file.strip_prefix(&top).is_ok_and(|inside| !inside.starts_with(".git"));
    if !is_inside {
        return Some(DocumentTrouble::Outside);
    }
    let opened = match files::open(&file) {
        Ok(opened) => opened,
        Err(error) if error.kind() == ErrorKind::InvalidInput => return Some(DocumentTrouble::NoFile),
        Err(_) => return Some(DocumentTrouble::Unreadable),
    };
    if opened.size() > MOST {
        return Some(DocumentTrouble::Large(opened.size()));
    }
    match opened.read_beginning(BEGINNING) {
        Ok(bytes) => (!is_text(&bytes)).then_some(DocumentTrouble::Binary),
        Err(_) => Some(DocumentTrouble::Unreadable),
    }
}

/// The text of the document at `path`; `None` if it cannot be read.
#[must_use]
pub fn read_document(top: &Path, path: &str) -> Option<String> {
    if document_trouble(top, path).is_some() {
        return None;
    }
    String::from_utf8(files::read(&top.join(path), MOST).ok()?).ok()
}

/// Whether bytes are the beginning of a text. The last character may be cut.
fn is_text(bytes: &[u8]) -> bool {
    let is_utf8 = std::str::from_utf8(bytes).map_or_else(|error| error.error_len().is_none(), |_| true);
    is_utf8 && !bytes.contains(&0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_text_inside_of_the_work_tree_can_be_read() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().join("top");
        std::fs::create_dir_all(top.join("docs")).unwrap();
        std::fs::create_dir_all(top.join(".git")).unwrap();
        std::fs::write(folder.path().join("secret"), "secret").unwrap();
        std::fs::write(top.join(".git/config"), "[user]").unwrap();
        std::fs::write(top.join("docs/spec.md"), "# Größe\n").unwrap();
        std::fs::write(top.join("docs/cut.md"), format!("{}ß", "x".repeat(7_999))).unwrap();
        std::fs::write(top.join("docs/photo.png"), b"\x89PNG\r\n\0\0").unwrap();
        std::fs::write(top.join("docs/latin.md"), b"Gr\xf6\xdfe\n").unwrap();
        std::fs::write(top.join("docs/large.md"), "x".repeat(10 << 20)).unwrap();
        for (link, target) in [
            ("inside.md", "docs/spec.md"),
            ("outside.md", "../secret"),
            ("config.md", ".git/config"),
            ("nowhere.md", "gone"),
            ("out", ".."),
        ] {
            std::os::unix::fs::symlink(target, top.join(link)).unwrap();
        }
        for (path, expected) in [
            ("docs/spec.md", None),
            ("docs/cut.md", None),
            ("inside.md", None),
            ("docs/gone.md", Some(DocumentTrouble::Missing)),
            ("nowhere.md", Some(DocumentTrouble::Missing)),
            ("docs", Some(DocumentTrouble::NoFile)),
            ("docs/photo.png", Some(DocumentTrouble::Binary)),
            ("docs/latin.md", Some(DocumentTrouble::Binary)),
            ("docs/large.md", Some(DocumentTrouble::Large(10 << 20))),
            ("outside.md", Some(DocumentTrouble::Outside)),
            ("out/secret", Some(DocumentTrouble::Outside)),
            ("config.md", Some(DocumentTrouble::Outside)),
        ] {
            assert_eq!(document_trouble(&top, path), expected, "{path}");
            assert_eq!(read_document(&top, path).is_some(), expected.is_none(), "{path}");
        }
        assert_eq!(DocumentTrouble::Large(10 << 20).what(), "it has 10 MiB");
    }
}
