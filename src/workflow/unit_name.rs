//! Names of work units: which step of which task, and the commit at which it was handed out.

use std::fmt;

use crate::record::{CommitId, Step, TaskId};

/// How many digits of the commit a name has.
const DIGITS: usize = 12;

/// The name of a work unit, such as `T003/implement/1@0cc5fa52d1e4`. The attempt is counted from 0.
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
}

impl UnitName {
    /// The name of a step that is handed out at this commit.
    #[must_use]
    pub fn new(task: &TaskId, step: Step, attempt: u32, commit: &CommitId) -> Self {
        let mut commit = commit.to_string();
        commit.truncate(DIGITS);
        Self { task: task.clone(), step, attempt, commit }
    }

    /// The name in this text; `None` if it is none.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (step, commit) = text.split_once('@')?;
        let mut parts = step.split('/');
        let (task, step, attempt) = (parts.next()?, parts.next()?, parts.next()?);
        let is_number = !attempt.is_empty() && attempt.bytes().all(|byte| byte.is_ascii_digit());
        let is_commit = commit.len() >= 7 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
        if parts.next().is_some() || !is_number || !is_commit {
            return None;
        }
        Some(Self {
            task: TaskId::parse(task).ok()?,
            step: Step::from_word(step)?,
            attempt: attempt.parse().ok()?,
            commit: commit.to_ascii_lowercase(),
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
        let Self { task, step, attempt, commit } = self;
        write!(f, "{task}/{}/{attempt}@{commit}", step.word())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_read_as_it_is_written() {
        let text = "T003/implement/1@0cc5fa52d1e4";
        let name = UnitName::parse(text).unwrap();
        assert_eq!((name.task.as_str(), name.step, name.attempt), ("T003", Step::IMPLEMENT, 1));
        assert_eq!(name.to_string(), text);
        assert_eq!(UnitName::parse("T.1-a/red/0@0CC5FA5").unwrap().to_string(), "T.1-a/red/0@0cc5fa5");
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
            "T003/implement/1@HEAD~12345",
            "T003/implement/1@0cc5fa",
            "T003/implement/99999999999@0cc5fa52d1e4",
            "T003/write/1@0cc5fa52d1e4",
            "T003/implement/1/2@0cc5fa52d1e4",
            "../T003/implement/1@0cc5fa52d1e4",
            "T003/implement/1@0cc5fa52d1e4@",
        ];
        for text in texts {
            assert_eq!(UnitName::parse(text), None, "{text}");
        }
    }
}
