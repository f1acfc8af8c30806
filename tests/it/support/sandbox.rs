//! A folder with a home of its own, git in a clean environment, and our programs on PATH.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use super::garden::fast_folder;
use super::repo::{command_on, write_program};

/// What a program said and how it ended.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) status: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Said {
    pub(crate) fn of(Output { status, stdout, stderr }: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Self { status: status.code().unwrap_or(-1), out: text(stdout), err: text(stderr) }
    }

    #[track_caller]
    pub(crate) fn ok(self) -> Self {
        assert_eq!(self.status, 0, "{self:?}");
        self
    }

    #[track_caller]
    pub(crate) fn refused(self) -> Self {
        assert_ne!(self.status, 0, "{self:?}");
        self
    }
}

/// A folder for one test.
pub(crate) struct Sandbox {
    folder: tempfile::TempDir,
    path: OsString,
}

impl Sandbox {
    pub(crate) fn new() -> Self {
        Self::with_first_on_path(&[])
    }

    fn with_first_on_path(folders: &[PathBuf]) -> Self {
        let bin = Path::new(env!("CARGO_BIN_EXE_git-arborist-hooks")).parent().unwrap().to_owned();
        let old = std::env::var_os("PATH").unwrap_or_default();
        let first = std::iter::once(bin).chain(folders.iter().cloned());
        let path = std::env::join_paths(first.chain(std::env::split_paths(&old))).unwrap();
        let sandbox = Self { folder: tempfile::tempdir_in(fast_folder()).unwrap(), path };
        fs::create_dir(sandbox.home()).unwrap();
        sandbox
    }

    /// A repository in each of these formats that git can make: by the first git on PATH, or, if `EVERY_GIT` is set, by
    /// each of them.
    pub(crate) fn in_formats(formats: &[&str]) -> Vec<Self> {
        let mut kinds = Vec::new();
        let old = std::env::var_os("PATH").unwrap_or_default();
        let mut versions = std::collections::BTreeSet::new();
        let count = if std::env::var_os("EVERY_GIT").is_some() { usize::MAX } else { 1 };
        for folder in std::env::split_paths(&old).filter(|folder| folder.join("git").is_file()).take(count) {
            let said = Command::new(folder.join("git")).arg("version").output().unwrap();
            let version = String::from_utf8_lossy(&said.stdout).trim().to_owned();
            if !versions.insert(version.clone()) {
                continue;
            }
            for &format in formats {
                let sandbox = Self::with_first_on_path(std::slice::from_ref(&folder));
                fs::create_dir(sandbox.repo()).unwrap();
                let args: Vec<&str> =
                    ["init", "-q", "-b", "main", format].into_iter().filter(|arg| !arg.is_empty()).collect();
                if sandbox.git(&args).status == 0 {
                    kinds.push(sandbox);
                } else {
                    super::skip::skip(&format!("{version} has no {format}"));
                }
            }
        }
        kinds
    }

    /// A copy of its own, repository and all.
    pub(crate) fn copied(&self) -> Self {
        let copy = Self { folder: tempfile::tempdir_in(fast_folder()).unwrap(), path: self.path.clone() };
        let [from, to] = [self.root(), copy.root()].map(|folder| folder.join("."));
        assert!(Command::new("cp").arg("-a").args([from, to]).status().unwrap().success());
        copy
    }

    /// The same, with a repository in `repo`.
    pub(crate) fn with_repo() -> Self {
        let sandbox = Self::new();
        fs::create_dir(sandbox.repo()).unwrap();
        sandbox.git(&["init", "-q", "-b", "main"]).ok();
        sandbox
    }

    pub(crate) fn root(&self) -> &Path {
        self.folder.path()
    }

    /// The folders of PATH that lack our programs.
    pub(crate) fn path_without_us(&self) -> Vec<PathBuf> {
        let folders = std::env::split_paths(&self.path);
        folders.filter(|folder| !folder.join("git-arborist-hooks").exists()).collect()
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.root().join("home")
    }

    pub(crate) fn repo(&self) -> PathBuf {
        self.root().join("repo")
    }

    pub(crate) fn hook_path(&self, name: &str) -> PathBuf {
        self.repo().join(".git/hooks").join(name)
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.repo().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    pub(crate) fn script(&self, path: &Path, text: &str) {
        write_program(path, format!("#!/bin/sh\n{text}\n").as_bytes());
    }

    pub(crate) fn command(&self, dir: &Path, program: &str) -> Command {
        let mut command = command_on(&self.path, program);
        command.current_dir(dir).env_clear().env("PATH", &self.path).env("HOME", self.home());
        command.envs([("GIT_CONFIG_NOSYSTEM", "1"), ("LC_ALL", "C.UTF-8"), ("GIT_TERMINAL_PROMPT", "0")]);
        command.envs([("GIT_AUTHOR_NAME", "A"), ("GIT_AUTHOR_EMAIL", "a@example.com")]);
        command.envs([("GIT_COMMITTER_NAME", "A"), ("GIT_COMMITTER_EMAIL", "a@example.com")]);
        command.stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, command: &mut Command) -> Said {
        Said::of(command.output().unwrap())
    }

    pub(crate) fn git_in(&self, dir: &Path, args: &[&str]) -> Said {
        self.run(self.command(dir, "git").args(args))
    }

    pub(crate) fn git(&self, args: &[&str]) -> Said {
        self.git_in(&self.repo(), args)
    }

    /// Runs git with an editor that is this shell script; the file is `$1`.
    pub(crate) fn git_with_editor(&self, editor: &str, args: &[&str]) -> Said {
        let path = self.root().join("editor");
        self.script(&path, editor);
        self.run(self.command(&self.repo(), "git").env("GIT_EDITOR", &path).args(args))
    }

    pub(crate) fn arborist(&self, args: &[&str]) -> Said {
        self.run(self.command(&self.repo(), "git").arg("arborist").args(args))
    }

    /// Commits everything with this message.
    pub(crate) fn commit(&self, message: &str) -> Said {
        let count = self.git(&["rev-list", "--count", "--all"]).out;
        self.write("file", count.as_bytes());
        self.git(&["add", "-A"]).ok();
        let path = self.root().join("message");
        fs::write(&path, message).unwrap();
        self.git(&["commit", "-q", "-F", path.to_str().unwrap()])
    }
}

/// A step of a task, in order.
pub(crate) fn step(task: &str, step: &str, outcome: &str) -> String {
    let (key, subject, more) = match (step, outcome) {
        ("implement", _) => ("Result", "implement \"x\"", "Arborist-Retry: 0\n"),
        ("test", "pass") => (
            "Test",
            "tests pass for \"x\"",
            "Arborist-Retry: 0\nArborist-Test-Type: unit\nArborist-Test-Runtime: 1\n",
        ),
        ("review", "approved") => ("Review", "review approved for \"x\"", "Arborist-Retry: 0\n"),
        ("complete", "pass") => ("Result", "complete \"x\"", "Arborist-Report: file\n"),
        other => panic!("no message for {other:?}"),
    };
    format!("task({task}): {subject}\n\nArborist-Step: {step}\nArborist-{key}: {outcome}\n{more}")
}
