//! What git config says about single runners. A committed file may not say any of this.

use super::{Config, Origin, RunnerField, unknown_key};
use crate::error::Result;
use crate::git::ConfigEntry;

impl RunnerField {
    const ALL: [Self; 2] = [Self::Command, Self::Protocol];

    /// The end of its key.
    fn word(self) -> &'static str {
        match self {
            Self::Command => "command",
            Self::Protocol => "protocol",
        }
    }
}

impl Config {
    /// Takes a key without `arborist.` if it is about one runner. Returns whether it is.
    pub(super) fn take_runner(&mut self, key: &str, entry: &ConfigEntry) -> Result<bool> {
        let Some((name, field)) = key.strip_prefix("runner.").and_then(|rest| rest.rsplit_once('.')) else {
            return Ok(false);
        };
        let field = RunnerField::ALL.into_iter().find(|known| known.word() == field);
        let field = field.ok_or_else(|| unknown_key(&entry.key, &Origin::of_git(entry)))?;
        self.runners.entry(name.to_owned()).or_default().insert(field, entry.value.clone());
        Ok(true)
    }

    /// The command of a runner that git config defines.
    #[must_use]
    pub fn runner_command(&self, name: &str) -> Option<&str> {
        self.runners.get(name)?.get(&RunnerField::Command).map(String::as_str)
    }

    /// The name of the stream that the command of a runner prints, if git config names it.
    #[must_use]
    pub fn runner_protocol(&self, name: &str) -> Option<&str> {
        self.runners.get(name)?.get(&RunnerField::Protocol).map(String::as_str)
    }

    /// The names of all runners for which git config has a command.
    pub fn runner_names(&self) -> impl Iterator<Item = &str> {
        self.runners
            .iter()
            .filter(|(_, runner)| runner.contains_key(&RunnerField::Command))
            .map(|(name, _)| name.as_str())
    }

    /// The keys of git's configuration that define runners, with their values.
    pub fn runner_keys(&self) -> impl Iterator<Item = (String, &str)> {
        self.runners.iter().flat_map(|(name, runner)| {
            let key = move |field: RunnerField| format!("arborist.runner.{name}.{}", field.word());
            runner.iter().map(move |(field, value)| (key(*field), value.as_str()))
        })
    }
}
