//! Reads plans of superpowers: `### Task N: Title` with files, steps, and commands with their expected results.

use std::collections::HashSet;

use super::checkbox::{Tick, split_box, split_marks};
use super::headings::{heading_text, phase_of};
use super::implied::{Within, order_tasks};
use super::imported::{ImportedId, ImportedKind, ImportedNode, ImportedPlan, ImportedTest};
use super::markdown::{Block, BlockKind, blocks};
use super::outline::FileOutline;
use super::sections::SectionKind;
use super::source_file::SourceFile;
use super::stated::phase_id;
use super::texts::{command_of, field, name_of};

/// Reads the source at position `file`.
pub(super) fn read(source: &SourceFile, file: usize, plan: &mut ImportedPlan) {
    let blocks = blocks(&source.text);
    let mut reader = Reader {
        outline: FileOutline::new(plan, file, &blocks),
        depths: vec![0; blocks.len()],
        steps: Vec::new(),
        run: None,
        validation: Vec::new(),
    };
    for at in 0..blocks.len() {
        reader.block(&blocks, at);
    }
    let Reader { outline: FileOutline { plan, first, mut sections, unread, .. }, steps, validation, .. } =
        reader;
    sections.end(0, plan);
    unread.finish(plan);
    for StepsDone { node, done, open } in steps {
        plan.nodes[node].claimed = done > 0 && open == 0;
    }
    for node in &mut plan.nodes[first..] {
        if node.kind == ImportedKind::Task && node.tests.is_empty() {
            node.tests.clone_from(&validation);
        }
    }
    order_tasks(plan, first, Within::Plan, &HashSet::new());
}

/// How many steps of a task are done.
struct StepsDone {
    node: usize,
    done: usize,
    open: usize,
}

struct Reader<'p> {
    outline: FileOutline<'p>,
    /// For each block that is an item, how deep it is.
    depths: Vec<usize>,
    /// The steps of all tasks so far.
    steps: Vec<StepsDone>,
    /// The last command of the current task, whose expected result has not been read.
    run: Option<ImportedTest>,
    /// The commands below the heading "Validation Commands", which judge all tasks without one.
    validation: Vec<ImportedTest>,
}

impl Reader<'_> {
    fn block(&mut self, blocks: &[Block<'_>], at: usize) {
        let block = &blocks[at];
        let above = block.item.map_or(0, |item| self.depths[item]);
        self.depths[at] = above + usize::from(block.is_item());
        match block.kind {
            BlockKind::Comment => {}
            BlockKind::Heading(level) if block.item.is_none() => self.heading(block, level),
            _ => match self.outline.task_above() {
                Some(node) => self.part(block, node, self.depths[at]),
                None if self.is_validation(block) => {}
                None => {
                    if block.is_box() {
                        self.outline.plan.warn(
                            self.outline.place(block.line),
                            "a box outside of all tasks is not read as a task",
                            "Move it below a heading `### Task N: Title`.",
                        );
                    }
                    self.outline.describe(block, false);
                }
            },
        }
    }

    /// Reads a command below the heading "Validation Commands". Returns whether the block is one.
    fn is_validation(&mut self, block: &Block<'_>) -> bool {
        let section = self.outline.sections.innermost();
        let is_in_section =
            section.is_some_and(|section| section.name.to_lowercase().starts_with("validation command"));
        let Some(command) = command_of(block.text).filter(|_| is_in_section && block.is_item()) else {
            return false;
        };
        self.validation.push(ImportedTest { command, place: self.outline.place(block.line) });
        true
    }

    fn heading(&mut self, block: &Block<'_>, level: u8) {
        let text = heading_text(block.text);
        let task = task_heading(text);
        let is_below = self.outline.sections.innermost().is_some_and(|section| section.level < level);
        if let (Some(node), None) = (self.outline.task_above().filter(|_| is_below), &task) {
            self.outline.plan.nodes[node].describe(&format!("\n{text}"));
            return;
        }
        self.outline.sections.end(level, self.outline.plan);
        self.run = None;
        let kind = if level == 1 { SectionKind::Title } else { section_kind(text) };
        let mut section = self.outline.begin(block, level, kind);
        section.name = name_of(text);
        if let Some((number, title)) = task {
            let (tick, title) = split_box(title).unwrap_or((Tick::Open, title));
            let (marks, title) = split_marks(title);
            let id = ImportedId::Suggested(format!("task{number}"));
            let mut node = ImportedNode::task(id, name_of(title), section.place);
            node.parent = self.outline.sections.parent(self.outline.plan);
            node.fields.labels = marks.labels;
            node.claimed = tick == Tick::Ticked;
            let node = self.outline.plan.add(node);
            (section.kind, section.node) = (SectionKind::Task, Some(node));
        } else if let Some((number, name)) = phase_of(text) {
            (section.kind, section.name) = (SectionKind::Phase, name);
            section.id = ImportedId::Suggested(phase_id(&number));
        }
        self.outline.sections.begin(section);
    }

    /// Reads a block below the heading of a task.
    fn part(&mut self, block: &Block<'_>, node: usize, depth: usize) {
        if let Some((tick, _)) = split_box(block.text).filter(|_| block.is_item()) {
            if self.steps.last().is_none_or(|steps| steps.node != node) {
                self.steps.push(StepsDone { node, done: 0, open: 0 });
            }
            let steps = self.steps.last_mut().expect("it was just added");
            if tick == Tick::Ticked { steps.done += 1 } else { steps.open += 1 }
        }
        if let BlockKind::Fenced(_) = block.kind {
            // `Run:` may also be followed by a fenced command.
            if let Some(run) = self.run.as_mut().filter(|run| run.command.is_empty()) {
                let lines: Vec<&str> = block.text.lines().map(str::trim).collect();
                let inner = lines[1..lines.len().max(2) - 1].iter().copied();
                let inner: Vec<&str> =
                    inner.filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
                run.command = inner.join(" && ");
            }
        } else {
            self.commands(block, node);
        }
        self.outline.detail(block, node, depth);
    }

    /// Reads `Run: COMMAND` and `Expected: PASS`. Only commands that must pass in the end judge the task.
    fn commands(&mut self, block: &Block<'_>, node: usize) {
        for (line, text) in (block.line..).zip(block.text.lines()) {
            let place = self.outline.place(line);
            let plain = text.trim().trim_start_matches(['-', '*', '+', ' ']);
            if let Some(rest) = field(plain, "run") {
                let command = rest.trim().trim_matches('`').trim();
                let is_one =
                    rest.trim().is_empty() || (rest.trim().starts_with('`') && !command.contains('`'));
                self.run = is_one.then(|| ImportedTest { command: command.to_owned(), place });
            } else if let Some(rest) = field(plain, "expected") {
                let passes = rest.trim_start_matches(['*', '`', ' ', '"']).to_uppercase();
                let passes =
                    ["PASS", "ALL PASS", "ALL TESTS PASS"].iter().any(|word| passes.starts_with(word));
                if let Some(run) = self.run.take().filter(|run| passes && !run.command.is_empty())
                    && self.outline.plan.nodes[node].tests.iter().all(|test| test.command != run.command)
                {
                    self.outline.plan.nodes[node].tests.push(run);
                }
            }
        }
    }
}

/// Headings above tasks are mostly prose, such as "File structure". Only those that divide the work are groups.
fn section_kind(heading: &str) -> SectionKind {
    const PARTS: [&str; 6] = ["chunk", "part", "milestone", "stage", "wave", "group"];
    let lower = heading.to_lowercase();
    let first = lower.split(|c: char| !c.is_alphanumeric()).find(|word| !word.is_empty()).unwrap_or_default();
    if PARTS.contains(&first) { SectionKind::Group } else { SectionKind::Prose }
}

/// The number and the title of `Task 1: Title`.
fn task_heading(heading: &str) -> Option<(&str, &str)> {
    let heading = heading.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '[');
    let heading = split_box(heading).map_or(heading, |(_, rest)| rest.trim_start());
    let rest = ["Task ", "TASK ", "任务 ", "任务", "タスク ", "タスク", "작업 "]
        .iter()
        .find_map(|word| heading.strip_prefix(word))?;
    let end =
        rest.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '-'))).unwrap_or(rest.len());
    let number = rest[..end].trim_end_matches(['.', '-']);
    let title = rest[number.len()..].trim_start_matches([':', '：', '.', ' ', '-', '–', '—']);
    let is_number = number.len() <= 8 && number.chars().any(|c| c.is_ascii_digit());
    (is_number && !title.is_empty()).then_some((number, title))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_of_tasks_are_recognised() {
        for (heading, found) in [
            ("Task 1: Title", Some(("1", "Title"))),
            ("Task 2.1 — Title", Some(("2.1", "Title"))),
            ("✅ Task A3: Title", Some(("A3", "Title"))),
            ("任务 1：标题", Some(("1", "标题"))),
            ("Task list", None),
            ("Task 1", None),
        ] {
            assert_eq!(task_heading(heading), found, "{heading}");
        }
    }
}
