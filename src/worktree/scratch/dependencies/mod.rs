//! The packages of a work tree in scratch work trees: which folders hold them, whether they have changed, and how they get
//! into a work tree that has only the files of a commit.
//!
//! They are copied and never linked: through a linked `node_modules` of a workspace, Node finds the packages of the *user's*
//! tree. What was installed with full paths into the user's work tree leads into the scratch work tree afterwards.

mod editable;
mod folders;
mod home;
mod install;
mod installed;
mod listing;
mod moved;
mod packages;
#[cfg(test)]
mod tests;

pub(super) use editable::{EditableInstalls, Interpreters};
pub(super) use home::own_home;
pub(super) use install::{install, install_again};
pub use installed::ChangedPackages;
pub(super) use installed::{Installed, InstalledChanges, Part};
pub use listing::DependencyListing;
pub(super) use listing::Holds;
pub(super) use moved::moved_environment;
pub(super) use packages::lock_files;
pub use packages::{is_lock_file, packages_changed};
