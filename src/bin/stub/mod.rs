//! Implements the programs `git-arborist-<command>`, which execute the `git-arborist` next to them.
//!
//! They exist because git and people find commands by these names. They are not linked with the library, so that they
//! stay small and are built quickly.

use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

/// Becomes `git-arborist <command>` with the arguments of this process. It returns only if that cannot be started. If a
/// hook should have been run, it says so, but does not stop the commit.
#[must_use]
pub(crate) fn hand_over(command: &str) -> ExitCode {
    // Links are followed: a link to the stub in another folder still finds the program that was installed with it.
    let beside = std::env::current_exe()
        .ok()
        .or_else(called)
        .and_then(|stub| std::fs::canonicalize(stub).ok())
        .and_then(|stub| Some(stub.parent()?.join("git-arborist")))
        .filter(|program| program.is_file());
    let Some(program) = beside else {
        return failed(command, "git-arborist is not in the same folder");
    };
    let error = Command::new(&program).arg(command).args(std::env::args_os().skip(1)).exec();
    failed(command, &format!("{} cannot be started: {error}", program.display()))
}

/// The program that the first argument names, by its path or on `PATH`: Linux without `/proc` does not tell more.
fn called() -> Option<PathBuf> {
    let name = PathBuf::from(std::env::args_os().next()?);
    if name.components().count() > 1 {
        return Some(name);
    }
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(&name)).find(|program| program.is_file())
}

#[expect(clippy::print_stderr, reason = "the module for output would make the stubs ten times as large")]
fn failed(command: &str, what: &str) -> ExitCode {
    eprintln!("git-arborist-{command}: {what}.\nInstall git-arborist again, with all its programs.");
    let is_hook = command == "hooks" && std::env::args_os().nth(1).is_some_and(|word| word == "run");
    if is_hook { ExitCode::SUCCESS } else { ExitCode::from(4) }
}
