//! Which file an entry of the configuration includes, if this is certain without asking git.
//!
//! Conditions that depend on a branch or on a remote repository are left to git, and so are patterns with wildcards and paths
//! that lead through links.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::files;
use crate::git::program::{ConfigFile, ConfigSources};

/// An entry as it is in its file. A key without a value has none.
pub(super) struct FileEntry<'a> {
    pub(super) key: &'a str,
    pub(super) value: Option<&'a str>,
    pub(super) file: &'a ConfigFile,
}

/// The includes of the configuration of one work tree.
pub(super) struct Includes<'s>(pub(super) &'s ConfigSources);

impl Includes<'_> {
    /// The file that an entry includes: the inner `None` if it includes none, the outer one if only git can tell.
    pub(super) fn included(&self, entry: &FileEntry<'_>) -> Option<Option<ConfigFile>> {
        let is_included = if entry.key == "include.path" {
            true
        } else if let Some(condition) = entry.key.strip_prefix("includeif.")
            && let Some(condition) = condition.strip_suffix(".path")
        {
            self.holds(condition, entry.file)?
        } else {
            false
        };
        if !is_included {
            return Some(None);
        }
        self.target(entry.value?, entry.file).map(Some)
    }

    /// The file that is at a path in `file`; `None` if only git can tell.
    fn target(&self, path: &str, file: &ConfigFile) -> Option<ConfigFile> {
        let (name, place) = if let Some(rest) = path.strip_prefix("~/") {
            let place = self.0.home.as_ref()?.join(rest);
            (place.to_str()?.to_owned(), place)
        } else if path.is_empty() || path.starts_with(['~', '%']) {
            return None;
        } else if path.starts_with('/') {
            (path.to_owned(), PathBuf::from(path))
        } else {
            let (folder, _) = file.name.rsplit_once('/')?;
            (format!("{folder}/{path}"), file.place.parent()?.join(path))
        };
        Some(ConfigFile { scope: file.scope, name, place })
    }

    /// Makes sure that everything which a file may include, whatever the conditions are, is an ordinary file or is not there;
    /// `None` if only git can tell. libgit2 opens some of these files by itself, and would wait at a pipe for ever.
    pub(super) fn can_be_opened(&self, content: &[u8], file: &ConfigFile, depth: usize) -> Option<()> {
        let text = std::str::from_utf8(content).ok()?.to_owned();
        if !text.to_ascii_lowercase().contains("[include") {
            return Some(());
        }
        for line in text.lines().map(str::trim) {
            if line.starts_with('[')
                && line.to_ascii_lowercase().starts_with("[include")
                && !line.ends_with(']')
            {
                return None;
            }
            let Some((key, path)) = line.split_once('=') else { continue };
            if !key.trim_end().eq_ignore_ascii_case("path") {
                continue;
            }
            if path.contains(['"', '\\', '#', ';']) {
                return None;
            }
            let target = self.target(path.trim(), file)?;
            match files::read(&target.place, files::SMALL) {
                Ok(content) => self.can_be_opened(&content, &target, depth.checked_sub(1)?)?,
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(_) => return None,
            }
        }
        Some(())
    }

    /// Whether the condition of an entry in `file` holds; `None` if only git can tell. See `CONFIGURATION FILE` in
    /// git-config(1).
    fn holds(&self, condition: &str, file: &ConfigFile) -> Option<bool> {
        let (kind, pattern) = condition.split_once(':')?;
        let git_dir = self.0.git_dir.to_str()?;
        let is_usual = self.0.git_dir.canonicalize().ok()? == self.0.git_dir;
        if !is_usual || pattern.is_empty() || pattern.contains(['*', '?', '[', '\\']) {
            return None;
        }
        let pattern = if let Some(rest) = pattern.strip_prefix("~/") {
            below(&self.0.home.as_ref()?.canonicalize().ok()?, rest)?
        } else if let Some(rest) = pattern.strip_prefix("./") {
            below(file.place.canonicalize().ok()?.parent()?, rest)?
        } else {
            pattern.to_owned()
        };
        match kind {
            "gitdir" => Some(is_in(git_dir, &pattern)),
            "gitdir/i" if pattern.is_ascii() && git_dir.is_ascii() => {
                Some(is_in(&git_dir.to_ascii_lowercase(), &pattern.to_ascii_lowercase()))
            }
            _ => None,
        }
    }
}

fn below(folder: &Path, rest: &str) -> Option<String> {
    Some(format!("{}/{rest}", folder.to_str()?.trim_end_matches('/')))
}

/// Whether a git directory is the one that a pattern names, or lies in the folder that it names with a `/` at its end. A
/// pattern that does not begin with `/` may begin at any folder.
fn is_in(git_dir: &str, pattern: &str) -> bool {
    let is_folder = pattern.ends_with('/');
    match (pattern.starts_with('/'), is_folder) {
        (true, true) => git_dir.len() > pattern.len() && git_dir.starts_with(pattern),
        (true, false) => git_dir == pattern,
        (false, true) => {
            let inner = format!("/{pattern}");
            git_dir.find(&inner).is_some_and(|at| git_dir.len() > at + inner.len())
        }
        (false, false) => git_dir.ends_with(&format!("/{pattern}")),
    }
}
