//! The fields of a plan: their names, values and meanings, for the reader of the file and for documentation.

/// What a field of a plan is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldHelp {
    /// Its name.
    pub name: &'static str,
    /// What its value is.
    pub value: &'static str,
    /// What it means, as one clause.
    pub about: &'static str,
}

const fn field(name: &'static str, value: &'static str, about: &'static str) -> FieldHelp {
    FieldHelp { name, value, about }
}

/// The fields of the whole file.
pub const FILE_FIELDS: [FieldHelp; 11] = [
    field("spec_id", "a text", "the name of the plan; a commit that changes it begins a new run"),
    field("title", "a text", "the title of the plan, as one line"),
    field("summary", "a text", "what the plan is to achieve"),
    field(
        "documents",
        "a list of objects",
        "files that belong to the whole plan: `{\"path\": PATH, \"for\": KIND}`, where KIND is `requirements`, `design`, \
         `conventions`, `research`, `contract` or `data model`",
    ),
    field("nodes", "an object", "the tasks and phases, each under its id"),
    field("root_ids", "a list of ids", "those without a parent, in order"),
    field(
        "execution_order",
        "a list of ids",
        "the order of the tasks, if it contains exactly the tasks and the dependencies allow it",
    ),
    field("spec_files", "a list of paths", "the files from which the plan was made"),
    field("built", "an object", "what `git arborist build` needs to update the file; a run does not read it"),
    field(
        "suite",
        "a text",
        "a command that runs all tests; nothing acts on it in this version, so set `arborist.suite` instead",
    ),
    field("defaults", "an object", "the fields below that say how tasks are done, for the whole plan"),
];

/// The fields of a node besides those of [`TaskField`](super::TaskField).
pub const NODE_FIELDS: [FieldHelp; 13] = [
    field("id", "a text", "the id: letters, digits, `.`, `_` and `-`, at most 64 of them"),
    field("name", "a text", "the name, as one line"),
    field(
        "was",
        "a list of texts",
        "earlier names of the same task: its steps still count, although its name was corrected",
    ),
    field("description", "a text", "what the agent is asked to do"),
    field(
        "acceptance",
        "a list of texts",
        "what must be so when it is done; applies to everything below that has no list",
    ),
    field(
        "documents",
        "a list of objects",
        "files that belong to it and to everything below, besides those of the whole plan",
    ),
    field("parent", "an id", "the phase above"),
    field("children", "a list of ids", "what is below, in order"),
    field("depends_on", "a list of ids", "what must be complete first; a phase means all tasks below it"),
    field("is_leaf", "`true` or `false`", "whether it is a task; it must agree with `children`"),
    field("source_file", "a path", "where the task was specified"),
    field("source_line", "a number", "the line in that file"),
    field("test_commands", "a list of objects", "the commands that decide whether the task is done"),
];

/// The fields of a test command.
pub const COMMAND_FIELDS: [FieldHelp; 5] = [
    field(
        "type",
        "a word",
        "`unit`, `integration` or `e2e`; `setup` runs before the others, `mutation` after them if they passed, and `teardown` last, even after a failure",
    ),
    field(
        "command",
        "a text",
        "the command, which `sh` runs at the top of the work tree; its exit status decides",
    ),
    field(
        "framework",
        "a text",
        "the format of the output, from which test counts are read; needed only if it is not recognised",
    ),
    field("timeout", "a number of seconds", "a limit in place of `arborist.testTimeout`"),
    field(
        "coverage",
        "a text",
        "the coverage report that the command writes: its format and its path, as in `lcov:coverage/lcov.info`",
    ),
];

/// The names of these fields.
pub(super) const fn names<const N: usize>(fields: &[FieldHelp; N]) -> [&'static str; N] {
    let mut names = [""; N];
    let mut place = 0;
    while place < N {
        names[place] = fields[place].name;
        place += 1;
    }
    names
}
