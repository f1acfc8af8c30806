//! Looks branches up quickly, with libgit2 and without starting a program, for a hook that runs whenever a reference
//! changes. Questions that libgit2 cannot answer are left to git.

use std::cell::RefCell;
use std::collections::{HashSet, VecDeque};
use std::path::{Path, PathBuf};

use super::libgit::LibGit;
use super::raw::RawCommit;
use super::source::{ObjectKind, Source};
use crate::git::DiscoveryStart;
use crate::record::CommitId;

/// How many commits are read to find out whether one descends from another. After that, git is asked: starting it takes
/// about as long as reading these.
const MAX_COMMITS: usize = 100;

/// A repository for quick lookups.
pub struct QuickLookup {
    library: RefCell<LibGit>,
    common_dir: PathBuf,
}

impl QuickLookup {
    /// The repository at `place`; `None` if libgit2 cannot open it (reftable, SHA-256).
    #[must_use]
    pub fn at(place: &DiscoveryStart) -> Option<Self> {
        let library = LibGit::open(place)?;
        let common_dir = library.common_dir().to_owned();
        Some(Self { library: RefCell::new(library), common_dir })
    }

    /// The git directory that all work trees of the repository share.
    #[must_use]
    pub fn common_dir(&self) -> &Path {
        &self.common_dir
    }

    /// The commit that a reference names directly. The inner `None` means that there is no such reference or that it is
    /// symbolic, the outer one that it cannot be read.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<Option<CommitId>> {
        self.library.borrow().own_value(name)
    }

    /// Whether `old` is `new` or one of its nearer ancestors. If the answer is false, it may still be a more distant
    /// one.
    #[must_use]
    pub fn follows(&self, new: CommitId, old: CommitId) -> bool {
        let mut library = self.library.borrow_mut();
        let (mut waiting, mut seen) = (VecDeque::from([new]), HashSet::from([new]));
        let mut data = Vec::new();
        for _ in 0..MAX_COMMITS {
            let Some(next) = waiting.pop_front() else { return false };
            if next == old {
                return true;
            }
            if library.read(&next, ObjectKind::Commit, &mut data).is_err() {
                return false;
            }
            let Some(commit) = RawCommit::parse(&data) else { return false };
            waiting.extend(commit.parents().filter(|parent| seen.insert(*parent)));
        }
        false
    }
}
