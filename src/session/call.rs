//! Defines what a command is: its arguments, its input, and its outcome.

use std::fmt;
use std::sync::{Arc, OnceLock};

use clap::Args;

use crate::config::Environment;
use crate::error::{Error, Result};
use crate::manual::Catalogue;
use crate::process::{Cancel, Secrets, StopSignals};
use crate::record::words;
use crate::report::{self, Screen};
use crate::worktree::secret_search::SecretSearch;

/// One of our commands: its arguments, and the function that runs it.
pub trait Command: Args {
    /// Its name, its group in the overview, and its purpose.
    const SUMMARY: Summary;

    /// What it deletes. No message suggests a command that deletes something for a misspelt one.
    const DELETES: Deletes = Deletes::Nothing;

    /// What it prints with `--json`.
    const OUTPUT: JsonOutput = JsonOutput::Document;

    /// Whether help offers `--tree`. A command that makes a plan has its own option for the file.
    const OFFERS_TREE: bool = true;

    /// Its description and examples in the manual (`src/commands/manual`).
    const MANUAL: &'static str = "";

    /// Runs the command.
    ///
    /// # Errors
    /// If the command cannot do its work. The error decides the exit status.
    fn run(self, call: &Call) -> Result<Exit>;
}

/// The description of a command in help, the overview and the README.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The name after `git arborist`.
    pub name: &'static str,
    /// The group in which the overview lists it.
    pub group: Group,
    /// Its purpose, as one clause.
    pub about: &'static str,
}

/// What a command deletes, apart from its own files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deletes {
    /// Nothing.
    Nothing,
    /// Something, whenever it runs.
    Always,
    /// Something, when it runs with one of these subcommands.
    With(&'static [&'static str]),
}

/// What a command prints with `--json`, if it has that option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonOutput {
    /// One document.
    Document,
    /// A stream of events, the last of which is `end`, unless it is a dry run.
    Events,
}

words! {
    /// The groups of commands, in the order of the overview, each with its heading there.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Group {
        /// Getting to know the tool and preparing a plan.
        Start "start",
        /// Doing the work.
        Run "run",
        /// Looking at a run.
        Inspect "inspect",
        /// Taking part in a run as a person.
        Intervene "intervene",
        /// Making sure that the record is right.
        Trust "trust",
        /// Preparing the result for others.
        Deliver "deliver",
        /// Keeping the installation and the repository in order.
        Maintain "maintain",
        /// What other machines and other programs call.
        Others "for other machines and programs",
    }
}

/// Options that all commands share. They may also come after a subcommand.
#[derive(Args, Clone, Debug, Default)]
pub struct Common {
    /// The plan, as a path from the current folder [default: task-tree.json at the top of the work tree]
    #[arg(long, global = true, value_name = "FILE")]
    pub tree: Option<String>,
}

/// The outcome of a command that did its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Done: 0.
    Done,
    /// The answer is no: 1.
    No,
    /// An agent has asked a question, which a person has to answer: 7.
    NeedsPerson,
    /// The user left it with this signal, which is how it ends: 128 and the number.
    Signal(u8),
}

/// The input of a command besides its arguments.
#[derive(Clone, Debug)]
pub struct Call {
    /// The environment.
    pub environment: Environment,
    /// How output may look.
    pub screen: Screen,
    /// The options that all commands share.
    pub common: Common,
    /// The arguments as they were written, without the name of the command.
    pub words: Vec<String>,
    /// All commands, for those that write about them.
    pub catalogue: Catalogue,
    /// How it is asked to stop.
    pub stop: StopWish,
    /// Who else is told what it does.
    pub listener: Listener,
}

/// How a command that works for a while is asked to stop.
#[derive(Clone, Debug)]
pub enum StopWish {
    /// By signals, which are watched only once.
    Signals(OnceLock<(Cancel, StopSignals)>),
    /// By another part of this program.
    Cancel(Cancel),
}

impl Default for StopWish {
    fn default() -> Self {
        Self::Signals(OnceLock::new())
    }
}

/// Who is told what a command does while it works.
#[derive(Clone, Default)]
pub struct Listener(Option<Arc<Listening>>);

/// What is told.
type Listening = dyn Fn(&str) + Send + Sync;

impl Listener {
    /// This function is told, line by line.
    pub fn new(told: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(told)))
    }

    /// Tells it a line.
    pub fn tell(&self, line: &str) {
        if let Self(Some(told)) = self {
            told(line);
        }
    }
}

impl fmt::Debug for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Listener").field(&self.0.is_some()).finish()
    }
}

impl StopWish {
    /// The handle that ends what the command runs, and the signals that ask for it.
    ///
    /// # Errors
    /// If the system does not allow to watch signals.
    pub fn watch(&self) -> Result<(Cancel, StopSignals)> {
        match self {
            Self::Cancel(cancel) => Ok((cancel.clone(), StopSignals::default())),
            Self::Signals(watched) => {
                if let Some(watched) = watched.get() {
                    return Ok(watched.clone());
                }
                let cancel = Cancel::new();
                let signals = StopSignals::watch(&cancel)?;
                Ok(watched.get_or_init(|| (cancel, signals)).clone())
            }
        }
    }
}

impl Call {
    /// The secrets of the environment.
    #[must_use]
    pub(crate) fn secrets(&self) -> Secrets {
        Secrets::of(self.environment.variables())
    }

    /// The text with every token and every secret of the environment masked.
    #[must_use]
    pub fn mask(&self, text: &str) -> String {
        SecretSearch::of(&self.secrets()).mask(text)
    }

    /// From now on, every secret of the environment is masked in what is printed.
    pub fn mask_output(&self) {
        let secrets = self.secrets();
        report::mask_with(move |text| SecretSearch::of(&secrets).mask(text));
    }

    /// The error, cleaned and masked, because it may contain output of git or a hook, or settings.
    #[must_use]
    pub fn mask_error(&self, error: &Error) -> Error {
        let secrets = self.secrets();
        SecretSearch::of(&secrets).redact_error(error)
    }
}
