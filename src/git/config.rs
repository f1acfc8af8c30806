//! Reads the entries of git's configuration that concern us, and where each comes from.

mod conditional;
mod files;
mod included;
mod system_file;

use std::time::Duration;

use super::Git;
use super::running::Running;
use crate::error::Result;
pub use conditional::{conditional_settings, settings_in_file};
pub(super) use files::entries_of;
pub use files::{ConfigFiles, Variables};
use serde::{Deserialize, Serialize};

/// One entry as git lists it, in git's order: a later one wins over an earlier one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConfigEntry {
    /// `system`, `global`, `local`, `worktree` or `command`.
    pub scope: String,
    /// The file or other source, for example `file:.git/config`.
    pub origin: String,
    /// The key; section and variable in small letters, a subsection as written.
    pub key: String,
    /// The value; a key without one is `true`, as git has it.
    pub value: String,
}

/// The keys to ask for.
pub const CONCERNING_US: &str =
    r"^(arborist|color|trailer|commit)\.|^core\.(comment(char|string)|hookspath|pager)$|^pager\.arborist$";

/// Whether [`CONCERNING_US`] fits a key.
fn concerns_us(key: &str) -> bool {
    let section = key.split_once('.').map(|(section, _)| section);
    matches!(section, Some("arborist" | "color" | "trailer" | "commit"))
        || matches!(
            key,
            "core.commentchar" | "core.commentstring" | "core.hookspath" | "core.pager" | "pager.arborist"
        )
}

/// How long git may take to read its configuration: one of its files may be a pipe that is never written to.
pub(super) const READING: Duration = Duration::from_secs(10);

/// A running `git config` that lists the configuration.
#[derive(Debug)]
pub struct ConfigQuestion(Running);

impl Git {
    /// Asks for all entries of the sections `arborist` and `color`, and for those that decide how git cleans up and
    /// reads messages. git answers while the caller does something else.
    ///
    /// # Errors
    /// If git cannot be started.
    pub fn ask_config(&self) -> Result<ConfigQuestion> {
        let args = ["-z", "--show-scope", "--show-origin", "--get-regexp", CONCERNING_US];
        self.spawn_config(&args).map(ConfigQuestion)
    }
}

impl ConfigQuestion {
    /// The answer.
    ///
    /// # Errors
    /// If git cannot read its configuration.
    pub fn entries(self) -> Result<Vec<ConfigEntry>> {
        let output = self.0.finish()?;
        match output.status.code() {
            Some(0) => Ok(ConfigEntry::parse_list(&output.stdout)),
            Some(1) => Ok(Vec::new()),
            _ => Err(output.into_error()),
        }
    }
}

impl ConfigEntry {
    /// What `git config -z --show-scope --show-origin` prints: records of three fields, each ended by NUL; the third is the
    /// key, a newline and the value.
    #[must_use]
    pub fn parse_list(output: &[u8]) -> Vec<Self> {
        let text = String::from_utf8_lossy(output);
        let fields: Vec<&str> = text.split_terminator('\0').collect();
        let entry = |record: &[&str]| {
            let [scope, origin, pair] = record else { return None };
            let (key, value) = pair.split_once('\n').unwrap_or((pair, "true"));
            Some(Self {
                scope: (*scope).to_owned(),
                origin: (*origin).to_owned(),
                key: key.to_owned(),
                value: value.to_owned(),
            })
        };
        fields.chunks(3).filter_map(entry).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_read_even_without_a_value_and_with_newlines() {
        let entries = ConfigEntry::parse_list(
            b"local\0file:.git/config\0arborist.runner.x.command\na\nb\0command\0command line:\0arborist.review\0",
        );
        assert_eq!(entries.len(), 2);
        assert_eq!(entries[0].value, "a\nb");
        assert_eq!((entries[1].scope.as_str(), entries[1].value.as_str()), ("command", "true"));
    }
}
