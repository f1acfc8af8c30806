//! An open folder. What is read, made, replaced and removed in it is found from its descriptor, one name after the other, so
//! nothing that a program puts in the place of a folder afterwards leads elsewhere.
//!
//! An agent can write wherever our own files are: in the git directory, in the folders for scratch work trees, in its work
//! tree. A path from there is never enough to write to or to remove anything. Only the folder from which we set out is named
//! by its path; below it, no link is followed, and only single names are taken.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{Error, ErrorKind, Result, Write};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, SystemTime};

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

use super::regular::{IRREGULAR, Regular, require_regular};

/// The name of our folder in a git directory.
const OWN: &str = "arborist";
const FOLDER: OFlags = OFlags::DIRECTORY.union(OFlags::RDONLY).union(OFlags::CLOEXEC);
/// Opening a pipe or a terminal must neither wait nor have an effect.
const CAREFUL: OFlags = OFlags::NONBLOCK.union(OFlags::NOCTTY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// What goes last when a folder is removed: by `.git`, a work tree that is removed only in part is still known for one, and by
/// `.gitignore` git does not show it.
const LAST: [&str; 2] = [".gitignore", ".git"];
/// How often the removal of a folder is tried while something still writes there.
const TRIES: u32 = 5;
/// The time between two tries.
const PAUSE: Duration = Duration::from_millis(50);

/// A folder that is open.
#[derive(Debug)]
pub struct Folder {
    dir: OwnedFd,
    path: PathBuf,
}

impl Folder {
    /// Opens a folder. Links on the way there are the user's, and are followed.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn open(path: &Path) -> Result<Self> {
        Ok(Self { dir: rustix::fs::openat(CWD, path, FOLDER, Mode::empty())?, path: path.to_owned() })
    }

    /// The folder around a file, and the name of the file.
    ///
    /// # Errors
    /// If it cannot be opened, or the path ends in no name.
    pub fn around(path: &Path) -> Result<(Self, &OsStr)> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let name = path.file_name().ok_or(ErrorKind::InvalidInput)?;
        Ok((Self::open(folder)?, name))
    }

    /// A folder below our own in a git directory, or our own (`""`).
    ///
    /// # Errors
    /// If there is none, or a link is in its place.
    pub fn own(git_dir: &Path, inner: &str) -> Result<Self> {
        Self::open(git_dir)?.inner(&Path::new(OWN).join(inner))
    }

    /// The same; it is made if there is none. The git directory itself is never made.
    ///
    /// # Errors
    /// If it cannot be made, or a link is in its place.
    pub fn make_own(git_dir: &Path, inner: &str) -> Result<Self> {
        Self::open(git_dir)?.make(Path::new(OWN), 0o777)?.make(Path::new(inner), 0o700)
    }

    /// A folder below this one.
    ///
    /// # Errors
    /// If there is none, or if a link or a file is in the place of a folder on the way.
    pub fn inner(&self, path: &Path) -> Result<Self> {
        self.walk(path, None)
    }

    /// The same. The folders that are missing are made with these permissions.
    ///
    /// # Errors
    /// If they cannot be made, or if a link or a file is in the place of one.
    pub fn make(&self, path: &Path, mode: u32) -> Result<Self> {
        self.walk(path, Some(mode))
    }

    fn walk(&self, path: &Path, made_with: Option<u32>) -> Result<Self> {
        let mut here = Self { dir: self.dir.try_clone()?, path: self.path.clone() };
        for part in path.components() {
            let name = single(part.as_os_str())?;
            if let Some(mode) = made_with {
                match rustix::fs::mkdirat(&here.dir, name, Mode::from_raw_mode(mode as _)) {
                    Ok(()) | Err(Errno::EXIST) => {}
                    Err(error) => return Err(error.into()),
                }
            }
            here = here.enter(name)?;
        }
        Ok(here)
    }

    fn enter(&self, name: &OsStr) -> Result<Self> {
        let path = self.path.join(name);
        match rustix::fs::openat(&self.dir, name, FOLDER | OFlags::NOFOLLOW, Mode::empty()) {
            Ok(dir) => Ok(Self { dir, path }),
            Err(Errno::LOOP | Errno::NOTDIR) => {
                let what = format!("{} is a link or not a folder", path.display());
                Err(Error::new(ErrorKind::NotADirectory, what))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Its path when it was opened, for messages and for git.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The file system in which it is.
    ///
    /// # Errors
    /// If the system does not tell.
    pub fn device(&self) -> Result<u64> {
        Ok(rustix::fs::fstat(&self.dir)?.st_dev as _)
    }

    /// The names of everything in it, in order.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn names(&self) -> Result<Vec<OsString>> {
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.dir)? {
            let name = entry?.file_name().to_bytes().to_owned();
            if name != b"." && name != b".." {
                names.push(OsString::from_vec(name));
            }
        }
        names.sort();
        Ok(names)
    }

    /// What the file system knows of an entry itself, also of a link.
    ///
    /// # Errors
    /// If there is none.
    pub fn stat(&self, name: impl AsRef<OsStr>) -> Result<Stat> {
        Ok(rustix::fs::statat(&self.dir, single(name.as_ref())?, AtFlags::SYMLINK_NOFOLLOW)?)
    }

    /// When an entry itself was last changed.
    ///
    /// # Errors
    /// If there is none.
    pub fn modified(&self, name: impl AsRef<OsStr>) -> Result<SystemTime> {
        let stat = self.stat(name)?;
        let since =
            Duration::new(stat.st_mtime.try_into().unwrap_or(0), stat.st_mtime_nsec.try_into().unwrap_or(0));
        Ok(SystemTime::UNIX_EPOCH + since)
    }

    /// Whether an entry is a folder and not a link to one.
    #[must_use]
    pub fn has_folder(&self, name: impl AsRef<OsStr>) -> bool {
        self.stat(name).is_ok_and(|stat| kind_of(&stat) == FileType::Directory)
    }

    /// Whether there is an entry with this name, also a link that leads nowhere.
    #[must_use]
    pub fn has(&self, name: impl AsRef<OsStr>) -> bool {
        self.stat(name).is_ok()
    }

    /// The content of a regular file of at most `limit` bytes.
    ///
    /// # Errors
    /// If it cannot be read, is larger, or is something else.
    pub fn read(&self, name: impl AsRef<OsStr>, limit: u64) -> Result<Vec<u8>> {
        let name = self.require_file(name.as_ref())?;
        let file = File::from(rustix::fs::openat(&self.dir, name, OFlags::RDONLY | CAREFUL, Mode::empty())?);
        let meta = file.metadata()?;
        require_regular(&meta)?;
        let mut content = Vec::new();
        Regular { file, meta }.read_into(&mut content, limit)?;
        Ok(content)
    }

    /// Opens a file of ours for reading and writing, and makes it if there is none.
    ///
    /// # Errors
    /// If it cannot be opened, is no regular file, or has a second name: then it may be a file of the user.
    pub fn open_own(&self, name: impl AsRef<OsStr>) -> Result<File> {
        let name = match self.require_file(name.as_ref()) {
            Err(error) if error.kind() == ErrorKind::NotFound => single(name.as_ref())?,
            name => name?,
        };
        let flags = OFlags::RDWR | OFlags::CREATE | CAREFUL;
        let file = File::from(rustix::fs::openat(&self.dir, name, flags, Mode::from_raw_mode(0o600))?);
        let meta = file.metadata()?;
        require_regular(&meta)?;
        if meta.nlink() > 1 {
            let what = format!("{} has a second name (a hard link)", self.path.join(name).display());
            return Err(Error::new(ErrorKind::InvalidInput, what));
        }
        Ok(file)
    }

    /// Makes a new file.
    ///
    /// # Errors
    /// If anything has this name.
    pub fn create_new(&self, name: impl AsRef<OsStr>, mode: u32) -> Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let name = single(name.as_ref())?;
        Ok(rustix::fs::openat(&self.dir, name, flags, Mode::from_raw_mode(mode as _))?.into())
    }

    /// Makes a new link.
    ///
    /// # Errors
    /// If anything has this name.
    pub fn link(&self, name: impl AsRef<OsStr>, target: &OsStr) -> Result<()> {
        Ok(rustix::fs::symlinkat(target, &self.dir, single(name.as_ref())?)?)
    }

    /// Writes a file of our own, completely or not at all. Anything in its place, such as a pipe or a link, is replaced, not
    /// written to. Only the user may read it.
    ///
    /// # Errors
    /// If it cannot be written, or a folder is in its place.
    pub fn replace(&self, name: impl AsRef<OsStr>, content: &[u8]) -> Result<()> {
        let name = single(name.as_ref())?;
        let next = Path::new(name).with_extension("next").into_os_string();
        self.remove_file(&next)?;
        self.create_new(&next, 0o600)?.write_all(content)?;
        self.take(name, self, &next)
    }

    /// Moves an entry of another folder of the same file system here.
    ///
    /// # Errors
    /// If it cannot be moved.
    pub fn take(&self, name: impl AsRef<OsStr>, from: &Self, from_name: impl AsRef<OsStr>) -> Result<()> {
        let (name, from_name) = (single(name.as_ref())?, single(from_name.as_ref())?);
        Ok(rustix::fs::renameat(&from.dir, from_name, &self.dir, name)?)
    }

    /// Removes a file or a link. One that is already gone is not an error.
    ///
    /// # Errors
    /// If it is a folder, or cannot be removed.
    pub fn remove_file(&self, name: impl AsRef<OsStr>) -> Result<()> {
        gone(rustix::fs::unlinkat(&self.dir, single(name.as_ref())?, AtFlags::empty()))
    }

    /// Removes a folder in which nothing is.
    ///
    /// # Errors
    /// If something is in it, or it cannot be removed.
    pub fn remove_empty(&self, name: impl AsRef<OsStr>) -> Result<()> {
        gone(rustix::fs::unlinkat(&self.dir, single(name.as_ref())?, AtFlags::REMOVEDIR))
    }

    /// Removes an entry; a folder with everything in it, also where it was made read-only. Links are removed and never followed,
    /// and nothing is removed on another file system that is mounted there. What is already gone is not an error.
    ///
    /// # Errors
    /// If something in it cannot be removed even then: it belongs to another user, is immutable, or is a mount point.
    pub fn remove_all(&self, name: impl AsRef<OsStr>) -> Result<()> {
        let name = single(name.as_ref())?;
        let mut tried = 0;
        loop {
            tried += 1;
            match self.remove_once(name) {
                Err(error) if tried < TRIES && error.kind() != ErrorKind::ResourceBusy => {
                    std::thread::sleep(PAUSE);
                }
                result => return result,
            }
        }
    }

    /// [`Self::remove_all`] for an entry below this folder. Where a link or a file is on the way, there is none.
    ///
    /// # Errors
    /// As there.
    pub fn remove_below(&self, path: &Path) -> Result<()> {
        let name = path.file_name().ok_or(ErrorKind::InvalidInput)?;
        match self.inner(path.parent().unwrap_or(Path::new(""))) {
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(()),
            folder => folder?.remove_all(name),
        }
    }

    fn remove_once(&self, name: &OsStr) -> Result<()> {
        match self.stat(name) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            Ok(stat) if kind_of(&stat) != FileType::Directory => return self.remove_file(name),
            stat => drop(stat?),
        }
        let inner = match self.enter(name) {
            Err(error) if error.kind() == ErrorKind::PermissionDenied => {
                rustix::fs::chmodat(&self.dir, name, Mode::RWXU, AtFlags::empty())?;
                self.enter(name)
            }
            inner => inner,
        }?;
        inner.require_no_mount(self)?;
        let mode = Mode::from_raw_mode(rustix::fs::fstat(&inner.dir)?.st_mode);
        if !mode.contains(Mode::RWXU) {
            // If it is not ours, the removal says so.
            let _ = rustix::fs::fchmod(&inner.dir, mode | Mode::RWXU);
        }
        let mut names = inner.names()?;
        names.sort_by_key(|name| LAST.iter().position(|last| name == last));
        names.iter().try_for_each(|name| inner.remove_once(name))?;
        self.remove_empty(name)
    }

    /// Refuses a folder at which something is mounted: the user's files may be there.
    fn require_no_mount(&self, around: &Self) -> Result<()> {
        if is_mount(&self.dir, &around.dir)? {
            let what = format!("something is mounted at {}", self.path.display());
            return Err(Error::new(ErrorKind::ResourceBusy, what));
        }
        Ok(())
    }

    fn require_file<'n>(&self, name: &'n OsStr) -> Result<&'n OsStr> {
        // Opening a device can already have an effect.
        let is_file = kind_of(&self.stat(name)?) == FileType::RegularFile;
        let error = || Error::new(ErrorKind::InvalidInput, IRREGULAR);
        if is_file { single(name) } else { Err(error()) }
    }
}

/// What kind of entry it is.
fn kind_of(stat: &Stat) -> FileType {
    FileType::from_raw_mode(stat.st_mode)
}

/// A name without folders.
fn single(name: &OsStr) -> Result<&OsStr> {
    let mut parts = Path::new(name).components();
    match (parts.next(), parts.next()) {
        (Some(Component::Normal(only)), None) if only.as_bytes() == name.as_bytes() => Ok(only),
        _ => Err(Error::new(ErrorKind::InvalidInput, format!("{} is not a name of a file", name.display()))),
    }
}

fn gone(removed: rustix::io::Result<()>) -> Result<()> {
    match removed {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Whether something is mounted at a folder. A folder that is mounted elsewhere in the same file system has the same device.
#[cfg(target_os = "linux")]
fn is_mount(folder: &OwnedFd, around: &OwnedFd) -> Result<bool> {
    use rustix::fs::{StatxAttributes, StatxFlags, statx};
    let told = statx(folder, "", AtFlags::EMPTY_PATH, StatxFlags::empty());
    match told.ok().filter(|told| told.stx_attributes_mask.contains(StatxAttributes::MOUNT_ROOT)) {
        Some(told) => Ok(told.stx_attributes.contains(StatxAttributes::MOUNT_ROOT)),
        None => differs(folder, around),
    }
}

#[cfg(not(target_os = "linux"))]
fn is_mount(folder: &OwnedFd, around: &OwnedFd) -> Result<bool> {
    differs(folder, around)
}

fn differs(folder: &OwnedFd, around: &OwnedFd) -> Result<bool> {
    Ok(rustix::fs::fstat(folder)?.st_dev != rustix::fs::fstat(around)?.st_dev)
}

#[cfg(test)]
mod tests;
