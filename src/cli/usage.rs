//! Adds "did you mean" to errors about unknown options, subcommands and values.
//!
//! clap could do this itself, but it would also suggest a subcommand that deletes.

use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::error::{Error, Kind};
use crate::session::Deletes;
use crate::suggest;
use crate::text::{advice, gone, listed, one_line};

/// Adds the word that was most likely meant to an error of clap, unless that word deletes something.
pub(super) fn add_suggestion(error: &mut clap::Error, name: &str, command: &clap::Command, deletes: Deletes) {
    let (wrong, suggestion, known) = match error.kind() {
        ErrorKind::UnknownArgument => (ContextKind::InvalidArg, ContextKind::SuggestedArg, options(command)),
        ErrorKind::InvalidSubcommand => {
            (ContextKind::InvalidSubcommand, ContextKind::SuggestedSubcommand, subcommands(command))
        }
        ErrorKind::InvalidValue => {
            (ContextKind::InvalidValue, ContextKind::SuggestedValue, valid_values(error))
        }
        _ => return,
    };
    let Some(ContextValue::String(word)) = error.get(wrong) else { return };
    let instead = match error.kind() {
        ErrorKind::UnknownArgument => gone::instead_of_option(name, word),
        ErrorKind::InvalidSubcommand => gone::instead_of_command(&format!("{name} {word}")),
        _ => None,
    };
    if let Some(instead) = instead {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![instead.into()]));
        return;
    }
    let is_harmless = |word: &&str| !matches!(deletes, Deletes::With(words) if words.contains(word));
    let near = suggest::nearest(word, known.iter().map(String::as_str)).filter(is_harmless);
    if error.kind() == ErrorKind::UnknownArgument && word.starts_with("--") {
        // Nobody who writes an option means a value.
        error.remove(ContextKind::Suggested);
    }
    match (near, error.kind()) {
        (Some(near), _) => {
            error.insert(suggestion, ContextValue::String(near.to_owned()));
        }
        (None, ErrorKind::InvalidSubcommand) if !known.is_empty() => {
            let all: Vec<String> = known.iter().filter(|word| is_harmless(&word.as_str())).cloned().collect();
            let all = format!("known commands include {}", listed(&all));
            error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![all.into()]));
        }
        (None, _) => {}
    }
}

/// The same error without the layout that clap gives it.
pub(super) fn as_error(error: &clap::Error, command: &str) -> Error {
    let text = error.render().to_string();
    let mut parts = text.split("\n\n");
    let what = parts
        .next()
        .expect("a split text has a first part")
        .trim()
        .trim_start_matches("error: ")
        .trim_end_matches(':');
    let tips = parts.filter_map(|part| part.trim().strip_prefix("tip: "));
    let tips: String = tips.map(|tip| format!("{}. ", one_line(tip).trim_end_matches('.'))).collect();
    Error::new(
        Kind::Input,
        one_line(what),
        format!("{tips}{} lists the options.", advice::options_of(command)),
    )
}

/// The long options of a command and of its subcommands.
fn options(command: &clap::Command) -> Vec<String> {
    let all = std::iter::once(command).chain(command.get_subcommands());
    all.flat_map(clap::Command::get_arguments)
        .filter(|arg| !arg.is_hide_set())
        .filter_map(|arg| arg.get_long().map(|long| format!("--{long}")))
        .collect()
}

fn subcommands(command: &clap::Command) -> Vec<String> {
    let shown = command.get_subcommands().filter(|subcommand| !subcommand.is_hide_set());
    shown.map(|subcommand| subcommand.get_name().to_owned()).collect()
}

fn valid_values(error: &clap::Error) -> Vec<String> {
    match error.get(ContextKind::ValidValue) {
        Some(ContextValue::Strings(values)) => values.clone(),
        _ => Vec::new(),
    }
}
