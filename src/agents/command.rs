//! Checks whether the command of a runner can start, as far as possible without running it.
//!
//! In the end, the shell decides. So only what is certain to be missing is reported: the first program of a plain command,
//! or the script that an interpreter should read.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use regex_lite::Regex;

use super::Lookup;
use crate::config::Environment;

/// Whether a command can start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommandCheck {
    /// The program that it starts exists.
    Found,
    /// Only the shell can tell.
    Unknown,
    /// It cannot start.
    Missing(Missing),
}

/// Why a command cannot start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Missing {
    /// No folder of PATH has a program of this name.
    NotOnPath(String),
    /// There is no such file.
    NoFile(PathBuf),
    /// It is a folder or another thing that is not a file.
    NotAFile(PathBuf),
    /// The file is not executable.
    NotExecutable(PathBuf),
}

impl Missing {
    /// The file, if the command names one.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::NotOnPath(_) => None,
            Self::NoFile(path) | Self::NotAFile(path) | Self::NotExecutable(path) => Some(path),
        }
    }

    /// The advice, as a sentence.
    #[must_use]
    pub fn remedy(&self, runner: &str) -> String {
        match self {
            Self::NotExecutable(path) => format!("Make it executable: `chmod +x '{}'`.", path.display()),
            _ => format!("Correct it: `git config arborist.runner.{runner}.command 'COMMAND'`."),
        }
    }
}

impl fmt::Display for Missing {
    /// A clause without a full stop.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotOnPath(name) => write!(f, "there is no program {name} on PATH"),
            Self::NoFile(path) => write!(f, "there is no file {}", path.display()),
            Self::NotAFile(path) => write!(f, "{} is not a file", path.display()),
            Self::NotExecutable(path) => write!(f, "{} is not executable", path.display()),
        }
    }
}

/// The first program of a command and the word behind it, after variables and words that only start another program. They are
/// quoted or plain; what only a shell understands does not match.
static BEGINNING: LazyLock<Regex> = LazyLock::new(|| {
    let word = r#"(?:'([^']+)'|"([^"$`\\]+)"|([\w./+@%:,~-]+))"#;
    let before = r"(?:[A-Za-z_]\w*=[\w./+@%:,~-]*\s+|(?:exec|command|nohup|env|setsid)\s+)*";
    let pattern = format!(r"^\s*{before}{word}(?:[ \t]+{word})?(?:[\s;|&#<>]|$)");
    Regex::new(&pattern).expect("the pattern is valid")
});

/// Programs that read a script, whose name is their first word that is not an option.
const INTERPRETERS: &[&str] =
    &["sh", "bash", "dash", "zsh", "ksh", "python", "python3", "node", "ruby", "perl", "deno", "bun"];

/// The shell's builtins and its reserved words.
const OF_THE_SHELL: &[&str] = &[
    "!", ".", ":", "[", "[[", "{", "alias", "bg", "break", "builtin", "case", "cd", "continue", "echo",
    "eval", "exit", "export", "false", "fg", "for", "function", "getopts", "hash", "if", "jobs", "kill",
    "local", "printf", "pwd", "read", "readonly", "return", "select", "set", "shift", "source", "test",
    "time", "times", "trap", "true", "type", "ulimit", "umask", "unset", "until", "wait", "while",
];

/// Checks a command that a shell will run at the top of the work tree.
#[must_use]
pub fn check_command(command: &str, environment: &Environment, lookup: &Lookup) -> CommandCheck {
    let Some(found) = BEGINNING.captures(command) else { return CommandCheck::Unknown };
    let group = |number| found.get(number).map(|found| found.as_str());
    let quoted = group(1).or(group(2));
    let first = match (quoted, group(3).unwrap_or_default()) {
        (Some(quoted), _) => quoted.to_owned(),
        (None, plain) => match (plain.strip_prefix("~/"), environment.get("HOME")) {
            (Some(below), Some(home)) => format!("{home}/{below}"),
            _ if plain.starts_with(['~', '-']) || OF_THE_SHELL.contains(&plain) => {
                return CommandCheck::Unknown;
            }
            _ => plain.to_owned(),
        },
    };
    if let Some(missing) = missing_program(&first, lookup) {
        return CommandCheck::Missing(missing);
    }
    let name = first.rsplit('/').next().expect("a split text has a last part");
    match group(4).or(group(5)).or(group(6)) {
        Some(script) if INTERPRETERS.contains(&name) && looks_like_a_file(script) => {
            missing_file(&lookup.top().join(script)).map_or(CommandCheck::Found, CommandCheck::Missing)
        }
        _ => CommandCheck::Found,
    }
}

fn missing_program(word: &str, lookup: &Lookup) -> Option<Missing> {
    if !word.contains('/') {
        // A program that exists only in the work tree is found by the shell.
        return matches!(lookup.find(word), Ok(None)).then(|| Missing::NotOnPath(word.to_owned()));
    }
    let path = lookup.top().join(word);
    missing_file(&path).or_else(|| {
        rustix::fs::access(&path, rustix::fs::Access::EXEC_OK)
            .is_err()
            .then_some(Missing::NotExecutable(path))
    })
}

fn missing_file(path: &Path) -> Option<Missing> {
    match path.metadata() {
        Err(_) => Some(Missing::NoFile(path.to_owned())),
        Ok(meta) if !meta.is_file() => Some(Missing::NotAFile(path.to_owned())),
        Ok(_) => None,
    }
}

/// Whether a word is the path of a script and not an option or the name of a subcommand.
fn looks_like_a_file(word: &str) -> bool {
    !word.starts_with('-') && (word.contains('/') || Path::new(word).extension().is_some())
}

#[cfg(test)]
mod tests;
