//! The one place that starts, watches and ends other programs: agents, tests, reviewers and git.
//!
//! A [`Job`] says what to run; [`Job::run`] blocks until it has ended and returns a [`JobResult`]. The following is
//! true of every job:
//!
//! - **It ends.** At its timeout, when it prints too much, or at the request of a [`Cancel`], all of its processes get
//!   SIGTERM and, after a grace period, SIGKILL. A process that even SIGKILL does not end is named after ten seconds.
//! - **It leaves nothing behind.** Processes that the program left running when it ended by itself are ended too, and
//!   named. On Linux, this includes processes in sessions of their own, without a parent, or with an emptied
//!   environment. On other systems, or if `/proc` cannot be read, it is the process group.
//! - **It is independent.** The result of a job never depends on other jobs, on processes of other users, or on how
//!   busy the machine is: each job has a helper, and the job consists of the helper's descendants (see `helper`). Every
//!   wait has a limit.
//! - **It cannot block us.** One loop on the calling thread uses pipes that never block: a prompt that is not read, an
//!   endless line, or a pipe that a daemon keeps open only cost bounded memory (see `capture`).
//! - **It has no terminal.** It runs in its own session, so `/dev/tty` does not open, Ctrl-C at the terminal reaches
//!   only us, and standard input ends after the prompt.
//!
//! **If we are killed**, at any moment, the helper notices it and ends the job. Until that is done, the helper and the
//! job hold the lock of the run ([`Launch::held`]), so no other run begins. If the helper is killed as well, the next
//! run notices remaining processes by the lock, finds them by the marker that all processes of a job carry (see
//! `job_marker`), and ends them with [`end_orphans`].
//!
//! **If we are suspended** by Ctrl-Z, the job is suspended too, and continues when we do. We cannot notice SIGSTOP in
//! advance, so after it the job keeps working until its pipes are full. In both cases, this time does not count towards
//! a timeout.
//!
//! [`call`] is for short git commands, which need less (see `call`).
//!
//! Writing to a prompt that is not read needs SIGPIPE to be ignored, as Rust programs do unless they change it.

mod call;
mod cancel;
mod capture;
mod clock;
mod companion;
mod decide;
mod helper;
mod inside;
mod instance;
mod interruptions;
mod job;
mod job_marker;
mod live;
mod orphans;
mod others;
mod own_program;
mod pager;
mod pipes;
mod proc_files;
mod processes;
mod record;
mod redact;
mod result;
mod shortage;
mod signals;
mod start_error;
mod supervise;
mod sweep;

pub use call::{CallLimit, Finished, ProgramCall, Unfinished, answer_of, call, call_program};
pub use cancel::{Cancel, CancelLevel};
pub(crate) use capture::Capture;
pub use capture::Captured;
pub use companion::{Companion, CompanionCall, CompanionNews, end_with_starter};
pub use helper::serve;
pub use inside::{descends_from, is_within_job, program_at_input};
pub use instance::Instance;
pub use interruptions::Interruptions;
pub use job::{EnvChange, Front, GRACE, Job, JobPrograms, Launch, Limits, Watch, Watcher};
pub use job_marker::Tag;
pub use live::LiveLine;
pub use orphans::{Swept, end_orphans};
pub use others::{OtherProcess, other_processes};
pub use own_program::become_program;
pub use own_program::own_program;
pub use pager::page;
pub use redact::{FoundSecret, MASK, Secrets};
pub use result::{ExitReason, JobResult, ProcessName};
pub use shortage::Shortage;
pub use signals::StopSignals;
pub use start_error::StartError;
