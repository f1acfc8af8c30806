//! Reads the entries of git's configuration that concern us, and where each comes from.

mod conditional;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::running::Running;
use super::{Git, WorkTree};
use crate::error::Result;
use crate::files;
pub use conditional::{conditional_settings, settings_in_file};
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

/// The file with settings for all users, in the root folder or in the one for which git was compiled.
const OF_SYSTEM: &str = "etc/gitconfig";

/// Adds the entries of a file, which git calls `name`; `None` if git has to read it.
fn add_entries(scope: &str, name: &Path, file: &Path, all: &mut Vec<ConfigEntry>) -> Option<()> {
    let text = match files::read(file, files::SMALL) {
        Ok(content) => String::from_utf8(content).ok()?,
        Err(error) if error.kind() == ErrorKind::NotFound => return Some(()),
        Err(_) => return None,
    };
    // libgit2 knows fewer conditions of includes, and may read such lines differently.
    let is_odd = text.to_ascii_lowercase().contains("[include")
        || text.contains(['\\', '\r', '\u{feff}'])
        || text.lines().any(|line| line.trim().contains('\t'));
    if is_odd {
        return None;
    }
    let config = git2::Config::open(file).ok()?;
    let mut found = config.entries(None).ok()?;
    while let Some(entry) = found.next() {
        let entry = entry.ok()?;
        let value = if entry.has_value() { entry.value().ok()? } else { "true" };
        all.push(ConfigEntry {
            scope: scope.to_owned(),
            origin: format!("file:{}", name.to_str()?),
            key: entry.name().ok()?.to_owned(),
            value: value.to_owned(),
        });
    }
    Some(())
}

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

    /// The same entries, read by libgit2; `None` if git has to be asked.
    #[must_use]
    pub fn config_by_library(
        &self,
        work_tree: &WorkTree,
        variables: &BTreeMap<OsString, OsString>,
    ) -> Option<Vec<ConfigEntry>> {
        if !cfg!(target_os = "linux") {
            return None;
        }
        // Variables may name other files.
        let (mut has_system, mut global) = (true, None);
        for (name, value) in
            variables.iter().filter(|(name, _)| name.as_encoded_bytes().starts_with(b"GIT_CONFIG"))
        {
            match (name.to_str()?, value.to_str()?) {
                ("GIT_CONFIG_NOSYSTEM", "1" | "true") => has_system = false,
                ("GIT_CONFIG_GLOBAL", file) if file.starts_with('/') => global = Some(PathBuf::from(file)),
                _ => return None,
            }
        }
        let WorkTree { top, git_dir, common_dir } = work_tree;
        let local = common_dir.join("config");
        let name = if *git_dir == top.join(".git") { PathBuf::from(".git/config") } else { local.clone() };
        let of_user = match global {
            Some(file) => vec![file],
            None => [git2::Config::find_xdg(), git2::Config::find_global()].into_iter().flatten().collect(),
        };
        let mut all = if has_system { self.entries_of_system()? } else { Vec::new() };
        for file in of_user.iter().filter(|file| *file != Path::new("/dev/null")) {
            add_entries("global", file, file, &mut all)?;
        }
        add_entries("local", &name, &local, &mut all)?;
        // With this extension, git reads another file as well.
        if all.iter().any(|entry| entry.key == "extensions.worktreeconfig") {
            return None;
        }
        all.retain(|entry| concerns_us(&entry.key));
        Some(all)
    }

    /// The entries for all users that concern us. Where their file is was chosen when git was compiled: unless this is the git of the
    /// system, nothing is known if a file says something that could be it.
    fn entries_of_system(&self) -> Option<Vec<ConfigEntry>> {
        let program = self.program().canonicalize().ok()?;
        let is_of_system = program == Path::new("/usr/bin/git");
        let is_folder = |folder: &&Path| ["bin", "lib", "libexec"].iter().any(|name| folder.ends_with(name));
        let own = program.ancestors().find(is_folder)?.parent()?;
        let prefixes = if is_of_system { vec![Path::new("/")] } else { vec![Path::new("/"), own] };
        let mut all = Vec::new();
        for file in prefixes.into_iter().map(|prefix| prefix.join(OF_SYSTEM)) {
            add_entries("system", &file, &file, &mut all)?;
        }
        all.retain(|entry| concerns_us(&entry.key));
        (is_of_system || all.is_empty()).then_some(all)
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
