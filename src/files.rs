//! Opens files whose content is not ours: files from a clone, an agent or another program.
//!
//! A path may name a pipe, a device or a link to one. Opening a pipe waits for a writer that never comes, and reading a
//! device never ends. So files that are not ours are opened only here: only if they are regular files, without waiting,
//! and only up to a size limit.

mod folder;
mod regular;

use std::fs::{File, OpenOptions};
use std::io::{Result, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

pub use folder::Folder;
pub use regular::Regular;
use regular::require_regular;
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

/// [`Folder::open_own`] for a file outside of our folder in a git directory.
///
/// # Errors
/// As there.
pub fn open_own(path: &Path) -> Result<File> {
    let (folder, name) = Folder::around(path)?;
    folder.open_own(name)
}

/// [`Folder::replace`] for a file outside of our folder in a git directory.
///
/// # Errors
/// As there.
pub fn replace(path: &Path, content: &[u8]) -> Result<()> {
    let (folder, name) = Folder::around(path)?;
    folder.replace(name, content)
}

/// Writes a file of the user, completely or not at all. A link in its place is followed, and the permissions of an
/// existing file are kept. Even if this process is killed, nothing else is left in the folder of a repository.
///
/// # Errors
/// If it cannot be written.
pub fn write_whole(path: &Path, content: &[u8]) -> Result<()> {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let (folder, name) = Folder::around(&path)?;
    let next = format!(".{}.{}.next", name.to_string_lossy(), std::process::id());
    let place = place_for_next(&path)?.map_or_else(|| Folder::open(folder.path()), Ok)?;
    let written = place.remove_file(&next).and_then(|()| {
        let mut file = place.create_new(&next, 0o666)?;
        file.write_all(content)?;
        if let Ok(meta) = path.metadata() {
            require_regular(&meta)?;
            file.set_permissions(meta.permissions())?;
        }
        file.sync_all()?;
        folder.take(name, &place, &next)
    });
    if written.is_err() {
        _ = place.remove_file(&next);
    }
    written
}

/// Where a file is written before it takes the place of `path`: in the git directory around it if there is one on the same
/// file system; `None` if it is beside it. No other process writes there.
fn place_for_next(path: &Path) -> Result<Option<Folder>> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let device = folder.metadata()?.dev();
    let absolute = folder.canonicalize()?;
    let git_dir = absolute.ancestors().find_map(|above| git_dir_of(&above.join(".git")));
    let own = git_dir.and_then(|git_dir| Folder::make_own(&git_dir, "").ok());
    Ok(own.filter(|own| own.device().is_ok_and(|own| own == device)))
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::ErrorKind;
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
