//! What a branch named last before something moved it, if its reflog is gone as well.

use std::collections::HashSet;

use super::moved_ref::keep;
use crate::git::Git;
use crate::record::CommitId;
use crate::text::listed;

/// How many lost commits are looked at.
const MOST_LOST: usize = 100;

/// What a branch named last, before something moved it.
pub(super) struct Newest {
    /// The newest commit that is known to have been there.
    pub(super) commit: CommitId,
    /// Lost commits on top of it, if there are several: it is not known which of them was there.
    lost: Vec<CommitId>,
}

impl Newest {
    /// It is known.
    pub(super) fn known(commit: CommitId) -> Self {
        Self { commit, lost: Vec::new() }
    }

    /// It is this commit or one of these lost ones on top of it.
    pub(super) fn unknown(commit: CommitId, lost: &[CommitId]) -> Self {
        Self { commit, lost: lost.to_vec() }
    }

    /// Keeps the lost commits. Returns a sentence about them, with a blank before it, or nothing if there are none; and whether all of
    /// them are kept.
    pub(super) fn keep_lost(&self, git: &Git) -> (String, bool) {
        let kept: Vec<String> = self.lost.iter().filter_map(|commit| keep(git, commit)).collect();
        let are_kept = kept.len() == self.lost.len();
        let Some(first) = kept.first() else { return (String::new(), are_kept) };
        let told = format!(
            " No log says what the branch named meanwhile. The commits on top of it to which nothing led any more are kept as {}. \
             The newest is the first: if it is yours, `git reset {first}` goes there, and leaves all files as they are.",
            listed(&kept)
        );
        (told, are_kept)
    }
}

/// The newest of these lost commits, each followed by its parents, that may have been the tip of the branch.
pub(super) fn newest_of(
    mut lost: Vec<Vec<CommitId>>,
    may_be_tip: impl Fn(&CommitId) -> bool,
) -> Vec<CommitId> {
    lost.truncate(MOST_LOST);
    lost.retain(|ids| ids.first().is_some_and(&may_be_tip));
    let parents: HashSet<CommitId> = lost.iter().flat_map(|ids| ids.iter().skip(1)).copied().collect();
    let tips = lost.iter().filter_map(|ids| ids.first()).copied();
    tips.filter(|commit| !parents.contains(commit)).collect()
}
