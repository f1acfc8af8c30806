//! The one place that starts, watches and ends agents, tests and reviewers.
//!
//! A [`Job`] says what to run; [`Job::run`] blocks until it is over and returns an [`Ended`]. What holds for every job:
//!
//! - **It ends.** At its timeout, when it floods, or when it is told to by a [`Stop`], the whole tree of processes gets
//!   SIGTERM, a grace, then SIGKILL. A process that even SIGKILL does not end is named after five seconds.
//! - **It leaves nothing behind.** What the program left running when it ended by itself is ended too, and named.
//!   On Linux this finds processes in sessions of their own, without a parent, or with an emptied environment
//!   (see `tree`); elsewhere, or where `/proc` cannot be read, it is the process group.
//! - **It cannot hold us.** One loop, on the calling thread, with pipes that never block: a prompt that nobody reads, a
//!   line without an end, or a pipe that a daemon keeps open cost nothing but bounded memory (see `capture`).
//! - **It has no terminal.** It runs in a session of its own, so `/dev/tty` does not open, Ctrl-C at the terminal
//!   reaches only us, and standard input ends after the prompt.
//!
//! If we are killed ourselves, a small watcher ends the program's process group at once (see `lifeline`), and the next
//! run ends the rest with [`end_orphans`], which knows them by a variable in their environment.
//!
//! **SIGTSTP.** Ctrl-Z stops us, not the program: it works on until its pipes are full. Its clock runs on as well, so
//! after SIGCONT a job that is past its timeout is ended, unless it has finished meanwhile. The clock is monotonic:
//! setting the time does not move it, and on Linux it stands still while the machine sleeps.
//!
//! Writing to a prompt that nobody reads needs SIGPIPE to be ignored, as Rust programs do unless they change it.

mod capture;
mod cookie;
mod decide;
mod ended;
mod ending;
mod job;
mod lifeline;
mod live;
mod log;
mod orphans;
mod pipes;
mod processes;
mod redact;
mod registry;
mod replace;
mod signals;
mod start;
mod stop;
mod supervise;
mod tree;

pub use capture::Captured;
pub use cookie::Tag;
pub use ended::{End, Ended, Logged, ProcessName, StartError};
pub use job::{EnvChange, Job, Limits};
pub use live::LiveLine;
pub use orphans::{Swept, end_orphans};
pub use redact::{MASK, Secrets};
pub use replace::become_program;
pub use signals::StopSignals;
pub use stop::{Stop, Urgency};

#[cfg(test)]
mod tests;
