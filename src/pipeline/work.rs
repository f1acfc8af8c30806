//! The dirt of a work tree: what differs from HEAD at one moment, and what a step changed since an earlier one.
//!
//! Only what the implement step changed is committed with it (faults.md): what was dirty before, and what tests or a
//! reviewer left behind, stays as it is.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::FileType;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::git::{Change, ChangeKind, Git, Presence, Selection, Staged, Staging, Submodule};

/// Over this size, in bytes, a new file is not committed.
const SIZE_LIMIT: u64 = 10 * 1024 * 1024;

/// All paths that differ from HEAD, each with a fingerprint of what is on disk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dirt {
    changes: HashMap<Vec<u8>, State>,
}

/// How a path differs from HEAD.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct State {
    kind: ChangeKind,
    presence: Presence,
    fingerprint: Fingerprint,
}

/// What tells one content of a path from another without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Fingerprint {
    Missing,
    Present { inode: u64, size: u64, mode: u32, modified: (i64, i64), changed: (i64, i64) },
}

impl Fingerprint {
    pub(super) fn of(path: &Path) -> Self {
        path.symlink_metadata().map_or(Self::Missing, |meta| Self::Present {
            inode: meta.ino(),
            size: meta.size(),
            mode: meta.mode(),
            modified: (meta.mtime(), meta.mtime_nsec()),
            changed: (meta.ctime(), meta.ctime_nsec()),
        })
    }
}

/// The fingerprints of dirty paths, as a journal keeps them. Bytes of a path are written as the characters of the same
/// number, so that every path survives.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Marks(BTreeMap<String, Fingerprint>);

impl Marks {
    /// Whether a path is dirty in just the way that was noted here.
    #[must_use]
    pub fn holds(&self, dirt: &Dirt, path: &[u8]) -> bool {
        let now = dirt.changes.get(path).map(|state| &state.fingerprint);
        now.is_some() && self.0.get(&as_text(path)) == now
    }

    /// Whether a path was dirty in any way when this was noted.
    #[must_use]
    pub fn knows(&self, path: &[u8]) -> bool {
        self.0.contains_key(&as_text(path))
    }

    /// Whether nothing was noted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

fn as_text(path: &[u8]) -> String {
    path.iter().map(|byte| char::from(*byte)).collect()
}

/// Why a path that a step changed cannot go into a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// A repository inside this one, whose files would not be saved.
    EmbeddedRepository(String),
    /// Changes inside a submodule, which a commit here cannot record.
    InsideSubmodule(String),
    /// A new file whose name says that it holds secrets.
    LooksSecret(String),
    /// A new file over the size limit.
    TooLarge(String),
    /// A name with `.git` in it that git refuses, or that would be a repository's own data.
    GitName(String),
    /// Something that is neither a file nor a link nor a folder, and what it is.
    NoFile(String, &'static str),
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
            Self::LooksSecret(path) => {
                write!(f, "{path} looks like a secret; ignore it in .gitignore or remove it")
            }
            Self::TooLarge(path) => {
                write!(f, "{path} is over {} MiB; ignore it in .gitignore or remove it", SIZE_LIMIT >> 20)
            }
            Self::GitName(path) => write!(f, "{path} has a name that git keeps for itself"),
            Self::NoFile(path, what) => write!(f, "{path} has become {what}, which a commit cannot hold"),
        }
    }
}

/// What a step changed: the paths that its commit takes, and what stands in the way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changed {
    /// What the commit takes, sorted.
    pub selection: Selection,
    /// What cannot be committed.
    pub obstacles: Vec<Obstacle>,
    /// Paths with changes of the user's own, which must not get into a commit, for people.
    pub entangled: Vec<String>,
}

/// What is dirty and not the work of an implement step.
#[derive(Clone, Debug, Default)]
pub struct Foreign {
    /// What was dirty before the run: the user's own.
    pub users: Dirt,
    /// What tests left behind.
    pub tests: Dirt,
}

impl Changed {
    /// Whether a commit of it would change nothing, and nothing is in its way.
    pub(super) fn is_empty(&self) -> bool {
        self.selection.len() == 0 && self.obstacles.is_empty()
    }
}

impl Dirt {
    /// Looks at the work tree now.
    ///
    /// # Errors
    /// If git cannot read it.
    pub fn look(git: &Git, top: &Path) -> Result<(Self, Vec<Change>)> {
        let list = git.status()?;
        let entry = |change: &Change| {
            // What git says decides whether it is there: the path may lead through a link now.
            let fingerprint = match change.presence {
                Presence::There => Fingerprint::of(&on_disk(top, &change.path)),
                Presence::Gone => Fingerprint::Missing,
            };
            let state = State { kind: change.kind, presence: change.presence, fingerprint };
            (change.path.clone(), state)
        };
        Ok((Self { changes: list.iter().map(entry).collect() }, list))
    }

    /// Whether nothing differs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// The paths, for people, sorted.
    #[must_use]
    pub fn shown(&self) -> Vec<String> {
        let mut paths: Vec<String> = self.changes.keys().map(|path| show(path)).collect();
        paths.sort();
        paths
    }

    /// Only the paths that were not like this in `before`.
    #[must_use]
    pub fn since(&self, before: &Self) -> Self {
        let new = self.changes.iter().filter(|(path, now)| before.changes.get(*path) != Some(now));
        Self { changes: new.map(|(path, change)| (path.clone(), *change)).collect() }
    }

    /// Only the paths that are noted like this in `marks`.
    #[must_use]
    pub fn within(&self, marks: &Marks) -> Self {
        let known = self.changes.iter().filter(|(path, _)| marks.holds(self, path));
        Self { changes: known.map(|(path, change)| (path.clone(), *change)).collect() }
    }

    /// The untracked files, and what is known to git.
    #[must_use]
    pub fn split_untracked(self) -> (Self, Self) {
        let is_untracked = |(_, state): &(Vec<u8>, State)| state.kind == ChangeKind::Untracked;
        let (untracked, tracked) = self.changes.into_iter().partition(is_untracked);
        (Self { changes: untracked }, Self { changes: tracked })
    }

    /// Only the paths that do not occur in `other`.
    #[must_use]
    pub fn apart_from(mut self, other: &Self) -> Self {
        self.changes.retain(|path, _| !other.changes.contains_key(path));
        self
    }

    /// Takes in the paths of another look; what that one says of a path holds.
    pub fn absorb(&mut self, other: Self) {
        self.changes.extend(other.changes);
    }

    /// What the index holds for the next commit beside the selected paths.
    #[must_use]
    pub fn staging_beside(&self, selection: &Selection) -> Staging {
        let staged = |kind: ChangeKind| matches!(kind, ChangeKind::Tracked { staged: Staged::Yes, .. });
        let ours: HashSet<&[u8]> = selection.paths().collect();
        let beside =
            self.changes.iter().any(|(path, state)| staged(state.kind) && !ours.contains(path.as_slice()));
        if beside { Staging::Other } else { Staging::Clean }
    }

    /// What an implement step changed since `before`, ready to be committed. What stands in the way and is `foreign`
    /// stands in nobody's way.
    #[must_use]
    pub fn changed_since(&self, before: &Self, foreign: &Foreign, top: &Path) -> Changed {
        let mut changed = Changed::default();
        for (path, state) in &self.changes {
            let known = |dirt: &Self| dirt.changes.get(path).is_some_and(|known| known.kind == state.kind);
            match obstacle(path, *state, &on_disk(top, path)) {
                Some(obstacle) if !known(&foreign.users) && !known(&foreign.tests) => {
                    changed.obstacles.push(obstacle);
                }
                // What is nobody else's is left from an earlier attempt, which could not commit it.
                None if !self.is_like_in(before, path)
                    || !known(&foreign.users) && !known(&foreign.tests) =>
                {
                    let selection = &mut changed.selection;
                    match state.presence {
                        Presence::There => selection.there.push(path.clone()),
                        Presence::Gone => selection.gone.push(path.clone()),
                    }
                }
                Some(_) | None => {}
            }
        }
        // A path that is no longer dirty had been changed before and was put back: there is nothing to commit for it.
        changed.selection.there.sort();
        changed.selection.gone.sort();
        changed.obstacles.sort_by_key(ToString::to_string);
        let users = foreign.users.changes.keys().filter(|path| !self.is_like_in(before, path));
        changed.entangled = users.map(|path| show(path)).collect();
        changed.entangled.sort();
        changed
    }

    fn is_like_in(&self, other: &Self, path: &[u8]) -> bool {
        self.changes.get(path) == other.changes.get(path)
    }

    /// The fingerprints of all paths.
    #[must_use]
    pub fn marks(&self) -> Marks {
        let mark = |(path, state): (&Vec<u8>, &State)| (as_text(path), state.fingerprint);
        Marks(self.changes.iter().map(mark).collect())
    }

    /// Only the paths that `known` did not note like this.
    #[must_use]
    pub fn beyond(&self, known: &Marks) -> Self {
        let new = self.changes.iter().filter(|(path, _)| !known.holds(self, path));
        Self { changes: new.map(|(path, change)| (path.clone(), *change)).collect() }
    }

    /// What a commit cannot hold of the paths that `known` did not note like this, for people.
    #[must_use]
    pub fn unsavable(&self, known: &Marks, top: &Path) -> Vec<String> {
        let new = self.changes.iter().filter(|(path, _)| !known.holds(self, path));
        let obstacles = new.filter_map(|(path, state)| obstacle(path, *state, &on_disk(top, path)));
        let hard = obstacles.filter(|obstacle| {
            matches!(
                obstacle,
                Obstacle::EmbeddedRepository(_) | Obstacle::InsideSubmodule(_) | Obstacle::GitName(_)
            )
        });
        hard.map(|obstacle| obstacle.to_string()).collect()
    }

    /// The same without the paths that have just been committed.
    #[must_use]
    pub fn without(mut self, committed: &Selection) -> Self {
        for path in committed.paths() {
            self.changes.remove(path);
        }
        self
    }
}

fn show(path: &[u8]) -> String {
    crate::task::one_line(&String::from_utf8_lossy(path))
}

fn on_disk(top: &Path, path: &[u8]) -> std::path::PathBuf {
    use std::os::unix::ffi::OsStrExt;
    top.join(std::ffi::OsStr::from_bytes(path))
}

fn obstacle(path: &[u8], state: State, on_disk: &Path) -> Option<Obstacle> {
    let shown = show(path);
    let meta = on_disk.symlink_metadata().ok();
    match (state.kind, state.presence) {
        (ChangeKind::Untracked, _) if path.ends_with(b"/") => Some(Obstacle::EmbeddedRepository(shown)),
        (ChangeKind::Tracked { submodule: Submodule::New, .. }, Presence::There) => {
            Some(Obstacle::EmbeddedRepository(shown))
        }
        // git says no more than that the file which was there is gone.
        (_, Presence::Gone) if on_disk.join(".git").symlink_metadata().is_ok() => {
            Some(Obstacle::EmbeddedRepository(shown))
        }
        (ChangeKind::Tracked { submodule: Submodule::DirtyInside, .. }, _) => {
            Some(Obstacle::InsideSubmodule(shown))
        }
        (ChangeKind::Untracked, _) if has_git_name(&shown) => Some(Obstacle::GitName(shown)),
        (ChangeKind::Untracked, _) if looks_secret(&shown) => Some(Obstacle::LooksSecret(shown)),
        (ChangeKind::Untracked, _) if meta.as_ref().is_some_and(|meta| meta.len() > SIZE_LIMIT) => {
            Some(Obstacle::TooLarge(shown))
        }
        _ => meta.and_then(|meta| no_file(meta.file_type())).map(|what| Obstacle::NoFile(shown, what)),
    }
}

fn no_file(kind: FileType) -> Option<&'static str> {
    if kind.is_fifo() {
        Some("a named pipe")
    } else if kind.is_socket() {
        Some("a socket")
    } else if kind.is_block_device() || kind.is_char_device() {
        Some("a device")
    } else {
        None
    }
}

fn has_git_name(path: &str) -> bool {
    path.split('/').any(|part| {
        let part = part.trim_end_matches([' ', '.']).to_ascii_lowercase();
        part == ".git" || part == "git~1"
    })
}

/// Names that nearly always hold secrets; examples and templates of them do not.
fn looks_secret(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let example = ["example", "sample", "template", "dist", "test"].iter().any(|word| name.contains(word));
    let env_file = name == ".env" || name.starts_with(".env.");
    let key_file =
        [".pem", ".key", ".p12", ".pfx", ".jks", ".keystore"].iter().any(|ending| name.ends_with(ending));
    let ssh_key = name.starts_with("id_")
        && !name.contains('.')
        && ["rsa", "dsa", "ecdsa", "ed25519"].iter().any(|kind| name.contains(kind));
    let known =
        matches!(name.as_str(), ".netrc" | ".npmrc" | ".pypirc" | "credentials.json" | ".git-credentials");
    !example && (env_file || key_file || ssh_key || known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets_are_known_and_their_examples_are_not_taken_for_them() {
        for secret in
            [".env", "config/.env.production", "certs/server.pem", "id_ed25519", "home/id_rsa", ".netrc"]
        {
            assert!(looks_secret(secret), "{secret}");
        }
        for plain in
            [".env.example", "env.rs", "id_map.rs", "identity.txt", "id_rsa.pub", "keys.md", "monkey.rs"]
        {
            assert!(!looks_secret(plain), "{plain}");
        }
    }

    #[test]
    fn names_that_git_keeps_for_itself_are_seen_through_case_and_trailing_dots() {
        for bad in [".GIT/config", "a/.git./x", "git~1/config", "b/.git"] {
            assert!(has_git_name(bad), "{bad}");
        }
        assert!(!has_git_name(".github/workflows/ci.yml"));
        assert!(!has_git_name(".gitignore"));
    }
}
