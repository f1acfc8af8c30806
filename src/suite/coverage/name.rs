//! The names by which reports call files.

use std::sync::Arc;

/// The name by which a report calls a file. It has `/` between its parts, and neither `.` nor `..` among them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileName {
    /// A path: absolute, or relative to a folder that the report does not name.
    Path(String),
    /// A path relative to one of several folders, of which some may be relative themselves.
    Below {
        /// The folders.
        sources: Arc<[String]>,
        /// The path.
        path: String,
    },
}

impl FileName {
    /// The paths that it may stand for: absolute ones, or relative ones of which the beginning is missing.
    pub(super) fn readings(&self) -> Vec<String> {
        match self {
            Self::Path(path) => vec![path.clone()],
            Self::Below { path, .. } if is_absolute(path) => vec![path.clone()],
            Self::Below { sources, path } if sources.is_empty() => vec![path.clone()],
            Self::Below { sources, path } => sources.iter().map(|source| joined(source, path)).collect(),
        }
    }
}

/// A folder and a path below it, which may be empty.
fn joined(folder: &str, path: &str) -> String {
    match folder {
        "" => path.to_owned(),
        "/" => format!("/{path}"),
        folder => format!("{folder}/{path}"),
    }
}

/// Whether a path begins at a root or a drive.
pub(super) fn is_absolute(path: &str) -> bool {
    path.starts_with('/') || has_drive(path)
}

fn has_drive(path: &str) -> bool {
    let mut bytes = path.bytes();
    bytes.next().is_some_and(|letter| letter.is_ascii_alphabetic())
        && bytes.next() == Some(b':')
        && bytes.next() == Some(b'/')
}

/// A path as it is compared: `/` between its parts, without `.` and, where it can be told what they mean, without `..`.
/// `None` if it leads above the folder in which it begins, or names nothing.
pub(super) fn tidy(path: &str) -> Option<String> {
    let path = path.strip_prefix("file://").unwrap_or(path).replace('\\', "/");
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    let root = if path.starts_with('/') { "/" } else { "" };
    Some(format!("{root}{}", parts.join("/")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_all_systems_are_written_in_one_way() {
        for (written, expected) in [
            ("src/a.py", Some("src/a.py")),
            ("./src//a.py", Some("src/a.py")),
            ("src/x/../a b.py", Some("src/a b.py")),
            ("src\\größe.py", Some("src/größe.py")),
            ("C:\\project\\src\\a.py", Some("C:/project/src/a.py")),
            ("file:///project/a.js", Some("/project/a.js")),
            ("/project/./a.py", Some("/project/a.py")),
            ("../a.py", None),
            ("/../a.py", None),
        ] {
            assert_eq!(tidy(written).as_deref(), expected, "{written}");
        }
        assert!(is_absolute("/a") && is_absolute("C:/a") && !is_absolute("C:a") && !is_absolute("a/b"));
    }
}
