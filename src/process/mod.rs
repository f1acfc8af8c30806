//! The one place that starts, watches and ends other programs: agents, tests, reviewers and git.
//!
//! A [`Job`] says what to run; [`Job::run`] blocks until it is over and returns an [`JobResult`]. What holds for every job:
//!
//! - **It ends.** At its timeout, when it floods, or when it is told to by a [`Cancel`], all of its processes get SIGTERM,
//!   a grace, then SIGKILL. A process that even SIGKILL does not end is named after ten seconds.
//! - **It leaves nothing behind.** What the program left running when it ended by itself is ended too, and named. On
//!   Linux that includes processes in sessions of their own, without a parent, or with an emptied environment;
//!   elsewhere, or where `/proc` cannot be read, it is the process group.
//! - **It stands alone.** What is said about a job never depends on other jobs, on processes of others, or on how busy the
//!   machine is: each job has a helper, whose descendants are the job (see `helper`). Every wait has a limit.
//! - **It cannot hold us.** One loop, on the calling thread, with pipes that never block: a prompt that is not read, a
//!   line without an end, or a pipe that a daemon keeps open cost nothing but bounded memory (see `capture`).
//! - **It has no terminal.** It runs in a session of its own, so `/dev/tty` does not open, Ctrl-C at the terminal
//!   reaches only us, and standard input ends after the prompt.
//!
//! **If we are killed**, at whatever moment, the helper notices it and ends the job. Until that is done, the helper and
//! the job hold the lock of the run ([`Job::holding`]), so no other run begins. If the helper is killed as well, the
//! next run finds what is left by the lock and by the mark that all of the job carries (see `marker`), and ends it with
//! [`end_orphans`].
//!
//! **If we are stopped** by Ctrl-Z, the job is stopped, and goes on when we do. SIGSTOP cannot be noticed before it
//! happens: after it the job works on until its pipes are full. Neither time counts against a timeout.
//!
//! [`call`] is for short calls of git, which need less (see `call`).
//!
//! Writing to a prompt that is not read needs SIGPIPE to be ignored, as Rust programs do unless they change it.

mod call;
mod cancel;
mod capture;
mod clock;
mod decide;
mod group;
mod helper;
mod instance;
mod job;
mod job_marker;
mod live;
mod orphans;
mod pipes;
mod processes;
mod record;
mod redact;
mod replace;
mod result;
mod signals;
mod start_error;
mod supervise;
mod sweep;

pub use call::{CallLimit, Finished, Unfinished, call};
pub use cancel::{Cancel, CancelLevel};
pub use capture::Captured;
pub use helper::serve;
pub use instance::Instance;
pub use job::{EnvChange, Job, Limits};
pub use job_marker::Tag;
pub use live::LiveLine;
pub use orphans::{Swept, end_orphans};
pub use redact::{FoundSecret, MASK, Secrets};
pub use replace::become_program;
pub use result::{ExitReason, JobResult, ProcessName};
pub use signals::StopSignals;
pub use start_error::StartError;
