//! The git hooks: what each refuses, and how they are set up.

mod commit_msg;
mod install;
mod push;
mod replaced;
mod uninstall;
