//! Tells whether what decides about a unit of work is still as it was when the unit was handed out.

use sha1_smol::Sha1;

use super::plan::Plan;
use crate::error::Result;
use crate::files;
use crate::git::{Git, WorkTree};
use crate::trust::files::{FileKind, kind_of};
use crate::worktree::hidden::Hidden;
use crate::worktree::path_kind::joined;
use crate::worktree::snapshot::decisive_state;

/// A digest of the settings and hooks, of the plan, and of the files that decide how tests run and are in no commit, because git
/// ignores them or overlooks changes in them. What is in commits is part of the change, and judged there.
///
/// # Errors
/// If git fails.
pub fn unit_digest(git: &Git, work_tree: &WorkTree, plan: &Plan) -> Result<String> {
    let mut digest = Sha1::new();
    digest.update(decisive_state(git, work_tree)?.as_bytes());
    digest.update(plan.shown.as_bytes());
    digest.update(plan.bytes());
    let hidden = Hidden::read(git, &work_tree.top, &git.ignored_paths()?)?;
    for path in hidden.paths().filter(|path| decides_how_tests_run(path)) {
        digest.update(&path);
        // A file that cannot be read, for example because it is too large, counts by its name.
        digest.update(&files::read(&joined(&work_tree.top, &path), files::LARGE).unwrap_or_default());
    }
    Ok(digest.digest().to_string())
}

/// Whether a file decides how tests run. Its data may change while they do.
fn decides_how_tests_run(path: &[u8]) -> bool {
    let kind = kind_of(&String::from_utf8_lossy(path));
    matches!(kind, FileKind::TestConfig | FileKind::Shadow | FileKind::Recipe | FileKind::Arborist)
}
