//! Settings in files that git includes under a condition. Whether it holds may change at any time: with the branch, with a
//! remote, or with the folder.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::{ConfigEntry, READING};
use crate::error::Result;
use crate::git::Git;
use crate::process::CallLimit;

/// How the keys begin that include a file under a condition.
const CONDITION: &str = "includeif.";
/// The keys that include a file under a condition, and all that include one.
const CONDITIONAL: &str = r"^includeif\..*\.path$";
const ALL: &str = r"^include(if\..*)?\.path$";

/// So many files are looked at. Git itself follows ten, one in the other.
const MOST_FILES: usize = 100;

/// The settings in the files that the configuration includes under conditions, and in those that these include, whether
/// the conditions hold or not. A file that is not there, or that git cannot read, has none. `in_effect` are the settings
/// that are in effect.
///
/// # Errors
/// If git cannot be called.
pub fn conditional_settings(
    git: &Git,
    in_effect: &[ConfigEntry],
) -> Result<BTreeMap<PathBuf, Vec<ConfigEntry>>> {
    let mut found = BTreeMap::new();
    if !in_effect.iter().any(|entry| entry.key.starts_with(CONDITION)) {
        return Ok(found);
    }
    let git = &git.clone().with_limit(CallLimit::within(READING));
    let mut open = included_files(git, None)?;
    while let Some(file) = open.pop().filter(|_| found.len() < MOST_FILES) {
        if found.contains_key(&file) {
            continue;
        }
        let entries = settings_in_file(git, &file)?;
        if entries.iter().any(|entry| entry.key.starts_with("include")) {
            open.extend(included_files(git, Some(&file))?);
        }
        found.insert(file, entries);
    }
    Ok(found)
}

/// The settings in a file of git's configuration, without those in the files that it includes. A file that does not exist,
/// or that git cannot read, has none.
///
/// # Errors
/// If git cannot be called.
pub fn settings_in_file(git: &Git, file: &Path) -> Result<Vec<ConfigEntry>> {
    let git = git.clone().with_limit(CallLimit::within(READING));
    let args = ["--list", "-z", "--show-scope", "--show-origin"].map(AsRef::as_ref);
    let listed =
        git.call(["config".as_ref(), "--file".as_ref(), file.as_os_str()].into_iter().chain(args))?;
    Ok(if listed.status.success() { ConfigEntry::parse_list(&listed.stdout) } else { Vec::new() })
}

/// The files that are included under conditions by the configuration, or in any way by a file.
fn included_files(git: &Git, by: Option<&Path>) -> Result<Vec<PathBuf>> {
    let place = by.map(|file| ["--file".as_ref(), file.as_os_str()]);
    let wanted = if by.is_some() { ALL } else { CONDITIONAL };
    let args =
        ["-z", "--show-scope", "--show-origin", "--type=path", "--get-regexp", wanted].map(AsRef::as_ref);
    let args = ["config".as_ref()].into_iter().chain(place.into_iter().flatten()).chain(args);
    let listed = git.call(args)?;
    let entries = if listed.status.success() { ConfigEntry::parse_list(&listed.stdout) } else { Vec::new() };
    let path = |entry: ConfigEntry| {
        let origin = entry.origin.strip_prefix("file:").unwrap_or_default();
        git.dir.join(origin).parent().unwrap_or(&git.dir).join(entry.value)
    };
    Ok(entries.into_iter().map(path).collect())
}
