//! The pages about the commands: that of `git arborist` itself, which lists them all, and one for each.

use clap::Command;

use super::markdown::sentence;
use super::page::Page;
use crate::error::EXIT_STATUSES;

const USAGE: &str = "git arborist <COMMAND> [OPTIONS] [ARGUMENTS]
       git arborist help [TOPIC]
       git arborist --version";

/// The page `git-arborist(1)`.
pub(super) fn overview(commands: &[CommandEntry]) -> Page {
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

/// A command, as the pages describe it.
#[derive(Clone, Debug)]
pub struct CommandEntry {
    /// The name after `git arborist`.
    pub name: &'static str,
    /// The heading of its group.
    pub group: &'static str,
    /// Its purpose, as one clause.
    pub about: &'static str,
    /// The description and the examples, in Markdown.
    pub prose: &'static str,
    /// Its arguments and options.
    pub definition: fn() -> clap::Command,
}

/// The table of commands. It is made when it is needed, so that it costs other commands nothing.
#[derive(Clone, Copy, Debug)]
pub struct Catalogue(pub fn() -> Vec<CommandEntry>);

/// The page of a command.
pub(super) fn page(entry: &CommandEntry, commands: &[CommandEntry]) -> Page {
    // The page explains the subcommands together with their options.
    let mut command = (entry.definition)().flatten_help(true).disable_help_subcommand(true);
    command.build();
    let (description, chapters) = entry.prose.split_once("\n# ").unwrap_or((entry.prose, ""));
    let chapters = format!("# {chapters}").replacen("# Examples", &format!("{}# Examples", exit_status()), 1);
    Page {
        name: format!("git-arborist-{}", entry.name),
        section: 1,
        about: entry.about.to_owned(),
        command: Some(command),
        description: description.to_owned(),
        chapters: format!("{chapters}\n{}", see_also(entry, commands)),
    }
}

/// The overview, the commands of the same group, and the pages about files.
fn see_also(entry: &CommandEntry, commands: &[CommandEntry]) -> String {
    let near = commands.iter().filter(|other| other.group == entry.group && other.name != entry.name);
    let mut names = vec!["`git-arborist`(1)".to_owned()];
    names.extend(near.map(|other| format!("`git-arborist-{}`(1)", other.name)));
    names.extend(["config", "plans"].map(|file| format!("`gitarborist-{file}`(5)")));
    names.push("`gitarborist-trailers`(7)".to_owned());
    format!("# See also\n\n{}\n", names.join(", "))
}
