//! The environment of the process, read once.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::Setting;
use super::settings::PREFIX;
use crate::error::{Error, Kind, Result};
use crate::git::Variable;
use crate::process::own_program;

/// The variables, or the beginnings of their names, that are set for agents, tests and git, and that may therefore be
/// in the environment of a command that one of them runs.
const SET_FOR_PROGRAMS: [&str; 11] = [
    "ARBORIST_TASK",
    "ARBORIST_STEP",
    "ARBORIST_ATTEMPT",
    "ARBORIST_MERGE",
    "ARBORIST_PROMPT_FILE",
    "ARBORIST_COVERAGE",
    "ARBORIST_DIFF",
    "ARBORIST_SUPERVISOR_",
    "ARBORIST_GIT_CALLER",
    "ARBORIST_NOTHING",
    "ARBORIST_SANDBOX_",
];

/// The environment of this process.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    variables: BTreeMap<OsString, OsString>,
    /// The folder in which the program was started; `None` if it is gone.
    pub current_dir: Option<PathBuf>,
    program: Option<PathBuf>,
}

impl Environment {
    /// Reads the environment of this process.
    #[must_use]
    pub fn of_process() -> Self {
        Self {
            variables: std::env::vars_os().collect(),
            current_dir: std::env::current_dir().ok(),
            program: own_program().ok(),
        }
    }

    /// The folder in which the program was started.
    ///
    /// # Errors
    /// [`Kind::Repository`] if it is gone.
    pub fn folder(&self) -> Result<PathBuf> {
        self.current_dir.clone().ok_or_else(|| {
            Error::new(
                Kind::Repository,
                "the current folder no longer exists",
                "Go to a folder that exists and run the command again.",
            )
        })
    }

    /// The file of this program, if the system knows it.
    #[must_use]
    pub fn program(&self) -> Option<&Path> {
        self.program.as_deref()
    }

    /// The folder of this program, if the system knows it.
    #[must_use]
    pub fn program_folder(&self) -> Option<&Path> {
        self.program.as_deref().and_then(Path::parent)
    }

    /// The folders of PATH, in order. Relative ones are left out: the current folder must not decide which program
    /// runs.
    pub fn search_path(&self) -> impl Iterator<Item = PathBuf> {
        let path = self.path("PATH").unwrap_or_default();
        let folders: Vec<PathBuf> =
            std::env::split_paths(&path).filter(|folder| folder.is_absolute()).collect();
        folders.into_iter()
    }

    /// The folder for temporary files.
    #[must_use]
    pub fn temporary_folder(&self) -> PathBuf {
        self.path("TMPDIR").filter(|folder| folder.is_absolute()).unwrap_or_else(|| PathBuf::from("/tmp"))
    }

    /// The folder in which programs keep what they can make again (`XDG_CACHE_HOME`), if it is known.
    #[must_use]
    pub fn cache_folder(&self) -> Option<PathBuf> {
        self.folder_of_user("XDG_CACHE_HOME", ".cache")
    }

    /// The folder in which programs of this user keep what does not change (`XDG_DATA_HOME`), if it is known.
    #[must_use]
    pub fn data_folder(&self) -> Option<PathBuf> {
        self.folder_of_user("XDG_DATA_HOME", ".local/share")
    }

    /// All folders in which programs look for what does not change (`XDG_DATA_DIRS`), that of the user first.
    pub fn data_folders(&self) -> impl Iterator<Item = PathBuf> {
        let shared = self.path("XDG_DATA_DIRS").unwrap_or_default();
        let shared: Vec<PathBuf> = std::env::split_paths(&shared).collect();
        self.data_folder().into_iter().chain(shared)
    }

    /// The folder in which git keeps the configuration of this user (`XDG_CONFIG_HOME`), if it is known.
    #[must_use]
    pub fn git_folder(&self) -> Option<PathBuf> {
        Some(self.folder_of_user("XDG_CONFIG_HOME", ".config")?.join("git"))
    }

    /// The absolute path in a variable, or else this folder in the user's home.
    fn folder_of_user(&self, variable: &str, in_home: &str) -> Option<PathBuf> {
        let absolute = |name: &str| self.path(name).filter(|folder| folder.is_absolute());
        absolute(variable).or_else(|| Some(absolute("HOME")?.join(in_home)))
    }

    /// A variable that is set and not empty, as text.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.variables.get(std::ffi::OsStr::new(name))?.to_str().filter(|text| !text.is_empty())
    }

    /// All variables, as the system has them.
    #[must_use]
    pub fn variables(&self) -> &BTreeMap<OsString, OsString> {
        &self.variables
    }

    /// A variable that holds a path.
    #[must_use]
    pub fn path(&self, name: &str) -> Option<PathBuf> {
        self.variables.get(std::ffi::OsStr::new(name)).filter(|value| !value.is_empty()).map(PathBuf::from)
    }

    /// Whether the terminal cannot do more than print lines, as far as is known.
    #[must_use]
    pub fn is_dumb(&self) -> bool {
        self.get("TERM").is_none_or(|term| term == "dumb")
    }

    /// Whether a variable is set and not empty.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.path(name).is_some()
    }

    /// The variables that name a repository for git by a relative path, with that path made absolute. It is relative to
    /// the folder in which the program was started.
    #[must_use]
    pub fn repository_paths(&self) -> Vec<Variable> {
        let Some(current_dir) = &self.current_dir else { return Vec::new() };
        ["GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR"]
            .into_iter()
            .filter_map(|name| {
                let path = self.path(name).filter(|path| path.is_relative())?;
                Some(Variable { name, value: current_dir.join(path).into_os_string() })
            })
            .collect()
    }

    /// The variable of a setting and its value, if it is set.
    #[must_use]
    pub fn setting(&self, setting: Setting) -> Option<(&'static str, &str)> {
        let name = setting.rule().env?;
        Some((name, self.get(name)?))
    }

    /// The variables that have our prefix, but that we neither read nor set.
    pub fn unknown(&self) -> impl Iterator<Item = &str> {
        let first = OsString::from(PREFIX);
        let ours = self
            .variables
            .range(first..)
            .map_while(|(name, _)| name.as_encoded_bytes().starts_with(PREFIX.as_bytes()).then_some(name));
        let known = |name: &str| {
            SET_FOR_PROGRAMS
                .iter()
                .any(|known| name == *known || (known.ends_with('_') && name.starts_with(known)))
                || Setting::ALL.into_iter().any(|setting| setting.rule().env == Some(name))
        };
        ours.filter_map(|name| name.to_str()).filter(move |name| !known(name))
    }
}

#[cfg(test)]
impl Environment {
    /// An environment of exactly these variables.
    pub(crate) fn of(pairs: &[(&str, &str)]) -> Self {
        let variables = pairs.iter().map(|(name, value)| (name.into(), value.into())).collect();
        Self { variables, current_dir: None, program: None }
    }
}
