//! One prelude for all binaries: parse, open, run, report, exit status.

use std::ffi::OsString;
use std::process::ExitCode;

use crate::commands::dispatch;
use crate::config::Environment;
use crate::error::Error;
use crate::output::{self, ColorChoice, Screen, Surroundings};

/// The entry point of `git-arborist` itself.
#[must_use]
pub fn dispatch() -> ExitCode {
    let environment = Environment::of_process();
    let args: Vec<OsString> = std::env::args_os().skip(1).collect();
    let screen = screen(ColorChoice::Auto, &environment);
    finish(dispatch::run(&args, &environment).map(|()| ExitCode::SUCCESS), &screen)
}

fn screen(choice: ColorChoice, environment: &Environment) -> Screen {
    let dumb = environment.get("TERM") == Some("dumb");
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(|name| environment.get(name));
    let ascii = locale.is_some_and(|name| matches!(name, "C" | "POSIX"));
    Screen::look(choice, Surroundings { plain: dumb || environment.has("NO_COLOR"), dumb, ascii })
}

fn finish(result: Result<ExitCode, Error>, screen: &Screen) -> ExitCode {
    result.unwrap_or_else(|error| {
        output::report(screen, &error);
        ExitCode::from(error.kind().exit_status())
    })
}
