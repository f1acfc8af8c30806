//! The files from which a program reads its prompt, and the form of its answer, if it does not get them in another way.

use std::path::PathBuf;

use crate::agents::{AnswerSchema, REVIEW_POLICY};
use crate::error::{Error, Result};
use crate::files::Folder;
use crate::git::WorkTree;

/// Writes a prompt into the git directory, in place of the one before, and beside it what an agent may need: the schema of its answer
/// and the rules of a reviewer. Returns the absolute path.
///
/// # Errors
/// If it cannot be written.
pub fn write_prompt(
    work_tree: &WorkTree,
    prompt: &str,
    schema: Option<&'static AnswerSchema>,
) -> Result<PathBuf> {
    let folder = work_tree.git_dir.join("arborist");
    let beside = schema.into_iter().chain([&REVIEW_POLICY]).map(|beside| (beside.file, beside.text));
    for (name, text) in [("prompt", prompt)].into_iter().chain(beside) {
        Folder::make_own(&work_tree.git_dir, "")
            .and_then(|folder| folder.replace(name, text.as_bytes()))
            .map_err(|error| Error::not_written(folder.join(name).display(), &error))?;
    }
    Ok(folder.join("prompt"))
}
