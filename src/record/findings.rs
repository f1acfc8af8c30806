//! The findings that a step can carry in its `Arborist-Findings` trailer.

/// Something about a step that did not fail it and that a person should look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finding {
    /// The implement step changed nothing: the agent said that nothing was left to do.
    EmptyChange,
    /// The implement step left new files that git ignores, so no commit holds them.
    IgnoredFiles,
    /// Git is told to overlook changes to tracked files, so no commit holds them.
    OverlookedChanges,
}

impl Finding {
    /// The name that stands in the trailer.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::EmptyChange => "empty-change",
            Self::IgnoredFiles => "ignored-files",
            Self::OverlookedChanges => "overlooked-changes",
        }
    }
}
