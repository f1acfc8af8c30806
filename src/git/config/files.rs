//! Reads the configuration in this process, if the answer is certain to be the same as that of `git config`.
//!
//! For a small plan, starting git takes longer than everything else that `git arborist status` does. Unusual cases are
//! left to git: variables that bring settings, includes, linked work trees, a git whose system file may be anywhere, a
//! file that cannot be read. A test compares the answers with those of git.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::text::{self, Pair};
use super::{ConfigEntry, concerns_us};
use crate::files;
use crate::git::WorkTree;
use crate::git::local_files::ConfigFile;

/// The files of the system and the user that git reads, in its order.
#[derive(Debug, PartialEq, Eq)]
pub struct ConfigFiles(Vec<ConfigFile>);

impl ConfigFiles {
    /// The files that `program` reads in every repository when called with these variables; `None` if only git can
    /// tell.
    #[must_use]
    pub fn find(program: &Path, variables: &Variables<'_>) -> Option<Self> {
        if !variables.are_usual() {
            return None;
        }
        let of_system = variables.system_file(program)?.into_iter();
        let of_user = variables.global_files()?.into_iter();
        let file = |scope| move |name: String| ConfigFile { scope, place: PathBuf::from(&name), name };
        Some(Self(of_system.map(file("system")).chain(of_user.map(file("global"))).collect()))
    }

    /// All files that git reads in a work tree; `None` if only git can tell.
    #[must_use]
    pub fn all_in(&self, work_tree: &WorkTree) -> Option<Vec<ConfigFile>> {
        let WorkTree { top, git_dir, common_dir } = work_tree;
        if *git_dir != top.join(".git") || git_dir != common_dir {
            return None;
        }
        let name = ".git/config".to_owned();
        let local = ConfigFile { scope: "local", place: top.join(&name), name };
        Some(self.0.iter().cloned().chain([local]).collect())
    }

    /// All entries that are in effect in a work tree; `None` if git has to read them.
    #[must_use]
    pub fn entries(&self, work_tree: &WorkTree) -> Option<Vec<ConfigEntry>> {
        entries_of(&self.all_in(work_tree)?)
    }

    /// The entries that `Git::ask_config` asks for.
    #[must_use]
    pub fn entries_of_ours(&self, work_tree: &WorkTree) -> Option<Vec<ConfigEntry>> {
        let mut entries = self.entries(work_tree)?;
        entries.retain(|entry| concerns_us(&entry.key));
        Some(entries)
    }
}

/// All entries in these files of the configuration; `None` if git has to read them.
pub(in crate::git) fn entries_of(config_files: &[ConfigFile]) -> Option<Vec<ConfigEntry>> {
    let mut entries = Vec::new();
    for file in config_files {
        let Some(content) = content_of(&file.place)? else { continue };
        for Pair { key, value } in text::read(&content)? {
            // Then git reads another file.
            if key == "extensions.worktreeconfig" {
                return None;
            }
            let origin = format!("file:{}", file.name);
            let value = value.unwrap_or_else(|| "true".to_owned());
            entries.push(ConfigEntry { scope: file.scope.to_owned(), origin, key, value });
        }
    }
    Some(entries)
}

/// The content of a file. The inner `None` means that there is no file, the outer one that git has to interpret it.
fn content_of(path: &Path) -> Option<Option<Vec<u8>>> {
    if path == Path::new("/dev/null") {
        return Some(None);
    }
    match files::read(path, files::SMALL) {
        Ok(content) => Some(Some(content)),
        Err(error) if error.kind() == ErrorKind::NotFound => Some(None),
        Err(_) => None,
    }
}

/// The variables that decide which files git reads.
#[derive(Clone, Copy, Debug)]
pub struct Variables<'a>(pub &'a BTreeMap<OsString, OsString>);

impl Variables<'_> {
    /// The value of a variable. The inner `None` means that it is not set, the outer one that it is not text.
    fn get(&self, name: &str) -> Option<Option<&str>> {
        self.0.get(Path::new(name).as_os_str()).map_or(Some(None), |value| value.to_str().map(Some))
    }

    /// Whether no variable contains settings, or moves a file in a way that is not supported here.
    fn are_usual(&self) -> bool {
        const KNOWN: [&str; 3] = ["GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_GLOBAL"];
        self.0.keys().all(|name| {
            let name = name.as_encoded_bytes();
            !name.starts_with(b"GIT_CONFIG") || KNOWN.iter().any(|known| known.as_bytes() == name)
        })
    }

    fn system_file(&self, program: &Path) -> Option<Option<String>> {
        match (self.get("GIT_CONFIG_NOSYSTEM")?, self.get("GIT_CONFIG_SYSTEM")?) {
            (Some("1" | "true"), _) => Some(None),
            (None, Some(path)) => absolute(path).map(Some),
            (None, None) => system_file_of(program),
            (Some(_), _) => None,
        }
    }

    fn global_files(&self) -> Option<Vec<String>> {
        if let Some(path) = self.get("GIT_CONFIG_GLOBAL")? {
            return Some(vec![absolute(path)?]);
        }
        let home = absolute(self.get("HOME")??)?;
        let more = match self.get("XDG_CONFIG_HOME")? {
            None | Some("") => format!("{home}/.config/git/config"),
            Some(folder) => format!("{}/git/config", absolute(folder)?),
        };
        Some(vec![more, format!("{home}/.gitconfig")])
    }
}

fn absolute(path: &str) -> Option<String> {
    path.starts_with('/').then(|| path.to_owned())
}

/// The system file of a git. Its path was chosen when git was compiled: `/etc/gitconfig` if the prefix is `/usr`,
/// otherwise somewhere under the prefix or in `/etc`. So outside of `/usr`, we can only know that there is no such
/// file.
fn system_file_of(program: &Path) -> Option<Option<String>> {
    const ETC: &str = "/etc/gitconfig";
    // Apple's git reads another file.
    if !cfg!(target_os = "linux") {
        return None;
    }
    let program = program.canonicalize().ok()?;
    // A script could set anything before it starts the real git.
    if files::open(&program).and_then(|file| file.read_beginning(4)).ok()? != b"\x7fELF" {
        return None;
    }
    let prefix = ["bin/git", "libexec/git-core/git", "lib/git-core/git"]
        .iter()
        .find(|end| program.ends_with(end))
        .and_then(|end| program.ancestors().nth(Path::new(end).components().count()))?;
    let has_own = prefix.join("etc/gitconfig").exists();
    match (prefix == Path::new("/usr"), has_own, Path::new(ETC).exists()) {
        (_, false, false) => Some(None),
        (true, false, true) => Some(Some(ETC.to_owned())),
        _ => None,
    }
}
