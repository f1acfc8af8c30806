//! Makes a plan from the files of a work tree: finds and reads them, and writes the tree file.

pub(crate) mod claims;
pub(crate) mod naming;
pub(crate) mod nearby;
pub(crate) mod planner;
pub(crate) mod search;
pub(crate) mod source_changes;
pub(crate) mod sources;
pub(crate) mod target;
pub(crate) mod tick;
pub(crate) mod update;
