//! The file from which a program reads its prompt if it does not read standard input.

use std::path::PathBuf;

use crate::error::{Error, Result};
use crate::files;
use crate::git::WorkTree;

/// Writes a prompt into the git directory, in place of the one before. Returns the absolute path.
///
/// # Errors
/// If it cannot be written.
pub fn write_prompt(work_tree: &WorkTree, prompt: &str) -> Result<PathBuf> {
    let folder = work_tree.git_dir.join("arborist");
    let file = folder.join("prompt");
    std::fs::create_dir_all(folder)
        .and_then(|()| files::replace(&file, prompt.as_bytes()))
        .map_err(|error| Error::not_written(file.display(), &error))?;
    Ok(file)
}
