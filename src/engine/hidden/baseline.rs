//! Remembers which files were hidden before an implement step was first begun, in case the step is interrupted and done
//! again.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::Hidden;
use crate::engine::state::{Assignment, Engine};
use crate::error::Result;
use crate::files;

/// A file that records what was hidden when an implement step first began. If the step is interrupted and done again,
/// it is compared with this record. The file is evidence, not state.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Baseline {
    task: String,
    hidden: Hidden,
}

impl Engine<'_> {
    /// The files that are hidden before the implement step of a job, given the paths that git ignores.
    ///
    /// # Errors
    /// If git cannot list files.
    pub(in crate::engine) fn hidden_before(
        &self,
        job: Assignment<'_>,
        ignored: &[Vec<u8>],
    ) -> Result<Hidden> {
        let file = baseline_file(&self.context.work_tree.git_dir);
        let bytes = files::read(&file, files::LARGE).unwrap_or_default();
        let kept: Baseline = serde_json::from_slice(&bytes).unwrap_or_default();
        if kept.task == job.task.id.as_str() {
            return Ok(kept.hidden);
        }
        let hidden = Hidden::read(&self.context.git, &self.context.work_tree.top, ignored)?;
        let baseline = Baseline { task: job.task.id.to_string(), hidden };
        let written = serde_json::to_vec(&baseline).expect("a map with keys of text can be written as JSON");
        // An error is ignored: the step itself does not need this file. Without it, files that an interrupted step has
        // hidden go unnoticed.
        let _ = files::replace(&file, &written);
        Ok(baseline.hidden)
    }

    /// Forgets what was hidden when the implement step began, because the step is committed.
    pub(in crate::engine) fn hidden_is_recorded(&self) {
        let _ = std::fs::remove_file(baseline_file(&self.context.work_tree.git_dir));
    }
}

fn baseline_file(git_dir: &Path) -> PathBuf {
    git_dir.join("arborist").join("hidden.json")
}
