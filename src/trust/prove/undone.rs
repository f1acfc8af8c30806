//! What a file is without the change of a task, when others may have changed it too.

use std::collections::HashMap;

use super::{OwnChange, ProofSubject};
use crate::error::Result;
use crate::git::{Entry, Git};

/// The versions of files before and after each part of a change.
pub(super) struct Undone {
    /// Oldest first.
    parts: Vec<Part>,
}

struct Part {
    before: HashMap<Vec<u8>, Entry>,
    after: HashMap<Vec<u8>, Entry>,
}

impl Undone {
    pub(super) fn read(git: &Git, subject: &ProofSubject, paths: &[Vec<u8>]) -> Result<Self> {
        let part = |own: &OwnChange| {
            Ok(Part { before: git.entries(&own.before, paths)?, after: git.entries(&own.after, paths)? })
        };
        Ok(Self { parts: subject.own.iter().map(part).collect::<Result<_>>()? })
    }

    /// The file without the change, if it is `now` with it. Where others changed it in between, only the lines of
    /// the change are taken back. If that is not possible, the file is as it was before the first part.
    pub(super) fn entry(&self, git: &Git, path: &[u8], now: Option<&Entry>) -> Result<Option<Entry>> {
        let mut current = now.cloned();
        let mut oldest = None;
        let mut is_mixed = false;
        for part in self.parts.iter().rev() {
            let (before, after) = (part.before.get(path), part.after.get(path));
            if before == after {
                continue;
            }
            oldest = before.cloned();
            if current.as_ref() == after {
                current = before.cloned();
                continue;
            }
            match (&current, after, before) {
                (Some(mine), Some(base), Some(other)) if !is_mixed => {
                    match git.merge_blobs(mine, base, other)? {
                        Some(merged) => current = Some(merged),
                        None => is_mixed = true,
                    }
                }
                _ => is_mixed = true,
            }
        }
        Ok(if is_mixed { oldest } else { current })
    }
}
