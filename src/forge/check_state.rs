//! How a check has ended, in the words of forges.

use serde::Deserialize;

/// How a check has ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum CheckState {
    #[default]
    Pending,
    Success,
    Failure,
    /// It was cancelled, or given up by the forge.
    Cancelled,
    /// A person has to act: it waits for one, or could not begin.
    Blocked,
}

/// What the words of forges mean. Any other word means that the check has not ended.
const STATES: [(&[&str], CheckState); 4] = [
    (&["success", "neutral", "skipped"], CheckState::Success),
    (&["failure", "failed", "error", "timed_out"], CheckState::Failure),
    (&["cancelled", "canceled", "stale"], CheckState::Cancelled),
    (&["action_required", "startup_failure", "manual"], CheckState::Blocked),
];

impl CheckState {
    pub(super) fn of_word(word: &str) -> Self {
        let word = word.to_ascii_lowercase();
        let known = STATES.iter().find(|(words, _)| words.contains(&word.as_str()));
        known.map_or(Self::Pending, |(_, state)| *state)
    }
}
