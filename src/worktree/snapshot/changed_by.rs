//! Whose work lies between two snapshots.

use crate::git::Head;

/// What may have changed the repository: who was at work, and what the branch was before.
#[derive(Clone, Copy)]
pub(crate) struct ChangedBy<'a> {
    /// For messages: `the runner`.
    pub(crate) who: &'a str,
    /// Where our branch was.
    pub(crate) head: &'a Head,
}
