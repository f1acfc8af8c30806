//! Reads objects in this process, with libgit2.
//!
//! libgit2 (up to 1.9) hangs on a loose object that was cut short by a crash or a full disk. So it only reads packed objects,
//! and a git that is left running reads loose ones.

use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Once;

use git2::{ErrorCode, ObjectType, Oid, Repository as Git2, RepositoryOpenFlags};

use super::raw::ObjectId;
use super::source::{ObjectKind, Source, local_upstream, shallow_file, unreadable};
use crate::error::{Error, Kind, Result};
use crate::git::{DiscoveryStart, Git, WorkTree};
use crate::record::{CommitId, IdPrefix};

/// The number of objects after which the repository is opened again. libgit2 keeps every page that it has read of a
/// pack mapped, so a long history would otherwise pull the whole pack into memory.
const OBJECTS_AT_ONCE: u64 = 4096;

/// A repository that libgit2 could open.
pub(super) struct LibGit {
    place: DiscoveryStart,
    repository: Git2,
    git: Git,
    reads: u64,
    /// The names in the folders of loose objects. They are forgotten whenever somebody asks where a branch is or which object is meant,
    /// because that may be one that was not there before. To look for the file of each object would cost more than half as much as to read
    /// it from a pack, and so would looking for the folder of each one in a repository where everything is packed.
    loose: Option<LooseObjects>,
}

/// What is in the folders of loose objects, by the first byte of an id. `None`: there is such a folder, and nobody has looked into it.
type LooseObjects = HashMap<u8, Option<HashSet<OsString>>>;

/// The names in a folder, none if it is not there.
fn names_in(folder: &Path) -> impl Iterator<Item = OsString> {
    std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name())
}

impl LibGit {
    /// Opens the repository at `place`, the one of `git`; `None` if libgit2 cannot open it, or if it borrows objects from
    /// another one. Then git itself is asked.
    pub(super) fn open(place: DiscoveryStart, git: Git) -> Option<Self> {
        // Each object is read once, so caching would only cost memory, and verifying the hash would take half of the
        // time. `git fsck` finds damage that zlib and the parsers miss.
        static SETTINGS: Once = Once::new();
        SETTINGS.call_once(|| {
            git2::opts::enable_caching(false);
            git2::opts::strict_hash_verification(false);
        });
        let repository = open(&place).ok()?;
        let borrows = repository.commondir().join("objects/info/alternates").exists();
        (!borrows).then(|| Self { place, repository, git, reads: 0, loose: None })
    }

    fn is_loose(&mut self, id: &ObjectId) -> bool {
        let objects = self.repository.commondir().join("objects");
        let loose = self.loose.get_or_insert_with(|| {
            let folders = names_in(&objects).filter_map(|name| u8::from_str_radix(name.to_str()?, 16).ok());
            folders.map(|first| (first, None)).collect()
        });
        let Some(names) = loose.get_mut(&id.as_bytes()[0]) else { return false };
        let digits = id.to_string();
        let (folder, file) = digits.split_at(2);
        names.get_or_insert_with(|| names_in(&objects.join(folder)).collect()).contains(OsStr::new(file))
    }

    /// The work tree, if `folder`, an absolute path without links, is inside it and outside the git directory.
    pub(super) fn work_tree_around(&self, folder: &Path) -> Option<WorkTree> {
        let plain = |path: &Path| path.components().collect::<PathBuf>();
        let top = plain(self.repository.workdir()?);
        let git_dir = plain(self.repository.path());
        let apart =
            [&git_dir, &plain(self.repository.commondir())].iter().all(|dir| !folder.starts_with(dir));
        // If HEAD is invalid, git does not see a repository here, and takes its settings from elsewhere.
        let has_head = self.repository.find_reference("HEAD").is_ok();
        (has_head && !self.repository.is_bare() && folder.starts_with(&top) && apart).then_some(WorkTree {
            top,
            git_dir,
            common_dir: self.repository.commondir().to_owned(),
        })
    }
}

fn open(place: &DiscoveryStart) -> std::result::Result<Git2, git2::Error> {
    match place {
        DiscoveryStart::Environment => Git2::open_from_env(),
        DiscoveryStart::Folder(folder) => {
            Git2::open_ext(folder, RepositoryOpenFlags::empty(), &[] as &[&Path])
        }
    }
}

/// The error for something that libgit2 does not understand; git is then asked instead.
fn unreadable_reference(name: &str, error: &git2::Error) -> Error {
    Error::new(Kind::Repository, format!("{name} cannot be read: {}", error.message()), "")
}

impl Source for LibGit {
    fn reads(&self) -> u64 {
        self.reads
    }

    fn read(&mut self, id: &ObjectId, kind: ObjectKind, into: &mut Vec<u8>) -> Result<()> {
        self.reads += 1;
        if self.is_loose(id) {
            *into = self.git.object(&id.to_string(), kind.word())?;
            return Ok(());
        }
        let failed = |error: git2::Error| unreadable(id, error.message());
        if self.reads.is_multiple_of(OBJECTS_AT_ONCE) {
            self.repository = open(&self.place).map_err(failed)?;
        }
        let oid = Oid::from_bytes(id.as_bytes()).map_err(failed)?;
        let odb = self.repository.odb().map_err(failed)?;
        let object = odb.read(oid).map_err(failed)?;
        let expected = match kind {
            ObjectKind::Commit => ObjectType::Commit,
            ObjectKind::Tree => ObjectType::Tree,
            ObjectKind::Blob => ObjectType::Blob,
        };
        if object.kind() != expected {
            return Err(unreadable(id, &format!("it is not a {}", kind.word())));
        }
        into.clear();
        into.extend_from_slice(object.data());
        Ok(())
    }

    fn head(&mut self) -> Result<Option<CommitId>> {
        self.loose = None;
        // The commit itself is not read: `peel` would do so with libgit2, loose or not.
        match self.repository.head() {
            Ok(head) => match head.target().and_then(|id| CommitId::from_bytes(id.as_bytes())) {
                Some(id) => Ok(Some(id)),
                None => Err(Error::new(Kind::Repository, "HEAD names no commit", "")),
            },
            Err(error) if error.code() == ErrorCode::UnbornBranch => Ok(None),
            Err(error) => Err(unreadable_reference("HEAD", &error)),
        }
    }

    fn branch(&mut self) -> Result<Option<String>> {
        let head =
            self.repository.find_reference("HEAD").map_err(|error| unreadable_reference("HEAD", &error))?;
        Ok(head.symbolic_target_bytes().map(|name| String::from_utf8_lossy(name).into_owned()))
    }

    fn references(&mut self, names: &[&str]) -> Result<Vec<(String, ObjectId)>> {
        self.loose = None;
        let failed = |error| unreadable_reference("the references", &error);
        let mut found = Vec::new();
        for name in names {
            let pattern = if name.ends_with('/') { format!("{name}*") } else { (*name).to_owned() };
            for reference in self.repository.references_glob(&pattern).map_err(failed)? {
                let reference = reference.map_err(failed)?;
                let id = match reference.target() {
                    Some(id) => Some(id),
                    // `origin/HEAD` only leads to another one, which may be gone.
                    None if reference.name_bytes().starts_with(b"refs/remotes/") => None,
                    None => reference.resolve().map_err(failed)?.target(),
                };
                if let Some(id) = id.and_then(|id| ObjectId::from_bytes(id.as_bytes())) {
                    found.push((String::from_utf8_lossy(reference.name_bytes()).into_owned(), id));
                }
            }
        }
        Ok(found)
    }

    fn upstream(&mut self, branch: &str) -> Result<Option<String>> {
        let failed = |error| unreadable_reference("the configuration", &error);
        let config = self.repository.config().and_then(|mut config| config.snapshot()).map_err(failed)?;
        let get = |name: &str| match config.get_string(&format!("branch.{branch}.{name}")) {
            Ok(value) => Ok(Some(value)),
            Err(error) if error.code() == ErrorCode::NotFound => Ok(None),
            Err(error) => Err(failed(error)),
        };
        Ok(local_upstream(get("remote")?.as_deref(), get("merge")?.as_deref()))
    }

    fn shallow(&mut self) -> Result<HashSet<CommitId>> {
        shallow_file(&self.repository.commondir().join("shallow"))
    }

    fn find(&mut self, prefix: &IdPrefix) -> Result<Option<ObjectId>> {
        self.loose = None;
        let digits = prefix.to_string();
        let failed = |error: git2::Error| {
            Error::new(Kind::Repository, format!("objects cannot be listed: {}", error.message()), "")
        };
        let odb = self.repository.odb().map_err(failed)?;
        let Ok(short) = Oid::from_str(&digits) else { return Ok(None) };
        match odb.exists_prefix(short, digits.len()) {
            Ok(id) => Ok(ObjectId::from_bytes(id.as_bytes())),
            Err(error) if matches!(error.code(), ErrorCode::NotFound | ErrorCode::Ambiguous) => Ok(None),
            Err(error) => Err(failed(error)),
        }
    }
}
