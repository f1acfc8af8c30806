//! Reads a run for the commands that show it.

pub(crate) mod active;
pub(crate) mod candidates;
pub(crate) mod changes;
pub(crate) mod effort;
pub(crate) mod follow;
pub(crate) mod reported;
pub(crate) mod run_folder;
pub(crate) mod steps;
pub(crate) mod surroundings;
pub(crate) mod test_log;
