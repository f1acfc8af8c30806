//! How a step ended.

use serde::{Deserialize, Serialize};

/// How a step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// It passed; for a review: approved. A step that can end in one way only has passed.
    Pass,
    /// It failed; for a review: rejected.
    Fail,
    /// A person has decided that the task is not done, and that nothing waits for it.
    Skip,
}
