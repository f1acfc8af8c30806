//! The page about the file of the plan.

use super::markdown::sentence;
use super::page::Page;
use crate::plan::{COMMAND_FIELDS, FILE_FIELDS, FieldHelp, NODE_FIELDS, TaskField};

/// The page `gitarborist-plans(5)`.
pub(super) fn page() -> Page {
    let prose = include_str!("pages/plans.md");
    let (description, chapters) = prose.split_once("\n# ").expect("the page has chapters");
    let fields = [
        chapter(
            "Fields of the file",
            "Only `nodes` is needed. Unknown fields are ignored everywhere, with a warning for those that look like a misspelling.",
            FILE_FIELDS,
        ),
        chapter("Fields of a task or a phase", "Each needs an `id` and a `name`.", NODE_FIELDS),
        chapter(
            "Fields that apply to everything below",
            "These fields say how a task is done. One that a phase or another parent sets applies to every task below it, unless a \
             nearer one sets the same field. They take the place of git's configuration, but not of options and variables of \
             the environment.",
            TaskField::ALL.map(TaskField::help),
        ),
        chapter("Fields of a test command", "A test command needs a `type` and a `command`.", COMMAND_FIELDS),
    ];
    Page {
        name: "gitarborist-plans".to_owned(),
        section: 5,
        about: "the plan that git arborist works on".to_owned(),
        command: None,
        description: description.to_owned(),
        chapters: format!(
            "{}# {chapters}\n# See also\n\n`git-arborist`(1), `git-arborist-build`(1), `git-arborist-doctor`(1), \
             `gitarborist-config`(5), `gitarborist-trailers`(7)\n",
            fields.concat()
        ),
    }
}

fn chapter(heading: &str, opening: &str, fields: impl IntoIterator<Item = FieldHelp>) -> String {
    let item = |field: FieldHelp| {
        format!("- `{}`: {} The value is {}.\n", field.name, sentence(field.about), field.value)
    };
    format!("# {heading}\n\n{opening}\n\n{}\n", fields.into_iter().map(item).collect::<String>())
}
