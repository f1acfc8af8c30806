//! The test files of a repository, the frameworks that they are written for, and where the programs of these are: those of the
//! repository itself come before those on PATH.

use std::path::{Path, PathBuf};

use crate::error::Result;
use crate::files;
use crate::git::Git;

/// How many test files are read, and how much of each, in bytes.
const READ: usize = 40;
const MOST: u64 = 64 << 10;

/// A framework that is known by what its tests import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Framework {
    Pytest,
    Vitest,
    Jest,
    NodeTest,
}

/// The files of the work tree whose names say that they are tests, and that git does not ignore.
///
/// # Errors
/// If git cannot list the files.
pub(crate) fn test_files(git: &Git) -> Result<Vec<String>> {
    let paths = git.files_not_ignored()?;
    Ok(paths
        .into_iter()
        .filter_map(|path| String::from_utf8(path).ok())
        .filter(|path| is_test_file(path))
        .collect())
}

/// Whether the name of a file says that it is a test.
pub(crate) fn is_test_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let Some((stem, ending)) = name.rsplit_once('.') else { return false };
    match ending {
        "py" => stem.starts_with("test_") || stem.ends_with("_test"),
        "js" | "mjs" | "cjs" | "ts" | "mts" | "cts" | "jsx" | "tsx" => {
            stem.ends_with(".test") || stem.ends_with(".spec")
        }
        "go" | "exs" | "dart" => stem.ends_with("_test"),
        "rb" => stem.ends_with("_test") || stem.ends_with("_spec"),
        "php" | "java" | "kt" | "cs" => stem.ends_with("Test") || stem.ends_with("Tests"),
        "rs" => path.starts_with("tests/"),
        _ => false,
    }
}

/// The frameworks of test files, each with the first file that needs it.
pub(crate) fn frameworks_of(top: &Path, tests: &[String]) -> Vec<(Framework, String)> {
    let mut found: Vec<(Framework, String)> = Vec::new();
    for test in tests.iter().take(READ) {
        // A file that cannot be read, or is large, says nothing.
        let Ok(text) = files::read(&top.join(test), MOST) else { continue };
        let framework = framework_of(test, &String::from_utf8_lossy(&text));
        if let Some(framework) = framework.filter(|one| found.iter().all(|(known, _)| known != one)) {
            found.push((framework, test.clone()));
        }
    }
    found
}

fn framework_of(path: &str, text: &str) -> Option<Framework> {
    if path.ends_with(".py") {
        // unittest knows no functions outside of classes.
        let needs_pytest = |line: &str| {
            ["import pytest", "from pytest", "def test_", "async def test_"]
                .iter()
                .any(|start| line.starts_with(start))
        };
        return text.lines().any(needs_pytest).then_some(Framework::Pytest);
    }
    let imports = |name: &str| text.contains(&format!("'{name}'")) || text.contains(&format!("\"{name}\""));
    match () {
        () if imports("vitest") => Some(Framework::Vitest),
        () if imports("@jest/globals") => Some(Framework::Jest),
        () if imports("node:test") => Some(Framework::NodeTest),
        () => None,
    }
}

/// Where programs are looked up. A program of the repository is named by its path from the top, by which it is found in every
/// work tree that has the same packages, whatever PATH is at night.
#[derive(Clone, Copy)]
pub(crate) struct Toolbox<'a> {
    pub(crate) top: &'a Path,
    /// The environment that is activated (`VIRTUAL_ENV`).
    active: Option<&'a Path>,
    is_on_path: &'a dyn Fn(&str) -> bool,
}

impl<'a> Toolbox<'a> {
    /// `is_on_path` says whether PATH has a program outside of the work tree.
    pub(crate) fn new(top: &'a Path, active: Option<&'a Path>, is_on_path: &'a dyn Fn(&str) -> bool) -> Self {
        Self { top, active, is_on_path }
    }

    /// A program on PATH.
    pub(crate) fn on_path(&self, name: &str) -> Option<String> {
        (self.is_on_path)(name).then(|| name.to_owned())
    }

    /// How pytest is started; `None` if it is nowhere.
    pub(crate) fn pytest(&self) -> Option<String> {
        let as_module = || {
            let folder = self.environments().into_iter().find(|folder| self.has_module(folder, "pytest"))?;
            Some(format!("{}/bin/python -m pytest", folder.display()))
        };
        self.python("pytest").or_else(as_module).or_else(|| self.on_path("pytest"))
    }

    /// The same where tests need it, so that a run says if it is missing.
    pub(crate) fn wanted_pytest(&self) -> String {
        self.pytest().unwrap_or_else(|| "pytest".to_owned())
    }

    /// A program of a virtual environment.
    pub(crate) fn python(&self, name: &str) -> Option<String> {
        let mut places = self.environments().into_iter().map(|folder| folder.join("bin").join(name));
        places.find(|place| is_executable(&self.top.join(place))).map(|place| place.display().to_string())
    }

    /// A program that npm has installed here, or else on PATH.
    pub(crate) fn of_node(&self, name: &str) -> String {
        let place = format!("node_modules/.bin/{name}");
        if is_executable(&self.top.join(&place)) { place } else { format!("npx {name}") }
    }

    /// A program in the folder `bin` of the repository.
    pub(crate) fn in_bin(&self, name: &str) -> Option<String> {
        let place = format!("bin/{name}");
        is_executable(&self.top.join(&place)).then_some(place)
    }

    /// The virtual environments, from the top of the work tree if they lie in it: the activated one first.
    fn environments(&self) -> Vec<PathBuf> {
        let active = self.active.filter(|active| active.is_absolute());
        let active = active.map(|active| active.strip_prefix(self.top).unwrap_or(active).to_owned());
        let mut folders: Vec<PathBuf> = active.into_iter().collect();
        for usual in [".venv", "venv", "env"].map(PathBuf::from) {
            if !folders.contains(&usual) {
                folders.push(usual);
            }
        }
        folders.retain(|folder| self.top.join(folder).join("pyvenv.cfg").is_file());
        folders
    }

    fn has_module(&self, environment: &Path, name: &str) -> bool {
        let versions =
            std::fs::read_dir(self.top.join(environment).join("lib")).into_iter().flatten().flatten();
        versions.into_iter().any(|version| version.path().join("site-packages").join(name).is_dir())
    }
}

fn is_executable(path: &Path) -> bool {
    path.is_file() && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
}
