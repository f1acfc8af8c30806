//! The changes of a step: the paths for its commit, and the obstacles to it, which are things in the work tree that must not,
//! or cannot, be committed.

use std::collections::HashSet;
use std::path::Path;

use super::path_kind::unusual;
use super::suspects::Suspect;
use crate::git::{ChangeKind, Presence, Selection, Staged, Submodule};
use crate::text::show_path;

/// A new file is not committed if it is larger than this, in bytes.
pub(crate) const SIZE_LIMIT: u64 = 10 * 1024 * 1024;

/// Why a path that a step changed cannot go into a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// A nested repository, whose files would not be saved.
    EmbeddedRepository(String),
    /// Changes inside a submodule, which a commit here cannot record.
    InsideSubmodule(String),
    /// A new file that looks as if it held a secret, and whether it was staged.
    LooksSecret(Suspect, Staged),
    /// A file with the markers of a conflict that is not resolved.
    Conflict(String),
    /// A new file over the size limit.
    TooLarge(String),
    /// A name with `.git` in it that git refuses, or that belongs to the data of a repository.
    GitName(String),
    /// Something that is neither a file nor a link nor a folder, and what it is.
    NoFile(String, &'static str),
    /// A folder that cannot be opened.
    Closed(String),
}

impl Obstacle {
    /// The path, in the form for messages.
    pub(crate) fn path(&self) -> &str {
        match self {
            Self::EmbeddedRepository(path)
            | Self::InsideSubmodule(path)
            | Self::Conflict(path)
            | Self::TooLarge(path)
            | Self::GitName(path)
            | Self::NoFile(path, _)
            | Self::Closed(path) => path,
            Self::LooksSecret(suspect, _) => suspect.path(),
        }
    }
}

impl std::fmt::Display for Obstacle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::EmbeddedRepository(path) => {
                write!(f, "{path} is a repository of its own; its files would not be saved")
            }
            Self::InsideSubmodule(path) => {
                write!(f, "changes inside the submodule {path} cannot be recorded here")
            }
            Self::LooksSecret(suspect, staged) => {
                let unstage = if *staged == Staged::Yes { "take it out of the index, and " } else { "" };
                write!(f, "{suspect}; {unstage}{}", suspect.remedy())
            }
            Self::Conflict(path) => write!(f, "{path} has conflict markers; resolve the conflict"),
            Self::TooLarge(path) => {
                write!(f, "{path} is over {} MiB; ignore it in .gitignore or remove it", SIZE_LIMIT >> 20)
            }
            Self::GitName(path) => write!(f, "{path} has a name that git reserves for itself"),
            Self::Closed(path) => write!(f, "{path} cannot be opened, so its files would not be saved"),
            Self::NoFile(path, what) => write!(f, "{path} has become {what}, which a commit cannot contain"),
        }
    }
}

/// The obstacle to committing a path, if there is one.
pub(crate) fn obstacle(
    path: &[u8],
    kind: ChangeKind,
    presence: Presence,
    on_disk: &Path,
) -> Option<Obstacle> {
    let shown = show_path(path);
    let meta = on_disk.symlink_metadata().ok();
    match (kind, presence) {
        (ChangeKind::Closed, _) => Some(Obstacle::Closed(shown)),
        (ChangeKind::Untracked, _) if path.ends_with(b"/") => Some(Obstacle::EmbeddedRepository(shown)),
        (ChangeKind::Tracked { submodule: Submodule::New, .. }, Presence::There) => {
            Some(Obstacle::EmbeddedRepository(shown))
        }
        // git only says that the earlier file is gone.
        (_, Presence::Gone) if on_disk.join(".git").symlink_metadata().is_ok() => {
            Some(Obstacle::EmbeddedRepository(shown))
        }
        (ChangeKind::Tracked { submodule: Submodule::DirtyInside, .. }, _) => {
            Some(Obstacle::InsideSubmodule(shown))
        }
        (ChangeKind::Untracked, _) if has_git_name(&shown) => Some(Obstacle::GitName(shown)),
        (kind, _) if kind.is_new() && meta.as_ref().is_some_and(|meta| meta.len() > SIZE_LIMIT) => {
            Some(Obstacle::TooLarge(shown))
        }
        _ => meta.and_then(|meta| unusual(meta.file_type())).map(|what| Obstacle::NoFile(shown, what)),
    }
}

fn has_git_name(path: &str) -> bool {
    path.split('/').any(|part| {
        let part = part.trim_end_matches([' ', '.']).to_ascii_lowercase();
        part == ".git" || part == "git~1"
    })
}

/// The changes of a step: the paths for its commit, and the obstacles to committing them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StepChanges {
    /// The paths for the commit, sorted.
    pub selection: Selection,
    /// Paths at which only the index differs from HEAD. The commit resets the index there, and changes no file.
    pub index_only: Selection,
    /// The paths that cannot be committed, with the reasons.
    pub obstacles: Vec<Obstacle>,
    /// Paths with changes of the user, which must not get into a commit, for messages.
    pub entangled: Vec<String>,
}

impl StepChanges {
    /// Separates the selected paths at which a commit would change nothing.
    pub(crate) fn set_apart(&mut self, unchanged: &HashSet<Vec<u8>>) {
        let is_unchanged = |path: &mut Vec<u8>| unchanged.contains(path);
        let Selection { there, gone } = &mut self.selection;
        self.index_only.there.extend(there.extract_if(.., is_unchanged));
        self.index_only.gone.extend(gone.extract_if(.., is_unchanged));
    }

    /// Whether a commit would change nothing, and there are no obstacles.
    pub(crate) fn is_empty(&self) -> bool {
        self.selection.len() == 0 && self.obstacles.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_git_reserves_are_recognised_despite_case_and_trailing_dots() {
        for bad in [".GIT/config", "a/.git./x", "git~1/config", "b/.git"] {
            assert!(has_git_name(bad), "{bad}");
        }
        assert!(!has_git_name(".github/workflows/ci.yml"));
        assert!(!has_git_name(".gitignore"));
    }
}
