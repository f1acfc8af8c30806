//! Remembers which files were hidden before a step was first begun, in case the step is interrupted and done
//! again.

use serde::{Deserialize, Serialize};

use super::Hidden;
use crate::error::Result;
use crate::files::{Folder, LARGE};
use crate::git::{Git, WorkTree};
use crate::record::{Step, TaskId};

/// The file in our folder of the git directory.
const NAME: &str = "hidden.json";

/// A file that records what was hidden when a step first began. If the step is interrupted and done again, it is compared
/// with this record. The file is evidence, not state.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct HiddenBefore {
    task: String,
    /// `None` for an implement step.
    step: Option<Step>,
    hidden: Hidden,
}

impl HiddenBefore {
    /// What was hidden before the first try of a task's implement step; if this is the first try, what is hidden now.
    /// `ignored` are the paths that git ignores.
    ///
    /// # Errors
    /// If git cannot list files.
    pub(crate) fn of_first_try(
        task: &TaskId,
        git: &Git,
        work_tree: &WorkTree,
        ignored: &[Vec<u8>],
    ) -> Result<Hidden> {
        Self::first(task, None, work_tree, || Hidden::read(git, &work_tree.top, ignored))
    }

    /// The files in which git overlooked changes before the first try of a step that changes no files.
    ///
    /// # Errors
    /// If git cannot list files.
    pub(crate) fn of_check(task: &TaskId, step: Step, git: &Git, work_tree: &WorkTree) -> Result<Hidden> {
        Self::first(task, Some(step), work_tree, || Hidden::overlooked(git, &work_tree.top))
    }

    fn first(
        task: &TaskId,
        step: Option<Step>,
        work_tree: &WorkTree,
        look: impl FnOnce() -> Result<Hidden>,
    ) -> Result<Hidden> {
        let own = Folder::make_own(&work_tree.git_dir, "").ok();
        let bytes = own.as_ref().and_then(|own| own.read(NAME, LARGE).ok()).unwrap_or_default();
        let kept: Self = serde_json::from_slice(&bytes).unwrap_or_default();
        if kept.task == task.as_str() && kept.step == step {
            return Ok(kept.hidden);
        }
        let before = Self { task: task.to_string(), step, hidden: look()? };
        let written = serde_json::to_vec(&before).expect("a map with keys of text can be written as JSON");
        // An error is ignored: the step itself does not need this file. Without it, files that an interrupted step has
        // hidden go unnoticed.
        let _ = own.map(|own| own.replace(NAME, &written));
        Ok(before.hidden)
    }

    /// Forgets what was hidden when a step began, because the step is committed.
    pub(crate) fn forget(work_tree: &WorkTree) {
        let _ = Folder::own(&work_tree.git_dir, "").and_then(|own| own.remove_file(NAME));
    }
}
