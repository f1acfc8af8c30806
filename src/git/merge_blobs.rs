//! Merges three versions of a file, and writes new versions as objects.

use std::path::PathBuf;

use super::output::text_of;
use super::raw::TemporaryFolder;
use super::{Entry, Git};
use crate::error::{Error, Result};

impl Git {
    /// Writes bytes as a blob, and returns its id.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write_blob(&self, bytes: Vec<u8>) -> Result<String> {
        let id = self.command(["hash-object", "-w", "--stdin"]).stdin(bytes).demand()?;
        Ok(text_of(&id))
    }

    /// Applies the change from `base` to `other` to `mine`; `None` if they change the same lines, or are not text.
    ///
    /// # Errors
    /// If a version cannot be read or written.
    pub fn merge_blobs(&self, mine: &Entry, base: &Entry, other: &Entry) -> Result<Option<Entry>> {
        let folder = TemporaryFolder::new(&self.common_dir()?, "merge")?;
        let files = [mine, base, other].into_iter().enumerate().map(|(number, entry)| {
            let file = folder.0.join(number.to_string());
            std::fs::write(&file, self.blob(&entry.id)?)
                .map_err(|error| Error::not_written(file.display(), &error))?;
            Ok(file)
        });
        let files: Vec<PathBuf> = files.collect::<Result<_>>()?;
        let args = ["merge-file", "-p", "--quiet"].map(std::ffi::OsStr::new);
        let output = self.call(args.into_iter().chain(files.iter().map(|file| file.as_os_str())))?;
        if !output.status.success() {
            return Ok(None);
        }
        Ok(Some(Entry { kind: mine.kind, id: self.write_blob(output.stdout)? }))
    }
}
