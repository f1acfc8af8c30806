//! Compares the settings of git that are in effect, from all sources, by key and value rather than by the bytes of a
//! file.

use std::collections::{BTreeMap, BTreeSet};

use super::changed_by::ChangedBy;
use super::guarded::is_guarded;
use crate::error::{Error, Kind, Result};
use crate::git::{ConfigEntry, Git};
use crate::text::listed;
use serde::{Deserialize, Serialize};

/// All settings in effect: for each key, its values in git's order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct EffectiveSettings(BTreeMap<String, Vec<ConfigEntry>>);

impl EffectiveSettings {
    /// Reads the settings. This runs no program.
    ///
    /// # Errors
    /// If git cannot read its configuration.
    pub(super) fn read(git: &Git) -> Result<Vec<ConfigEntry>> {
        let mut entries = git.settings_in_effect()?;
        // Settings from a command line cannot be changed from outside, and may differ in the next run.
        entries.retain(|entry| entry.scope != "command");
        Ok(entries)
    }

    /// These settings by key.
    pub(super) fn of(entries: Vec<ConfigEntry>) -> Self {
        let mut keys: BTreeMap<String, Vec<ConfigEntry>> = BTreeMap::new();
        for entry in entries {
            keys.entry(entry.key.clone()).or_default().push(entry);
        }
        Self(keys)
    }

    /// Whether a setting has a value.
    pub(super) fn has(&self, key: &str) -> bool {
        self.0.contains_key(key)
    }

    /// The remotes of this repository: the name of each with an address from which it is fetched.
    pub(super) fn remotes(&self) -> impl Iterator<Item = (&str, &str)> {
        self.addresses(".url")
    }

    /// The same with the addresses to which they are pushed, where that is another setting.
    pub(super) fn push_remotes(&self) -> impl Iterator<Item = (&str, &str)> {
        self.addresses(".pushurl")
    }

    fn addresses(&self, end: &'static str) -> impl Iterator<Item = (&str, &str)> {
        let remotes =
            self.0.keys().filter_map(move |key| Some((key, key.strip_prefix("remote.")?.strip_suffix(end)?)));
        remotes.flat_map(|(key, name)| self.values(key).map(move |address| (name, address)))
    }

    /// The settings that must not change, each with its values.
    pub(super) fn guarded(&self) -> impl Iterator<Item = (&str, Vec<&str>)> {
        let keys = self.0.keys().filter(|key| is_guarded(key, self.values(key)));
        keys.map(|key| (key.as_str(), self.values(key).collect()))
    }

    /// Compares the settings with their later state, and returns warnings.
    ///
    /// # Errors
    /// [`Kind::Unsafe`], naming the settings that must not change.
    pub(super) fn compare(&self, now: &Self, changed_by: ChangedBy<'_>) -> Result<Vec<String>> {
        let who = changed_by.who;
        let guarded = self.guarded_changes(now);
        if !guarded.is_empty() {
            return Err(refused(&listed(&guarded), changed_by));
        }
        let others: Vec<String> = self.changed(now).into_iter().cloned().collect();
        if others.is_empty() {
            return Ok(Vec::new());
        }
        Ok(vec![format!("settings of git were changed while {who} was at work: {}", listed(&others))])
    }

    /// The settings that must not change and have other values at a later moment, each with its file.
    pub(super) fn guarded_changes(&self, now: &Self) -> Vec<String> {
        let is_guarded = |key: &&String| is_guarded(key, self.values(key).chain(now.values(key)));
        let guarded = self.changed(now).into_iter().filter(is_guarded);
        guarded.map(|key| format!("{key}{}", self.origin(now, key))).collect()
    }

    fn changed<'a>(&'a self, now: &'a Self) -> Vec<&'a String> {
        let keys: BTreeSet<&String> = self.0.keys().chain(now.0.keys()).collect();
        keys.into_iter().filter(|key| !self.values(key).eq(now.values(key))).collect()
    }

    fn values(&self, key: &str) -> impl Iterator<Item = &str> {
        self.0.get(key).into_iter().flatten().map(|entry| entry.value.as_str())
    }

    /// Where a changed setting is now or was before, in parentheses.
    fn origin(&self, now: &Self, key: &str) -> String {
        let entry = [now, self].into_iter().find_map(|settings| settings.0.get(key)?.last());
        let origin = entry.map(|entry| entry.origin.trim_start_matches("file:"));
        origin.map_or_else(String::new, |origin| format!(" ({origin})"))
    }
}

fn refused(list: &str, changed_by: ChangedBy<'_>) -> Error {
    let ChangedBy { who, fate, .. } = changed_by;
    Error::new(
        Kind::Unsafe,
        format!("settings that decide which programs run were changed while {who} was at work: {list}"),
        format!(
            "{} If the changes are yours, run the same command again. If not, look at them with `git config --show-origin --list` \
             and put them back first.",
            fate.sentence()
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::Head;
    use crate::record::CommitId;
    use crate::worktree::snapshot::StepFate;

    fn compared(before: &EffectiveSettings, now: &EffectiveSettings, who: &str) -> Result<Vec<String>> {
        let commit = CommitId::from_hex(&[b'a'; 40]).unwrap();
        let head = Head { branch: "refs/heads/main".to_owned(), commit };
        before.compare(now, ChangedBy { who, head: &head, fate: StepFate::NotCommitted })
    }

    fn settings(entries: &[(&str, &str)]) -> EffectiveSettings {
        let mut keys: BTreeMap<String, Vec<ConfigEntry>> = BTreeMap::new();
        for (key, value) in entries {
            let (scope, origin) = ("local".to_owned(), "file:.git/config".to_owned());
            let entry = ConfigEntry { scope, origin, key: (*key).to_owned(), value: (*value).to_owned() };
            keys.entry((*key).to_owned()).or_default().push(entry);
        }
        EffectiveSettings(keys)
    }

    #[test]
    fn settings_are_compared_by_key_and_value_and_not_by_their_place() {
        let before = settings(&[("user.name", "A"), ("core.pager", "less")]);
        assert_eq!(compared(&before, &before, "the runner").unwrap(), [""; 0]);
        let mut moved = before.clone();
        moved.0.get_mut("core.pager").unwrap()[0].origin = "file:/home/a/.gitconfig".to_owned();
        assert_eq!(compared(&before, &moved, "the runner").unwrap(), [""; 0]);
        let other = settings(&[("user.name", "B"), ("core.pager", "less")]);
        let [warning] = &compared(&before, &other, "the runner").unwrap()[..] else { panic!("no warning") };
        assert!(warning.contains("user.name"), "{warning}");
    }

    #[test]
    fn a_guarded_setting_is_refused_whether_it_is_added_changed_removed_or_repeated() {
        let before = settings(&[("core.pager", "less")]);
        let changes: [&[(&str, &str)]; 4] = [
            &[("core.pager", "less"), ("alias.x", "!evil")],
            &[("core.pager", "evil")],
            &[],
            &[("core.pager", "less"), ("core.pager", "less")],
        ];
        for after in changes {
            let error = compared(&before, &settings(after), "a test command").unwrap_err();
            assert!(error.kind() == Kind::Unsafe && error.what().contains(".git/config"), "{error}");
        }
    }
}
