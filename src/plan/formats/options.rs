//! Holds the user's choices about how a plan is read.

/// The user's choices about how a plan is read.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// The tag of Task Master whose tasks are read.
    pub tag: Option<String>,
}
