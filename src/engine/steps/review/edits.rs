//! Notices changes that a reviewer makes in the work tree of the user.

use crate::engine::tree::overlooked::overlooked_since;
use crate::engine::tree::unit::WorkUnit;
use crate::engine::tree::workspace::Workspace;
use crate::error::{Error, Kind, Result};
use crate::text::{listed, pathspec_word, shell_word, show_path};

/// Handles changes that a reviewer made. A reviewer may run programs that leave new files behind, such as caches. These
/// are named, and no commit contains them. But a change to a tracked file was never tested, so it is refused.
pub(super) fn refuse_edits(workspace: &mut Workspace<'_>, unit: &WorkUnit) -> Result<()> {
    let (new, edited) = workspace.look_again()?.split_untracked();
    workspace.name_as_left("the reviewer", new);
    let overlooked = overlooked_since(workspace.run, unit)?;
    if edited.is_empty() && overlooked.is_empty() {
        return Ok(());
    }
    // `git restore` would also undo the changes that the user had made to these files.
    let users = &workspace.foreign.users;
    let mut others = edited.clone().apart_from(users).shown();
    others.extend(overlooked.iter().filter(|path| !users.has(path)).map(|path| show_path(path)));
    let mut changed = edited.shown();
    changed.extend(overlooked.iter().map(|path| show_path(path)));
    let undo = if others.len() < changed.len() {
        "Some of these files had uncommitted changes of yours before the run, of which a copy is kept. \
         Undo only what the reviewer changed"
            .to_owned()
    } else {
        let files: Vec<String> = others.iter().map(|path| pathspec_word(path)).collect();
        format!("Undo them with `git restore --source=HEAD --staged --worktree -- {}`", files.join(" "))
    };
    Err(Error::new(
        Kind::Unsafe,
        format!("tracked files changed while the reviewer was at work: {}", listed(&changed)),
        format!(
            "No review was committed, and the changes are in the work tree. {}Look at them with `git diff HEAD`. {undo}, and \
             run the same command again.",
            shown_again(&overlooked)
        ),
    ))
}

/// How to make git show the changes that it was told to overlook; empty if there are none.
fn shown_again(overlooked: &[Vec<u8>]) -> String {
    if overlooked.is_empty() {
        return String::new();
    }
    let shown: Vec<String> = overlooked.iter().map(|path| show_path(path)).collect();
    let files = shown.iter().map(|path| shell_word(path)).collect::<Vec<_>>().join(" ");
    format!(
        "Git was told to overlook them in {}; at the top of the work tree, `git update-index --no-assume-unchanged -- \
         {files}` and `git update-index --no-skip-worktree -- {files}` undo that. ",
        listed(&shown)
    )
}
