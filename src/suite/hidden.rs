//! Says what is wrong with a command that ends with success although tests failed, and with one whose program is missing.

use super::frameworks::program_of;
use super::results::TestRun;
use crate::process::ExitReason;
use crate::text::{clean, one_line, simple_commands};

/// What a command can do that makes its exit status say nothing about the tests, the most likely cause first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HiddenCause {
    /// `pytest || true`.
    Ignored,
    /// `pytest | tee log`.
    Pipe,
    /// `pytest; echo done`.
    Sequence,
    /// Another one, for example in a script.
    Unknown,
}

impl TestRun {
    /// What is wrong with a command that hides failures, as a clause after `shown`, the command as it may be shown.
    #[must_use]
    pub fn hidden_failures(&self, shown: &str) -> String {
        let failed = self.counts.map_or(0, |counts| counts.failed);
        format!("`{shown}` hides failures: it printed {failed} failed and ended with 0")
    }

    /// What makes it fail when its tests do, as a sentence.
    #[must_use]
    pub fn remedy_for_hidden_failures(&self) -> &'static str {
        match cause(&self.command) {
            HiddenCause::Ignored => "Remove what follows `||`: it turns a failure into a success.",
            HiddenCause::Pipe => {
                "Drop the pipe, because its last program sets the exit status, or use `bash -o pipefail -c '...'`."
            }
            HiddenCause::Sequence => {
                "Use `&&` instead of `;`, so that the last program does not hide how the tests ended."
            }
            HiddenCause::Unknown => "Let it end with the exit status of its tests.",
        }
    }

    /// The program that the command itself names and that the shell did not find on PATH. A path does not count, and
    /// neither does a program that a script starts: a task may write them.
    #[must_use]
    pub fn missing_program(&self) -> Option<String> {
        if !matches!(self.result.exit_reason, ExitReason::Exited(127)) {
            return None;
        }
        let printed = clean(self.result.stderr.tail_lossy(4096).as_bytes());
        let named = simple_commands(&self.command);
        let programs = named.iter().filter_map(|words| program_of(words)).filter(|name| !name.contains('/'));
        programs
            .into_iter()
            .find(|name| printed.lines().any(|line| reports_missing(line, name)))
            .map(one_line)
    }
}

/// Whether a line of a shell, or of a program that starts another, says that a program is missing: `sh: 1: x: not found`,
/// `bash: line 1: x: command not found`, `zsh:1: command not found: x`, `env: 'x': No such file or directory`.
fn reports_missing(line: &str, program: &str) -> bool {
    let Some((_, said)) = line.split_once(':') else { return false };
    let parts: Vec<&str> = said.split(": ").map(str::trim).collect();
    let is_it = |text: &str| text.trim_matches(['\'', '"', '‘', '’', '`']) == program;
    match parts.as_slice() {
        [.., "command not found", name] | [.., name, "not found" | "command not found"] => is_it(name),
        [.., name, "No such file or directory"] => is_it(name) || name.rsplit(' ').next().is_some_and(is_it),
        _ => false,
    }
}

/// What hides the failures of a command, as far as its text shows it.
fn cause(command: &str) -> HiddenCause {
    let bare = without_quoted(command);
    let harmless = |rest: &str| {
        ["true", ":", "exit 0", "/bin/true", "echo"].iter().any(|word| rest.trim_start().starts_with(word))
    };
    if bare.split("||").skip(1).any(harmless) {
        return HiddenCause::Ignored;
    }
    if bare.replace("||", "").contains('|') {
        return HiddenCause::Pipe;
    }
    if bare.trim_end_matches([';', ' ', '\n']).contains([';', '\n']) {
        HiddenCause::Sequence
    } else {
        HiddenCause::Unknown
    }
}

/// A command line with one letter for each quoted part.
fn without_quoted(command: &str) -> String {
    let mut bare = String::new();
    let mut chars = command.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                chars.next();
                bare.push('x');
            }
            '\'' | '"' => {
                let mut escaped = false;
                for inner in chars.by_ref() {
                    if inner == c && !escaped {
                        break;
                    }
                    escaped = c == '"' && inner == '\\' && !escaped;
                }
                bare.push('x');
            }
            c => bare.push(c),
        }
    }
    bare
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_remedy_fits_what_hides_the_failures() {
        for (command, expected) in [
            ("python -m pytest | tee log", HiddenCause::Pipe),
            ("pytest |& tail -5", HiddenCause::Pipe),
            ("pytest || true", HiddenCause::Ignored),
            ("pytest | tee log || :", HiddenCause::Ignored),
            ("cd x && (pytest || exit 0)", HiddenCause::Ignored),
            ("pytest; echo done", HiddenCause::Sequence),
            ("pytest || pytest --lf", HiddenCause::Unknown),
            ("pytest -k 'a | b'", HiddenCause::Unknown),
            ("pytest -k \"a \\\" | b\";", HiddenCause::Unknown),
            ("make test", HiddenCause::Unknown),
        ] {
            assert_eq!(cause(command), expected, "{command}");
        }
    }

    #[test]
    fn shells_say_in_their_own_words_that_a_program_is_missing() {
        for line in [
            "sh: 1: tox: not found",
            "/bin/sh: 1: tox: not found",
            "sh: line 1: tox: command not found",
            "bash: tox: command not found",
            "zsh:1: command not found: tox",
            "env: 'tox': No such file or directory",
            "env: ‘tox’: No such file or directory",
            "timeout: failed to run command 'tox': No such file or directory",
        ] {
            assert!(reports_missing(line, "tox"), "{line}");
        }
        for line in ["sh: 1: ./tox: not found", "sh: 1: jest: not found", "tox", "tox: 3 tests not found", ""]
        {
            assert!(!reports_missing(line, "tox"), "{line}");
        }
    }
}
