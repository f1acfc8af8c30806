//! Lets clap write its part of a page for `man`: the synopsis and the options of a command.

use std::fmt::Debug;

use clap::Command;
use clap_mangen::Man;

use super::markdown::{for_man, sentence, without_preamble};

/// The options that every command has. The page of the whole program explains them.
const COMMON: [&str; 3] = ["tree", "help", "version"];

/// How the command is called, in the language of `man`: a line for each subcommand.
pub(super) fn synopsis(command: &Command) -> String {
    let usage = command.clone().render_usage().to_string();
    let forms = usage.trim_start_matches("Usage:").trim().to_owned();
    let man = Man::new(command.clone().override_usage(forms));
    section(|out| man.render_synopsis_section(out))
}

/// The subcommands, each with its own options, and the options of the command, in the language of `man`.
pub(super) fn options(command: &Command) -> String {
    let mut text = String::new();
    for subcommand in command.get_subcommands().filter(|subcommand| !subcommand.is_hide_set()) {
        if text.is_empty() {
            text.push_str(".SH COMMANDS\n");
        }
        let about = subcommand.get_about().map(ToString::to_string).unwrap_or_default();
        text.push_str(&for_man(&format!("## {}\n\n{}", subcommand.get_name(), sentence(&about))));
        let man = Man::new(own(subcommand));
        text.push_str(section(|out| man.render_options_section(out)).trim_start_matches(".SH OPTIONS\n"));
    }
    let command = own(command);
    if command.get_arguments().all(|arg| arg.is_hide_set() || arg.is_positional()) {
        return text;
    }
    let man = Man::new(command);
    text + &section(|out| man.render_options_section(out))
}

/// The command without the options that every command has.
fn own(command: &Command) -> Command {
    command.clone().mut_args(|arg| {
        let is_common = COMMON.contains(&arg.get_id().as_str());
        if is_common { arg.hide(true) } else { arg }
    })
}

/// What clap writes, in which words between backticks are bold as everywhere else in the manual.
fn section<E: Debug>(write: impl FnOnce(&mut Vec<u8>) -> Result<(), E>) -> String {
    let mut out = Vec::new();
    write(&mut out).expect("a Vec takes everything");
    let text = String::from_utf8(out).expect("what is written from strings is UTF-8");
    let text = without_preamble(&text);
    let parts = text.split('`').enumerate();
    parts
        .map(|(place, part)| if place % 2 == 1 { format!("\\fB{part}\\fR") } else { part.to_owned() })
        .collect()
}
