//! Finds out what kind of file is at a path of the work tree, without following links.

use std::ffi::OsStr;
use std::fs::{FileType, Metadata};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// The kinds of files at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PathKind {
    /// Nothing.
    Nothing,
    /// A file.
    File {
        /// Whether its owner may execute it.
        executable: bool,
    },
    /// A link.
    Link,
    /// A folder.
    Folder,
    /// Something else, and its name in messages.
    Other(&'static str),
    /// Nothing can be there, because this part of the path is not a folder.
    Behind(Vec<u8>),
}

impl PathKind {
    /// The kind of file at a path below `top`.
    pub(crate) fn at(top: &Path, path: &[u8]) -> Self {
        let parts = path.iter().enumerate().filter(|(_, byte)| **byte == b'/');
        for (end, _) in parts {
            match joined(top, &path[..end]).symlink_metadata() {
                Ok(meta) if meta.is_dir() => {}
                Ok(_) => return Self::Behind(path[..end].to_vec()),
                Err(_) => return Self::Nothing,
            }
        }
        joined(top, path).symlink_metadata().map_or(Self::Nothing, |meta| Self::of(&meta))
    }

    /// The kind of file according to metadata that were read without following a link.
    pub(crate) fn of(meta: &Metadata) -> Self {
        match unusual(meta.file_type()) {
            Some(what) => Self::Other(what),
            None if meta.is_dir() => Self::Folder,
            None if meta.is_symlink() => Self::Link,
            None => Self::File { executable: meta.permissions().mode() & 0o100 != 0 },
        }
    }
}

/// The name in messages of something that is neither a file nor a link nor a folder.
pub(crate) fn unusual(kind: FileType) -> Option<&'static str> {
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

/// The full path of a path below `top`.
pub(crate) fn joined(top: &Path, path: &[u8]) -> PathBuf {
    top.join(OsStr::from_bytes(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_through_a_link_is_not_followed() {
        let top = tempfile::tempdir().unwrap();
        let place = |path: &str| top.path().join(path);
        std::fs::create_dir_all(place("real/inner")).unwrap();
        std::fs::write(place("real/inner/file"), "").unwrap();
        std::os::unix::fs::symlink("real", place("link")).unwrap();
        let seen = |path: &str| PathKind::at(top.path(), path.as_bytes());
        assert_eq!(seen("real/inner/file"), PathKind::File { executable: false });
        assert_eq!(seen("real/inner"), PathKind::Folder);
        assert_eq!(seen("link"), PathKind::Link);
        assert_eq!(seen("link/inner/file"), PathKind::Behind(b"link".to_vec()));
        assert_eq!(seen("real/inner/file/more"), PathKind::Behind(b"real/inner/file".to_vec()));
        assert_eq!(seen("real/none/file"), PathKind::Nothing);
    }
}
