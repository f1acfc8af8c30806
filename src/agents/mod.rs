//! Runners: the table of known agents, the commands of users, and the meaning of their output.

mod activity;
mod agent;
mod call;
mod cap;
mod cause;
mod chain;
mod command;
mod ending;
mod errors;
mod event;
mod fields;
mod inspect;
mod invocation;
mod live;
mod lookup;
mod output;
mod protocol;
mod remedy;
mod resets;
mod runner;
mod schema;
mod session;
mod state;
mod table;
mod zone;

pub use crate::process::{
    Cancel, CancelLevel, Captured, EnvChange, ExitReason, GRACE, Job, JobResult, Launch, Limits, LiveLine,
    MASK, ProcessName, Secrets, StartError, StopSignals, Swept, Tag, become_program, end_orphans,
};
pub use activity::{Activity, Limit, ToolUse};
pub use agent::Agent;
pub use call::{Request, RunnerResult};
pub use cap::Cap;
pub use cause::{Cause, Trouble, Unavailable};
pub use chain::RunnerChain;
pub use command::{CommandCheck, Missing, check_command};
pub use event::{AgentError, AgentEvent};
pub use inspect::LoginSign;
pub use invocation::Invocation;
pub use live::{Follower, Following, Patience, Unfollowed};
pub use lookup::Lookup;
pub use output::{OutputCaller, OutputFile, OutputKey, StoredOutput};
pub use protocol::{EventStream, Protocol};
pub use remedy::AS_ROOT;
pub use runner::Runner;
pub use schema::{AnswerSchema, PLAN_SCHEMA, REVIEW_POLICY};
pub use session::PastSession;
pub use state::AgentState;
pub use table::{AGENTS, is_left_by_agent};
