//! The git program, the folder in which it is called, and how it finds its repository.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use super::cat_file::CatFile;
use super::killed::KilledPrograms;
use super::owed::OwedReferences;
use crate::error::{Error, Kind, Result};
use crate::process::CallLimit;
use crate::record::CommitId;

/// The variables that git calls local to a repository (`git rev-parse --local-env-vars`). They are dropped when a
/// folder is named.
pub(super) const LOCAL_VARIABLES: [&str; 15] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
];

/// A variable for the environment of git.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name.
    pub name: &'static str,
    /// Its value.
    pub value: OsString,
}

/// Settings for a git that only reads.
const READING: &[&str] = &["core.fsmonitor=false"];

/// A git program, and the folder in which it is called.
#[derive(Clone, Debug)]
pub struct Git {
    pub(super) program: PathBuf,
    pub(super) dir: PathBuf,
    pub(super) discovery: Discovery,
    /// Variables for all its calls.
    pub(super) variables: Vec<Variable>,
    pub(super) limit: CallLimit,
    pub(super) settings: Arc<CallSettings>,
    /// The folder of its hooks, if not the configured one.
    pub(super) hooks: Option<PathBuf>,
    pub(super) killed_programs: KilledPrograms,
    pub(super) owed: OwedReferences,
    pub(super) known: Arc<Known>,
    /// The git that is left running to read objects of this repository, once it was started.
    pub(super) objects: Arc<Mutex<Option<CatFile>>>,
}

/// What a git has answered that is not asked again.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// What this program calls local to a repository.
    pub(super) local_env_vars: OnceLock<Vec<String>>,
    /// The version of this program.
    pub(super) version: OnceLock<String>,
    /// The last search of messages, by its arguments, and the commits that it found: what is committed does not change.
    pub(super) search: Mutex<Option<Search>>,
}

/// A search of messages.
#[derive(Debug)]
pub(super) struct Search {
    pub(super) arguments: Vec<String>,
    pub(super) found: Vec<CommitId>,
}

/// A setting that is in no file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnwrittenSetting {
    /// Its key.
    pub key: String,
    /// Its value.
    pub value: String,
}

/// Settings for each call.
#[derive(Clone, Debug, Default)]
pub(super) struct CallSettings {
    /// Those that override the configuration of the user.
    pub(super) fixed: &'static [&'static str],
    /// Those that are in no file, because programs must not read them.
    pub(super) unwritten: Vec<UnwrittenSetting>,
}

/// How git finds the repository of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Discovery {
    /// From the environment (`GIT_DIR` and similar variables), otherwise from the folder, as git itself does it.
    Environment,
    /// From the folder alone, even if the environment names another repository.
    FolderAlone,
}

/// Where the discovery of a repository starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DiscoveryStart {
    /// As git itself does it: from `GIT_DIR` and similar variables, otherwise upwards from the current folder.
    Environment,
    /// Upwards from this folder, even if the environment names another repository.
    Folder(PathBuf),
}

impl Git {
    /// The git on PATH, called in `dir`. Folders of PATH that are relative or inside the work tree around `dir` do not
    /// count: a repository must not supply the program that reads it.
    ///
    /// # Errors
    /// [`Kind::Environment`] if there is none.
    pub fn find(dir: &Path) -> Result<Self> {
        let around = dir.canonicalize().ok();
        let top =
            around.as_deref().and_then(|dir| dir.ancestors().find(|folder| folder.join(".git").exists()));
        let outside = |program: &PathBuf| {
            let folder = program.parent().and_then(|folder| folder.canonicalize().ok());
            program.is_absolute() && !top.zip(folder).is_some_and(|(top, folder)| folder.starts_with(top))
        };
        let program =
            which::which_all("git").ok().and_then(|mut found| found.find(outside)).ok_or_else(|| {
                Error::new(
                    Kind::Environment,
                    "git was not found on PATH",
                    "Install git 2.36 or newer outside of this work tree, or add it to PATH.",
                )
            })?;
        Ok(Self::of_program(&program, dir, Discovery::Environment))
    }

    /// The git at `program` for the repository at `place`. It only reads: it takes no lock, and starts no file system
    /// monitor.
    #[must_use]
    pub fn for_reading(program: &Path, place: DiscoveryStart) -> Self {
        let git = match place {
            DiscoveryStart::Environment => Self::of_program(program, Path::new("."), Discovery::Environment),
            DiscoveryStart::Folder(folder) => Self::of_program(program, &folder, Discovery::FolderAlone),
        };
        let no_locks = Variable { name: "GIT_OPTIONAL_LOCKS", value: "0".into() };
        git.with_settings(READING).with_variables(vec![no_locks])
    }

    fn of_program(program: &Path, dir: &Path, discovery: Discovery) -> Self {
        Self {
            program: program.to_owned(),
            dir: dir.to_owned(),
            discovery,
            variables: Vec::new(),
            limit: CallLimit::default(),
            settings: Arc::default(),
            hooks: None,
            killed_programs: KilledPrograms::default(),
            owed: OwedReferences::default(),
            known: Arc::default(),
            objects: Arc::default(),
        }
    }

    /// The same git, with this limit for each of its calls.
    #[must_use]
    pub fn with_limit(self, limit: CallLimit) -> Self {
        Self { limit, ..self }
    }

    /// The list of calls of this git and of its clones that were killed. Other programs may be added to it.
    #[must_use]
    pub fn killed_programs(&self) -> &KilledPrograms {
        &self.killed_programs
    }

    /// The references that this git and its clones could not put back.
    #[must_use]
    pub fn owed(&self) -> &OwedReferences {
        &self.owed
    }

    /// The same git, for the repository of its folder, even if the environment (`GIT_DIR` and similar variables) names
    /// another one.
    #[must_use]
    pub fn discovering_from_folder_alone(self) -> Self {
        Self { discovery: Discovery::FolderAlone, objects: Arc::default(), ..self }
    }

    /// The same git, called in another folder.
    #[must_use]
    pub fn in_dir(&self, dir: &Path) -> Self {
        Self { dir: dir.to_owned(), objects: Arc::default(), ..self.clone() }
    }

    /// The same git, with these variables in the environment of each call.
    #[must_use]
    pub fn with_variables(self, variables: Vec<Variable>) -> Self {
        Self { variables, objects: Arc::default(), ..self }
    }

    /// The same git, with settings for each of its calls that no file has and no list of processes shows, such as logins. It drops
    /// those of the environment.
    #[must_use]
    pub fn with_unwritten(self, settings: Vec<UnwrittenSetting>) -> Self {
        let settings = CallSettings { unwritten: settings, ..(*self.settings).clone() };
        Self { settings: Arc::new(settings), objects: Arc::default(), ..self }
    }

    /// The same git, with the settings of another one that no file has.
    #[must_use]
    pub fn with_unwritten_of(self, other: &Self) -> Self {
        self.with_unwritten(other.settings.unwritten.clone())
    }

    /// The same git, with these settings for each of its calls, which override the configuration of the user.
    #[must_use]
    pub(super) fn with_settings(self, settings: &'static [&'static str]) -> Self {
        let settings = CallSettings { fixed: settings, ..(*self.settings).clone() };
        Self { settings: Arc::new(settings), ..self }
    }

    /// The same git, which runs the hooks of another folder than the configured one.
    #[must_use]
    pub fn with_hooks(&self, folder: &Path) -> Self {
        Self { hooks: Some(folder.to_owned()), ..self.clone() }
    }

    /// The program's path.
    #[must_use]
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// The folder in which it is called.
    #[must_use]
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    pub(super) fn could_not_start(&self, error: &std::io::Error) -> Error {
        if !self.dir.is_dir() {
            return Error::new(
                Kind::Repository,
                format!("the folder {} no longer exists", self.dir.display()),
                "Go to a folder of the repository and run the command again.",
            );
        }
        Error::new(
            Kind::Environment,
            format!("{} could not be started: {error}", self.program.display()),
            "Check that git is installed and runs: `git --version`.",
        )
    }
}
