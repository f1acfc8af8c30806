//! How the programs of a run are started.

use std::path::PathBuf;

use super::trace_context::TraceContext;
use crate::process::{Cancel, Launch, Secrets};
use crate::sandbox::Sandbox;
use crate::worktree::Scratches;

/// What the programs that a run starts have in common.
pub struct RunPrograms {
    /// How they are started at the top of the work tree, without a sandbox. All of them keep the locked file of the work tree
    /// open, so the lock lasts until the last of them has ended.
    pub launch: Launch,
    /// The shell that runs test commands.
    pub shell: PathBuf,
    /// Tells whether the user has asked to stop.
    pub cancel: Cancel,
    /// The secrets that their output must not show.
    pub secrets: Secrets,
    /// Makes scratch work trees, in which reviewers work, and proofs and the whole suite run.
    pub scratches: Scratches,
    /// The sandbox of agents. That of test commands is the one of scratch work trees.
    pub sandbox: Option<Sandbox>,
    /// The trace to which their telemetry belongs.
    pub trace: TraceContext,
}
