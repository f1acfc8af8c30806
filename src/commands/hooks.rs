//! `git arborist hooks`: installs, removes and shows the git hooks, and runs them.

use std::ffi::OsString;

use clap::{Args, Subcommand};

use crate::error::Result;
use crate::hooks::{Hook, InstallOutcome, InstallScope, Installer};
use crate::report;
use crate::session::{Call, Command, Deletes, Exit, Group, Summary};

pub use crate::hooks::run::at_once;
use crate::hooks::run::context::here;
use crate::hooks::run::run;
use crate::text::advice;

/// The arguments of `hooks`.
#[derive(Args, Clone, Debug)]
pub struct Hooks {
    #[command(subcommand)]
    what: HooksAction,
}

#[derive(Subcommand, Clone, Debug)]
enum HooksAction {
    /// Install hooks beside those that are already there
    Install(HookSelection),
    /// Remove our hooks, and restore what was there before
    Uninstall(HookSelection),
    /// Show which hooks are installed, and where
    Status(HookSelection),
    /// Run a hook; the installed scripts call this
    #[command(hide = true)]
    Run {
        /// The hook
        #[arg(value_parser = hook)]
        hook: Hook,
        /// The arguments that git gives to it
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<OsString>,
    },
}

#[derive(Args, Clone, Debug)]
struct HookSelection {
    /// The hooks to act on: commit-msg, pre-push, post-rewrite, pre-receive [default: those that fit the repository]
    #[arg(long = "type", value_name = "NAME", num_args = 1.., value_parser = hook)]
    types: Vec<Hook>,
    /// Use the hooks folder that all repositories of this user share
    #[arg(long)]
    global: bool,
}

fn hook(name: &str) -> std::result::Result<Hook, String> {
    Hook::from_name(name).ok_or_else(|| format!("there are: {}", Hook::ALL.map(Hook::name).join(", ")))
}

impl Command for Hooks {
    const SUMMARY: Summary = Summary {
        name: "hooks",
        group: Group::Trust,
        about: "install, remove and show the git hooks of this repository",
    };

    const MANUAL: &'static str = include_str!("manual/hooks.md");

    const DELETES: Deletes = Deletes::With(&["uninstall"]);

    fn run(self, call: &Call) -> Result<Exit> {
        match self.what {
            HooksAction::Install(which) => which.install(call),
            HooksAction::Uninstall(which) => which.each(call, Installer::uninstall),
            HooksAction::Status(which) => {
                which.each(call, |installer, hook| Ok(vec![installer.status(hook)?]))
            }
            HooksAction::Run { hook, args } => run(call, hook, &args),
        }
    }
}

/// Installs the hooks that fit the repository, as `hooks install` does.
///
/// # Errors
/// If there is no repository, or its hooks are shared with others.
pub(super) fn install(call: &Call) -> Result<Exit> {
    HookSelection { types: Vec::new(), global: false }.install(call)
}

impl HookSelection {
    fn install(&self, call: &Call) -> Result<Exit> {
        self.each(call, |installer, hook| Ok(vec![installer.install(hook)?]))
    }

    /// Applies an action to each hook and reports its outcome: to the hooks that were named, otherwise to those that
    /// fit the repository. The answer is no if one of them cannot be installed.
    fn each(
        &self,
        call: &Call,
        act: impl Fn(&Installer, Hook) -> Result<Vec<InstallOutcome>>,
    ) -> Result<Exit> {
        let git = here(call)?;
        let install_scope = if self.global { InstallScope::User } else { InstallScope::Repository };
        let installer = Installer::new(&git, install_scope)?;
        let hooks = match self.types.as_slice() {
            [] if self.global || git.work_tree().is_ok() => Hook::OF_WORK_TREE.to_vec(),
            [] => Hook::OF_SERVER.to_vec(),
            chosen => chosen.to_vec(),
        };
        let (mut lines, mut exit) = (String::new(), Exit::Done);
        for hook in hooks {
            for outcome in act(&installer, hook)? {
                if is_undone(&outcome) {
                    exit = Exit::No;
                }
                lines.push_str(&describe(hook, &outcome));
            }
        }
        report::print(&lines)?;
        Ok(exit)
    }
}

/// Whether something is left for the user to do.
fn is_undone(outcome: &InstallOutcome) -> bool {
    match outcome {
        InstallOutcome::AddTo(..)
        | InstallOutcome::Unsupported(_)
        | InstallOutcome::NotRemoved { .. }
        | InstallOutcome::NotRestored { .. } => true,
        InstallOutcome::Installed(_)
        | InstallOutcome::InstalledBeside(_)
        | InstallOutcome::AlreadyThere(_)
        | InstallOutcome::Edited(_)
        | InstallOutcome::Removed(_)
        | InstallOutcome::Restored(_)
        | InstallOutcome::Absent => false,
    }
}

fn describe(hook: Hook, outcome: &InstallOutcome) -> String {
    let name = hook.name();
    match outcome {
        InstallOutcome::Installed(place) => format!("{name}: installed in {place}\n"),
        InstallOutcome::InstalledBeside(place) => {
            format!("{name}: installed in {place}; the hook that was there runs first\n")
        }
        InstallOutcome::AlreadyThere(place) => format!("{name}: is in {place}\n"),
        InstallOutcome::Removed(place) => format!("{name}: removed from {place}\n"),
        InstallOutcome::Restored(place) => format!("{name}: removed; {place} is as it was\n"),
        InstallOutcome::Edited(place) => {
            format!("{name}: is in {place}, which was edited, so nothing was changed there\n")
        }
        InstallOutcome::NotRemoved { place, before } => {
            let before = before.as_ref().map_or_else(String::new, |before| {
                format!(" The hook that was there before ours is {before}.")
            });
            format!(
                "{name}: not removed, because {place} was edited. Take your lines out of it, or ours, and run {} \
                 again.{before}\n",
                advice::hooks_uninstall()
            )
        }
        InstallOutcome::NotRestored { place, before } => format!(
            "{name}: not installed, but {before}, which was there before our hook, was not put back, because {place} is the hook \
             of another tool. Put both into one script, or delete the one that you do not need.\n"
        ),
        InstallOutcome::Absent => format!("{name}: not installed\n"),
        InstallOutcome::AddTo(file, snippet) => {
            format!(
                "{name}: not installed. Hooks are configured in {file} here; add this to it:\n\n{snippet}\n"
            )
        }
        InstallOutcome::Unsupported(manager) => {
            format!("{name}: not installed, since {manager} has no such hook\n")
        }
    }
}
