//! What the system tells about processes in the files of Linux's `/proc`. On other systems, and where `/proc` is not mounted,
//! it tells nothing, and process groups are used instead of what would be known from here.
//!
//! All names are given from `/proc`.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{Read as _, Result};
use std::path::{Path, PathBuf};

fn place(name: &str) -> PathBuf {
    Path::new("/proc").join(name)
}

/// The whole content of a file; `None` if there is none, or if it belongs to another user.
pub(super) fn read(name: &str) -> Option<Vec<u8>> {
    fs::read(place(name)).ok()
}

/// The beginning of a file, in a single read.
pub(super) fn read_once<'b>(name: &str, into: &'b mut [u8]) -> Option<&'b [u8]> {
    let length = File::open(place(name)).ok()?.read(into).ok()?;
    into.get(..length)
}

/// Where a link leads.
///
/// # Errors
/// If there is none, or if it belongs to another user.
pub(super) fn link(name: &str) -> Result<PathBuf> {
    fs::read_link(place(name))
}

/// The names in a folder; none if it cannot be read.
pub(super) fn names(folder: &str) -> impl Iterator<Item = OsString> + use<> {
    fs::read_dir(place(folder)).into_iter().flatten().flatten().map(|entry| entry.file_name())
}

/// Whether there is such a file.
pub(super) fn has(name: &str) -> bool {
    fs::exists(place(name)).unwrap_or(false)
}
