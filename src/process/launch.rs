//! What the programs of a run have in common.

use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::{Cancel, EnvChange, Front, Job, Secrets, Tag};

/// What the programs that are started in a folder have in common.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The folder in which they run.
    pub directory: PathBuf,
    /// The mark by which they are recognised later.
    pub tag: Tag,
    /// Changes to the environment that they inherit.
    pub env: Vec<EnvChange>,
    /// How long they may take to end when they are asked to.
    pub grace: Duration,
    /// Tells whether the user has asked to stop.
    pub cancel: Cancel,
    /// The secrets that their output must not show.
    pub secrets: Secrets,
    /// The locked file that they keep open.
    pub held: Option<Arc<File>>,
    /// The command that starts them.
    pub front: Option<Front>,
}

impl Launch {
    /// A job that runs `program`, an absolute path, for at most `timeout`.
    #[must_use]
    pub fn job(&self, program: impl Into<PathBuf>, timeout: Duration) -> Job {
        Job::new(program, &self.directory, self.tag, timeout)
            .env(self.env.iter().cloned())
            .grace(self.grace)
            .cancel_with(&self.cancel)
            .secrets(&self.secrets)
            .holding(self.held.clone())
            .behind(self.front.clone())
    }
}
