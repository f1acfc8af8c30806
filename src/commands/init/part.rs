//! The table of what `init` prepares. To add a part, add a row.

use super::files::FileSet;
use super::place::{Request, completions, man_pages};
use crate::error::Result;

/// Something that `init` prepares.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    /// The word on the command line.
    pub(super) name: &'static str,
    /// What it is, after "install".
    pub(super) about: &'static str,
    pub(super) work: Work,
}

/// How a part is prepared.
#[derive(Clone, Copy, Debug)]
pub(super) enum Work {
    /// By asking for settings and for the plan.
    Settings,
    /// By installing the git hooks.
    Hooks,
    /// By writing these files.
    Files(fn(&Request<'_>) -> Result<FileSet>),
}

/// All parts, in the order in which they are prepared.
pub(super) const PARTS: [Part; NAMES.len()] = [
    Part { name: NAMES[0], about: "settings", work: Work::Settings },
    Part { name: NAMES[1], about: "the git hooks", work: Work::Hooks },
    Part {
        name: NAMES[2],
        about: "the man pages, so that `git help arborist` works",
        work: Work::Files(man_pages),
    },
    Part { name: NAMES[3], about: "the completions for bash, zsh and fish", work: Work::Files(completions) },
];

/// Their names, as the command line takes them.
pub(super) const NAMES: [&str; 4] = ["settings", "hooks", "man", "completions"];
