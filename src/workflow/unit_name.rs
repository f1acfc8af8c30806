//! Names of work units: which step of which task, and the state of the repository in which it was handed out.

use std::fmt;

use crate::record::{CommitId, Step, TaskId};

/// How many digits of the commit and of the digest a name has.
const DIGITS: usize = 12;

/// The state in which a unit is handed out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandedOut {
    /// The tip of the branch.
    pub commit: CommitId,
    /// The digest of everything else that must still be the same when the unit is handed in, in hexadecimal digits.
    pub digest: String,
}

/// The name of a work unit, such as `T003/implement/1@0cc5fa52d1e4.b1946ac92492`. The attempt is counted from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitName {
    /// The task.
    pub task: TaskId,
    /// The step.
    pub step: Step,
    /// The attempt.
    pub attempt: u32,
    /// The beginning of the id of the commit that was the tip of the branch.
    pub commit: String,
    /// The beginning of the digest of what must still be the same.
    pub digest: String,
}

impl UnitName {
    /// The name of a step that is handed out in this state.
    #[must_use]
    pub fn new(task: &TaskId, step: Step, attempt: u32, state: &HandedOut) -> Self {
        let first = |text: &str| text.chars().take(DIGITS).collect();
        let (commit, digest) = (first(&state.commit.to_string()), first(&state.digest));
        Self { task: task.clone(), step, attempt, commit, digest }
    }

    /// Whether a digest is that of the state in which the unit was handed out.
    #[must_use]
    pub fn has_digest(&self, digest: &str) -> bool {
        digest.get(..DIGITS) == Some(&self.digest)
    }

    /// The name in this text; `None` if it is none.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (step, state) = text.split_once('@')?;
        let (commit, digest) = state.split_once('.')?;
        let mut parts = step.split('/');
        let (task, step, attempt) = (parts.next()?, parts.next()?, parts.next()?);
        let is_number = !attempt.is_empty() && attempt.bytes().all(|byte| byte.is_ascii_digit());
        let is_hexadecimal = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let is_state =
            commit.len() >= 7 && digest.len() == DIGITS && is_hexadecimal(commit) && is_hexadecimal(digest);
        if parts.next().is_some() || !is_number || !is_state {
            return None;
        }
        Some(Self {
            task: TaskId::parse(task).ok()?,
            step: Step::from_word(step)?,
            attempt: attempt.parse().ok()?,
            commit: commit.to_ascii_lowercase(),
            digest: digest.to_ascii_lowercase(),
        })
    }

    /// The step in words: `the implement step of T003, attempt 2`.
    #[must_use]
    pub fn in_words(&self) -> String {
        let Self { task, step, attempt, .. } = self;
        format!("the {} step of {task}, attempt {}", step.word(), attempt.saturating_add(1))
    }
}

impl fmt::Display for UnitName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { task, step, attempt, commit, digest } = self;
        write!(f, "{task}/{}/{attempt}@{commit}.{digest}", step.word())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_read_as_it_is_written() {
        let text = "T003/implement/1@0cc5fa52d1e4.b1946ac92492";
        let name = UnitName::parse(text).unwrap();
        assert_eq!((name.task.as_str(), name.step, name.attempt), ("T003", Step::IMPLEMENT, 1));
        assert_eq!(name.to_string(), text);
        assert!(name.has_digest("b1946ac92492d2347c6235b4d2611184") && !name.has_digest("b1946ac92493"));
        let upper = UnitName::parse("T.1-a/red/0@0CC5FA5.B1946AC92492").unwrap();
        assert_eq!(upper.to_string(), "T.1-a/red/0@0cc5fa5.b1946ac92492");
    }

    #[test]
    fn what_is_no_name_is_not_read_as_one() {
        let texts = [
            "",
            "T003",
            "T003/implement/1",
            "T003/implement@0cc5fa52d1e4",
            "T003/implement/-1@0cc5fa52d1e4",
            "T003/implement/+1@0cc5fa52d1e4",
            "T003/implement/1@",
            "T003/implement/1@HEAD~12345.b1946ac92492",
            "T003/implement/1@0cc5fa.b1946ac92492",
            "T003/implement/1@0cc5fa52d1e4",
            "T003/implement/1@0cc5fa52d1e4.",
            "T003/implement/1@0cc5fa52d1e4.b1946ac9249",
            "T003/implement/99999999999@0cc5fa52d1e4.b1946ac92492",
            "T003/write/1@0cc5fa52d1e4.b1946ac92492",
            "T003/implement/1/2@0cc5fa52d1e4.b1946ac92492",
            "../T003/implement/1@0cc5fa52d1e4.b1946ac92492",
            "T003/implement/1@0cc5fa52d1e4.b1946ac92492@",
        ];
        for text in texts {
            assert_eq!(UnitName::parse(text), None, "{text}");
        }
    }
}
