//! Reads all settings of git, reads and writes single ones, and asks for paths that git chooses.

use std::path::PathBuf;

use super::Git;
use super::config::{ConfigEntry, READING};
use super::output::text_of;
use crate::error::{Error, Kind, Result};
use crate::process::CallLimit;

impl Git {
    /// All settings that are in effect, in git's order, also those that we pass to each call. This runs no program that a
    /// setting names.
    ///
    /// # Errors
    /// If git cannot read its configuration within a short time.
    pub fn settings_in_effect(&self) -> Result<Vec<ConfigEntry>> {
        let git = self.clone().with_limit(CallLimit::within(READING));
        let listed = git.demand(["config", "--list", "-z", "--show-scope", "--show-origin"])?;
        Ok(ConfigEntry::parse_list(&listed))
    }

    /// The value of a setting; `None` if it is not set.
    ///
    /// # Errors
    /// If git cannot read its configuration.
    pub fn setting(&self, key: &str) -> Result<Option<String>> {
        self.read_setting(&["config", "--get", key])
    }

    /// The value of a setting of this user.
    ///
    /// # Errors
    /// If git cannot read its configuration.
    pub fn global_setting(&self, key: &str) -> Result<Option<String>> {
        self.read_setting(&["config", "--global", "--get", key])
    }

    fn read_setting(&self, args: &[&str]) -> Result<Option<String>> {
        let output = self.call(args)?;
        match output.status.code() {
            Some(0) => Ok(Some(text_of(&output.stdout))),
            Some(1) => Ok(None),
            _ => Err(output.into_error()),
        }
    }

    /// The value of a setting that is a path, with `~` replaced; `None` if it is not set.
    ///
    /// # Errors
    /// If git cannot read its configuration.
    pub fn path_setting(&self, key: &str) -> Result<Option<PathBuf>> {
        Ok(self.read_setting(&["config", "--type=path", "--get", key])?.map(PathBuf::from))
    }

    /// Sets a setting; `scope` is `--local` or `--global`.
    ///
    /// # Errors
    /// If git cannot write it.
    pub fn set(&self, scope: &str, key: &str, value: &str) -> Result<()> {
        self.demand(["config", scope, "--replace-all", key, value]).map(drop)
    }

    /// Removes a section of settings; false if there was none.
    ///
    /// # Errors
    /// If git cannot write its configuration.
    pub fn remove_section(&self, scope: &str, section: &str) -> Result<bool> {
        let output = self.call(["config", scope, "--remove-section", section])?;
        match output.status.code() {
            Some(0) => Ok(true),
            _ if output.stderr.contains("no such section") => Ok(false),
            _ => Err(output.into_error()),
        }
    }

    /// Where git looks for this file or folder of the git directory, from the folder in which git is called.
    ///
    /// # Errors
    /// If there is no repository.
    pub fn path_of(&self, name: &str) -> Result<PathBuf> {
        Ok(PathBuf::from(text_of(&self.demand(["rev-parse", "--git-path", name])?)))
    }

    /// The git directory that all work trees of the repository share.
    ///
    /// # Errors
    /// If there is no repository.
    pub fn common_dir(&self) -> Result<PathBuf> {
        Ok(self.dir().join(text_of(&self.demand(["rev-parse", "--git-common-dir"])?)))
    }

    /// A path of the configuration, with `~` expanded by git.
    ///
    /// # Errors
    /// If git fails.
    pub fn expand(&self, path: &str) -> Result<PathBuf> {
        let setting = format!("arborist.path={path}");
        Ok(PathBuf::from(text_of(&self.demand([
            "-c",
            &setting,
            "config",
            "--type=path",
            "--get",
            "arborist.path",
        ])?)))
    }

    /// Refuses a git that is too old.
    ///
    /// # Errors
    /// [`Kind::Environment`], naming its version and the oldest one that is supported.
    pub fn check_version(&self) -> Result<()> {
        let version = self.version()?;
        if is_at_least(&version, OLDEST) {
            return Ok(());
        }
        let Version { major, minor } = OLDEST;
        Err(Error::new(
            Kind::Environment,
            format!(
                "{} is git {}, which is too old",
                self.program().display(),
                crate::text::one_line(&version)
            ),
            format!("Install git {major}.{minor} or newer, then run the same command again."),
        ))
    }

    /// Whether this git runs hooks from settings (`hook.<name>.command`), as git does since version 2.54.
    ///
    /// # Errors
    /// If git fails.
    pub fn has_hook_settings(&self) -> Result<bool> {
        self.is_at_least(WITH_HOOK_SETTINGS)
    }

    /// Whether this git has this version or a later one.
    pub(super) fn is_at_least(&self, wanted: Version) -> Result<bool> {
        Ok(is_at_least(&self.version()?, wanted))
    }
}

/// The oldest git that has every feature we use, above all `core.fsync`.
const OLDEST: Version = Version { major: 2, minor: 36 };

/// The first git that runs hooks from settings.
const WITH_HOOK_SETTINGS: Version = Version { major: 2, minor: 54 };

/// A version of git: major and minor number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Version {
    pub(super) major: u32,
    pub(super) minor: u32,
}

/// Whether `git version 2.47.3` (or `git version 2.47.3.windows.1`) names this version or a later one.
fn is_at_least(version: &str, wanted: Version) -> bool {
    let mut numbers =
        version.trim_start_matches("git version ").split('.').map_while(|part| part.parse::<u32>().ok());
    let mut next = || numbers.next().unwrap_or(0);
    Version { major: next(), minor: next() } >= wanted
}

#[cfg(test)]
mod tests {
    use super::{WITH_HOOK_SETTINGS, is_at_least};

    #[test]
    fn versions_are_compared_by_their_numbers() {
        for (text, expected) in [
            ("git version 2.54.0", true),
            ("git version 2.100.1.windows.1", true),
            ("git version 3.0.0", true),
            ("git version 2.54.rc0", true),
            ("git version 2.47.3 (Apple Git-1)", false),
            ("git version 1.99.0", false),
            ("something else", false),
        ] {
            assert_eq!(is_at_least(text, WITH_HOOK_SETTINGS), expected, "{text}");
        }
    }
}
