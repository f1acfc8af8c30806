//! The demo runner: it applies prepared patches, so that a plan can be tried without an agent.

use std::path::Path;

use super::lookup::Lookup;
use super::program::Program;
use super::protocol::Protocol;
use crate::config::{Config, Setting};
use crate::error::{Error, Kind, Result};
use crate::text::shell_word;

pub(super) const NAME: &str = "demo";

const SCRIPT: &str = include_str!("demo.sh");

/// What to do if there is no patch for a step.
pub(super) const REMEDY: &str = "Make the patch, for example with `git diff`, and name it after the task: TASK.patch, \
                                 TASK.2.patch for the second attempt alone, or TASK.red.patch for failing tests.";

/// The program of the demo runner, with the folder of patches that the settings name.
///
/// # Errors
/// [`Kind::Input`] if they name none.
pub(super) fn program(config: &Config, lookup: &Lookup) -> Result<Program> {
    let Some(folder) = config.optional(Setting::DemoPatches) else {
        return Err(Error::new(
            Kind::Input,
            "the runner demo has no patches to apply",
            "Name the folder that has them: `git config arborist.demoPatches FOLDER`. TASK.patch is what it does in a task.",
        ));
    };
    let shell = lookup.shell()?;
    Ok(Program::Command {
        shell,
        command: format!("patches={}\n{SCRIPT}", shell_word(&folder)),
        shown: format!("demo: applies the patches in {}", Path::new(&folder).display()),
        protocol: Protocol::Text,
    })
}
