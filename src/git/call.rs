//! Calls the git program. No other module does.

use std::ffi::{OsStr, OsString};
use std::os::unix::process::ExitStatusExt;
use std::process::Command;
use std::time::SystemTime;

use super::Git;
use super::killed::LockWaits;
use super::output::GitOutput;
use super::program::{Discovery, LOCAL_VARIABLES, UnwrittenSetting, Variable};
use super::refusal::{about_repository, hung};
use super::running::Running;
use super::temporary_index::TemporaryIndex;
use crate::error::Result;
use crate::process::{Finished, Unfinished};

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

/// Variables for every call.
const ENVIRONMENT: [(&str, &str); 5] = [
    ("LC_ALL", "C"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_EDITOR", ":"),
    ("GIT_PAGER", "cat"),
];

/// The variables that change how git reads the paths on every command line.
const PATHSPEC_VARIABLES: [&str; 4] =
    ["GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS"];

/// How paths on a command line are to be read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pathspecs {
    /// Every path is taken literally, character by character.
    Literal,
    /// Patterns with git's magic.
    Magic,
    /// The call has no paths, but its hooks may: they see the user's environment unchanged.
    AsUserHasThem,
}

/// A call of git that has not begun.
#[must_use]
pub(crate) struct Call<'g> {
    git: &'g Git,
    args: Vec<OsString>,
    pathspecs: Pathspecs,
    has_hooks: bool,
    variables: Vec<Variable>,
    stdin: Vec<u8>,
}

impl Git {
    /// A call with these arguments. Paths among them are taken literally.
    pub(crate) fn command<I, S>(&self, args: I) -> Call<'_>
    where
        I: IntoIterator<Item = S>,
        S: AsRef<OsStr>,
    {
        Call {
            git: self,
            args: args.into_iter().map(|arg| arg.as_ref().to_owned()).collect(),
            pathspecs: Pathspecs::Literal,
            has_hooks: true,
            variables: Vec::new(),
            stdin: Vec::new(),
        }
    }

    /// Calls git with these arguments and waits until it ends, successfully or not.
    pub(crate) fn call<I, S>(&self, args: I) -> Result<GitOutput>
    where
        I: IntoIterator<Item = S>,
        S: AsRef<OsStr>,
    {
        self.command(args).output()
    }

    /// Calls git and returns its standard output. Anything but success is an error that quotes git.
    pub(crate) fn demand<I, S>(&self, args: I) -> Result<Vec<u8>>
    where
        I: IntoIterator<Item = S>,
        S: AsRef<OsStr>,
    {
        self.command(args).demand()
    }

    /// Calls git with a question about its repository, and returns the answer without the line end.
    ///
    /// # Errors
    /// [`crate::error::Kind::Environment`] if git cannot be started, [`crate::error::Kind::Repository`] with git's own words if it fails.
    pub(crate) fn answer<I, S>(&self, args: I) -> Result<Vec<u8>>
    where
        I: IntoIterator<Item = S>,
        S: AsRef<OsStr>,
    {
        let mut output = self.call(args)?;
        if !output.status.success() {
            return Err(about_repository(&output.stderr));
        }
        if output.stdout.last() == Some(&b'\n') {
            output.stdout.pop();
        }
        Ok(output.stdout)
    }
}

impl Call<'_> {
    /// Takes the paths on the command line as patterns with git's magic.
    pub(super) fn with_patterns(self) -> Self {
        Self { pathspecs: Pathspecs::Magic, ..self }
    }

    /// Leaves the environment of the hooks that git runs as the user has it. There are no paths on the command line.
    pub(super) fn with_hooks_of_user(self) -> Self {
        Self { pathspecs: Pathspecs::AsUserHasThem, ..self }
    }

    /// Keeps git from running any hook.
    pub(super) fn without_hooks(self) -> Self {
        Self { has_hooks: false, ..self }
    }

    /// Adds variables to git's environment.
    pub(super) fn env(mut self, variables: impl IntoIterator<Item = Variable>) -> Self {
        self.variables.extend(variables);
        self
    }

    /// Lets git use another index than that of the work tree, if one is given.
    pub(super) fn on_index(self, index: Option<&TemporaryIndex>) -> Self {
        self.env(index.map(TemporaryIndex::variable))
    }

    /// Passes bytes to git's standard input.
    pub(crate) fn stdin(self, stdin: impl Into<Vec<u8>>) -> Self {
        Self { stdin: stdin.into(), ..self }
    }

    /// Waits until git has ended, successfully or not. If another git is in the way (by its lock file, or because its
    /// `gc` has just removed a folder of objects), the call has changed nothing, and is repeated until the other git is
    /// done. Even `git status` takes a lock for a moment.
    pub(crate) fn output(self) -> Result<GitOutput> {
        let mut waits = LockWaits::new();
        loop {
            let output = self.once()?;
            if !output.meets_another_git() || self.git.limit.is_end_wanted() || !waits.wait() {
                return Ok(output);
            }
        }
    }

    /// Waits until git has ended, and returns its standard output. Anything but success is an error that quotes git.
    pub(crate) fn demand(self) -> Result<Vec<u8>> {
        self.output()?.success()
    }

    /// Starts git and leaves it running, to be asked and read piece by piece. There is no time limit as for other calls,
    /// because such a git runs no program of the user. It waits only for the disk or, in a partial clone, for the network,
    /// and only the user knows how long that may take.
    pub(super) fn spawn(self) -> Result<Running> {
        Running::start(&mut self.process(), self.name()).map_err(|error| self.git.could_not_start(&error))
    }

    /// Starts git and lets its answer be read while git writes it, with duct, which also passes on what is to be read from standard
    /// input. There is no time limit, as for [`Call::spawn`].
    pub(super) fn reader(self) -> Result<duct::ReaderHandle> {
        let process = self.process();
        let mut command = duct::cmd(process.get_program(), process.get_args());
        if let Some(folder) = process.get_current_dir() {
            command = command.dir(folder);
        }
        for (name, value) in process.get_envs() {
            command = match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        let reader = command.stdin_bytes(self.stdin).stderr_capture().unchecked().reader();
        reader.map_err(|error| self.git.could_not_start(&error))
    }

    /// The command for messages, for example `git update-ref` or `git worktree add`.
    fn name(&self) -> String {
        let mut words = Vec::new();
        let mut args = self.args.iter().map(|arg| arg.to_string_lossy());
        while let Some(arg) = args.next() {
            if arg == "-c" {
                args.next();
            } else if !arg.starts_with('-') {
                let is_whole = !words.is_empty() || arg != "worktree" && arg != "submodule";
                words.push(arg);
                if is_whole {
                    break;
                }
            }
        }
        format!("git {}", words.join(" "))
    }

    fn once(&self) -> Result<GitOutput> {
        let started = SystemTime::now();
        let finished = crate::process::call(self.process(), self.stdin.clone(), &self.git.limit);
        let killed = match &finished {
            Ok(finished) => finished.status.signal().is_some(),
            Err(unfinished) => !matches!(unfinished, Unfinished::NotStarted(_)),
        };
        if killed {
            self.git.killed_programs.note(started, SystemTime::now());
        }
        match finished {
            Ok(Finished { status, stdout, stderr }) => {
                let stderr = String::from_utf8_lossy(&stderr).into_owned();
                Ok(GitOutput { call: self.name(), status, stdout, stderr })
            }
            Err(Unfinished::NotStarted(error)) => Err(self.git.could_not_start(&error)),
            Err(Unfinished::TimedOut(after)) => Err(hung(&format!("for {}", crate::text::duration(after)))),
            Err(Unfinished::Stopped) => Err(hung("for longer than a run that is stopped waits")),
        }
    }

    /// The program to start, with everything that keeps the user's settings from changing its meaning.
    fn process(&self) -> Command {
        let git = self.git;
        let mut command = git.bare_command();
        for setting in SETTINGS.iter().chain(git.settings.fixed) {
            command.args(["-c", setting]);
        }
        if let Some(folder) = &git.hooks {
            let mut setting = OsString::from("core.hooksPath=");
            setting.push(folder);
            command.arg("-c").arg(setting);
        }
        if !self.has_hooks {
            command.args(["-c", "core.hooksPath=/dev/null"]);
        }
        if self.pathspecs == Pathspecs::Literal {
            command.arg("--literal-pathspecs");
        }
        command.args(&self.args);
        if self.pathspecs != Pathspecs::AsUserHasThem {
            for name in PATHSPEC_VARIABLES {
                command.env_remove(name);
            }
        }
        command.envs(self.variables.iter().map(|variable| (variable.name, &variable.value)));
        command.env(CALLER, std::process::id().to_string()).envs(ENVIRONMENT);
        command
    }
}

impl Git {
    /// git in its folder, for its repository, without any settings of ours.
    fn bare_command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.current_dir(&self.dir);
        if self.discovery == Discovery::FolderAlone {
            for name in LOCAL_VARIABLES {
                command.env_remove(name);
            }
        }
        command.envs(self.variables.iter().map(|variable| (variable.name, &variable.value)));
        let unwritten = &self.settings.unwritten;
        if !unwritten.is_empty() {
            command.env("GIT_CONFIG_COUNT", unwritten.len().to_string());
        }
        for (number, UnwrittenSetting { key, value }) in unwritten.iter().enumerate() {
            command
                .env(format!("GIT_CONFIG_KEY_{number}"), key)
                .env(format!("GIT_CONFIG_VALUE_{number}"), value);
        }
        command
    }

    /// Starts `git config`, and leaves it running. Our own settings are not passed to it, because they would be among its
    /// answers.
    pub(super) fn spawn_config(&self, args: &[&str]) -> Result<Running> {
        let mut command = self.bare_command();
        command.arg("config").args(args).env("LC_ALL", "C");
        Running::start(&mut command, "git config".to_owned()).map_err(|error| self.could_not_start(&error))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::git::DiscoveryStart;

    #[test]
    fn a_call_has_the_name_of_its_command_in_messages() {
        let git = Git::for_reading(Path::new("git"), DiscoveryStart::Environment);
        for (args, name) in [
            (&["update-ref", "refs/heads/a"][..], "git update-ref"),
            (&["-c", "a.b=c", "--no-optional-locks", "status", "--", "worktree"], "git status"),
            (&["worktree", "add", "--quiet", "folder"], "git worktree add"),
            (&["submodule", "--quiet", "update", "--init"], "git submodule update"),
            (&["--version"], "git "),
        ] {
            assert_eq!(git.command(args).name(), name);
        }
    }

    #[test]
    fn settings_of_ours_come_before_the_command_and_hooks_only_where_they_may_run() {
        let git = Git::for_reading(Path::new("git"), DiscoveryStart::Folder("/".into()));
        let process = git.command(["update-ref"]).without_hooks().process();
        let args: Vec<_> = process.get_args().map(|arg| arg.to_string_lossy()).collect();
        let command = args.iter().position(|arg| arg == "update-ref").unwrap();
        for setting in SETTINGS.iter().chain(&["core.fsmonitor=false", "core.hooksPath=/dev/null"]) {
            assert!(args[..command].iter().any(|arg| arg == setting), "{setting}");
        }
        assert_eq!(args[command - 1], "--literal-pathspecs");
        let removed = |name: &str| process.get_envs().any(|it| it == (OsStr::new(name), None));
        assert!(removed("GIT_DIR") && removed("GIT_GLOB_PATHSPECS"));
    }
}
