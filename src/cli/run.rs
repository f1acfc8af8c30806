//! Runs one command: parses its arguments, reports its errors, and gives the exit status.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Args, FromArgMatches};

use super::{everyday, help, usage};
use crate::config::Environment;
use crate::error::{Kind, Result};
use crate::launch::monitor::events::end_of_events;
use crate::manual::{self, Catalogue};
use crate::report::{self, DisplayEnvironment, Screen};
use crate::session::{Call, Command, Common, Deletes, Exit, JsonOutput, Listener, StopWish};
use crate::text::advice::is_about_plan;

/// Runs a command with its arguments, which do not include its name.
#[must_use]
pub fn run<C: Command + 'static>(args: &[OsString], catalogue: Catalogue) -> ExitCode {
    let entry = Entry {
        name: C::SUMMARY.name,
        deletes: C::DELETES,
        output: C::OUTPUT,
        definition: definition::<C>(),
        parse: |matches| {
            let command = C::from_arg_matches(matches)?;
            Ok(Box::new(move |call: &Call| command.run(call)))
        },
    };
    run_entry(&entry, args, catalogue)
}

/// What differs from command to command. Everything else is compiled once and not for each of them.
struct Entry {
    name: &'static str,
    deletes: Deletes,
    output: JsonOutput,
    definition: clap::Command,
    parse: fn(&ArgMatches) -> std::result::Result<ParsedCommand, clap::Error>,
}

/// A command with its arguments, which runs when it is called.
type ParsedCommand = Box<dyn FnOnce(&Call) -> Result<Exit>>;

fn run_entry(entry: &Entry, args: &[OsString], catalogue: Catalogue) -> ExitCode {
    let environment = Environment::of_process();
    let named = std::iter::once(OsString::from(entry.name)).chain(args.iter().cloned());
    let parsed = entry.definition.clone().try_get_matches_from(named);
    let parsed =
        parsed.and_then(|matches| Ok(((entry.parse)(&matches)?, Common::from_arg_matches(&matches)?)));
    let (command, common) = match parsed {
        Ok(parsed) => parsed,
        Err(error) if error.kind() == ErrorKind::DisplayHelp && asks_for_page(args) => {
            let page = manual::topic(catalogue, entry.name).expect("every command has a page");
            let screen = screen(&environment);
            return finish(help::show(&page, &environment, &screen), &screen);
        }
        Err(mut error) => {
            usage::add_suggestion(&mut error, entry.name, &entry.definition, entry.deletes);
            if error.use_stderr() && asks_for_events(entry.output, args) {
                let told = end_of_events(&usage::as_error(&error, entry.name), &environment);
                // The mistake itself is still reported below, and decides the exit status.
                told.unwrap_or_else(|error| report::eprint(&error.to_string()));
            }
            return usage(&error, &environment);
        }
    };
    let screen = screen(&environment);
    let (stop, listener) = (StopWish::default(), Listener::default());
    let words = args.iter().map(|arg| arg.to_string_lossy().into_owned()).collect();
    let call = Call { environment, screen, common, words, catalogue, stop, listener };
    call.mask_output();
    // The run says what its user has to type; its workers are told their plan in any case.
    let is_worker = call.words.iter().any(|word| word.starts_with("--onto="));
    if let Some(tree) = call.common.tree.as_deref().filter(|_| !is_worker) {
        is_about_plan(tree);
    }
    let code = command(&call).map(|exit| match exit {
        Exit::Done => ExitCode::SUCCESS,
        Exit::No => ExitCode::from(Kind::No.exit_status()),
        Exit::NeedsPerson => ExitCode::from(Kind::Person.exit_status()),
        Exit::Signal(number) => ExitCode::from(Kind::Signal(number).exit_status()),
    });
    finish(code, &screen)
}

/// Whether the help that was asked for is the page of the manual, as with git: `-h` prints a summary.
fn asks_for_page(args: &[OsString]) -> bool {
    args.iter().take_while(|arg| *arg != "--").any(|arg| arg == "--help")
}

/// Whether arguments that cannot be parsed ask for a stream of events, which must then have an end.
fn asks_for_events(output: JsonOutput, args: &[OsString]) -> bool {
    let mut options = args.iter().take_while(|arg| *arg != "--");
    output == JsonOutput::Events
        && options.clone().any(|arg| arg == "--json")
        && !options.any(|arg| arg == "--dry-run")
}

/// The command as clap knows it, for parsing, help and documentation.
#[must_use]
pub fn definition<C: Command>() -> clap::Command {
    // Otherwise clap would use the doc comment of the arguments as the description of the command.
    let definition = Common::augment_args(C::augment_args(frame(C::SUMMARY.name)));
    let definition = definition.about(C::SUMMARY.about).long_about(None);
    let definition = everyday::shortened(definition, C::SUMMARY.name);
    let definition = without_common_flags(definition);
    if C::OFFERS_TREE { definition } else { definition.mut_arg("tree", |arg| arg.hide(true)) }
}

/// What the definitions of all commands have in common.
fn frame(name: &str) -> clap::Command {
    clap::Command::new(format!("git-arborist-{name}"))
        .bin_name(format!("git arborist {name}"))
        .version(crate::config::VERSION)
        .disable_version_flag(true)
        .arg(Arg::new("version").short('V').long("version").action(ArgAction::Version).hide(true))
}

/// As with git's own commands, every command answers `-h` and `--help`, and only the page of the whole program says so.
fn without_common_flags(command: clap::Command) -> clap::Command {
    let help = Arg::new("help").short('h').long("help").action(ArgAction::Help).hide(true);
    command.disable_help_flag(true).arg(help).mut_subcommands(without_common_flags)
}

fn usage(error: &clap::Error, environment: &Environment) -> ExitCode {
    if !error.use_stderr() {
        return finish(
            report::print(&error.render().to_string()).map(|()| ExitCode::SUCCESS),
            &screen(environment),
        );
    }
    report::eprint(error.render().to_string().trim_end());
    ExitCode::from(Kind::Input.exit_status())
}

pub(super) fn screen(environment: &Environment) -> Screen {
    let dumb = environment.get("TERM") == Some("dumb");
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(|name| environment.get(name));
    let ascii = locale.is_some_and(|name| matches!(name, "C" | "POSIX"));
    let columns = || environment.get("COLUMNS").and_then(|columns| columns.parse().ok()).unwrap_or(80);
    let pager_columns = environment.has("GIT_PAGER_IN_USE").then(columns);
    let plain = dumb || environment.has("NO_COLOR");
    Screen::detect(DisplayEnvironment { plain, dumb, ascii, pager_columns })
}

pub(super) fn finish(result: Result<ExitCode>, screen: &Screen) -> ExitCode {
    result.unwrap_or_else(|error| {
        report::report(screen, &error);
        ExitCode::from(error.kind().exit_status())
    })
}
