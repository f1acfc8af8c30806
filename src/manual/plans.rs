//! The page about the file of the plan.

use super::page::{Block, Chapter, Page, sentence};
use super::prose::Prose;
use crate::plan::{COMMAND_FIELDS, FILE_FIELDS, FieldHelp, NODE_FIELDS, TaskField};

/// The page `gitarborist-plans(5)`.
pub(super) fn page() -> Page {
    let prose = Prose::of(include_str!("pages/plans.md"));
    let chapter = |heading: &str, opening: &str, fields: &mut dyn Iterator<Item = FieldHelp>| {
        let opening = Block::Text(opening.to_owned());
        Chapter::new(heading, std::iter::once(opening).chain(fields.map(item)).collect())
    };
    let mut chapters = vec![
        Chapter::new("Description", prose.opening),
        chapter(
            "Fields of the file",
            "Only `nodes` is needed. Unknown fields are ignored everywhere, with a warning for those that look like a misspelling.",
            &mut FILE_FIELDS.into_iter(),
        ),
        chapter("Fields of a node", "A node needs an `id` and a `name`.", &mut NODE_FIELDS.into_iter()),
        chapter(
            "Fields that apply to everything below",
            "These fields say how a task is done. One that a phase or another parent sets applies to every node below it, unless a \
             nearer node sets the same field. They take the place of git's configuration, but not of options and variables of \
             the environment.",
            &mut TaskField::ALL.into_iter().map(TaskField::help),
        ),
        chapter(
            "Fields of a test command",
            "A test command needs a `type` and a `command`.",
            &mut COMMAND_FIELDS.into_iter(),
        ),
    ];
    chapters.extend(prose.chapters);
    let see_also = "`git-arborist`(1), `git-arborist-build`(1), `git-arborist-lint`(1), `gitarborist-config`(5), \
                    `gitarborist-trailers`(7)";
    chapters.push(Chapter::new("See also", vec![Block::Text(see_also.to_owned())]));
    let about = "the plan that git arborist works on".to_owned();
    Page { name: "gitarborist-plans".to_owned(), section: 5, about, chapters }
}

fn item(field: FieldHelp) -> Block {
    let text = format!("{} The value is {}.", sentence(field.about), field.value);
    Block::item(format!("`{}`", field.name), text)
}
