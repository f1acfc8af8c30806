//! Stores files and links of the work tree as objects, byte for byte: filters and the conversion of line ends are not
//! applied, even if attributes ask for them.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::Git;
use super::entries::{Entry, EntryKind, PathEntry};
use super::output::text_of;
use crate::error::{Error, Kind, Result};
use crate::files::Folder;

/// A path of the work tree, and the kind of file there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundPath {
    /// From the top of the work tree, as the bytes that git uses.
    pub path: Vec<u8>,
    /// The kind of file.
    pub what: CommittableKind,
}

/// The kinds of files that a commit can contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommittableKind {
    /// No file.
    Nothing,
    /// A file, and whether it may be executed.
    File {
        /// Whether its owner may execute it.
        executable: bool,
    },
    /// A link.
    Link,
}

impl Git {
    /// Writes the files at these paths as objects, byte for byte.
    pub(super) fn raw_entries(
        &self,
        git_dir: &Path,
        top: &Path,
        found: &[FoundPath],
    ) -> Result<Vec<PathEntry>> {
        // Git reads all objects from one list of files, so the target of each link is written to a file.
        let targets = TemporaryFolder::new(git_dir, "links")?;
        let mut files = Vec::new();
        for (number, found) in found.iter().enumerate() {
            let path = top.join(OsStr::from_bytes(&found.path));
            match found.what {
                CommittableKind::Nothing => {}
                CommittableKind::File { .. } => files.push(path),
                CommittableKind::Link => files.push(write_target(&path, targets.0.join(number.to_string()))?),
            }
        }
        let mut ids = self.hash_files(&["-w"], &files)?.into_iter();
        let entry = |found: &FoundPath| {
            let kind = match found.what {
                CommittableKind::Nothing => return PathEntry { path: found.path.clone(), entry: None },
                CommittableKind::File { executable: false } => EntryKind::File,
                CommittableKind::File { executable: true } => EntryKind::Executable,
                CommittableKind::Link => EntryKind::Link,
            };
            let id = ids.next().expect("git has written as many objects as it was given files");
            PathEntry { path: found.path.clone(), entry: Some(Entry { kind, id }) }
        };
        Ok(found.iter().map(entry).collect())
    }

    /// The ids that these files would have as objects, in the same order. Nothing is written.
    pub(super) fn raw_ids(&self, files: &[PathBuf]) -> Result<Vec<String>> {
        self.hash_files(&[], files)
    }

    /// The id that these bytes would have as an object. Nothing is written.
    pub(super) fn raw_id(&self, bytes: &[u8]) -> Result<String> {
        Ok(text_of(&self.command(["hash-object", "--stdin"]).stdin(bytes).demand()?))
    }

    /// The ids of these files as objects, in the same order; with `-w`, the objects are written.
    fn hash_files(&self, options: &[&str], files: &[PathBuf]) -> Result<Vec<String>> {
        if files.is_empty() {
            return Ok(Vec::new());
        }
        let list: Vec<u8> = files.iter().flat_map(|file| quoted(file.as_os_str().as_bytes())).collect();
        let args = ["hash-object", "--no-filters", "--stdin-paths"].iter().chain(options);
        let ids = self.command(args).stdin(list).demand()?;
        let ids: Vec<String> = text_of(&ids).lines().map(str::to_owned).collect();
        if ids.len() == files.len() { Ok(ids) } else { Err(cut_off()) }
    }
}

fn cut_off() -> Error {
    Error::new(
        Kind::Environment,
        "git hash-object did not answer for all files",
        "Nothing was changed. Run the same command again.",
    )
}

/// Writes the target of a link to a file.
fn write_target(link: &Path, file: PathBuf) -> Result<PathBuf> {
    std::fs::read_link(link)
        .and_then(|target| std::fs::write(&file, target.as_os_str().as_bytes()))
        .map_err(|error| Error::not_written(file.display(), &error))?;
    Ok(file)
}

/// A path, quoted so that git can read it from a list of lines even if it contains special bytes.
fn quoted(path: &[u8]) -> Vec<u8> {
    let mut line = vec![b'"'];
    for byte in path {
        match byte {
            b'"' | b'\\' => line.extend([b'\\', *byte]),
            0..=0x1f | 0x7f => line.extend(format!("\\{byte:03o}").into_bytes()),
            _ => line.push(*byte),
        }
    }
    line.extend(*b"\"\n");
    line
}

/// A folder for the files of one call of git, removed when this value is dropped.
pub(super) struct TemporaryFolder(pub(super) PathBuf);

impl TemporaryFolder {
    /// Makes it in our folder of a git directory.
    pub(super) fn new(git_dir: &Path, purpose: &str) -> Result<Self> {
        let made = Folder::make_own(git_dir, &format!("{purpose}-{}", std::process::id()));
        made.map(|folder| Self(folder.path().to_owned()))
            .map_err(|error| Error::not_written(git_dir.display(), &error))
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        // Files that stay behind do no harm, and there is no way to report an error here.
        let _ = Folder::around(&self.0).and_then(|(own, name)| own.remove_all(name));
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn a_path_is_quoted_so_that_no_byte_of_it_ends_the_line() {
        assert_eq!(quoted(b"a b\xff"), b"\"a b\xff\"\n");
        assert_eq!(quoted(b"a\n\"\\\r\t"), b"\"a\\012\\\"\\\\\\015\\011\"\n");
    }
}
