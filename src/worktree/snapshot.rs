//! What a repository was like before a runner, a reviewer or a test worked in it: its settings, its hooks and its
//! references.
//!
//! A change to our own branch or to the programs that git runs ends the run. Other changes are only reported, because
//! everyone who works in this repository shares its settings and references, in whichever work tree, and may change
//! them.

mod changed_by;
mod files;
mod guarded;
mod hook_files;
mod references;
mod settings;

use crate::error::{Error, Kind, Result};
use crate::git::{Git, WorkTree};
use crate::history::Repository;
pub(crate) use changed_by::ChangedBy;
use serde::{Deserialize, Serialize};

use files::Files;
use references::References;
use settings::EffectiveSettings;

/// The repository that a snapshot is taken of.
#[derive(Clone, Copy)]
pub(crate) struct SnapshotSource<'a> {
    /// git, called at the top of the work tree.
    pub(crate) git: &'a Git,
    /// The work tree.
    pub(crate) work_tree: &'a WorkTree,
    /// Its history.
    pub(crate) repository: &'a Repository,
}

/// What a repository was like at one moment.
#[derive(Debug, PartialEq, Eq, Clone, Serialize, Deserialize)]
pub(crate) struct RepoSnapshot {
    files: Files,
    settings: EffectiveSettings,
    references: References,
}

impl RepoSnapshot {
    /// Looks at the repository now.
    ///
    /// # Errors
    /// If git cannot list settings or references.
    pub(crate) fn take(source: SnapshotSource<'_>) -> Result<Self> {
        Ok(Self {
            files: Files::read(source.work_tree, source.git.hooks_dir()?),
            settings: EffectiveSettings::read(source.git)?,
            references: References::read(source.repository)?,
        })
    }

    /// Compares the repository with what it was, and gives back what to warn of. From now on it is compared with what it
    /// is now. Nothing that was changed is run by this.
    ///
    /// # Errors
    /// [`Kind::Unsafe`], naming what must not change.
    pub(crate) fn compare(
        &mut self,
        source: SnapshotSource<'_>,
        changed_by: ChangedBy<'_>,
    ) -> Result<Vec<String>> {
        if !source.work_tree.git_dir.is_dir() || !source.work_tree.top.is_dir() {
            return Err(gone(source.work_tree, changed_by.who));
        }
        // Saved work is put back whatever else there is to say; this runs no hook.
        let references = References::read(source.repository)?;
        let saved_work = self.references.put_saved_work_back(&references, source.git, changed_by.who);
        let files = Files::read(source.work_tree, self.files.hooks_dir().to_owned());
        let mut warnings = self.files.compare(&files, source.work_tree, changed_by.who)?;
        let settings =
            EffectiveSettings::read(source.git).map_err(|error| unreadable(&error, changed_by.who))?;
        warnings.extend(self.settings.compare(&settings, changed_by.who)?);
        saved_work?;
        warnings.extend(self.references.compare(&references, source.git, changed_by)?);
        *self = Self { files, settings, references };
        Ok(warnings)
    }

    /// Lets the index be missing.
    pub(crate) fn overlook_index(&mut self) {
        self.files.overlook_index();
    }

    /// Whether git has hooks here that it may run.
    pub(crate) fn has_hooks(&self) -> bool {
        self.files.has_hooks()
    }
}

fn gone(work_tree: &WorkTree, who: &str) -> Error {
    Error::new(
        Kind::Unsafe,
        format!("{} or its git directory was removed while {who} was at work", work_tree.top.display()),
        "What was committed may still be in other clones or in backups. Do not write anything there before you have looked.",
    )
}

fn unreadable(error: &Error, who: &str) -> Error {
    Error::new(
        Kind::Unsafe,
        format!("git cannot read its configuration any more after {who} was at work: {}", error.what()),
        "The step was not committed. Correct the file that git names, then run the same command again.",
    )
}
