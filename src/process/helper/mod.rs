//! The helper: a small process of our own for each job, which outlives us by as long as it takes to end the job.
//!
//! It is this program again, started with a hidden argument. It is the parent of the job's program and the reaper of all
//! that the program leaves behind (a *child subreaper*, see `prctl(2)`): on Linux, whatever the job starts stays below
//! the helper, also what was double-forked into a session of its own. So the helper knows the processes of its job, and
//! of no other, without a look at anything else on the machine, and it knows for certain when the last one is gone: when
//! it has no children left.
//!
//! We talk with it over a socket. When that closes, because we were killed, the helper ends the job and then itself.
//!
//! This is what container inits such as tini, dumb-init and catatonit do for a container, and `systemd-run --scope` for
//! a unit; cargo-nextest starts itself once more for each test for a similar reason.

mod command;
mod report;
mod request;
mod serve;
mod start;
mod tree;
mod watch;

pub(super) use command::{Command, Control};
pub(super) use report::{Report, Status};
pub(super) use request::{Handover, Request};
pub use serve::serve;
pub(super) use start::{Helper, HelperExit, Received, error_from};
