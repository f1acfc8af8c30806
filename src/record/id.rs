//! Task ids: the names of nodes of the task tree (docs/plans.md).
//!
//! An id becomes part of commit subjects, file names and branch names, so it is checked once, here,
//! and everything inside the program works with a [`TaskId`].

use std::fmt;

/// The id of a node: `[A-Za-z0-9][A-Za-z0-9._-]*`, at most 64 bytes, no `..`, not ending in `.` or `.lock`.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TaskId(Box<str>);

/// The longest id that is accepted, in bytes.
pub const MAX_ID_LEN: usize = 64;

/// Why a string is not a task id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdProblem {
    /// The empty string.
    Empty,
    /// More than [`MAX_ID_LEN`] bytes.
    TooLong,
    /// The first character is not an ASCII letter or digit.
    BadStart(char),
    /// A character is not an ASCII letter, digit, `.`, `_` or `-`.
    BadCharacter(char),
    /// It contains `..` or ends in `.`, which git references must not.
    BadDots,
    /// It ends in `.lock`: git reserves such names for its locks.
    LockSuffix,
}

impl fmt::Display for IdProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => write!(f, "it is empty"),
            Self::TooLong => write!(f, "it is longer than {MAX_ID_LEN} characters"),
            Self::BadStart(c) => write!(f, "it begins with {c:?}, not with a letter or digit"),
            Self::BadCharacter(c) => write!(f, "it contains {c:?}"),
            Self::BadDots => write!(f, "it contains `..` or ends in `.`"),
            Self::LockSuffix => write!(f, "it ends in `.lock`"),
        }
    }
}

impl TaskId {
    /// Checks `text` and turns it into an id.
    ///
    /// # Errors
    /// The first rule that `text` breaks.
    pub fn parse(text: &str) -> Result<Self, IdProblem> {
        Self::check(text).map(|()| Self(text.into()))
    }

    /// Whether `text` can be an id.
    ///
    /// # Errors
    /// The first rule that `text` breaks.
    pub fn check(text: &str) -> Result<(), IdProblem> {
        let first = text.chars().next().ok_or(IdProblem::Empty)?;
        if !first.is_ascii_alphanumeric() {
            return Err(IdProblem::BadStart(first));
        }
        if let Some(bad) = text.chars().find(|c| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-')))
        {
            return Err(IdProblem::BadCharacter(bad));
        }
        if text.len() > MAX_ID_LEN {
            return Err(IdProblem::TooLong);
        }
        if text.contains("..") || text.ends_with('.') {
            return Err(IdProblem::BadDots);
        }
        if text.ends_with(".lock") {
            return Err(IdProblem::LockSuffix);
        }
        Ok(())
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Debug for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TaskId({})", self.0)
    }
}

impl std::borrow::Borrow<str> for TaskId {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl serde::Serialize for TaskId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> serde::Deserialize<'de> for TaskId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text)
            .map_err(|problem| serde::de::Error::custom(format!("it is not a task id: {problem}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_ids_are_accepted() {
        for good in ["T001", "1", "phase-1", "a.b_c-d", "v1.2", &"x".repeat(MAX_ID_LEN)] {
            assert_eq!(TaskId::parse(good).unwrap().as_str(), good);
        }
    }

    #[test]
    fn ids_that_would_break_subjects_files_or_branches_are_refused() {
        let cases = [
            ("", IdProblem::Empty),
            ("-rf", IdProblem::BadStart('-')),
            (".hidden", IdProblem::BadStart('.')),
            ("../x", IdProblem::BadStart('.')),
            ("a/b", IdProblem::BadCharacter('/')),
            ("a b", IdProblem::BadCharacter(' ')),
            ("a)b", IdProblem::BadCharacter(')')),
            ("a@b", IdProblem::BadCharacter('@')),
            ("a\nb", IdProblem::BadCharacter('\n')),
            ("a\0", IdProblem::BadCharacter('\0')),
            ("Ünit", IdProblem::BadStart('Ü')),
            ("T🌳", IdProblem::BadCharacter('🌳')),
            ("a..b", IdProblem::BadDots),
            ("a.", IdProblem::BadDots),
            ("a.lock", IdProblem::LockSuffix),
        ];
        for (bad, why) in cases {
            assert_eq!(TaskId::parse(bad), Err(why), "{bad:?}");
        }
        assert_eq!(TaskId::parse(&"x".repeat(MAX_ID_LEN + 1)), Err(IdProblem::TooLong));
    }
}
