//! Implements the git hooks: what each of them checks, and how they are installed next to existing ones.

mod commits;
#[cfg(test)]
mod graph;
mod guard;
mod install;
mod manager;
mod message_context;
mod push;
mod ranges;
mod replaced;
pub(crate) mod run;
mod scripts;

pub use commits::CommitGraph;
pub use guard::{LostStep, RefChange, pushed_updates, received_updates, rewritten_steps};
pub use install::{InstallScope, Installer};
pub use manager::{InstallOutcome, Manager};
pub use message_context::{CheckContext, editor_of, inspect};
pub use push::{NewCommits, Push};
pub use ranges::{RangeChecks, check_commits};
pub use scripts::is_own_hook;

/// One of our hooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Hook {
    /// Checks a message before it is committed.
    CommitMsg,
    /// Checks pushed commits, and that no step is dropped.
    PrePush,
    /// The same on a server, where it cannot be skipped.
    PreReceive,
    /// Says how to undo it when a step was rewritten.
    PostRewrite,
}

impl Hook {
    /// All hooks.
    pub const ALL: [Self; 4] = [Self::CommitMsg, Self::PrePush, Self::PreReceive, Self::PostRewrite];

    /// The hooks that are installed in a work tree by default.
    pub const OF_WORK_TREE: [Self; 3] = [Self::CommitMsg, Self::PrePush, Self::PostRewrite];

    /// The hooks that are installed in a bare repository by default.
    pub const OF_SERVER: [Self; 1] = [Self::PreReceive];

    /// Git's name for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::CommitMsg => "commit-msg",
            Self::PrePush => "pre-push",
            Self::PreReceive => "pre-receive",
            Self::PostRewrite => "post-rewrite",
        }
    }

    /// Its purpose, as a clause.
    #[must_use]
    pub fn about(self) -> &'static str {
        match self {
            Self::CommitMsg => "checks a message before it is committed",
            Self::PrePush => "checks pushed commits, and that no step is dropped",
            Self::PreReceive => "checks received commits, and that no step is dropped",
            Self::PostRewrite => "tells you how to undo it when a step was rewritten",
        }
    }

    /// The hook with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|hook| hook.name() == name)
    }

    /// The script that git runs. It first runs the hook that was there before, and then us.
    #[must_use]
    pub fn script(self) -> &'static str {
        match self {
            Self::CommitMsg => include_str!("../../hooks/commit-msg"),
            Self::PrePush => include_str!("../../hooks/pre-push"),
            Self::PreReceive => include_str!("../../hooks/pre-receive"),
            Self::PostRewrite => include_str!("../../hooks/post-rewrite"),
        }
    }
}
