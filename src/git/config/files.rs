//! Reads the configuration with libgit2, if the answer is certain to be the same as that of `git config`.
//!
//! For a small plan, starting git takes longer than everything else that `git arborist status` does. Unusual cases are
//! left to git: variables that bring settings, includes under unusual conditions, work trees with settings of their own, a
//! file that cannot be read, and lines that libgit2 or another version of git may read differently. A test compares the
//! answers with those of git.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::included::{FileEntry, Includes};
use super::system_file::system_file_of;
use super::{ConfigEntry, concerns_us};
use crate::files;
use crate::git::program::{ConfigFile, ConfigSources};
use crate::git::{Git, WorkTree};

/// So many files may include each other, one in the other, before git is asked. It follows ten.
const MOST_INCLUDES: usize = 5;

/// The files of the system and the user that git reads, in its order.
#[derive(Debug, PartialEq, Eq)]
pub struct ConfigFiles {
    files: Vec<ConfigFile>,
    /// The home of the user.
    home: Option<PathBuf>,
}

impl ConfigFiles {
    /// The files that git reads in every repository when called with these variables; `None` if only git can tell. `caches` is the
    /// folder in which the user's programs keep what they can make again.
    #[must_use]
    pub fn find(git: &Git, variables: &Variables<'_>, caches: Option<&Path>) -> Option<Self> {
        if !variables.are_usual() {
            return None;
        }
        let of_system = variables.system_file(git, caches)?.into_iter();
        let of_user = variables.global_files()?.into_iter();
        let file = |scope| move |name: String| ConfigFile { scope, place: PathBuf::from(&name), name };
        let files = of_system.map(file("system")).chain(of_user.map(file("global"))).collect();
        Some(Self { files, home: variables.get("HOME")?.and_then(absolute).map(PathBuf::from) })
    }

    /// All files that git reads in a work tree; `None` if only git can tell.
    #[must_use]
    pub fn all_in(&self, work_tree: &WorkTree) -> Option<ConfigSources> {
        let WorkTree { top, git_dir, common_dir } = work_tree;
        let name = if git_dir != common_dir {
            common_dir.join("config").to_str()?.to_owned()
        } else if *git_dir == top.join(".git") {
            ".git/config".to_owned()
        } else {
            return None;
        };
        let local = ConfigFile { scope: "local", place: top.join(&name), name };
        let files = self.files.iter().cloned().chain([local]).collect();
        Some(ConfigSources { files, git_dir: git_dir.clone(), home: self.home.clone() })
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

/// All entries in these files and in those that they include; `None` if git has to read them.
pub(in crate::git) fn entries_of(sources: &ConfigSources) -> Option<Vec<ConfigEntry>> {
    let mut reader = Reader { includes: Includes(sources), entries: Vec::new() };
    for file in &sources.files {
        reader.read(file, MOST_INCLUDES)?;
    }
    Some(reader.entries)
}

/// Reads files of the configuration, one after the other.
struct Reader<'s> {
    includes: Includes<'s>,
    entries: Vec<ConfigEntry>,
}

impl Reader<'_> {
    /// Adds the entries of a file, and of those that it includes, which may include so many others, one in the other.
    fn read(&mut self, file: &ConfigFile, depth: usize) -> Option<()> {
        let Some(content) = content_of(&file.place)? else { return Some(()) };
        self.includes.can_be_opened(&content, file, depth)?;
        let config = git2::Config::open(&file.place).ok()?;
        let mut found = config.entries(None).ok()?;
        while let Some(entry) = found.next() {
            let entry = entry.ok()?;
            // libgit2 knows fewer conditions.
            if entry.include_depth() > 0 {
                continue;
            }
            let key = entry.name().ok()?.to_owned();
            // A key without a section is an error for git, and with that extension git reads another file as well.
            if !key.contains('.') || key == "extensions.worktreeconfig" {
                return None;
            }
            let value = if entry.has_value() { Some(entry.value().ok()?.to_owned()) } else { None };
            let included = self.includes.included(&FileEntry { key: &key, value: value.as_deref(), file })?;
            let (scope, origin) = (file.scope.to_owned(), format!("file:{}", file.name));
            let value = value.unwrap_or_else(|| "true".to_owned());
            self.entries.push(ConfigEntry { scope, origin, key, value });
            if let Some(included) = included {
                self.read(&included, depth.checked_sub(1)?)?;
            }
        }
        Some(())
    }
}

/// The content of a file, if there is one; the outer `None` if git has to interpret what is there.
fn content_of(path: &Path) -> Option<Option<Vec<u8>>> {
    if path == Path::new("/dev/null") {
        return Some(None);
    }
    match files::read(path, files::SMALL) {
        Ok(content) => is_plain(&content).then_some(Some(content)),
        Err(error) if error.kind() == ErrorKind::NotFound => Some(None),
        Err(_) => None,
    }
}

/// Whether a file has only lines that all versions of git and libgit2 read in the same way.
fn is_plain(content: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(content) else { return false };
    // Byte order marks, carriage returns and similar characters are too rare to find out what libgit2 does with them.
    !text.starts_with('\u{feff}')
        && !text.bytes().any(|byte| byte.is_ascii_control() && !b"\n\t".contains(&byte))
        && text.lines().map(|line| line.trim_matches([' ', '\t'])).all(is_plain_line)
}

fn is_plain_line(line: &str) -> bool {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '-';
    match line.chars().next() {
        None | Some('#' | ';') => return true,
        // The outdated form `[section.subsection]` is not plain.
        Some('[') => {
            let head = line[1..].trim_start_matches(is_of_name);
            if head.len() + 1 == line.len() || !head.starts_with(['"', ' ', ']']) {
                return false;
            }
        }
        Some(first) => {
            // Unlike git, libgit2 takes a digit at the beginning, and a comment behind a name without a value.
            let has_value = line.split(['#', ';']).next().is_some_and(|pair| pair.contains('='));
            if !first.is_ascii_alphabetic() || !has_value && !line.chars().all(is_of_name) {
                return false;
            }
        }
    }
    // Some versions turn a tab between words into a space. A backslash at the end continues the line, and libgit2 does not
    // mind if a quotation mark is missing.
    let marks = line.replace(r"\\", "").replace(r#"\""#, "").matches('"').count();
    !line.contains('\t') && !line.ends_with('\\') && marks.is_multiple_of(2)
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

    fn system_file(&self, git: &Git, caches: Option<&Path>) -> Option<Option<String>> {
        match (self.get("GIT_CONFIG_NOSYSTEM")?, self.get("GIT_CONFIG_SYSTEM")?) {
            (Some("1" | "true"), _) => Some(None),
            (None, Some(path)) => absolute(path).map(Some),
            (None, None) => system_file_of(git, caches),
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
