//! A job: everything that the supervisor needs to know about a program, such as where and within which limits to run
//! it.

use super::{Cancel, EnvChange, Front, LiveLine, Secrets, Tag};
use std::ffi::OsString;
use std::fmt;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// How much of a job's output is kept, and how much is too much, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How much is kept of the beginning of each output; 64 KiB by default.
    pub head: usize,
    /// How much is kept of the end of each output; 256 KiB by default.
    pub tail: usize,
    /// The size of both outputs together at which the job is ended; 1 GiB by default.
    pub flood: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { head: 64 << 10, tail: 256 << 10, flood: 1 << 30 }
    }
}

/// A program to be run under supervision.
pub struct Job {
    pub(super) program: PathBuf,
    pub(super) directory: PathBuf,
    pub(super) tag: Tag,
    pub(super) timeout: Duration,
    pub(super) args: Vec<OsString>,
    pub(super) env: Vec<EnvChange>,
    pub(super) prompt: Option<Vec<u8>>,
    pub(super) grace: Duration,
    pub(super) limits: Limits,
    pub(super) held: Option<Arc<File>>,
    pub(super) live: LiveLine,
    pub(super) cancel: Cancel,
    pub(super) secrets: Option<Secrets>,
    pub(super) front: Option<Front>,
}

impl Job {
    /// A job that runs `program`, an absolute path, in `directory` for at most `timeout`.
    /// [`end_orphans`](super::end_orphans) finds it by its `tag`.
    #[must_use]
    pub fn new(
        program: impl Into<PathBuf>,
        directory: impl Into<PathBuf>,
        tag: Tag,
        timeout: Duration,
    ) -> Self {
        Self {
            program: program.into(),
            directory: directory.into(),
            tag,
            timeout,
            args: Vec::new(),
            env: Vec::new(),
            prompt: None,
            grace: Duration::from_secs(10),
            limits: Limits::default(),
            held: None,
            live: LiveLine::new(),
            cancel: Cancel::new(),
            secrets: None,
            front: None,
        }
    }

    /// The folder in which it runs.
    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Adds arguments.
    #[must_use]
    pub fn args<A: Into<OsString>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Adds changes to the environment; later ones win.
    #[must_use]
    pub fn env(mut self, changes: impl IntoIterator<Item = EnvChange>) -> Self {
        self.env.extend(changes);
        self
    }

    /// Passes `prompt` to the program on standard input. Without a prompt, standard input is `/dev/null`.
    #[must_use]
    pub fn prompt(mut self, prompt: impl Into<Vec<u8>>) -> Self {
        self.prompt = Some(prompt.into());
        self
    }

    /// Sets the time between SIGTERM and SIGKILL; 10 s if not set.
    #[must_use]
    pub fn grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }

    /// Sets the limits of output.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Lets the program, and everything that it starts, keep this file open. So a lock on the file is held until the
    /// last of these processes is gone.
    #[must_use]
    pub fn holding(mut self, file: Option<Arc<File>>) -> Self {
        self.held = file;
        self
    }

    /// Shows the last line of either output in `live`.
    #[must_use]
    pub fn live(mut self, live: &LiveLine) -> Self {
        self.live = live.clone();
        self
    }

    /// Ends the job when `cancel` is requested.
    #[must_use]
    pub fn cancel_with(mut self, cancel: &Cancel) -> Self {
        self.cancel = cancel.clone();
        self
    }

    /// Puts a command in front of the program.
    #[must_use]
    pub fn behind(mut self, front: Option<Front>) -> Self {
        self.front = front;
        self
    }

    /// Cleans both outputs and masks secrets in them before they are kept or shown. Without this, they are kept byte
    /// for byte.
    #[must_use]
    pub fn secrets(mut self, secrets: &Secrets) -> Self {
        self.secrets = Some(secrets.clone());
        self
    }
}

impl fmt::Debug for Job {
    /// Leaves out the prompt and the variables, which may contain secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Job")
            .field("program", &self.program)
            .field("directory", &self.directory)
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}
