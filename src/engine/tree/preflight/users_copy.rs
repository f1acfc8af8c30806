//! A copy of the changes that the user has not committed, made before programs work beside them (`--allow-dirty`). It
//! is dropped at the end of the run if these files have not changed.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::files;
use crate::git::{Git, RESCUE, WorkTree};
use crate::text::{advice, listed};
use crate::worktree::obstacle::SIZE_LIMIT;
use crate::worktree::path_kind::joined;
use crate::worktree::{Interrupted, active_runs, save_untouched};
use crate::worktree::{PathStates, WorktreeChanges};

/// This word is in the name of the copy where the names of other saved work have the task.
const UNCOMMITTED: &str = "uncommitted";

/// The user's changes when a run began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct UsersCopy {
    /// The reference that keeps the copy, if there was anything to copy.
    name: Option<String>,
    /// The state of the files at that time.
    pub(crate) files: PathStates,
}

impl UsersCopy {
    /// Copies the user's changes; `None` if there are none. Files that cannot be read or are over the size limit are
    /// not copied, but a change to them is reported.
    ///
    /// # Errors
    /// If the changes cannot be saved.
    pub(crate) fn make(
        git: &Git,
        work_tree: &WorkTree,
        tree_changes: &WorktreeChanges,
        users: &WorktreeChanges,
    ) -> Result<Option<Self>> {
        if users.is_empty() {
            return Ok(None);
        }
        let others = tree_changes.path_states_where(|path| !users.has(path) || !is_copied(work_tree, path));
        let request = Interrupted {
            task: UNCOMMITTED,
            what: "the user".to_owned(),
            before: others,
            leftovers: &PathStates::default(),
            ignored: None,
        };
        let name = save_untouched(git, work_tree, &request)?.saved.map(|saved| saved.name);
        Ok(Some(Self { name, files: users.path_states() }))
    }

    /// Those of the user's changes that are there `now` with the same content.
    ///
    /// # Errors
    /// If git fails, or a file cannot be read.
    pub(crate) fn still_in(
        &self,
        git: &Git,
        now: &WorktreeChanges,
        users: &WorktreeChanges,
    ) -> Result<WorktreeChanges> {
        let copy = self.name.as_ref().map(|name| git.commit_named(name)).transpose()?.flatten();
        let is_same = |path: &[u8]| copy.map_or(Ok(false), |copy| git.is_as_in(&copy, path));
        now.alike(users).try_only(is_same)
    }

    /// Records that the changes are committed, so that the copy is dropped when the run ends, whatever becomes of the
    /// files.
    pub(crate) fn note_committed(&mut self) {
        self.files = PathStates::default();
    }

    /// Drops the copy if the files have not changed. If they have, the copy stays. Returns a message for the user.
    ///
    /// # Errors
    /// If the work tree cannot be read or the reference cannot be deleted.
    pub(crate) fn release(self, git: &Git, work_tree: &WorkTree) -> Result<Option<String>> {
        let (now, _) = WorktreeChanges::read(git, &work_tree.top)?;
        let changed: Vec<String> = now.differing_from(&self.files);
        let Some(name) = self.name else { return Ok(None) };
        if changed.is_empty() {
            // A run in another work tree would take the reference for deleted by its agent, and restore it.
            let others = active_runs(work_tree).iter().any(|run| run.git_dir != work_tree.git_dir);
            if !others && git.rescued()?.iter().any(|rescued| rescued.name == name) {
                git.delete_reference(&name)?;
            }
            return Ok(None);
        }
        let short = name.strip_prefix(RESCUE).unwrap_or(&name);
        Ok(Some(format!(
            "files with uncommitted changes of yours have changed since the run began: {}. Their earlier versions are saved: \
             {rescue_show} shows them",
            listed(&changed),
            rescue_show = advice::rescue_show(short)
        )))
    }
}

/// Whether a path is copied: reading it must neither fail nor take long.
fn is_copied(work_tree: &WorkTree, path: &[u8]) -> bool {
    let place = joined(&work_tree.top, path);
    place
        .symlink_metadata()
        .map_or(true, |meta| !meta.is_file() || meta.len() <= SIZE_LIMIT && files::open(&place).is_ok())
}
