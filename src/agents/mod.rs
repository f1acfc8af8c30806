//! Runners: the table of known agents, the commands of users, and the meaning of their output.

mod command;
mod known;
mod outcome;

pub use crate::process::{
    Cancel, CancelLevel, Captured, EnvChange, ExitReason, Job, JobResult, Launch, Limits, LiveLine, MASK,
    ProcessName, Secrets, StartError, StopSignals, Swept, Tag, become_program, end_orphans,
};
pub use command::{CommandCheck, Missing, check_command};
pub use known::{AGENTS, Agent, Invocation, Lookup, Runner};
pub use outcome::{Cause, Unavailable};
