//! The commands, one file each, and the table of them all.

mod at_work;
mod call;
pub mod check;
pub mod demo;
pub mod dispatch;
pub mod doctor;
mod forecast;
pub mod garden;
pub mod gardener;
pub mod hooks;
pub mod next;
pub mod prune;
mod reading;
pub mod rescue;
mod run_options;
mod session;
pub mod show;
pub mod status;
mod watcher;

pub use call::{Call, Command, Common, Exit};
pub use run_options::{policy, runners, settings};
pub use session::Session;

/// A row of the table of commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The name behind `git arborist`.
    pub name: &'static str,
    /// One clause on what it is for.
    pub about: &'static str,
}

/// All commands, in the order in which help lists them.
pub const TABLE: &[Summary] = &[
    Summary { name: "status", about: "show the tree with every task's state" },
    Summary { name: "next", about: "say what to do next, for a person, a script or an agent" },
    Summary { name: "show", about: "show one task with all its attempts" },
    Summary { name: "garden", about: "take one task through implement, test, review and complete" },
    Summary { name: "gardener", about: "garden until all is complete or something fails" },
    Summary { name: "prune", about: "remove generated artifacts in one commit, before a merge" },
    Summary { name: "doctor", about: "say what is here, what is missing, and what to do about it" },
    Summary { name: "rescue", about: "list, show and give back what interrupted steps left behind" },
    Summary { name: "check", about: "check commit messages: a file, a commit, a range or the current run" },
    Summary { name: "hooks", about: "set up, remove and show the git hooks of this repository" },
    Summary { name: "demo", about: "run a small plan to its end in a throw-away repository, offline" },
];
