//! The kinds of tasks that `status` can show alone.

/// Tasks that have something in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskFilter {
    /// They can be worked on now.
    Ready,
    /// They have failed.
    Failed,
    /// A failed task keeps them from being worked on.
    Blocked,
    /// They have begun and are not done.
    Active,
}

impl TaskFilter {
    /// What a task of this kind is, as a clause.
    #[must_use]
    pub fn clause(self) -> &'static str {
        match self {
            Self::Ready => "is ready",
            Self::Failed => "has failed",
            Self::Blocked => "is blocked",
            Self::Active => "is in progress",
        }
    }
}
