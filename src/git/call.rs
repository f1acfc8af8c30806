//! Calls the git program. No other module does.

use std::ffi::{OsStr, OsString};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;
use std::time::SystemTime;

use super::hooks_folder::HooksFolder;
use super::local_files::LocalFiles;
use super::lock_waits::LockWaits;
use super::output::GitOutput;
use super::refusal::{hung, meets_another_git};
use super::traces::KilledPrograms;
use crate::error::{Error, Kind, Result};
use crate::process::{CallLimit, Finished, Unfinished};

/// Settings for every call, which override the configuration of the user.
pub(super) const SETTINGS: &[&str] = &[
    "core.fsync=committed",
    "core.quotePath=false",
    "color.ui=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "log.showSignature=false",
    "trailer.separators=:",
    "i18n.commitEncoding=UTF-8",
    "i18n.logOutputEncoding=UTF-8",
];

/// The variable that holds our process id, so that a git command that outlives us can be recognised.
pub(super) const CALLER: &str = "ARBORIST_GIT_CALLER";

/// How paths on a command line are to be read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pathspecs {
    /// Every path is taken literally, character by character.
    Literal,
    /// Patterns with git's magic.
    Magic,
    /// The call has no paths, but its hooks may: they see the user's environment unchanged.
    AsUserHasThem,
}

/// A variable for the environment of git.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name.
    pub name: &'static str,
    /// Its value.
    pub value: OsString,
}

/// The options of a call, besides its arguments.
#[derive(Clone, Copy)]
pub(crate) struct CallForm<'a> {
    pub(crate) pathspecs: Pathspecs,
    pub(crate) env: &'a [Variable],
}

impl<'a> CallForm<'a> {
    /// Options for literal paths and these additional variables.
    pub(crate) fn literal(env: &'a [Variable]) -> Self {
        Self { pathspecs: Pathspecs::Literal, env }
    }
}

/// The variables that change how git reads the paths on every command line.
pub(super) const PATHSPEC_VARIABLES: [&str; 4] =
    ["GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS"];

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

/// A git program, and the folder in which it is called.
#[derive(Clone, Debug)]
pub struct Git {
    pub(super) program: PathBuf,
    pub(super) dir: PathBuf,
    pub(super) discovery: Discovery,
    pub(super) paths: Vec<Variable>,
    pub(super) limit: CallLimit,
    pub(super) local: Arc<LocalFiles>,
    settings: &'static [&'static str],
    hooks: Option<HooksFolder>,
    killed_programs: KilledPrograms,
}

/// How git finds the repository of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Discovery {
    /// From the environment (`GIT_DIR` and similar variables), otherwise from the folder, as git itself does it.
    Environment,
    /// From the folder alone, even if the environment names another repository.
    FolderAlone,
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
        let limit = CallLimit::default();
        Ok(Self {
            program,
            dir: dir.to_owned(),
            discovery: Discovery::Environment,
            paths: Vec::new(),
            limit,
            local: Arc::default(),
            settings: &[],
            hooks: None,
            killed_programs: KilledPrograms::default(),
        })
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

    /// The same git, for the repository of its folder, even if the environment (`GIT_DIR` and similar variables) names
    /// another one.
    #[must_use]
    pub fn discovering_from_folder_alone(self) -> Self {
        Self { discovery: Discovery::FolderAlone, ..self }
    }

    /// The same git, called in another folder.
    #[must_use]
    pub fn in_dir(&self, dir: &Path) -> Self {
        Self { dir: dir.to_owned(), local: Arc::default(), ..self.clone() }
    }

    /// The same git, which need not be started to learn what is in these files.
    #[must_use]
    pub fn reading(self, local: LocalFiles) -> Self {
        Self { local: Arc::new(local), ..self }
    }

    /// The same git, with these variables in its environment. They hold paths relative to a folder other than that in
    /// which git is called.
    #[must_use]
    pub fn with_paths(self, paths: Vec<Variable>) -> Self {
        Self { paths, ..self }
    }

    /// The same git, with these settings for each of its calls, which override the configuration of the user.
    #[must_use]
    pub(super) fn with_settings(self, settings: &'static [&'static str]) -> Self {
        Self { settings, ..self }
    }

    /// The same git, which runs the hooks of another folder than the configured one.
    #[must_use]
    pub fn with_hooks(&self, hooks: HooksFolder) -> Self {
        Self { hooks: Some(hooks), ..self.clone() }
    }

    /// The variables of the environment that are withheld from a call.
    pub(super) fn dropped_variables(&self) -> &'static [&'static str] {
        match self.discovery {
            Discovery::Environment => &[],
            Discovery::FolderAlone => &LOCAL_VARIABLES,
        }
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

    /// Calls git with these arguments and waits until it ends, successfully or not.
    pub(crate) fn call<I, S>(&self, args: I) -> Result<GitOutput>
    where
        I: IntoIterator<Item = S>,
        S: AsRef<OsStr>,
    {
        self.call_with(Pathspecs::Literal, args, Vec::new())
    }

    /// Like [`Git::call`], with bytes for standard input.
    pub(crate) fn call_with<I, S>(&self, pathspecs: Pathspecs, args: I, stdin: Vec<u8>) -> Result<GitOutput>
    where
        I: IntoIterator<Item = S>,
        S: AsRef<OsStr>,
    {
        self.call_in(CallForm { pathspecs, env: &[] }, args, stdin)
    }

    /// Like [`Git::call_with`], with more variables in git's environment. If another git is in the way (by its lock
    /// file, or because its `gc` has just removed a folder of objects), the call has changed nothing, and is repeated
    /// until the other git is done. Even `git status` takes a lock for a moment.
    #[expect(clippy::needless_pass_by_value, reason = "callers make the input for this call alone")]
    pub(crate) fn call_in<I, S>(&self, form: CallForm<'_>, args: I, stdin: Vec<u8>) -> Result<GitOutput>
    where
        I: IntoIterator<Item = S>,
        S: AsRef<OsStr>,
    {
        let args: Vec<OsString> = args.into_iter().map(|arg| arg.as_ref().to_owned()).collect();
        let mut waits = LockWaits::new();
        loop {
            let output = self.call_once(form, &args, stdin.clone())?;
            let hindered = !output.status.success() && meets_another_git(&output.stderr);
            if !hindered || self.limit.is_end_wanted() || !waits.wait() {
                return Ok(output);
            }
        }
    }

    fn call_once(&self, form: CallForm<'_>, args: &[OsString], stdin: Vec<u8>) -> Result<GitOutput> {
        let CallForm { pathspecs, env } = form;
        let mut all: Vec<OsString> = Vec::new();
        for setting in SETTINGS.iter().chain(self.settings) {
            all.push("-c".into());
            all.push(setting.into());
        }
        if let Some(hooks) = &self.hooks {
            all.extend(["-c".into(), hooks.setting()]);
        }
        if pathspecs == Pathspecs::Literal {
            all.push("--literal-pathspecs".into());
        }
        all.extend_from_slice(args);
        let mut command = Command::new(&self.program);
        for name in self.dropped_variables() {
            command.env_remove(name);
        }
        if pathspecs != Pathspecs::AsUserHasThem {
            PATHSPEC_VARIABLES.iter().for_each(|name| {
                command.env_remove(name);
            });
        }
        command.args(all).current_dir(&self.dir);
        command.envs(self.paths.iter().map(|variable| (variable.name, &variable.value)));
        command.envs(env.iter().map(|variable| (variable.name, &variable.value)));
        command
            .env(CALLER, std::process::id().to_string())
            .env("LC_ALL", "C")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_NO_REPLACE_OBJECTS", "1")
            .env("GIT_EDITOR", ":")
            .env("GIT_PAGER", "cat");
        let started = SystemTime::now();
        let finished = crate::process::call(command, stdin, &self.limit);
        let killed = match &finished {
            Ok(finished) => finished.status.signal().is_some(),
            Err(unfinished) => !matches!(unfinished, Unfinished::NotStarted(_)),
        };
        if killed {
            self.killed_programs.note(started);
        }
        match finished {
            Ok(Finished { status, stdout, stderr }) => {
                let mut output = GitOutput::from(Output { status, stdout, stderr });
                if let Some(hooks) = &self.hooks {
                    output.stderr = hooks.as_known(&output.stderr);
                }
                Ok(output)
            }
            Err(Unfinished::NotStarted(error)) => Err(self.could_not_start(&error)),
            Err(Unfinished::TimedOut(after)) => Err(hung(&format!("for {}", crate::text::duration(after)))),
            Err(Unfinished::Stopped) => Err(hung("for longer than a run that is stopped waits")),
        }
    }

    /// Calls git. Anything but success is an error that quotes git.
    pub(crate) fn demand<I, S>(&self, args: I) -> Result<Vec<u8>>
    where
        I: IntoIterator<Item = S>,
        S: AsRef<OsStr>,
    {
        let args: Vec<OsString> = args.into_iter().map(|arg| arg.as_ref().to_owned()).collect();
        let output = self.call(&args)?;
        if output.status.success() {
            return Ok(output.stdout);
        }
        let name = args.first().map(|arg| arg.to_string_lossy().into_owned()).unwrap_or_default();
        Err(output.into_error(&format!("git {name}")))
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
