//! Whose work a step is: the trailer `Arborist-By` says it.

use serde::{Deserialize, Serialize};

/// Whose work or decision a step is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum By {
    /// That of a run, with its agents and tests.
    #[default]
    Run,
    /// That of a person: there is no evidence besides the person's word.
    User,
    /// The answer of a reviewer to another agent.
    Reviewer,
    /// What was taken in from a request, as the trailer `Arborist-From` says: words of people, or output of a check.
    Request,
}

impl By {
    /// The value of `Arborist-By` for a person.
    pub const USER: &'static str = "user";
    /// The value of `Arborist-By` for a reviewer that answers another agent.
    pub const REVIEWER: &'static str = "reviewer";

    /// The value of `Arborist-By`; `None` for a run.
    #[must_use]
    pub fn word(self) -> Option<&'static str> {
        match self {
            Self::Run | Self::Request => None,
            Self::User => Some(Self::USER),
            Self::Reviewer => Some(Self::REVIEWER),
        }
    }

    /// Who has this word.
    pub(super) fn from_word(word: &str) -> Option<Self> {
        [Self::User, Self::Reviewer].into_iter().find(|by| by.word() == Some(word))
    }
}
