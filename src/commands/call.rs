//! What a command is: its arguments, what it receives, and how it ends.

use clap::Args;

use crate::config::Environment;
use crate::error::{Error, Result};
use crate::process::Secrets;
use crate::report::Screen;
use crate::worktree::secret_search::SecretSearch;

/// A command of ours: its arguments, and what it does.
pub trait Command: Args {
    /// Its name, its group in the overview, and what it is for.
    const SUMMARY: Summary;

    /// What it deletes. No message suggests a command that deletes something for a misspelt one.
    const DELETES: Deletes = Deletes::Nothing;

    /// The options that all commands share.
    fn common(&self) -> &Common;

    /// Does it.
    ///
    /// # Errors
    /// Whatever stands in the way; it decides the exit status.
    fn run(self, call: &Call) -> Result<Exit>;
}

/// What help, the overview and the README say of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The name after `git arborist`.
    pub name: &'static str,
    /// The group in which the overview lists it.
    pub group: Group,
    /// One clause that says what it is for.
    pub about: &'static str,
}

/// What a command deletes, apart from files of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deletes {
    /// Nothing.
    Nothing,
    /// Something, whenever it runs.
    Always,
    /// Something, when it runs with one of these subcommands.
    With(&'static [&'static str]),
}

/// The groups of commands, in the order of the overview.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// Getting to know the tool and preparing a plan.
    Start,
    /// Doing the work.
    Run,
    /// Looking at a run.
    Inspect,
    /// Making sure that the record is right.
    Trust,
    /// Preparing the result for others.
    Deliver,
    /// Keeping the installation and the repository in order.
    Maintain,
}

impl Group {
    /// All groups, in order.
    pub const ALL: [Self; 6] =
        [Self::Start, Self::Run, Self::Inspect, Self::Trust, Self::Deliver, Self::Maintain];

    /// The heading of the group in the overview.
    #[must_use]
    pub fn heading(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Run => "run",
            Self::Inspect => "inspect",
            Self::Trust => "trust",
            Self::Deliver => "deliver",
            Self::Maintain => "maintain",
        }
    }
}

/// Options that all commands share.
#[derive(Args, Clone, Debug, Default)]
pub struct Common {
    /// The plan, as a path from the current folder [default: task-tree.json at the top of the work tree]
    #[arg(long, value_name = "FILE")]
    pub tree: Option<String>,

    /// When to use colours
    #[arg(long, value_name = "WHEN", default_value = "auto", value_parser = ["auto", "always", "never"])]
    pub color: String,
}

/// How a command that did its work ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Done: 0.
    Done,
    /// The answer is no: 1.
    No,
}

/// What a command is given.
#[derive(Debug)]
pub struct Call {
    /// The environment.
    pub environment: Environment,
    /// How output may look.
    pub screen: Screen,
    /// The options that all commands share.
    pub common: Common,
}

impl Call {
    /// A text with a mask in the place of every token and every secret of the environment.
    #[must_use]
    pub fn mask(&self, text: &str) -> String {
        SecretSearch::of(&Secrets::of(self.environment.all())).mask(text)
    }

    /// An error with its words cleaned and masked: what git or a hook printed, or what is configured, may be in it.
    #[must_use]
    pub fn mask_error(&self, error: &Error) -> Error {
        let secrets = Secrets::of(self.environment.all());
        SecretSearch::of(&secrets).redact_error(error)
    }
}
