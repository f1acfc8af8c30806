//! What the settings say about the briefs of agents.

use crate::workflow::{BriefLimits, UserTemplate};

/// What agents are told, as far as it is not a matter of the task.
#[derive(Clone, Debug)]
pub struct BriefSettings {
    /// How long the sections of a brief may be.
    pub limits: BriefLimits,
    /// Whether agents must leave the files alone that judge their work.
    pub protects: bool,
    /// The command that runs the whole suite, unless it is turned off.
    pub suite: Option<String>,
    /// The user's template for the implement step.
    pub implement: Option<UserTemplate>,
    /// The same for the step that writes failing tests.
    pub red: Option<UserTemplate>,
    /// The same for reviews.
    pub review: Option<UserTemplate>,
    /// What the user adds to every brief; may be empty.
    pub extra: String,
}
