//! Runners: the table of known agents, commands of the user's own, and what their output means.

mod agents;
mod command;
mod outcome;

pub use crate::process::{
    Captured, End, Ended, EnvChange, Job, Limits, LiveLine, MASK, ProcessName, Secrets, StartError, Stop,
    StopSignals, Swept, Tag, Urgency, become_program, end_orphans,
};
pub use agents::{AGENTS, Agent, Invocation, Lookup, Runner};
pub use command::{CommandCheck, Missing, check_command};
pub use outcome::{Cause, Hindrance};
