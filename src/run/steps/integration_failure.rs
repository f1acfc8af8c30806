//! Why a finished task could not be merged.

use serde::{Deserialize, Serialize};

use crate::plan::NodeIx;
use crate::record::{CommitId, TaskId};
use crate::text::{listed, one_line};

/// A task whose branch could not be merged. The next attempt at it learns why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedIntegration {
    /// The task.
    pub leaf: NodeIx,
    /// Its id.
    pub task: TaskId,
    /// The tip of its branch.
    pub tip: CommitId,
    /// The commit into which it was merged.
    pub onto: CommitId,
    /// Why that failed.
    pub why: IntegrationFailure,
}

/// Why a merge failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum IntegrationFailure {
    /// These files are in conflict.
    Conflicts(Vec<String>),
    /// A test command fails on the merged tree.
    Tests {
        /// The command.
        command: String,
        /// How it ended, as a clause.
        status: String,
        /// The end of what it printed.
        output: String,
    },
    /// It is no longer known.
    Unknown,
}

impl IntegrationFailure {
    /// Why it failed, as a clause.
    #[must_use]
    pub fn clause(&self) -> String {
        match self {
            Self::Conflicts(files) => {
                let files: Vec<String> = files.iter().map(|file| one_line(file)).collect();
                format!("conflicts in {}", listed(&files))
            }
            Self::Tests { command, status, .. } => {
                format!("`{}` fails on the merged tree: {status}", one_line(command))
            }
            Self::Unknown => "its tests failed on the merged tree".to_owned(),
        }
    }
}
