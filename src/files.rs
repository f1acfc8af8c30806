//! Opens files whose content is not ours: files from a clone, an agent or another program.
//!
//! A path may name a pipe, a device or a link to one. Opening a pipe waits for a writer that never comes, and reading a
//! device never ends. So files that are not ours are opened only here: only if they are regular files, without waiting,
//! and only up to a size limit.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{Error, ErrorKind, Read, Result, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rustix::fs::OFlags;

/// The largest size that a settings file or a hook may have, in bytes.
pub const SMALL: u64 = 1 << 20;
/// The largest size of anything that is read whole, such as a plan or the index, in bytes.
pub const LARGE: u64 = 1 << 30;

/// What tells one version of a file from another without reading it: writing a file changes one of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    device: u64,
    inode: u64,
    size: u64,
    modified: [i64; 2],
    changed: [i64; 2],
}

impl Stamp {
    /// That of the file at `path`, which may be a link; `None` if there is none.
    #[must_use]
    pub fn of(path: &Path) -> Option<Self> {
        let meta = path.metadata().ok()?;
        Some(Self {
            device: meta.dev(),
            inode: meta.ino(),
            size: meta.size(),
            modified: [meta.mtime(), meta.mtime_nsec()],
            changed: [meta.ctime(), meta.ctime_nsec()],
        })
    }
}

/// A regular file, open for reading.
#[derive(Debug)]
pub struct Regular {
    file: File,
    meta: Metadata,
}

/// Opens `path`, which may be a link to a regular file.
///
/// # Errors
/// If it cannot be opened, or is not a regular file ([`ErrorKind::InvalidInput`]).
pub fn open(path: &Path) -> Result<Regular> {
    // Opening a device can already have an effect, so the file is checked before it is opened, and again afterwards,
    // because it may have been replaced.
    require_regular(&path.metadata()?)?;
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(path)?;
    let meta = file.metadata()?;
    require_regular(&meta)?;
    Ok(Regular { file, meta })
}

/// The content of the regular file at `path`, of at most `limit` bytes.
///
/// # Errors
/// As [`open`], and if there are more bytes ([`ErrorKind::FileTooLarge`]).
pub fn read(path: &Path, limit: u64) -> Result<Vec<u8>> {
    let mut content = Vec::new();
    open(path)?.read_into(&mut content, limit)?;
    Ok(content)
}

/// Opens a file of our own for reading and writing, and creates it if it does not exist. Links are not followed,
/// because our files are never behind one.
///
/// # Errors
/// If it cannot be opened, or is not a regular file ([`ErrorKind::InvalidInput`]).
pub fn open_own(path: &Path) -> Result<File> {
    match path.symlink_metadata() {
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        meta => require_regular(&meta?)?,
    }
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW;
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false).mode(0o600);
    let file = options.custom_flags(flags.bits().cast_signed()).open(path)?;
    require_regular(&file.metadata()?)?;
    Ok(file)
}

/// Writes a file of our own, completely or not at all. Anything in its place, such as a pipe or a link, is replaced,
/// not written to.
///
/// # Errors
/// If it cannot be written, or a folder is in its place.
pub fn replace(path: &Path, content: &[u8]) -> Result<()> {
    let next = path.with_extension("next");
    match std::fs::remove_file(&next) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    // Only the user may read it, because settings of git may contain passwords.
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(&next)?.write_all(content)?;
    std::fs::rename(&next, path)
}

/// Writes a file of the user, completely or not at all. A link in its place is followed, and the permissions of an
/// existing file are kept. Even if this process is killed, nothing else is left in the folder of a repository.
///
/// # Errors
/// If it cannot be written.
pub fn write_whole(path: &Path, content: &[u8]) -> Result<()> {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let next = place_for_next(&path)?;
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true).custom_flags(OFlags::NOFOLLOW.bits().cast_signed());
    let written = options.open(&next).and_then(|mut file| {
        file.write_all(content)?;
        if let Ok(meta) = path.metadata() {
            require_regular(&meta)?;
            file.set_permissions(meta.permissions())?;
        }
        file.sync_all()?;
        std::fs::rename(&next, &path)
    });
    if written.is_err() {
        _ = std::fs::remove_file(&next);
    }
    written
}

/// Where a file is written before it takes the place of `path`: in the git directory around it if there is one on the same
/// file system, otherwise beside it. No other process writes there.
fn place_for_next(path: &Path) -> Result<PathBuf> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = format!(".{name}.{}.next", std::process::id());
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let device = folder.metadata()?.dev();
    let absolute = folder.canonicalize()?;
    let git_dir = absolute.ancestors().find_map(|above| git_dir_of(&above.join(".git")));
    let own = git_dir.map(|git_dir| git_dir.join("arborist"));
    let own = own.filter(|own| {
        std::fs::create_dir_all(own).and_then(|()| own.metadata()).is_ok_and(|meta| meta.dev() == device)
    });
    Ok(own.unwrap_or_else(|| folder.to_owned()).join(name))
}

/// The git directory that a `.git` is, or that it names: in a linked work tree, it is a file.
fn git_dir_of(entry: &Path) -> Option<PathBuf> {
    if entry.symlink_metadata().ok()?.is_dir() {
        return Some(entry.to_owned());
    }
    let named = String::from_utf8(read(entry, SMALL).ok()?).ok()?;
    let folder = PathBuf::from(named.strip_prefix("gitdir: ")?.trim_end());
    (folder.is_absolute() && folder.is_dir()).then_some(folder)
}

/// Whether this user may make files in this folder.
#[must_use]
pub fn is_writable(folder: &Path) -> bool {
    rustix::fs::access(folder, rustix::fs::Access::WRITE_OK).is_ok()
}

fn require_regular(meta: &Metadata) -> Result<()> {
    if meta.is_file() { Ok(()) } else { Err(Error::new(ErrorKind::InvalidInput, "it is not a regular file")) }
}

impl Regular {
    /// The open file, for callers that need more than its content.
    #[must_use]
    pub fn into_file(self) -> File {
        self.file
    }

    /// Its size in bytes when it was opened; 0 for files that the kernel generates when they are read.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.meta.len()
    }

    /// When its content was last changed.
    ///
    /// # Errors
    /// If the system does not record it.
    pub fn modified(&self) -> Result<SystemTime> {
        self.meta.modified()
    }

    /// Appends the whole content to `into`.
    ///
    /// # Errors
    /// If it cannot be read, or is larger than `limit` bytes, even if it grows while it is read.
    pub fn read_into(self, into: &mut Vec<u8>, limit: u64) -> Result<()> {
        if self.meta.len() <= limit {
            into.reserve(usize::try_from(self.meta.len()).unwrap_or(0));
            if self.file.take(limit + 1).read_to_end(into)? as u64 <= limit {
                return Ok(());
            }
        }
        Err(Error::new(ErrorKind::FileTooLarge, format!("it is larger than {}", size_in_words(limit))))
    }

    /// The first `limit` bytes, or all of them if there are fewer.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn read_beginning(self, limit: u64) -> Result<Vec<u8>> {
        let mut content = Vec::new();
        self.file.take(limit).read_to_end(&mut content)?;
        Ok(content)
    }
}

fn size_in_words(bytes: u64) -> String {
    if bytes >= 1 << 20 { format!("{} MiB", bytes >> 20) } else { format!("{bytes} bytes") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    /// A folder with one file of each kind.
    fn folder() -> (tempfile::TempDir, impl Fn(&str) -> PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path().to_owned();
        std::fs::write(top.join("file"), "0123456789").unwrap();
        std::fs::create_dir(top.join("folder")).unwrap();
        // macOS has no system call for this that takes a folder.
        assert!(std::process::Command::new("mkfifo").arg(top.join("pipe")).status().unwrap().success());
        std::os::unix::net::UnixListener::bind(top.join("socket")).unwrap();
        for (name, target) in
            [("link", "file"), ("zero", "/dev/zero"), ("piped", "pipe"), ("gone", "nowhere")]
        {
            std::os::unix::fs::symlink(target, top.join(name)).unwrap();
        }
        (dir, move |name: &str| top.join(name))
    }

    #[test]
    fn only_regular_files_are_opened_and_pipes_are_not_waited_for() {
        let (_dir, at) = folder();
        for name in ["file", "link"] {
            assert_eq!(read(&at(name), 10).unwrap(), b"0123456789", "{name}");
        }
        for name in ["folder", "pipe", "piped", "socket", "zero"] {
            let error = open(&at(name)).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidInput, "{name}: {error}");
            assert_eq!(error.to_string(), "it is not a regular file");
        }
        assert_eq!(open(&at("gone")).unwrap_err().kind(), ErrorKind::NotFound);
    }

    #[test]
    fn a_file_of_our_own_is_created_or_kept_and_nothing_else_in_its_place_is_opened() {
        let (_dir, at) = folder();
        open_own(&at("new")).unwrap().write_all(b"kept").unwrap();
        open_own(&at("new")).unwrap();
        assert_eq!(read(&at("new"), SMALL).unwrap(), b"kept");
        for name in ["folder", "pipe", "piped", "socket", "zero", "link", "gone"] {
            assert_eq!(open_own(&at(name)).unwrap_err().kind(), ErrorKind::InvalidInput, "{name}");
        }
    }

    #[test]
    fn a_file_that_is_replaced_is_not_written_through_a_link_or_a_pipe() {
        let (_dir, at) = folder();
        for name in ["new", "file", "pipe", "piped", "socket", "zero", "link", "gone"] {
            let before = std::fs::read(at("small")).ok();
            std::os::unix::fs::symlink("small", at(name).with_extension("next")).unwrap();
            replace(&at(name), b"written").unwrap();
            assert_eq!(read(&at(name), SMALL).unwrap(), b"written", "{name}");
            assert!(at(name).symlink_metadata().unwrap().is_file(), "{name}");
            assert_eq!(std::fs::read(at("small")).ok(), before, "{name}");
        }
        assert!(replace(&at("folder"), b"written").is_err());
    }

    #[test]
    fn a_file_over_the_limit_is_refused_before_and_while_it_is_read() {
        let (_dir, at) = folder();
        let refused = |content: Result<()>| {
            let error = content.unwrap_err();
            assert_eq!(
                (error.kind(), error.to_string().as_str()),
                (ErrorKind::FileTooLarge, "it is larger than 9 bytes")
            );
        };
        refused(read(&at("file"), 9).map(drop));
        let small = at("small");
        std::fs::write(&small, "12345").unwrap();
        let open = open(&small).unwrap();
        std::fs::write(&small, "1234567890").unwrap();
        refused(open.read_into(&mut Vec::new(), 9));
        let sparse = at("sparse");
        File::create(&sparse).unwrap().set_len(1 << 40).unwrap();
        assert_eq!(read(&sparse, SMALL).unwrap_err().to_string(), "it is larger than 1 MiB");
    }

    #[test]
    fn the_beginning_of_a_file_is_read_however_large_it_is() {
        let (_dir, at) = folder();
        assert_eq!(open(&at("file")).unwrap().read_beginning(4).unwrap(), b"0123");
        assert_eq!(open(&at("file")).unwrap().read_beginning(40).unwrap(), b"0123456789");
        assert_eq!(open(&at("file")).unwrap().size(), 10);
    }
}
