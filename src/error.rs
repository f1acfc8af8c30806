//! Errors for people: what is wrong and where, then what to do. One table maps the kind of an error to the exit status.

use std::fmt;

/// The kind of an error, which decides the exit status of every command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The answer is no: a task failed, a check found errors, no task is ready.
    No,
    /// The usage or the input is wrong, for example an invalid tree or configuration.
    Input,
    /// The repository cannot be used for this: there is none, a merge is in progress, objects are corrupt.
    Repository,
    /// Something outside of the repository is missing or has failed: an agent, git, the disk, a hook.
    Environment,
    /// Another run, or another git command, is active here, or the same work was done elsewhere before.
    Busy,
    /// A person is needed: an agent has asked a question.
    Person,
    /// Stopped for safety: something was changed that an agent must not change.
    Unsafe,
    /// A signal ended the command; the number is the signal's.
    Signal(u8),
}

impl Kind {
    /// The exit status of a command that ends with this kind of error.
    #[must_use]
    pub fn exit_status(self) -> u8 {
        match self {
            Self::No => 1,
            Self::Input => 2,
            Self::Repository => 3,
            Self::Environment => 4,
            Self::Busy => 5,
            Self::Unsafe => 6,
            Self::Person => 7,
            Self::Signal(number) => 128 + number,
        }
    }
}

/// All exit statuses with their meanings, as help and the docs list them.
pub const EXIT_STATUSES: [(&str, &str); 9] = [
    ("0", "success"),
    (
        "1",
        "a negative answer: a task failed, none is ready, tasks are left at the end of a run, or a check found something",
    ),
    ("2", "wrong usage or input: an option, the plan or a setting"),
    ("3", "the repository cannot be used: there is none, or it is dirty or in a merge"),
    (
        "4",
        "an environment problem: a missing agent, a full disk, a hook that refuses whatever an agent does, a signature that fails",
    ),
    ("5", "another run, or another git command, is active here, or the work was taken over elsewhere"),
    ("6", "stopped for safety: something was changed that an agent must not change"),
    ("7", "a person is needed: an agent has asked a question"),
    ("129, 130, 143", "ended by a signal"),
];

/// What to do if something cannot be written for want of room.
const FULL_DISK: &str = "The disk is full, or a quota or a limit on the size of files is reached. Make room, then run the same \
                         command again.";

/// An error: what is wrong and where, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: Kind,
    what: String,
    remedy: String,
    is_of_full_disk: bool,
}

/// The result of an operation whose failure the user must see.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// An error of `kind`: `what` is a clause without a full stop, `remedy` one or more whole sentences, or empty.
    #[must_use]
    pub fn new(kind: Kind, what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { kind, what: what.into(), remedy: remedy.into(), is_of_full_disk: false }
    }

    /// The error for something that could not be written for want of room.
    #[must_use]
    pub fn of_full_disk(what: impl Into<String>) -> Self {
        Self { is_of_full_disk: true, ..Self::new(Kind::Environment, what, FULL_DISK) }
    }

    /// The error for something that the machine has too little of, such as a thread or memory.
    #[must_use]
    pub fn short_of(what: &str, error: &std::io::Error) -> Self {
        Self::new(
            Kind::Environment,
            format!("the machine is short of resources: {what} could not be made: {error}"),
            "End other programs, or raise the limit (`ulimit -u` shows that of processes), then run the same command again.",
        )
    }

    /// The error of a command that a signal stopped; SIGINT if the signal is not known.
    #[must_use]
    pub fn stopped(signal: Option<u8>, remedy: impl Into<String>) -> Self {
        const SIGHUP: u8 = 1;
        const SIGINT: u8 = 2;
        let signal = signal.unwrap_or(SIGINT);
        let what = match signal {
            SIGHUP => "Stopped, because the terminal was closed",
            SIGINT => "Stopped by Ctrl-C",
            _ => "Stopped by a signal",
        };
        Self::new(Kind::Signal(signal), what, remedy)
    }

    /// The error for a file that could not be written. A full disk has its own remedy.
    #[must_use]
    pub fn not_written(path: impl fmt::Display, error: &std::io::Error) -> Self {
        let what = format!("{path} could not be written: {error}");
        Self::of_write(what, error, "Make the folder writable, then run the same command again.")
    }

    /// The error for something that could not be written, with a remedy for every reason but a full disk.
    #[must_use]
    pub fn of_write(what: impl Into<String>, error: &std::io::Error, otherwise: &str) -> Self {
        use std::io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
        match error.kind() {
            FileTooLarge | QuotaExceeded | StorageFull => Self::of_full_disk(what),
            _ => Self::new(Kind::Environment, what, otherwise),
        }
    }

    /// Whether it is about a full disk.
    #[must_use]
    pub fn is_of_full_disk(&self) -> bool {
        self.is_of_full_disk
    }

    /// The same error with a sentence before the remedy. It says what only the caller knows about what happened.
    #[must_use]
    pub fn stating(mut self, fact: &str) -> Self {
        self.remedy =
            if self.remedy.is_empty() { fact.to_owned() } else { format!("{fact} {}", self.remedy) };
        self
    }

    /// The kind.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// What is wrong, and where.
    #[must_use]
    pub fn what(&self) -> &str {
        &self.what
    }

    /// What to do about it; may be empty.
    #[must_use]
    pub fn remedy(&self) -> &str {
        &self.remedy
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The question of an agent has lines of its own, and stays in its own words.
        let is_quote = self.what.rsplit_once('\n').is_some_and(|(_, last)| last.starts_with(' '));
        let what = if is_quote { &self.what } else { self.what.trim_end_matches('.') };
        let end = if is_quote || what.ends_with(['?', '!']) { "" } else { "." };
        write!(f, "{what}{end}")?;
        if !self.remedy.is_empty() {
            write!(f, "\n{}", self.remedy)?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_a_sentence_and_the_words_of_an_agent_stay_its_own() {
        let cases = [
            ("the plan is empty", "the plan is empty."),
            ("git says: no.", "git says: no."),
            ("which one?", "which one?"),
            ("T1 waits for an answer:\n  Name the date", "T1 waits for an answer:\n  Name the date"),
            ("T1 waits for an answer:\n  Name it...", "T1 waits for an answer:\n  Name it..."),
        ];
        for (what, said) in cases {
            assert_eq!(Error::new(Kind::No, what, "").to_string(), said);
        }
    }
}
