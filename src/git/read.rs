//! Starts git to read a repository: only plumbing commands, independent of the settings of the user and the repository.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};
use std::thread::JoinHandle;

use super::call::{Discovery, Git, LOCAL_VARIABLES, PATHSPEC_VARIABLES};
use crate::error::{Error, Kind, Result};

/// Where the discovery of a repository starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DiscoveryStart {
    /// As git itself does it: from `GIT_DIR` and similar variables, otherwise upwards from the current folder.
    Environment,
    /// Upwards from this folder, even if the environment names another repository.
    Folder(PathBuf),
}

impl Git {
    /// Where this git starts to look for a repository.
    #[must_use]
    pub fn discovery_start(&self) -> DiscoveryStart {
        match self.discovery {
            Discovery::Environment => DiscoveryStart::Environment,
            Discovery::FolderAlone => DiscoveryStart::Folder(self.dir.clone()),
        }
    }
}

/// The git program, for one repository.
#[derive(Clone, Debug)]
pub struct GitProgram {
    program: PathBuf,
    place: DiscoveryStart,
}

impl GitProgram {
    /// The program at `program`, for the repository at `place`. Starts nothing.
    #[must_use]
    pub fn new(program: &Path, place: DiscoveryStart) -> Self {
        Self { program: program.to_owned(), place }
    }

    /// The command `git ARGS`, set up for reading.
    pub(super) fn command<I: IntoIterator<Item = S>, S: AsRef<OsStr>>(&self, args: I) -> Command {
        let mut command = Command::new(&self.program);
        if let DiscoveryStart::Folder(folder) = &self.place {
            command.current_dir(folder);
            LOCAL_VARIABLES.iter().for_each(|name| {
                command.env_remove(name);
            });
        }
        PATHSPEC_VARIABLES.iter().for_each(|name| {
            command.env_remove(name);
        });
        command
            .env("GIT_NO_REPLACE_OBJECTS", "1")
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("LC_ALL", "C")
            .env_remove("LANGUAGE")
            .args([
                "--no-pager",
                "-c",
                "core.fsmonitor=false",
                "-c",
                "color.ui=false",
                "-c",
                "log.showSignature=false",
            ])
            .args(args)
            .stdin(Stdio::null());
        command
    }

    /// Runs `git ARGS` until it ends and returns all its output.
    ///
    /// # Errors
    /// [`Kind::Environment`] if git cannot be started. A git that ran and failed is not an error here.
    pub fn run(&self, args: &[&str]) -> Result<Output> {
        self.command(args).output().map_err(|error| self.not_started(&error))
    }

    /// Runs `git ARGS` and returns its standard output without the line end.
    ///
    /// # Errors
    /// [`Kind::Environment`] if git cannot be started, [`Kind::Repository`] with git's own words if it failed.
    pub fn line(&self, args: &[&str]) -> Result<Vec<u8>> {
        let mut output = self.run(args)?;
        if !output.status.success() {
            return Err(refusal(&output.stderr));
        }
        if output.stdout.last() == Some(&b'\n') {
            output.stdout.pop();
        }
        Ok(output.stdout)
    }

    /// Starts `git cat-file --batch`.
    ///
    /// # Errors
    /// [`Kind::Environment`] if git cannot be started.
    pub fn cat_file(&self) -> Result<CatFile> {
        let mut child = self
            .command(["cat-file", "--batch"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| self.not_started(&error))?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(input), Some(output), Some(errors)) = pipes else {
            return Err(Error::new(Kind::Environment, "git was started without pipes", ""));
        };
        Ok(CatFile {
            child,
            input: Some(BufWriter::new(input)),
            output: Some(BufReader::with_capacity(1 << 16, output)),
            errors: Some(std::thread::spawn(move || first_bytes(errors))),
        })
    }

    pub(super) fn not_started(&self, error: &std::io::Error) -> Error {
        Error::new(
            Kind::Environment,
            format!("git ({}) cannot be started: {error}", self.program.display()),
            "Install git, or correct PATH.",
        )
    }
}

/// Turns git's standard error into an error. The first line says what is wrong, and the rest is the remedy.
fn refusal(stderr: &[u8]) -> Error {
    let text = String::from_utf8_lossy(stderr);
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or("git failed without a message");
    let first = ["fatal: ", "error: "].iter().find_map(|head| first.strip_prefix(head)).unwrap_or(first);
    let rest: Vec<_> = lines.collect();
    let remedy = if !rest.is_empty() {
        rest.join("\n")
    } else if first.contains("not a git repository") {
        "Go to a folder of a repository, or make one with `git init`.".to_owned()
    } else {
        "Run `git status` to see what git says about this repository.".to_owned()
    };
    Error::new(Kind::Repository, first, remedy)
}

/// Reads to the end so that the writer never waits, but keeps only the beginning, which is enough for a message.
fn first_bytes(mut from: impl Read) -> Vec<u8> {
    let mut kept = Vec::new();
    let mut chunk = [0; 4096];
    while let Ok(count @ 1..) = from.read(&mut chunk) {
        let room = 8192_usize.saturating_sub(kept.len());
        kept.extend_from_slice(&chunk[..count.min(room)]);
    }
    kept
}

/// A running `git cat-file --batch`, which is asked for one object after another. There is no time limit as for other
/// calls, because git runs no program of the user here. It waits only for the disk or, in a partial clone, for the
/// network, and only the user knows how long that may take.
pub struct CatFile {
    child: Child,
    input: Option<BufWriter<ChildStdin>>,
    output: Option<BufReader<ChildStdout>>,
    errors: Option<JoinHandle<Vec<u8>>>,
}

impl CatFile {
    /// Replaces the content of `into` with that of the object `name`, and returns its type.
    ///
    /// # Errors
    /// Git's message if the object is missing or cannot be read.
    pub fn read(&mut self, name: &str, into: &mut Vec<u8>) -> std::result::Result<String, String> {
        into.clear();
        self.copy(name, into)
    }

    /// Writes the content of the object `name`, which may be of any size, and returns its type.
    ///
    /// # Errors
    /// Git's message if the object is missing or cannot be read, or the reason why it cannot be written.
    pub fn copy(&mut self, name: &str, into: &mut impl Write) -> std::result::Result<String, String> {
        match self.ask(name, into) {
            Ok(Some(kind)) => Ok(kind),
            Ok(None) => Err(format!("it is missing\n{}", self.last_words()).trim().to_owned()),
            Err(error) => {
                let words = self.last_words();
                Err(if words.is_empty() { error.to_string() } else { words })
            }
        }
    }

    /// Asks for one object. Returns its type, or `None` if git has no such object.
    fn ask(&mut self, name: &str, into: &mut impl Write) -> std::io::Result<Option<String>> {
        let ended = || std::io::Error::other("git cat-file ended");
        let input = self.input.as_mut().ok_or_else(ended)?;
        let output = self.output.as_mut().ok_or_else(ended)?;
        writeln!(input, "{name}")?;
        input.flush()?;
        let mut header = String::new();
        output.read_line(&mut header)?;
        let mut words = header.split_ascii_whitespace();
        let (Some(_), Some(kind), size) = (words.next(), words.next(), words.next()) else {
            return Err(ended());
        };
        let Some(size) = size.and_then(|size| size.parse::<u64>().ok()) else { return Ok(None) };
        let kind = kind.to_owned();
        if std::io::copy(&mut output.by_ref().take(size), into)? < size {
            return Err(ended());
        }
        let mut line_end = [0];
        output.read_exact(&mut line_end)?;
        Ok(Some(kind))
    }

    /// Ends the process and returns its standard error.
    fn last_words(&mut self) -> String {
        self.end();
        let words = self.errors.take().and_then(|reader| reader.join().ok()).unwrap_or_default();
        let text = String::from_utf8_lossy(&words);
        text.trim().trim_start_matches("fatal: ").trim_start_matches("error: ").to_owned()
    }

    fn end(&mut self) {
        self.input = None;
        self.output = None;
        // It ends by itself once its input is closed, unless it is waiting for the network; hence the signal.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for CatFile {
    fn drop(&mut self) {
        self.end();
    }
}
