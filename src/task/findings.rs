//! The findings that a step can carry in its `Arborist-Findings` trailer.

/// Something about a step that did not fail it and that a person should look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finding {
    /// The implement step changed nothing: the agent said that nothing was left to do.
    EmptyChange,
}

impl Finding {
    /// The name that stands in the trailer.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::EmptyChange => "empty-change",
        }
    }
}
