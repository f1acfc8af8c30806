//! The protocol by which workers on many machines agree who works on a task (docs/parallel.md).
//!
//! This module is pure: it starts no program and looks at no clock. Somebody else reads the remote repository, pushes, and
//! tells it what came of that.

mod holder;
mod protocol;
mod words;

pub use holder::{Expiry, Sighting};
pub use protocol::Claim;
pub use words::{Action, Event, Holder, Outcome, PushAnswer, RefState, RunState};
