//! Runs the programs of forges.

use std::path::PathBuf;

use super::place::{ForgeKind, ForgePlace};
use crate::error::{Error, Kind, Result};
use crate::process::{CallLimit, EnvChange, Finished, ProgramCall, Unfinished, call_program};
use crate::text::{clean, duration};

/// A program that talks to a forge.
#[derive(Clone, Debug)]
pub(crate) struct ForgeProgram {
    /// The kind of forge.
    pub(crate) kind: ForgeKind,
    /// Where the program is.
    pub(crate) path: PathBuf,
    /// The folder in which it runs.
    pub(crate) folder: PathBuf,
    /// How long it may take.
    pub(crate) limit: CallLimit,
}

impl ForgeProgram {
    pub(crate) fn name(&self) -> &'static str {
        self.kind.program().unwrap_or_default()
    }

    /// Runs it without questions, because it has no terminal on which they could be answered.
    pub(super) fn run(&self, args: &[String], stdin: String) -> Result<Finished> {
        let set = |name: &str, value: &str| EnvChange::Set(name.into(), value.into());
        let env = [
            set("GH_PROMPT_DISABLED", "1"),
            set("GH_NO_UPDATE_NOTIFIER", "1"),
            set("GH_PAGER", "cat"),
            set("NO_PROMPT", "1"),
            set("GLAB_CHECK_UPDATE", "false"),
            set("NO_COLOR", "1"),
            set("LC_ALL", "C.UTF-8"),
        ];
        let call = ProgramCall { program: &self.path, args, folder: &self.folder, env: &env };
        call_program(&call, stdin.into_bytes(), &self.limit).map_err(|unfinished| {
            let name = self.name();
            let what = match unfinished {
                Unfinished::NotStarted(error) => format!("{name} could not be started: {error}"),
                Unfinished::TimedOut(after) => format!("{name} did not end within {}", duration(after)),
                Unfinished::Stopped => format!("{name} was stopped"),
            };
            Error::new(Kind::Environment, what, format!("Check that it works: `{name} --version`."))
        })
    }

    /// Whether it is logged in to the host of a place; otherwise, what it says.
    ///
    /// # Errors
    /// If it cannot be run.
    pub(crate) fn login(&self, place: &ForgePlace) -> Result<std::result::Result<(), String>> {
        let args = ["auth", "status", "--hostname", &place.host].map(str::to_owned);
        let ended = self.run(&args, String::new())?;
        Ok(if ended.status.success() { Ok(()) } else { Err(said(&ended)) })
    }

    /// The command by which a person logs in.
    pub(crate) fn login_command(&self, place: &ForgePlace) -> String {
        format!("{} auth login --hostname {}", self.name(), place.host)
    }
}

/// The last words of a program.
pub(super) fn said(ended: &Finished) -> String {
    let text = clean(&ended.stderr);
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines[lines.len().saturating_sub(3)..].join("; ")
}
