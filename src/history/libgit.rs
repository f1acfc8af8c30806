//! Reads objects in this process, and fast: with libgit2, all but the loose ones.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Once;

use git2::{ErrorCode, ObjectType, Oid, Repository as Git2, RepositoryOpenFlags};

use super::loose::LooseObjects;
use super::raw::ObjectId;
use super::source::{ObjectKind, Source, shallow_file, unreadable};
use crate::error::{Error, Kind, Result};
use crate::git::{Place, WorkTree};
use crate::task::CommitId;

/// A repository that libgit2 could open.
pub(super) struct LibGit {
    repository: Git2,
    loose: LooseObjects,
}

impl LibGit {
    /// Opens the repository at `place`; `None` if libgit2 cannot, for whatever reason: git itself is asked then.
    pub(super) fn open(place: &Place) -> Option<Self> {
        // Each object is read once: keeping it would only cost memory, and hashing it again half of the time. What
        // zlib and the parsers let through, `git fsck` finds.
        static SETTINGS: Once = Once::new();
        SETTINGS.call_once(|| {
            git2::opts::enable_caching(false);
            git2::opts::strict_hash_verification(false);
        });
        let opened = match place {
            Place::Environment => Git2::open_from_env(),
            Place::Folder(folder) => Git2::open_ext(folder, RepositoryOpenFlags::empty(), &[] as &[&Path]),
        };
        let repository = opened.ok()?;
        let loose = LooseObjects::new(&repository.commondir().join("objects"));
        Some(Self { repository, loose })
    }

    /// The work tree, if `folder`, an absolute path without links, is inside it and outside the git directory.
    pub(super) fn work_tree_around(&self, folder: &Path) -> Option<WorkTree> {
        let plain = |path: &Path| path.components().collect::<PathBuf>();
        let top = plain(self.repository.workdir()?);
        let git_dir = plain(self.repository.path());
        let apart =
            [&git_dir, &plain(self.repository.commondir())].iter().all(|dir| !folder.starts_with(dir));
        (!self.repository.is_bare() && folder.starts_with(&top) && apart).then_some(WorkTree {
            top,
            git_dir,
            common_dir: self.repository.commondir().to_owned(),
        })
    }
}

impl Source for LibGit {
    fn head(&mut self) -> Result<Option<CommitId>> {
        // The commit itself is not read: `peel` would do so with libgit2, loose or not.
        match self.repository.head() {
            Ok(head) => match head.target().and_then(|id| CommitId::from_bytes(id.as_bytes())) {
                Some(id) => Ok(Some(id)),
                None => Err(Error::new(Kind::Repository, "HEAD names no commit", "")),
            },
            Err(error) if error.code() == ErrorCode::UnbornBranch => Ok(None),
            Err(error) => {
                Err(Error::new(Kind::Repository, format!("HEAD cannot be read: {}", error.message()), ""))
            }
        }
    }

    fn refresh(&mut self) {
        self.loose.refresh();
    }

    fn shallow(&mut self) -> Result<HashSet<CommitId>> {
        shallow_file(&self.repository.commondir().join("shallow"))
    }

    fn read(&mut self, id: &ObjectId, kind: ObjectKind, into: &mut Vec<u8>) -> Result<()> {
        if self.loose.read(id, kind, into)? {
            return Ok(());
        }
        let failed = |error: git2::Error| unreadable(id, error.message());
        let oid = Oid::from_bytes(id.as_bytes()).map_err(failed)?;
        let odb = self.repository.odb().map_err(failed)?;
        let object = odb.read(oid).map_err(failed)?;
        let expected = match kind {
            ObjectKind::Commit => ObjectType::Commit,
            ObjectKind::Tree => ObjectType::Tree,
        };
        if object.kind() != expected {
            return Err(unreadable(id, &format!("it is no {}", kind.word())));
        }
        into.clear();
        into.extend_from_slice(object.data());
        Ok(())
    }
}
