//! What `git arborist` prints without a command: where the user is, what comes next, and the commands; with `help -a`, all
//! of them.

use std::collections::BTreeSet;

use super::everyday;
use super::table::{self, CATALOGUE, TABLE};
use crate::commands::whereabouts::{Whereabouts, whereabouts};
use crate::config::Environment;
use crate::report::Screen;
use crate::session::{Call, Common, Group, Listener, StopWish, Summary};
use crate::text::advice;

const ABOUT: &str = "git arborist: coding agents work through a plan, and every step is one commit\n\n\
                     usage: git arborist <command> [<options>]\n\n";

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WantedHelp {
    /// What comes next. The commands are listed for those who have no plan yet.
    Next,
    /// Help, so that the commands are listed.
    Commands,
}

/// Where the user is, and the everyday commands if they are wanted.
pub(super) fn everyday(environment: &Environment, screen: Screen, wanted: WantedHelp) -> String {
    let (stop, listener) = (StopWish::default(), Listener::default());
    let common = Common::default();
    let (environment, words) = (environment.clone(), Vec::new());
    let call = Call { environment, screen, common, words, catalogue: CATALOGUE, stop, listener };
    let Whereabouts { words, has_plan } = whereabouts(&call);
    let words = call.mask(&words);
    if has_plan && wanted == WantedHelp::Next {
        return format!("{words}\n\n{} lists all commands.\n", advice::help_all());
    }
    let mut text = format!("{words}\n\n{ABOUT}");
    let rows = everyday::COMMANDS.iter().filter_map(|name| table::find(name));
    text.extend(rows.map(|row| line(row.summary)));
    text.push_str(&format!(
        "\n{} lists all commands, {} explains one, and {} shows an example.\n",
        advice::help_all(),
        advice::help("COMMAND"),
        advice::demo()
    ));
    text
}

/// All commands in their groups, and other programs on PATH.
pub(super) fn all(foreign: BTreeSet<String>) -> String {
    let mut text = ABOUT.to_owned();
    for group in Group::ALL {
        text.push_str(&format!("{}\n", group.word()));
        let of_group = TABLE.iter().map(|row| row.summary).filter(|summary| summary.group == group);
        text.extend(of_group.map(line));
        text.push('\n');
    }
    if !foreign.is_empty() {
        text.push_str("also on PATH\n");
        text.extend(foreign.into_iter().map(|name| format!("   {name}\n")));
        text.push('\n');
    }
    text.push_str(&format!(
        "{} explains a command. New here? Try {}.\n",
        advice::help("COMMAND"),
        advice::demo()
    ));
    text
}

fn line(command: Summary) -> String {
    format!("   {:<10} {}\n", command.name, command.about)
}
