//! A regular file that is open, and read only up to a limit.

use std::fs::{File, Metadata};
use std::io::{Error, ErrorKind, Read, Result};
use std::time::SystemTime;

/// A regular file, open for reading.
#[derive(Debug)]
pub struct Regular {
    pub(super) file: File,
    pub(super) meta: Metadata,
}

pub(super) const IRREGULAR: &str = "it is not a regular file";

pub(super) fn require_regular(meta: &Metadata) -> Result<()> {
    if meta.is_file() { Ok(()) } else { Err(Error::new(ErrorKind::InvalidInput, IRREGULAR)) }
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
