//! The page of a command: its description, its options as clap knows them, and its examples.

use super::entry::CommandEntry;
use super::overview::exit_status;
use super::page::Page;

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
