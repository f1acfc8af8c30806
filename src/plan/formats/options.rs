//! Holds what a user may say about how a plan is read.

/// What a user may say about how a plan is read.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// The tag of Task Master whose tasks are read.
    pub tag: Option<String>,
}
