//! Says what can come next on a command line, for the completion of shells (the folder `completions`).
//!
//! The answer is one word on each line, with what it is after a tab. Lines that begin with a colon ask the shell for
//! something that it knows itself: `:files`, `:folders` or `:references`.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Arg, ArgAction, Command};

use super::dispatch::Folders;
use super::table::{self, CATALOGUE, TABLE};
use crate::config::Environment;
use crate::inspect::candidates::{self, OfferedNodes, WordCandidate};
use crate::manual;
use crate::report::{self, Screen};
use crate::session::{Call, Common, Listener, StopWish};

/// The word that asks for this.
pub(super) const REQUEST: &str = "__complete";

/// Commands that take a task and no other node.
const OF_TASKS: [&str; 4] = ["garden", "next", "done", "build"];

/// Answers for these words after `git arborist`, of which the last one is being written. It never fails, because
/// nobody would see the reason.
pub(super) fn answer(args: &[OsString], environment: Environment, screen: Screen) -> ExitCode {
    let words: Vec<String> =
        args.iter().skip_while(|arg| *arg == "--").map(|arg| arg.to_string_lossy().into_owned()).collect();
    let Some((current, before)) = words.split_last() else { return ExitCode::SUCCESS };
    let found = match before.split_first() {
        None => first(current, &Folders::of(&environment)),
        Some((name, _)) if name == "help" => {
            manual::topics(CATALOGUE).into_iter().map(|topic| WordCandidate::new(topic, "")).collect()
        }
        Some((name, rest)) => match table::find(name) {
            Some(row) => {
                let tree = rest.iter().skip_while(|word| *word != "--tree").nth(1).cloned();
                let common = Common { tree };
                let (stop, listener) = (StopWish::default(), Listener::default());
                let words = Vec::new();
                let call = Call { environment, screen, common, words, catalogue: CATALOGUE, stop, listener };
                let mut definition = (row.definition)();
                definition.build();
                Line { call: &call, command: name, definition: &definition }.candidates(rest, current)
            }
            None => vec![WordCandidate::new(":files", "")],
        },
    };
    let fits =
        |found: &&WordCandidate| found.word.starts_with(':') || found.word.starts_with(current.as_str());
    let line = |found: &WordCandidate| {
        let about = crate::text::one_line(&found.about);
        if about.is_empty() { format!("{}\n", found.word) } else { format!("{}\t{about}\n", found.word) }
    };
    let text: String = found.iter().filter(fits).map(line).collect();
    // A shell that does not read the answer does not need it.
    _ = report::print(&text);
    ExitCode::SUCCESS
}

/// What can come first: a command, ours or another, or an option of git arborist itself.
fn first(current: &str, folders: &Folders) -> Vec<WordCandidate> {
    if current.starts_with('-') {
        return ["--help", "--version"].map(|option| WordCandidate::new(option, "")).into();
    }
    let ours = TABLE.iter().map(|row| WordCandidate::new(row.summary.name, row.summary.about));
    let foreign = folders.foreign_names().into_iter().map(|name| WordCandidate::new(name, "also on PATH"));
    ours.chain([WordCandidate::new("help", "show a page of the manual")]).chain(foreign).collect()
}

/// The line of one command.
struct Line<'a> {
    call: &'a Call,
    command: &'a str,
    definition: &'a Command,
}

/// What the words before the current one have decided.
struct Position<'a> {
    command: &'a Command,
    /// The option whose value comes next.
    pending: Option<&'a Arg>,
    /// How many positional arguments there are.
    positionals: usize,
    /// Whether `--` has ended the options.
    only_positionals: bool,
}

impl Line<'_> {
    fn candidates(&self, before: &[String], current: &str) -> Vec<WordCandidate> {
        let position = Position::after(self.definition, before);
        if let Some(option) = position.pending {
            return self.values(option);
        }
        if !position.only_positionals && current.starts_with('-') {
            if let Some((name, _)) = current.split_once('=') {
                let option = option_named(position.command, name);
                let values = option.map(|option| self.values(option)).unwrap_or_default();
                let whole = |value: WordCandidate| match value.word.starts_with(':') {
                    true => value,
                    false => WordCandidate::new(format!("{name}={}", value.word), value.about),
                };
                return values.into_iter().map(whole).collect();
            }
            return options(position.command, before);
        }
        let mut found: Vec<WordCandidate> = Vec::new();
        if position.positionals == 0 {
            let shown = position
                .command
                .get_subcommands()
                .filter(|command| !command.is_hide_set() && command.get_name() != "help");
            found.extend(
                shown.map(|command| WordCandidate::new(command.get_name(), help_of(command.get_about()))),
            );
        }
        let positionals: Vec<&Arg> = position.command.get_positionals().collect();
        let last = positionals.last().copied().filter(|arg| matches!(arg.get_action(), ArgAction::Append));
        if let Some(arg) = positionals.get(position.positionals).copied().or(last) {
            let used = |value: &WordCandidate| before.contains(&value.word);
            found.extend(self.values(arg).into_iter().filter(|value| !used(value)));
        }
        found
    }

    /// What an argument can be.
    fn values(&self, arg: &Arg) -> Vec<WordCandidate> {
        let words = arg.get_possible_values();
        if arg.get_action().takes_values() && !words.is_empty() {
            let shown = words.into_iter().filter(|word| !word.is_hide_set());
            return shown.map(|word| WordCandidate::new(word.get_name(), help_of(word.get_help()))).collect();
        }
        let names = arg.get_value_names().unwrap_or_default();
        let name = names.first().map_or(arg.get_id().as_str(), |name| name.as_str());
        let ask = |what: &str| vec![WordCandidate::new(what, "")];
        let mut found = Vec::new();
        for kind in name.split('|') {
            found.extend(match (kind, arg.get_id().as_str()) {
                ("TASK", _) => {
                    let only_tasks = OF_TASKS.contains(&self.command);
                    candidates::nodes(
                        self.call,
                        if only_tasks { OfferedNodes::Tasks } else { OfferedNodes::All },
                    )
                }
                ("RUNNER", _) | ("NAME", "runner" | "review_runner") => candidates::runners(self.call),
                ("NAME", "types") => candidates::hooks(),
                ("ID", "explain") => candidates::check_rules(),
                ("SANDBOX", _) => {
                    ["none", "bwrap", "sandbox-exec"].map(|word| WordCandidate::new(word, "")).into()
                }
                ("FILE", _) => ask(":files"),
                ("FOLDER" | "DIR", _) => ask(":folders"),
                ("COMMIT" | "RANGE" | "BRANCH", _) => ask(":references"),
                ("REMOTE", _) => candidates::remotes(self.call),
                _ => Vec::new(),
            });
        }
        found.dedup();
        found
    }
}

impl<'a> Position<'a> {
    fn after(command: &'a Command, words: &[String]) -> Self {
        let mut position = Self { command, pending: None, positionals: 0, only_positionals: false };
        for word in words {
            position.take(word);
        }
        position
    }

    fn take(&mut self, word: &str) {
        if self.pending.take().is_some() {
            return;
        }
        if word == "--" && !self.only_positionals {
            self.only_positionals = true;
        } else if word.starts_with('-') && word.len() > 1 && !self.only_positionals {
            let option = option_named(self.command, word);
            // An optional value follows an equals sign.
            let needs_value = |arg: &&Arg| {
                arg.get_action().takes_values()
                    && arg.get_num_args().is_none_or(|range| range.min_values() > 0)
            };
            self.pending = option.filter(needs_value);
        } else if let Some(below) = self.command.find_subcommand(word).filter(|_| self.positionals == 0) {
            self.command = below;
        } else {
            self.positionals += 1;
        }
    }
}

/// The option of this name, `-x` or `--name`.
fn option_named<'a>(command: &'a Command, name: &str) -> Option<&'a Arg> {
    let short =
        name.strip_prefix('-').filter(|rest| !rest.starts_with('-')).and_then(|rest| rest.chars().last());
    let long = name.strip_prefix("--");
    command.get_arguments().find(|arg| {
        long.is_some_and(|long| arg.get_long() == Some(long))
            || short.is_some_and(|short| arg.get_short() == Some(short))
    })
}

/// The long options that were not given yet.
fn options(command: &Command, before: &[String]) -> Vec<WordCandidate> {
    let shown = command.get_arguments().filter(|arg| !arg.is_hide_set());
    let named = shown.filter_map(|arg| Some((arg, format!("--{}", arg.get_long()?))));
    let is_left =
        |arg: &Arg, name: &String| !before.contains(name) || matches!(arg.get_action(), ArgAction::Append);
    let left = named.filter(|(arg, name)| is_left(arg, name));
    left.map(|(arg, name)| WordCandidate::new(name, help_of(arg.get_help()))).collect()
}

fn help_of(help: Option<&clap::builder::StyledStr>) -> String {
    help.map(ToString::to_string).unwrap_or_default()
}
