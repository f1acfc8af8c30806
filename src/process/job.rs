//! A job: everything that the supervisor needs to know about a program, such as where and within which limits to run
//! it.

use super::{Cancel, LiveLine, Secrets, Tag};
use std::ffi::OsString;
use std::fmt;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

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

/// One change to the environment that a program inherits from us.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EnvChange {
    /// Sets a variable.
    Set(OsString, OsString),
    /// Takes a variable away.
    Remove(OsString),
}

impl EnvChange {
    /// Makes this change for a command.
    pub(super) fn apply(&self, command: &mut Command) {
        match self {
            Self::Set(name, value) => command.env(name, value),
            Self::Remove(name) => command.env_remove(name),
        };
    }
}

/// A command that is started in the place of a program, such as a sandbox, and that starts the program itself: the path of
/// the program and its arguments follow its own arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Front {
    /// The absolute path of its program.
    pub program: PathBuf,
    /// Its own arguments.
    pub args: Vec<OsString>,
    /// Changes to the environment of both. They win over those of the job.
    pub env: Vec<EnvChange>,
}

/// How long agents, tests and other programs may take to end when they are asked to.
pub const GRACE: Duration = Duration::from_secs(10);

/// What the programs that are started in a folder have in common.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The folder in which they run.
    pub directory: PathBuf,
    /// The mark by which [`end_orphans`](super::end_orphans) finds them later.
    pub tag: Tag,
    /// Changes to the environment that they inherit; later ones win.
    pub env: Vec<EnvChange>,
    /// How long they may take to end when they are asked to: the time between SIGTERM and SIGKILL.
    pub grace: Duration,
    /// Ends them when the user asks to stop.
    pub cancel: Cancel,
    /// The secrets that are masked in their output, which is cleaned as well, before it is kept or shown. If this is
    /// `None`, output is kept byte for byte.
    pub secrets: Option<Secrets>,
    /// The file that they, and everything that they start, keep open. So a lock on the file is held until the last of these
    /// processes is gone.
    pub held: Option<Arc<File>>,
    /// The command that starts them.
    pub front: Option<Front>,
}

impl Launch {
    /// A job that runs `program`, an absolute path, for at most `timeout`.
    #[must_use]
    pub fn job(&self, program: impl Into<PathBuf>, timeout: Duration) -> Job {
        Job {
            launch: self.clone(),
            program: program.into(),
            args: Vec::new(),
            prompt: None,
            timeout,
            limits: Limits::default(),
            live: LiveLine::new(),
        }
    }
}

/// A program to be run under supervision.
pub struct Job {
    pub(super) launch: Launch,
    pub(super) program: PathBuf,
    pub(super) args: Vec<OsString>,
    pub(super) prompt: Option<Vec<u8>>,
    pub(super) timeout: Duration,
    pub(super) limits: Limits,
    pub(super) live: LiveLine,
}

impl Job {
    /// The folder in which it runs.
    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.launch.directory
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
        self.launch.env.extend(changes);
        self
    }

    /// Passes `prompt` to the program on standard input. Without a prompt, standard input is `/dev/null`.
    #[must_use]
    pub fn prompt(mut self, prompt: impl Into<Vec<u8>>) -> Self {
        self.prompt = Some(prompt.into());
        self
    }

    /// Sets the limits of output.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
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
        self.launch.cancel = cancel.clone();
        self
    }
}

/// Gets both outputs of a job as they arrive, cleaned and without secrets if the job has any.
pub trait Watcher {
    /// Takes the next piece of standard output.
    fn output(&mut self, piece: &[u8]);

    /// Takes the next piece of standard error.
    fn error_output(&mut self, piece: &[u8]);

    /// Is called several times a second, also without output. Tells whether the job may go on.
    fn tick(&mut self, programs: &dyn JobPrograms) -> Watch;

    /// Is called once if we end the job, before its processes get a signal.
    fn ends(&mut self, programs: &dyn JobPrograms);
}

/// The programs that a job has started, as far as its watcher may ask about them.
pub trait JobPrograms {
    /// Whether one of them has started after this moment, or within the second before it, and is still there; `None` if the
    /// system does not tell. Those that started within the first second of the job belong to it, and do not count.
    fn started_since(&self, at: Instant) -> Option<bool>;
}

/// Whether a job that is being watched may go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Watch {
    /// It may.
    GoOn,
    /// It is to be ended, as at its timeout.
    End,
}

/// Watches nothing.
pub(super) struct Unwatched;

impl Watcher for Unwatched {
    fn output(&mut self, _piece: &[u8]) {}

    fn error_output(&mut self, _piece: &[u8]) {}

    fn tick(&mut self, _programs: &dyn JobPrograms) -> Watch {
        Watch::GoOn
    }

    fn ends(&mut self, _programs: &dyn JobPrograms) {}
}

impl fmt::Debug for Job {
    /// Leaves out the prompt and the variables, which may contain secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Job")
            .field("program", &self.program)
            .field("directory", &self.launch.directory)
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}
