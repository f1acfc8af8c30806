//! Refuses what only a person may do to the programs that do the work.

use super::{Call, Session};
use crate::error::{Error, Kind, Result};
use crate::worktree::Inside;

/// Refuses a command that was started by an agent, a reviewer or a test of a run here, or by a program that takes units of
/// work from here.
///
/// # Errors
/// [`Kind::Unsafe`].
pub(crate) fn refuse_inside(call: &Call, session: &Session, command: &str) -> Result<()> {
    let environment = &call.environment;
    let is_agent = environment.has("ARBORIST_TASK") && environment.has("ARBORIST_STEP");
    let inside = Inside::of(&session.work_tree).or(is_agent.then_some(Inside::Step));
    let (from, remedy) = match inside {
        None => return Ok(()),
        Some(Inside::Step) => (
            "from inside a step: by an agent, a reviewer or a test",
            "Nothing was recorded. Say in your answer what a person should know or decide.",
        ),
        Some(Inside::Client) => (
            "by a program that is connected to `git arborist mcp`",
            "Nothing was recorded. A person decides this, in a terminal that the program has not started.",
        ),
    };
    Err(Error::new(Kind::Unsafe, format!("`git arborist {command}` was called {from}"), remedy))
}
