//! The settings in files that do not belong to the configuration of the work tree, but that git may read all the same: files
//! that it includes under a condition that need not hold now, and the configuration of submodules. The former have no effect
//! when they are written, and are read without a word as soon as the branch is switched.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use super::changed_by::ChangedBy;
use super::settings::EffectiveSettings;
use super::submodules::submodule_configs;
use crate::error::{Error, Kind, Result};
use crate::git::{ConfigEntry, Git, WorkTree, conditional_settings, settings_in_file};
use crate::text::listed;
use serde::{Deserialize, Serialize};

/// The settings by file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ConditionalSettings(BTreeMap<PathBuf, EffectiveSettings>);

impl ConditionalSettings {
    /// Reads them. `in_effect` are the settings that are in effect.
    ///
    /// # Errors
    /// If git cannot be called.
    pub(super) fn read(git: &Git, work_tree: &WorkTree, in_effect: &[ConfigEntry]) -> Result<Self> {
        let mut files = conditional_settings(git, in_effect)?;
        for file in submodule_configs(git, work_tree)? {
            let mut entries = settings_in_file(git, &file)?;
            // Every repository of a submodule has these, and git writes them when it checks the submodule out.
            entries.retain(|entry| !["core.bare", "core.worktree"].contains(&entry.key.as_str()));
            files.insert(file, entries);
        }
        let files = files.into_iter();
        Ok(Self(files.map(|(file, entries)| (file, EffectiveSettings::of(entries))).collect()))
    }

    /// Compares them with those of a later moment.
    ///
    /// # Errors
    /// [`Kind::Unsafe`], naming the settings that must not change.
    pub(super) fn compare(&self, now: &Self, changed_by: ChangedBy<'_>) -> Result<()> {
        let ChangedBy { who, fate, .. } = changed_by;
        let none = EffectiveSettings::default();
        let of = |all: &Self, file: &PathBuf| all.0.get(file).unwrap_or(&none).clone();
        let files: BTreeSet<&PathBuf> = self.0.keys().chain(now.0.keys()).collect();
        let changed: Vec<String> =
            files.into_iter().flat_map(|file| of(self, file).guarded_changes(&of(now, file))).collect();
        if changed.is_empty() {
            return Ok(());
        }
        Err(Error::new(
            Kind::Unsafe,
            format!(
                "settings that decide which programs run were changed while {who} was at work, in files that git includes under \
                 a condition or that belong to a submodule: {}",
                listed(&changed)
            ),
            format!(
                "{} If the changes are yours, run the same command again. If not, look at these files and put them back first.",
                fate.sentence()
            ),
        ))
    }
}
