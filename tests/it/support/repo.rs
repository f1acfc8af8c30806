//! Real repositories in temporary folders, with histories of any shape made in one go.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use super::garden::fast_folder;
use git_arborist::git::DiscoveryStart;
use git_arborist::history::Repository;
use git_arborist::record::{CommitId, TaskId};

/// A repository that is removed when this is dropped.
pub(crate) struct Repo {
    folder: tempfile::TempDir,
}

/// A commit to be made: parents are the places of earlier commits in the list.
#[derive(Clone, Debug, Default)]
pub(crate) struct Commit {
    pub(crate) parents: Vec<usize>,
    pub(crate) time: i64,
    pub(crate) message: String,
    /// What the commit changes against its first parent: paths with new content, or `None` to remove them.
    pub(crate) files: Vec<(String, Option<String>)>,
}

impl Repo {
    /// An empty repository made by `git init -b main ARGS`.
    pub(crate) fn init(args: &[&str]) -> Self {
        let repo = Self { folder: tempfile::tempdir_in(fast_folder()).unwrap() };
        repo.git(&[&["init", "-q", "-b", "main"], args].concat());
        repo
    }

    /// A repository with this history, the last commit of which is `HEAD`; and the ids of the commits.
    pub(crate) fn with(commits: &[Commit]) -> (Self, Vec<CommitId>) {
        let repo = Self::init(&[]);
        let ids = repo.import(commits);
        (repo, ids)
    }

    /// A copy made by `git clone ARGS FROM`.
    pub(crate) fn clone_of(from: &str, args: &[&str]) -> Self {
        let repo = Self { folder: tempfile::tempdir_in(fast_folder()).unwrap() };
        repo.git(&[&["clone", "-q"], args, &[from, "."]].concat());
        repo
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Opened for reading, as commands do it.
    pub(crate) fn open(&self) -> Repository {
        Repository::open(self.place(), Path::new("git")).unwrap()
    }

    /// Opened for reading by the git program alone.
    pub(crate) fn open_with_program(&self) -> Repository {
        Repository::open_with_program(self.place(), Path::new("git")).unwrap()
    }

    pub(crate) fn place(&self) -> DiscoveryStart {
        DiscoveryStart::Folder(self.path().to_owned())
    }

    pub(crate) fn head(&self) -> CommitId {
        self.id_of("HEAD")
    }

    pub(crate) fn id_of(&self, revision: &str) -> CommitId {
        self.git(&["rev-parse", revision]).parse().unwrap()
    }

    /// Runs git here and gives its output; it must succeed.
    pub(crate) fn git(&self, args: &[&str]) -> String {
        let output = git(self.path(), args).output().unwrap();
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "git {args:?}: {words}");
        String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
    }

    /// Makes the commits, moves `main` to the last of them, and gives their ids.
    pub(crate) fn import(&self, commits: &[Commit]) -> Vec<CommitId> {
        let marks = self.path().join(".git/import-marks");
        let export = format!("--export-marks={}", marks.display());
        let mut child =
            git(self.path(), &["fast-import", "--quiet", "--force", "--date-format=raw", &export])
                .stdin(Stdio::piped())
                .spawn()
                .unwrap();
        child.stdin.take().unwrap().write_all(stream(commits).as_bytes()).unwrap();
        assert!(child.wait().unwrap().success());
        let text = std::fs::read_to_string(marks).unwrap();
        let ids: HashMap<usize, CommitId> = text.lines().map(mark).collect();
        (0..commits.len()).map(|place| ids[&(place + 1)]).collect()
    }
}

fn mark(line: &str) -> (usize, CommitId) {
    let (mark, id) = line[1..].split_once(' ').unwrap();
    (mark.parse().unwrap(), id.parse().unwrap())
}

fn stream(commits: &[Commit]) -> String {
    let mut text = String::new();
    for (place, commit) in commits.iter().enumerate() {
        let person = format!("A <a@example.com> {} +0000", commit.time);
        if commit.parents.is_empty() {
            text.push_str("reset refs/heads/main\n");
        }
        writeln!(text, "commit refs/heads/main\nmark :{}\nauthor {person}\ncommitter {person}", place + 1)
            .unwrap();
        writeln!(text, "data {}\n{}", commit.message.len(), commit.message).unwrap();
        for (number, parent) in commit.parents.iter().enumerate() {
            let key = if number == 0 { "from" } else { "merge" };
            writeln!(text, "{key} :{}", parent + 1).unwrap();
        }
        for (path, content) in &commit.files {
            match content {
                Some(content) => {
                    writeln!(text, "M 100644 inline {path}\ndata {}\n{content}", content.len()).unwrap();
                }
                None => writeln!(text, "D {path}").unwrap(),
            }
        }
        text.push('\n');
    }
    text
}

/// Whether git can create such a repository. If not, a test that needs one prints a message and ends.
pub(crate) fn git_can_init(args: &[&str]) -> bool {
    let folder = tempfile::tempdir_in(fast_folder()).unwrap();
    let can = git(folder.path(), &[&["init", "-q"], args].concat()).output().unwrap().status.success();
    if !can {
        super::skip::skip(&format!("this git has no `git init {}`", args.join(" ")));
    }
    can
}

/// The command `git ARGS` in a folder, away from all settings of the machine.
pub(crate) fn git(folder: &Path, args: &[&str]) -> Command {
    let mut git = command(folder, "git");
    git.args(args);
    git
}

/// A command in a folder, away from all settings of the machine.
pub(crate) fn command(folder: &Path, program: &str) -> Command {
    let mut command = command_on(std::env::var_os("PATH").unwrap_or_default(), program);
    command.current_dir(folder).stdin(Stdio::null());
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("GIT_") {
            command.env_remove(name);
        }
    }
    let person = |role: &str| [format!("GIT_{role}_NAME"), format!("GIT_{role}_EMAIL")];
    for name in ["AUTHOR", "COMMITTER"].into_iter().flat_map(person) {
        command.env(name, "a@example.com");
    }
    command
        .env("HOME", folder)
        .env("LC_ALL", "C")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null");
    command
}

/// The program of this name in the folders of `path`, as a command. Given a whole path, the standard library starts it without
/// a fork. Forking these tests, which take much memory, costs more than most of the programs that they start.
pub(crate) fn command_on(path: impl AsRef<OsStr>, program: &str) -> Command {
    let mut files = std::env::split_paths(&path).map(|folder| folder.join(program));
    let mut command = Command::new(files.find(|file| file.is_file()).unwrap_or_else(|| program.into()));
    command.arg0(program);
    command
}

/// The leaves of a tree: pairs of leaf and phase.
pub(crate) fn tasks(pairs: &[(&str, &str)]) -> HashMap<TaskId, TaskId> {
    pairs.iter().map(|(leaf, phase)| (id(leaf), id(phase))).collect()
}

pub(crate) fn id(text: &str) -> TaskId {
    TaskId::parse(text).unwrap()
}

/// A folder of test data.
pub(crate) fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

/// What a program prints for an input.
pub(crate) fn piped(mut program: Command, input: &str) -> Output {
    let mut child = program.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

pub(crate) fn text(output: Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Writes an executable file from another process. A file that this process has open for writing cannot be executed, and
/// neither can it be while a child that another thread has just forked still has it open.
pub(crate) fn write_program(file: &Path, content: &[u8]) {
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    let mut write = Command::new("sh");
    write.args(["-c", "cat >\"$0\" && chmod 755 \"$0\""]).arg(file);
    let mut child = write.stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(content).unwrap();
    assert!(child.wait().unwrap().success(), "{}", file.display());
}
