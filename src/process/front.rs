//! A command in front of the program of a job, such as a sandbox.

use std::ffi::OsString;
use std::path::PathBuf;

use super::EnvChange;

/// A command that is started in the place of a program, and that starts the program itself: the path of the program and
/// its arguments follow its own arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Front {
    /// The absolute path of its program.
    pub program: PathBuf,
    /// Its own arguments.
    pub args: Vec<OsString>,
    /// Changes to the environment of both. They win over those of the job.
    pub env: Vec<EnvChange>,
}
