//! Parts of files, and what they say.

use std::collections::BTreeMap;

/// A part of a file that decides how tests run, and that changed.
#[derive(Debug)]
pub(in crate::trust::judges) struct Part {
    /// What the file calls it.
    pub(in crate::trust::judges) name: String,
    /// It was not there before.
    pub(in crate::trust::judges) is_new: bool,
}

/// What a file says about tests: values by their names.
pub(super) type Settings = BTreeMap<String, String>;

/// The name of a file without its folders.
pub(super) fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
