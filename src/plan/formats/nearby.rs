//! Defines how the files around a plan are read.

/// The files of the work tree that a plan is in.
pub trait Nearby {
    /// The paths of the files below a folder, in their order. All paths begin at the top of the work tree.
    fn below(&self, folder: &str) -> Vec<String>;

    /// The text of a file; `None` if there is no such file.
    ///
    /// # Errors
    /// Why it cannot be a document, as a clause.
    fn read(&self, path: &str) -> Result<Option<String>, String>;
}

/// The folder of a file; empty at the top.
pub(super) fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The path of a file in a folder.
pub(super) fn in_folder(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}
