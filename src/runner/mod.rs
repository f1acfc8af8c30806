//! Runners: the table of known agents, commands of the user's own, and the one place that starts and ends them.

mod agents;
mod outcome;
mod redact;
mod replace;
mod signals;
mod supervisor;

pub use agents::{AGENTS, Agent, Invocation, Lookup, Runner};
pub use outcome::{Cause, Hindrance};
pub use redact::{MASK, Secrets};
pub use replace::become_program;
pub use signals::StopSignals;
pub use supervisor::{
    Captured, End, Ended, EnvChange, Job, Limits, LiveLine, Logged, ProcessName, StartError, Stop, Swept,
    Tag, Urgency, end_orphans,
};
