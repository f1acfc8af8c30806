//! Lets the hooks for messages look at a message without a commit.

use std::io::ErrorKind;
use std::path::Path;

use super::Git;
use super::hook_log::{ABOUT_MESSAGES, HookRefusal};
use crate::error::{Error, Kind, Result};
use crate::files;

impl Git {
    /// The refusal of the hook that does not let this message through as that of a commit; `None` if all of them do.
    ///
    /// # Errors
    /// As for [`Git::pass_message`].
    pub fn try_message(&self, git_dir: &Path, message: &str) -> Result<Option<HookRefusal>> {
        self.pass_message(git_dir, message.as_bytes()).map(std::result::Result::err)
    }

    /// Lets the hooks look at a message and change it. The one that prepares messages comes first, as in a commit, because the other
    /// one may ask for what it adds.
    ///
    /// # Errors
    /// If a hook does not end, or the message cannot be written.
    pub fn pass_message(
        &self,
        git_dir: &Path,
        message: &[u8],
    ) -> Result<std::result::Result<Vec<u8>, HookRefusal>> {
        // Some hooks read this file whatever they are told. It may have the message of a commit of the user that was refused.
        let file = git_dir.join("COMMIT_EDITMSG");
        let before = files::read(&file, files::LARGE);
        let unwritten = |error| Error::not_written(file.display(), &error);
        files::replace(&file, message).map_err(unwritten)?;
        let passed = match self.refusal_of(&file) {
            Ok(None) => files::read(&file, files::LARGE)
                .map(Ok)
                .map_err(|error| unreadable_after_hooks(&file, &error)),
            Ok(Some(refusal)) => Ok(Err(refusal)),
            Err(error) => Err(error),
        };
        match before {
            Ok(before) => files::replace(&file, &before),
            Err(_) => match std::fs::remove_file(&file) {
                Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
                removed => removed,
            },
        }
        .map_err(unwritten)?;
        passed
    }

    fn refusal_of(&self, file: &Path) -> Result<Option<HookRefusal>> {
        for hook in ABOUT_MESSAGES {
            let args = ["hook", "run", "--ignore-missing", hook, "--"].map(AsRef::as_ref);
            // git says whether the message comes from a file or from an editor.
            let source = (hook == ABOUT_MESSAGES[0]).then_some("message".as_ref());
            let args = args.into_iter().chain([file.as_os_str()]).chain(source);
            let output = self.command(args).with_hooks_of_user().output()?;
            if !output.status.success() {
                let output = crate::text::clean(output.stderr.as_bytes());
                return Ok(Some(HookRefusal { hook: hook.to_owned(), output }));
            }
        }
        Ok(None)
    }
}

fn unreadable_after_hooks(file: &Path, error: &std::io::Error) -> Error {
    Error::new(
        Kind::Environment,
        format!("after the hooks {} cannot be read: {error}", file.display()),
        "They must leave the file with the message, which they may change: look at prepare-commit-msg and commit-msg.",
    )
}
