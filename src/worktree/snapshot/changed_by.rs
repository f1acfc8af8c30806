//! Names the program that worked between two snapshots.

use crate::git::Head;

/// The program that may have changed the repository, and the branch before it worked.
#[derive(Clone, Copy)]
pub(crate) struct ChangedBy<'a> {
    /// For messages: `the runner`.
    pub(crate) who: &'a str,
    /// The head of our branch.
    pub(crate) head: &'a Head,
}
