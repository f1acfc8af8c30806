//! The page of a command: its description, and its options as clap knows them.

use clap::builder::PossibleValue;
use clap::{Arg, ArgAction, Command};

use super::entry::CommandEntry;
use super::overview::exit_status;
use super::page::{Block, Chapter, Page, listed, sentence};
use super::prose::Prose;

/// The options that every command has. They come last.
const COMMON: [&str; 4] = ["tree", "color", "help", "version"];

/// The page of a command.
pub(super) fn page(entry: &CommandEntry, commands: &[CommandEntry]) -> Page {
    let mut definition = (entry.definition)();
    definition.build();
    let prose = Prose::of(entry.prose);
    let mut opening = prose.opening;
    if opening.is_empty() {
        opening.push(Block::Text(sentence(entry.about)));
    }
    let mut chapters =
        vec![Chapter::new("Synopsis", synopsis(&definition)), Chapter::new("Description", opening)];
    let subcommands: Vec<Block> = shown(&definition).flat_map(subcommand).collect();
    if !subcommands.is_empty() {
        chapters.push(Chapter::new("Commands", subcommands));
    }
    chapters.push(Chapter::new("Options", options(&definition)));
    let (examples, others): (Vec<_>, Vec<_>) =
        prose.chapters.into_iter().partition(|chapter| chapter.heading == "EXAMPLES");
    chapters.extend(others);
    chapters.push(exit_status());
    chapters.extend(examples);
    chapters.push(see_also(entry, commands));
    Page { name: format!("git-arborist-{}", entry.name), section: 1, about: entry.about.to_owned(), chapters }
}

/// The subcommands that people may use.
fn shown(definition: &Command) -> impl Iterator<Item = &Command> {
    definition.get_subcommands().filter(|command| !command.is_hide_set() && command.get_name() != "help")
}

/// How the command is called: one line for itself, unless it needs a subcommand, and one for each subcommand.
fn synopsis(definition: &Command) -> Vec<Block> {
    let usage = |command: &Command| {
        let text = command.clone().render_usage().to_string();
        // clap puts its alternatives on lines of their own; the subcommands follow here anyway.
        text.lines().next().unwrap_or_default().trim_start_matches("Usage: ").trim().to_owned()
    };
    let own = (!definition.is_subcommand_required_set()).then(|| usage(definition).replace(" [COMMAND]", ""));
    vec![Block::Usage(own.into_iter().chain(shown(definition).map(usage)).collect())]
}

/// What a subcommand does, and its own options.
fn subcommand(command: &Command) -> Vec<Block> {
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let mut blocks = vec![Block::Heading(command.get_name().to_owned()), Block::Text(sentence(&about))];
    blocks.extend(own_arguments(command).map(item));
    blocks
}

/// The arguments and options: positional ones first, those of all commands last.
fn options(definition: &Command) -> Vec<Block> {
    let common = COMMON.into_iter().filter_map(|id| {
        let mut arguments = definition.get_arguments().filter(|arg| !arg.is_hide_set());
        arguments.find(|arg| arg.get_id() == id)
    });
    own_arguments(definition).chain(common).map(item).collect()
}

fn own_arguments(definition: &Command) -> impl Iterator<Item = &Arg> {
    let visible = |arg: &&Arg| !arg.is_hide_set() && !COMMON.contains(&arg.get_id().as_str());
    let options = definition.get_opts().chain(definition.get_arguments().filter(|arg| is_switch(arg)));
    let mut options: Vec<&Arg> = options.filter(visible).collect();
    // In the order in which the command declares them.
    let place = |arg: &Arg| definition.get_arguments().position(|other| other.get_id() == arg.get_id());
    options.sort_by_key(|arg| place(arg));
    options.dedup_by_key(|arg| arg.get_id());
    definition.get_positionals().filter(visible).chain(options)
}

fn is_switch(arg: &Arg) -> bool {
    !arg.is_positional() && !arg.get_action().takes_values()
}

fn item(arg: &Arg) -> Block {
    let mut texts = vec![explanation(arg)];
    texts.extend(values(arg));
    Block::Item(term(arg), texts)
}

/// How the argument is written: `-s`, `--short`, or `<TASK>...`.
fn term(arg: &Arg) -> String {
    let names: Vec<&str> =
        arg.get_value_names().unwrap_or_default().iter().map(clap::builder::Str::as_str).collect();
    let value = names.iter().map(|name| format!("<{name}>")).collect::<Vec<_>>().join(" ");
    let value = if value.is_empty() { format!("<{}>", arg.get_id().as_str().to_uppercase()) } else { value };
    let takes_many = arg.get_num_args().is_some_and(|range| range.max_values() > 1);
    let many = if takes_many || arg.get_action().takes_values() && is_repeated(arg) { "..." } else { "" };
    if arg.is_positional() {
        return format!("{value}{many}");
    }
    let short = arg.get_short().map(|short| format!("`-{short}`"));
    let long = arg.get_long().map(|long| format!("`--{long}`"));
    let spelt = short.into_iter().chain(long).collect::<Vec<_>>().join(", ");
    if !arg.get_action().takes_values() {
        return spelt;
    }
    let is_optional = arg.get_num_args().is_some_and(|range| range.min_values() == 0);
    if is_optional {
        format!("{spelt}[`=`{value}]")
    } else {
        format!("{spelt} {value}{}", if takes_many { "..." } else { "" })
    }
}

fn is_repeated(arg: &Arg) -> bool {
    arg.is_positional() && matches!(arg.get_action(), ArgAction::Append)
}

/// What it does, with its default as a sentence.
fn explanation(arg: &Arg) -> String {
    let help = match arg.get_id().as_str() {
        "help" => "Show this page; `-h` prints a short summary".to_owned(),
        "version" => "Print the version".to_owned(),
        _ => {
            let help = arg.get_long_help().or_else(|| arg.get_help());
            help.map(ToString::to_string).unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ")
        }
    };
    // A default that is not a value is written in the help.
    let (help, written) = match help.split_once(" [default: ") {
        Some((before, after)) => {
            let (default, rest) = after.split_once(']').unwrap_or((after, ""));
            (format!("{before}{rest}"), Some(default.to_owned()))
        }
        None => (help, None),
    };
    let values = arg.get_default_values().iter().map(|value| format!("`{}`", value.to_string_lossy()));
    let value = Some(values.collect::<Vec<_>>().join(" ")).filter(|text| !text.is_empty());
    let value = value.filter(|_| arg.get_action().takes_values() && !arg.is_hide_default_value_set());
    match written.or(value) {
        Some(default) => format!("{} The default is {default}.", sentence(&help)),
        None => sentence(&help),
    }
}

/// The words that it takes.
fn values(arg: &Arg) -> Vec<String> {
    let words: Vec<PossibleValue> =
        arg.get_possible_values().into_iter().filter(|value| !value.is_hide_set()).collect();
    if words.is_empty() || !arg.get_action().takes_values() || arg.is_hide_possible_values_set() {
        return Vec::new();
    }
    vec![format!("Possible values: {}.", listed(words.iter().map(PossibleValue::get_name)))]
}

/// The overview, the commands of the same group, and the pages about files.
fn see_also(entry: &CommandEntry, commands: &[CommandEntry]) -> Chapter {
    let near = commands.iter().filter(|other| other.group == entry.group && other.name != entry.name);
    let mut names = vec!["`git-arborist`(1)".to_owned()];
    names.extend(near.map(|other| format!("`git-arborist-{}`(1)", other.name)));
    names.extend(["config", "plans"].map(|file| format!("`gitarborist-{file}`(5)")));
    names.push("`gitarborist-trailers`(7)".to_owned());
    Chapter::new("See also", vec![Block::Text(names.join(", "))])
}
