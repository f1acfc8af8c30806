//! The helper: a small process of our own for each job. If we are killed, it stays alive until it has ended the job.
//!
//! It is this program again, started with a hidden argument. It is the parent of the job's program and the reaper of
//! all processes that the program leaves behind (a *child subreaper*, see `prctl(2)`). On Linux, everything that the
//! job starts stays below the helper, even a process that was double-forked into a session of its own. So the helper
//! knows exactly the processes of its job without looking at any others on the machine. It also knows for certain when
//! the last one is gone: when it has no children left.
//!
//! We talk to it over a socket. If the socket closes because we were killed, the helper ends the job and then itself.
//!
//! This is what container inits such as tini, dumb-init and catatonit do for a container, and `systemd-run --scope` for
//! a unit; cargo-nextest starts itself once more for each test for a similar reason.

mod command;
mod process_tree;
mod report;
mod request;
mod serve;
mod start;
mod watch;

pub(super) use command::{Control, HelperCommand};
pub(super) use report::{HelperReport, ProgramExit};
pub(super) use request::StartRequest;
pub use serve::serve;
pub(super) use start::{Helper, HelperExit, Received, error_from};
