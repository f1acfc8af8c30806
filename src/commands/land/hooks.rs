//! Lets the hooks of the project look at the messages of landed commits.

use std::path::{Path, PathBuf};

use crate::error::{Error, Kind, Result};
use crate::record::title;
use crate::session::Session;
use crate::text::one_line;
use crate::worktree::Scratch;

/// The folder of the hooks of the user, if one of them looks at messages.
pub(super) fn hooks_for_messages(session: &Session) -> Result<Option<PathBuf>> {
    let folder = session.work_tree.top.join(session.git.path_of("hooks")?);
    let is_there = ["prepare-commit-msg", "commit-msg"].iter().any(|hook| folder.join(hook).exists());
    Ok(is_there.then_some(folder))
}

/// The message as the hooks leave it, which run in a scratch work tree on the landed branch.
pub(super) fn pass_hooks(scratch: &Scratch, hooks: &Path, message: &[u8]) -> Result<Vec<u8>> {
    let passed = scratch.git.with_hooks(hooks).pass_message(&scratch.work_tree.git_dir, message)?;
    passed.map_err(|refusal| {
        let title = String::from_utf8_lossy(&title(message)).into_owned();
        Error::new(
            Kind::No,
            format!("the hook {} refuses the landed commit `{}`{}", refusal.hook, one_line(&title), refusal.quoted()),
            "No branch was made. `git config arborist.land.template` sets how such messages are written, for example \
             `conventional`; `arborist.land.signOff` signs them off.",
        )
    })
}
