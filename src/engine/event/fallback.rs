//! A runner that is left alone for a while, and the one that works instead.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::lengths::to_the_second;
use crate::record::{Step, TaskId};

/// A runner that cannot work now, and the one that works instead.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Fallback {
    /// The task.
    pub task: TaskId,
    /// The step.
    pub step: Step,
    /// The runner that cannot work, and its model behind a slash.
    pub runner: String,
    /// Why, as a clause.
    pub reason: String,
    /// Until when all runners with its account are left alone; `None` for the rest of the run, because only a person can help.
    #[serde(serialize_with = "to_the_second")]
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub until: Option<DateTime<Utc>>,
    /// The runner that works instead, and its model behind a slash.
    pub instead: String,
}
