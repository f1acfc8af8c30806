//! Adds the text below a task to its description, and the test commands in it to its tests.

use super::imported::{ImportedPlan, ImportedTest, Place, Prerequisite};
use super::markdown::{Block, BlockKind};
use super::stated::needs_in;
use super::texts::{TestLine, dedent, test_line};

/// What a list item is read as.
#[derive(Clone, Copy)]
pub(super) enum ItemNode {
    /// A task, at this position.
    Task(usize),
    /// A part of the description of a task, this deep below it.
    Part { of: usize, depth: usize },
}

impl ItemNode {
    /// The task that the item is or belongs to.
    pub(super) fn task(self) -> usize {
        match self {
            Self::Task(task) | Self::Part { of: task, .. } => task,
        }
    }

    /// How deep the items inside this one are below the task.
    pub(super) fn depth_inside(self) -> usize {
        match self {
            Self::Task(_) => 1,
            Self::Part { depth, .. } => depth + 1,
        }
    }
}

/// A block that belongs to a task.
#[derive(Clone, Copy)]
pub(super) struct DetailBlock<'a, 't> {
    pub(super) block: &'a Block<'t>,
    /// The task.
    pub(super) node: usize,
    pub(super) place: Place,
    /// How deep its list is below the task; 0 for text.
    pub(super) depth: usize,
}

/// Adds a block to a task: as a test, as dependencies, or as a part of its description.
pub(super) fn add_detail(plan: &mut ImportedPlan, detail: DetailBlock<'_, '_>) {
    let DetailBlock { block, node, place, depth } = detail;
    if let BlockKind::Fenced(info) = block.kind
        && info.split_whitespace().next() == Some("test")
    {
        let lines: Vec<&str> = block.text.lines().collect();
        let inner = lines.get(1..lines.len().saturating_sub(1)).unwrap_or_default();
        let command = dedent(&format!("\n{}", inner.join("\n"))).trim().to_owned();
        if !command.is_empty() {
            plan.nodes[node].tests.push(ImportedTest { command, place });
            return;
        }
    }
    let is_code = matches!(block.kind, BlockKind::Fenced(_) | BlockKind::Indented);
    if !is_code {
        add_tests(plan, node, place, block.text);
        let needs = needs_in(block.text).into_iter().map(|on| Prerequisite::stated(on, place));
        let needs: Vec<Prerequisite> = needs.collect();
        plan.nodes[node].needs.extend(needs);
    }
    let text = dedent(block.text);
    let text = match block.kind {
        BlockKind::Item(number) if depth > 0 => {
            let mark = number.map_or_else(|| "-".to_owned(), |number| format!("{number}."));
            format!("{}{mark} {text}", "  ".repeat(depth - 1))
        }
        _ => text,
    };
    plan.nodes[node].describe(&text);
}

/// Adds the test commands in lines such as `Test: COMMAND` of a text that begins at `place`.
pub(super) fn add_tests(plan: &mut ImportedPlan, node: usize, place: Place, text: &str) {
    for (number, line) in (place.line..).zip(text.lines()) {
        let place = Place { line: number, ..place };
        match test_line(line) {
            Some(TestLine::Command(command)) => {
                plan.nodes[node].tests.push(ImportedTest { command, place });
            }
            Some(TestLine::Prose) => plan.warn(
                place,
                "this line about a test has no command",
                "If it has a command, put that in backticks.",
            ),
            None => {}
        }
    }
}
