//! Recognises what tools make that no step commits: new files that they make from others, such as installed packages, caches and
//! what a build writes, unless the plan names them; and linked work trees of this repository, in which agents let others work.
//!
//! Of files, only names count that people do not give to their own files, in folders of which no file is committed.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use super::path_kind::joined;
use crate::files;
use crate::git::{Change, ChangeKind, Git, PathEntry};
use crate::text::{shell_word, show_path};

/// Folders in which tools keep what they have installed or remembered.
const FOLDERS: [&str; 31] = [
    "node_modules",
    "bower_components",
    "jspm_packages",
    ".venv",
    "__pycache__",
    "__pypackages__",
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
    ".hypothesis",
    ".ipynb_checkpoints",
    ".tox",
    ".nox",
    ".eggs",
    ".nyc_output",
    ".parcel-cache",
    ".turbo",
    ".next",
    ".nuxt",
    ".svelte-kit",
    ".gradle",
    ".dart_tool",
    ".stack-work",
    ".bundle",
    ".terraform",
    ".vs",
    ".zig-cache",
    "zig-cache",
    "elm-stuff",
    "dist-newstyle",
    "htmlcov",
];

/// Files with these names.
const FILES: [&str; 6] =
    [".DS_Store", "Thumbs.db", ".coverage", ".eslintcache", "npm-debug.log", "yarn-error.log"];

/// Files that agents write for the person who has started them.
const OF_AGENTS: [&str; 1] = [".claude/settings.local.json"];

/// Files and folders whose names end like this.
const ENDINGS: [&str; 4] = [".pyc", ".pyo", ".egg-info", ".tsbuildinfo"];

/// Folders that a build writes, and the files beside which they are that.
const BUILDS: [(&str, &[&str]); 4] = [
    ("target", &["Cargo.toml", "pom.xml", "build.sbt"]),
    ("dist", &["package.json", "pyproject.toml", "setup.py"]),
    (
        "build",
        &["package.json", "build.gradle", "build.gradle.kts", "pyproject.toml", "setup.py", "CMakeLists.txt"],
    ),
    ("coverage", &["package.json", "Cargo.toml", "pyproject.toml"]),
];

/// How many folders deep a dump of a process may be.
const CORE_DEPTH: usize = 2;

/// How a program begins that Linux runs, and so the dump of one.
const ELF: &[u8; 4] = b"\x7fELF";

/// What tools have made in a work tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MadeByTools {
    /// For each line of `.gitignore` that hides such files, one of them.
    lines: BTreeMap<String, String>,
    /// The linked work trees of this repository.
    linked: BTreeSet<String>,
    staged: Vec<Vec<u8>>,
}

/// What a path is made by.
struct Made {
    /// The line of `.gitignore` that hides it.
    line: String,
    /// The folder that has everything of this kind, if it is one.
    folder: Option<String>,
}

impl MadeByTools {
    /// Takes what tools have made out of the changes of a work tree, except for paths that are `wanted`.
    pub(super) fn taken_out(
        list: &mut Vec<Change>,
        git: &Git,
        top: &Path,
        wanted: &dyn Fn(&str) -> bool,
    ) -> Self {
        let (mut found, mut committed) = (Self::default(), HashMap::new());
        list.retain(|change| {
            let path = show_path(&change.path);
            let is_linked = || {
                let may_be = path.ends_with('/') || change.kind != ChangeKind::Untracked;
                is_new(change) && may_be && git.is_linked_tree(&joined(top, &change.path))
            };
            if is_linked() {
                if change.kind != ChangeKind::Untracked {
                    found.staged.push(change.path.clone());
                }
                found.linked.insert(path.trim_end_matches('/').to_owned());
                return false;
            }
            let Some(made) = is_new(change).then(|| made(&path, top)).flatten() else { return true };
            let has_committed = |folder: &String| {
                *committed.entry(folder.clone()).or_insert_with(|| git.is_in_head(folder.as_bytes()))
            };
            if made.folder.as_ref().is_some_and(has_committed) || wanted(&path) {
                return true;
            }
            if change.kind != ChangeKind::Untracked {
                found.staged.push(change.path.clone());
            }
            found.lines.entry(made.line).or_insert(path);
            false
        });
        found
    }

    /// The entries of the index that take out of it what was staged.
    #[must_use]
    pub fn staged_entries(&self) -> Vec<PathEntry> {
        self.staged.iter().map(|path| PathEntry { path: path.clone(), entry: None }).collect()
    }

    /// Those of them that are not among the others.
    #[must_use]
    pub fn without(mut self, known: &Self) -> Self {
        self.lines.retain(|line, _| !known.lines.contains_key(line));
        self.linked.retain(|path| !known.linked.contains(path));
        self
    }

    /// Remembers that these were named.
    pub fn remember(&mut self, named: Self) {
        self.lines.extend(named.lines);
        self.linked.extend(named.linked);
    }

    /// What is said about it, as sentences.
    pub fn sentences(&self) -> impl Iterator<Item = String> {
        let linked = self.linked.iter().map(|path| {
            format!(
                "{path} is a linked work tree of this repository that an agent has left; no step commits it, and `git worktree \
                 remove {}` removes it",
                shell_word(path)
            )
        });
        self.of_files().into_iter().chain(linked)
    }

    /// What is said about files, with the lines that hide them; `None` if there are none.
    fn of_files(&self) -> Option<String> {
        let (line, example) = self.lines.first_key_value()?;
        let lines: Vec<&str> = self.lines.keys().map(String::as_str).collect();
        let what = if lines.len() == 1 && example.trim_end_matches('/') == line.trim_end_matches('/') {
            example.clone()
        } else {
            format!("{}, for example {example}", lines.join(", "))
        };
        Some(format!(
            "no step commits what tools have made ({what}); these lines in .gitignore hide it: {}",
            lines.join(" ")
        ))
    }
}

/// Whether git does not know the file yet, or only since somebody has staged it.
fn is_new(change: &Change) -> bool {
    change.kind == ChangeKind::Untracked || change.kind.is_new()
}

/// What a path is made by, if it is made by a tool.
fn made(path: &str, top: &Path) -> Option<Made> {
    let parts: Vec<&str> = path.trim_end_matches('/').split('/').collect();
    for (at, name) in parts.iter().enumerate() {
        let is_folder = at + 1 < parts.len() || path.ends_with('/');
        let folder = || Some(parts[..=at].join("/"));
        if let Some(ending) =
            ENDINGS.iter().find(|ending| name.len() > ending.len() && name.ends_with(**ending))
        {
            return Some(Made { line: format!("*{ending}"), folder: folder().filter(|_| is_folder) });
        }
        if !is_folder {
            break;
        }
        let is_build = BUILDS.iter().any(|(build, beside)| {
            name == build && beside.iter().any(|file| top.join(parts[..at].join("/")).join(file).is_file())
        });
        if FOLDERS.contains(name) || is_build {
            return Some(Made { line: format!("{name}/"), folder: folder() });
        }
    }
    let is_at = |file: &&&str| {
        path.strip_suffix(**file).is_some_and(|before| before.is_empty() || before.ends_with('/'))
    };
    if let Some(file) = OF_AGENTS.iter().find(is_at) {
        return Some(Made { line: (*file).to_owned(), folder: None });
    }
    let name = parts.last()?;
    let is_core = || *name == "core" && parts.len() <= CORE_DEPTH + 1 && is_elf(path, top);
    (FILES.contains(name) || is_core()).then(|| Made { line: (*name).to_owned(), folder: None })
}

/// Whether a file is the dump of a process, and not one that somebody has written.
fn is_elf(path: &str, top: &Path) -> bool {
    let file = files::open(&joined(top, path.as_bytes()));
    file.and_then(|file| file.read_beginning(4)).is_ok_and(|first| first == ELF)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_caches_and_builds_beside_their_manifest_are_made_by_tools() {
        let folder = tempfile::tempdir().unwrap();
        for (file, text) in [
            ("Cargo.toml", "".as_bytes()),
            ("web/package.json", b""),
            ("core", b"\x7fELF\x02"),
            ("src/core", b"the core of it"),
            ("a/b/c/core", b"\x7fELF\x02"),
        ] {
            let path = folder.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let line = |path: &str| made(path, folder.path()).map(|made| made.line);
        for (path, expected) in [
            ("node_modules/a/index.js", "node_modules/"),
            ("web/node_modules/", "node_modules/"),
            ("src/__pycache__/x.cpython-312.pyc", "__pycache__/"),
            ("src/x.pyc", "*.pyc"),
            ("app.egg-info/PKG-INFO", "*.egg-info"),
            (".venv/bin/python", ".venv/"),
            ("docs/.DS_Store", ".DS_Store"),
            ("target/debug/x", "target/"),
            ("web/dist/x.js", "dist/"),
            ("core", "core"),
            (".claude/settings.local.json", ".claude/settings.local.json"),
            ("web/.claude/settings.local.json", ".claude/settings.local.json"),
        ] {
            assert_eq!(line(path).as_deref(), Some(expected), "{path}");
        }
        for path in [
            "dist/x.js",
            "web/target/x.rs",
            "src/core",
            "a/b/c/core",
            "src/build/mod.rs",
            ".github/workflows/ci.yml",
            ".claude/settings.json",
            "x.claude/settings.local.json",
            ".vscode/settings.json",
            ".env",
            "tests/__snapshots__/a.snap",
            "src/__init__.py",
            "coverage.md",
        ] {
            assert_eq!(line(path), None, "{path}");
        }
    }
}
