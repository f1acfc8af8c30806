//! What a step may leave in the work tree that must not, or cannot, get into a commit.

use std::path::Path;

use super::seen::unusual;
use crate::git::{ChangeKind, Presence, Submodule};

/// Over this size, in bytes, a new file is not committed.
const SIZE_LIMIT: u64 = 10 * 1024 * 1024;

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
    /// A folder that cannot be opened.
    Closed(String),
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
            Self::Closed(path) => write!(f, "{path} cannot be opened, so its files would not be saved"),
            Self::NoFile(path, what) => write!(f, "{path} has become {what}, which a commit cannot hold"),
        }
    }
}

/// A path for people.
pub(crate) fn show(path: &[u8]) -> String {
    crate::text::one_line(&String::from_utf8_lossy(path))
}

/// What stands in the way of committing a path, if something does.
pub(crate) fn obstacle(
    path: &[u8],
    kind: ChangeKind,
    presence: Presence,
    on_disk: &Path,
) -> Option<Obstacle> {
    let shown = show(path);
    let meta = on_disk.symlink_metadata().ok();
    match (kind, presence) {
        (ChangeKind::Closed, _) => Some(Obstacle::Closed(shown)),
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
        _ => meta.and_then(|meta| unusual(meta.file_type())).map(|what| Obstacle::NoFile(shown, what)),
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
