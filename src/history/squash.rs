//! Commits that contain the work of a run although their messages do not say so: a forge may keep nothing of a squash but its title,
//! with the number of the request (docs/landing.md).

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::source::Source;
use crate::error::Result;
use crate::git::RUN_RECORDS;
use crate::record::{CommitId, Landing, TaskId};

/// Whether the title of a message ends in the number of a request, as forges write it: `Add numerals (#12)`.
#[must_use]
pub fn is_numbered(message: &[u8]) -> bool {
    let end = memchr::memchr(b'\n', message).unwrap_or(message.len());
    let Some(before) = message[..end].trim_ascii_end().strip_suffix(b")") else { return false };
    let digits = before.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    digits > 0 && before[..before.len() - digits].ends_with(b"(#")
}

/// A commit that counts as if its message had named the run of which it has the work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Squash {
    /// The commit.
    pub commit: CommitId,
    /// What its message could have said.
    pub landing: Landing,
}

/// A commit of which it is not certain that it contains the work of these tasks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PossibleSquash {
    /// The commit.
    pub commit: CommitId,
    /// The end of a run that changed the same files.
    pub tip: CommitId,
    /// The tasks that are complete there.
    pub tasks: Vec<TaskId>,
}

/// The commits whose messages say nothing of the work that they contain.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Squashes {
    pub(super) certain: Vec<Squash>,
    pub(super) possible: Vec<PossibleSquash>,
}

impl Squashes {
    /// Those that count.
    pub(super) fn certain(&self) -> &[Squash] {
        &self.certain
    }

    /// What a commit that counts has landed.
    #[must_use]
    pub fn landing_of(&self, commit: &CommitId) -> Option<&Landing> {
        self.certain.iter().find(|squash| squash.commit == *commit).map(|squash| &squash.landing)
    }

    /// Those that do not count, because nothing is certain about them.
    #[must_use]
    pub fn possible(&self) -> &[PossibleSquash] {
        &self.possible
    }
}

/// What may be the end of a run: records, whose names are the ids of what they name, and all branches but the one that is checked
/// out.
pub(super) fn ends_of_runs(source: &mut dyn Source) -> Result<Vec<CommitId>> {
    let own = source.facts().branch()?;
    let is_end = |(name, id): &(String, CommitId)| match name.strip_prefix(RUN_RECORDS) {
        Some(record) => record == id.to_string(),
        None => name.starts_with("refs/heads/") && own.as_ref() != Some(name),
    };
    let mut ends: Vec<CommitId> =
        source.facts().references()?.into_iter().filter(is_end).map(|(_, id)| id).collect();
    ends.extend(source.facts().remote_branches()?.into_iter().map(|(_, id)| id));
    let mut seen = HashSet::new();
    ends.retain(|id| seen.insert(*id));
    Ok(ends)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_number_of_a_request_at_the_end_of_a_title_counts() {
        for (message, is_one) in [
            ("Add numerals (#12)", true),
            ("Add numerals (#12)\n\nbody", true),
            ("Add numerals (#12) \n", true),
            ("(#1)", true),
            ("Add numerals (#12) again", false),
            ("Add numerals\n\nSee (#12)", false),
            ("Add numerals (#)", false),
            ("Add numerals (#1a)", false),
            ("Add numerals (12)", false),
            ("", false),
        ] {
            assert_eq!(is_numbered(message.as_bytes()), is_one, "{message}");
        }
    }
}
