//! The files from which a program reads its prompt, and the form of its answer, if it does not get them in another way.

use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::files::{self, Folder};
use crate::git::WorkTree;

/// Writes a prompt into the git directory, in place of the one before. Returns the absolute path.
///
/// # Errors
/// If it cannot be written.
pub fn write_prompt(work_tree: &WorkTree, prompt: &str) -> Result<PathBuf> {
    let file = work_tree.git_dir.join("arborist").join("prompt");
    Folder::make_own(&work_tree.git_dir, "")
        .and_then(|folder| folder.replace("prompt", prompt.as_bytes()))
        .map_err(|error| Error::not_written(file.display(), &error))?;
    Ok(file)
}

/// Writes a text into the folder of the file with a prompt, unless it is there already.
///
/// # Errors
/// If it cannot be written.
pub fn write_beside(prompt_file: &Path, name: &str, text: &str) -> Result<()> {
    let file = prompt_file.with_file_name(name);
    if files::read(&file, files::SMALL).is_ok_and(|there| there == text.as_bytes()) {
        return Ok(());
    }
    files::replace(&file, text.as_bytes()).map_err(|error| Error::not_written(file.display(), &error))
}
