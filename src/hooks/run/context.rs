//! The common parts of the hooks: the repository around them, their input from git, and how they list steps.

use std::io::Read;

use crate::error::{Error, Kind, Result};
use crate::git::Git;
use crate::hooks::{CheckContext, Hook, InstallOutcome, InstallScope, Installer, LostStep};
use crate::report::{self, Screen};
use crate::session::{Call, git_colors};

/// Everything that is known about the repository of a hook, and how output may look. If that fails, the defaults, because an error of ours must not
/// stop the user.
pub(crate) fn context(call: &Call) -> (Option<Git>, CheckContext, Screen) {
    let read = || {
        let git = here(call)?;
        let question = git.ask_config()?;
        let top = git.top_or_git_dir()?;
        let entries = question.entries()?;
        let screen = git_colors(call.screen, &entries);
        let context = CheckContext::of(&top, entries, &call.environment)?;
        Ok((git.in_dir(&top), context, screen))
    };
    match read() {
        Ok((git, context, screen)) => (Some(git), context, screen),
        Err(error) => {
            let error: Error = error;
            report::warn(&call.screen, &format!("{error}\nThe built-in settings are used."));
            (here(call).ok(), CheckContext::unknown(&call.environment), call.screen)
        }
    }
}

/// git in the folder in which the program was started.
pub(crate) fn here(call: &Call) -> Result<Git> {
    Git::find(&call.environment.current_dir.clone().unwrap_or_default())
}

/// Hooks that could be installed and are not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MissingHooks {
    /// The folder of the work tree into which they would be written, and which everybody shares; `None` if they stay with this
    /// clone.
    pub(crate) shared_folder: Option<String>,
}

/// The hooks that could be installed and are not; `None` if there is nothing to install.
///
/// # Errors
/// If git fails.
pub(crate) fn missing_hooks(call: &Call) -> Result<Option<MissingHooks>> {
    // If they are shared with other repositories, `hooks install` says why it does not install ours.
    let Ok(installer) = Installer::new(&here(call)?, InstallScope::Repository) else { return Ok(None) };
    for hook in Hook::OF_WORK_TREE {
        if installer.status(hook)? == InstallOutcome::Absent {
            return Ok(Some(MissingHooks { shared_folder: installer.shared_folder() }));
        }
    }
    Ok(None)
}

/// The first of these steps, one per line.
pub(crate) fn list(steps: &[LostStep]) -> String {
    const SHOWN: usize = 20;
    let mut text = String::new();
    for step in steps.iter().take(SHOWN) {
        text.push_str(&format!("\n  {} {}", step.id.short(), step.subject));
    }
    if steps.len() > SHOWN {
        text.push_str(&format!("\n  and {} more", steps.len() - SHOWN));
    }
    text
}

pub(crate) fn stdin() -> Result<String> {
    let mut text = Vec::new();
    let read = std::io::stdin().lock().read_to_end(&mut text);
    read.map_err(|error| Error::new(Kind::Input, format!("standard input cannot be read: {error}"), ""))?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}
