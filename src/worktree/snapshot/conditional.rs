//! The settings in files that git includes under a condition that need not hold now. Such a file has no effect when it is
//! written, and is read without a word as soon as the branch is switched.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::settings::EffectiveSettings;
use crate::error::{Error, Kind, Result};
use crate::git::{ConfigEntry, Git, conditional_settings};
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
    pub(super) fn read(git: &Git, in_effect: &[ConfigEntry]) -> Result<Self> {
        let files = conditional_settings(git, in_effect)?.into_iter();
        Ok(Self(files.map(|(file, entries)| (file, EffectiveSettings::of(entries))).collect()))
    }

    /// Compares them with those of a later moment. A file that was not included before is found by the setting that
    /// includes it.
    ///
    /// # Errors
    /// [`Kind::Unsafe`], naming the settings that must not change.
    pub(super) fn compare(&self, now: &Self, who: &str) -> Result<()> {
        let none = EffectiveSettings::default();
        let files = self.0.iter();
        let changed: Vec<String> = files
            .flat_map(|(file, before)| before.guarded_changes(now.0.get(file).unwrap_or(&none)))
            .collect();
        if changed.is_empty() {
            return Ok(());
        }
        Err(Error::new(
            Kind::Unsafe,
            format!(
                "settings in files that git includes under a condition, and that decide which programs run, were changed while \
                 {who} was at work: {}",
                listed(&changed)
            ),
            "The step was not committed, and nothing was run for them. If the changes are yours, run the same command again. If \
             not, look at these files and put them back first.",
        ))
    }
}
