//! What a command is: its arguments, what it is given, how it ends.

use clap::Args;

use crate::config::Environment;
use crate::error::Result;
use crate::output::Screen;

/// A command of ours: its arguments, and what it does.
pub trait Command: Args {
    /// The name behind `git arborist`, as the table of commands has it.
    const NAME: &'static str;

    /// The options that all commands share.
    fn common(&self) -> &Common;

    /// Does it.
    ///
    /// # Errors
    /// Whatever stands in the way; it decides the exit status.
    fn run(self, call: &Call) -> Result<Exit>;
}

/// Options that all commands share.
#[derive(Args, Clone, Debug, Default)]
pub struct Common {
    /// The tree file, from the current folder [default: task-tree.json at the top of the work tree]
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
