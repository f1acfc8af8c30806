//! The command line: finds the command, parses its arguments, runs it, reports errors and sets the exit status.

mod complete;
mod dispatch;
mod everyday;
mod help;
mod other_words;
mod overview;
mod run;
mod table;
mod usage;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use crate::commands;
use crate::config::Environment;
use crate::process;
pub use crate::session::{Call, Command, Common, Exit, Group, Session, Summary};
use complete::REQUEST;
pub use run::{definition, run};
use run::{finish, screen};
pub use table::{CATALOGUE, Row, TABLE};

/// The quick answer of a hook with the arguments of this process, if there is one: most messages do not concern us.
/// `None` for everything else that `git arborist hooks` does.
///
/// This uses nothing else of this crate, so that `git-arborist-hooks` stays small.
#[must_use]
pub fn hooks_at_once() -> Option<ExitCode> {
    commands::hooks::at_once(&arguments())
}

/// The entry point of `git-arborist`, which contains every command. A link to it that is named after a command, such as
/// `git-arborist-status`, is this command.
#[must_use]
pub fn main() -> ExitCode {
    let mut args = arguments();
    if let Some(served) = process::serve(args.first().map(OsString::as_os_str)) {
        let screen = screen(&Environment::of_process());
        return finish(served.map(|()| ExitCode::SUCCESS), &screen);
    }
    args.splice(..0, command_of_link());
    let environment = Environment::of_process();
    if let Some((name, rest)) = args.split_first()
        && let Some(row) = name.to_str().and_then(table::find)
    {
        return (row.run)(rest, table::CATALOGUE);
    }
    let screen = screen(&environment);
    if let Some((REQUEST, rest)) = args.split_first().and_then(|(name, rest)| Some((name.to_str()?, rest))) {
        return complete::answer(rest, environment, screen);
    }
    finish(dispatch::run(&args, &environment, &screen), &screen)
}

/// The command after which the link is named by which this program was started.
fn command_of_link() -> Option<OsString> {
    let program = PathBuf::from(std::env::args_os().next()?);
    let name = program.file_name()?.to_str()?.strip_prefix(dispatch::PREFIX)?;
    table::find(name).map(|row| row.summary.name.into())
}

fn arguments() -> Vec<OsString> {
    std::env::args_os().skip(1).collect()
}
