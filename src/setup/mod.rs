//! Prepares a repository: what is found there, what is missing, and what is written. `init` prepares its parts.

pub(crate) mod change;
pub(crate) mod checks;
pub(crate) mod commit_hook;
pub(crate) mod dialogue;
pub(crate) mod files;
pub(crate) mod found;
pub(crate) mod ignore;
pub(crate) mod packages;
pub(crate) mod place;
pub(crate) mod settings;
pub(crate) mod suite;
pub(crate) mod test_files;
