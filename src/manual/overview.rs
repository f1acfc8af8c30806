//! The page of `git arborist` itself.

use clap::Command;

use super::entry::CommandEntry;
use super::markdown::sentence;
use super::page::Page;
use crate::error::EXIT_STATUSES;

const USAGE: &str = "git arborist <COMMAND> [OPTIONS] [ARGUMENTS]
       git arborist help [TOPIC]
       git arborist --version";

/// The page `git-arborist(1)`.
pub(super) fn page(commands: &[CommandEntry]) -> Page {
    let prose = include_str!("pages/git-arborist.md");
    let (description, chapters) = prose.split_once("\n# ").expect("the page has chapters");
    let chapters = chapters.replacen("# Examples", &format!("{}# Examples", exit_status()), 1);
    let chapters = format!(
        "{}# {chapters}\n# See also\n\n`gitarborist-plans`(5), `gitarborist-config`(5), `gitarborist-trailers`(7), \
         `git`(1), `git-interpret-trailers`(1), `githooks`(5)\n",
        grouped(commands)
    );
    Page {
        name: "git-arborist".to_owned(),
        section: 1,
        about: "let coding agents work through a plan, one commit for each step".to_owned(),
        command: Some(Command::new("git arborist").override_usage(USAGE).disable_help_flag(true)),
        description: description.to_owned(),
        chapters,
    }
}

fn grouped(commands: &[CommandEntry]) -> String {
    let mut text = "# Commands\n".to_owned();
    let mut group = "";
    for entry in commands {
        if entry.group != group {
            group = entry.group;
            text.push_str(&format!("\n## {}\n\n", sentence(group).trim_end_matches('.')));
        }
        text.push_str(&format!("- `git-arborist-{}`(1): {}\n", entry.name, sentence(entry.about)));
    }
    text + "\n"
}

/// The exit statuses, which are those of every command.
pub(super) fn exit_status() -> String {
    let items = EXIT_STATUSES.map(|(status, meaning)| format!("- `{status}`: {}\n", sentence(meaning)));
    format!("# Exit status\n\n{}\n", items.concat())
}
