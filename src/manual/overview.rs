//! The page of `git arborist` itself.

use super::entry::CommandEntry;
use super::page::{Block, Chapter, Page, sentence};
use super::prose::Prose;
use crate::error::EXIT_STATUSES;

/// The page `git-arborist(1)`.
pub(super) fn page(commands: &[CommandEntry]) -> Page {
    let prose = Prose::of(include_str!("pages/git-arborist.md"));
    let synopsis = [
        "git arborist <COMMAND> [OPTIONS] [ARGUMENTS]",
        "git arborist help [TOPIC]",
        "git arborist --version",
    ];
    let mut chapters = vec![
        Chapter::new("Synopsis", vec![Block::Usage(synopsis.map(str::to_owned).into())]),
        Chapter::new("Description", prose.opening),
        Chapter::new("Commands", grouped(commands)),
    ];
    let (examples, others): (Vec<_>, Vec<_>) =
        prose.chapters.into_iter().partition(|chapter| chapter.heading == "EXAMPLES");
    chapters.extend(others);
    chapters.push(exit_status());
    chapters.extend(examples);
    let see_also = "`gitarborist-plans`(5), `gitarborist-config`(5), `gitarborist-trailers`(7), `git`(1), \
                    `git-interpret-trailers`(1), `githooks`(5)";
    chapters.push(Chapter::new("See also", vec![Block::Text(see_also.to_owned())]));
    let about = "let coding agents work through a plan, one commit for each step";
    Page { name: "git-arborist".to_owned(), section: 1, about: about.to_owned(), chapters }
}

fn grouped(commands: &[CommandEntry]) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut group = "";
    for entry in commands {
        if entry.group != group {
            group = entry.group;
            blocks.push(Block::Heading(sentence(group).trim_end_matches('.').to_owned()));
        }
        blocks.push(Block::item(format!("`git-arborist-{}`(1)", entry.name), sentence(entry.about)));
    }
    blocks
}

/// The exit statuses, which are those of every command.
pub(super) fn exit_status() -> Chapter {
    let item = |(status, meaning): (&str, &str)| Block::item(format!("`{status}`"), sentence(meaning));
    Chapter::new("Exit status", EXIT_STATUSES.into_iter().map(item).collect())
}
