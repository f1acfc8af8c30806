//! Reads plans of superpowers: `### Task N: Title` with files, steps, and commands with their expected results.

use std::collections::HashSet;

use super::checkbox::{Tick, split_box, split_marks};
use super::details::{Detail, add_detail};
use super::headings::{heading_text, phase_of};
use super::implied::{Within, order_tasks};
use super::imported::{ImportedId, ImportedKind, ImportedNode, ImportedPlan, ImportedTest, Place, ReadAs};
use super::markdown::{Block, BlockKind, blocks};
use super::sections::{Section, SectionKind, SectionText, Sections};
use super::source_file::SourceFile;
use super::stated::phase_id;
use super::texts::{command_of, dedent, field, name_of};

/// Reads the source at position `file`.
pub(super) fn read(source: &SourceFile, file: usize, plan: &mut ImportedPlan) {
    let blocks = blocks(&source.text);
    let first = plan.nodes.len();
    let mut reader = Reader {
        plan,
        file,
        sections: Sections::default(),
        depths: vec![0; blocks.len()],
        steps: Vec::new(),
        run: None,
        validation: Vec::new(),
    };
    for at in 0..blocks.len() {
        reader.block(&blocks, at);
    }
    reader.sections.end(0, reader.plan);
    for Steps { node, done, open } in reader.steps {
        reader.plan.nodes[node].claimed = done > 0 && open == 0;
    }
    let validation = reader.validation;
    for node in &mut plan.nodes[first..] {
        if node.kind == ImportedKind::Task && node.tests.is_empty() {
            node.tests.clone_from(&validation);
        }
    }
    order_tasks(plan, first, Within::Plan, &HashSet::new());
}

/// How many steps of a task are done.
struct Steps {
    node: usize,
    done: usize,
    open: usize,
}

struct Reader<'p> {
    plan: &'p mut ImportedPlan,
    file: usize,
    sections: Sections,
    /// For each block that is an item, how deep it is.
    depths: Vec<usize>,
    /// The steps of all tasks so far.
    steps: Vec<Steps>,
    /// The last command of the current task, whose expected result has not been read.
    run: Option<ImportedTest>,
    /// The commands below the heading "Validation Commands", which judge all tasks without one.
    validation: Vec<ImportedTest>,
}

impl Reader<'_> {
    fn block(&mut self, blocks: &[Block<'_>], at: usize) {
        let block = &blocks[at];
        let place = Place { file: self.file, line: block.line };
        self.depths[at] = block.item.map_or(0, |item| self.depths[item])
            + usize::from(matches!(block.kind, BlockKind::Item(_)));
        match block.kind {
            BlockKind::Comment => self.plan.read(place, block.last_line, ReadAs::Other("comment")),
            BlockKind::Heading(level) if block.item.is_none() => self.heading(block, level, place),
            _ => match self.task() {
                Some(node) => self.part(block, node, self.depths[at]),
                None if self.is_validation(block) => {}
                None => {
                    let mark = if matches!(block.kind, BlockKind::Item(_)) { "- " } else { "" };
                    let text = format!("{mark}{}", dedent(block.text));
                    if matches!(block.kind, BlockKind::Item(_)) && split_box(block.text).is_some() {
                        self.plan.warn(
                            place,
                            "a box outside of all tasks is not read as a task",
                            "Move it below a heading `### Task N: Title`.",
                        );
                    }
                    let text = SectionText { text, place, last_line: block.last_line };
                    self.sections.describe(text, false, self.plan);
                }
            },
        }
    }

    /// Reads a command below the heading "Validation Commands". Returns whether the block is one.
    fn is_validation(&mut self, block: &Block<'_>) -> bool {
        let heading =
            self.sections.innermost().map(|section| section.name.to_lowercase()).unwrap_or_default();
        if !heading.starts_with("validation command") || !matches!(block.kind, BlockKind::Item(_)) {
            return false;
        }
        let place = Place { file: self.file, line: block.line };
        let Some(command) = command_of(block.text) else { return false };
        self.validation.push(ImportedTest { command, place });
        self.plan.read(place, block.last_line, ReadAs::Other("test command of all tasks"));
        true
    }

    /// The task whose section the current place is in.
    fn task(&self) -> Option<usize> {
        self.sections.innermost().filter(|section| section.kind == SectionKind::Task)?.node
    }

    fn heading(&mut self, block: &Block<'_>, level: u8, place: Place) {
        let around = self
            .sections
            .innermost()
            .filter(|section| section.level < level && section.kind == SectionKind::Task);
        let text = heading_text(block.text);
        let task = task_heading(text);
        if let (Some(node), None) = (around.and_then(|section| section.node), &task) {
            self.plan.nodes[node].describe(&format!("\n{text}"));
            return self.plan.read(place, block.last_line, ReadAs::Description(node));
        }
        self.sections.end(level, self.plan);
        self.run = None;
        let mut section = Section {
            level,
            kind: if level == 1 { SectionKind::Title } else { section_kind(text) },
            name: name_of(text),
            id: ImportedId::Derived,
            place,
            last_line: block.last_line,
            node: None,
            text: Vec::new(),
        };
        if let Some((number, title)) = task {
            let (tick, title) = split_box(title).unwrap_or((Tick::Open, title));
            let (marks, title) = split_marks(title);
            let id = ImportedId::Suggested(format!("task{number}"));
            let mut node = ImportedNode::new(ImportedKind::Task, id, name_of(title), place);
            node.parent = self.sections.parent(self.plan);
            node.labels = marks.labels;
            node.claimed = tick == Tick::Ticked;
            let node = self.plan.add(node);
            self.plan.read(place, block.last_line, ReadAs::Node(node));
            (section.kind, section.node) = (SectionKind::Task, Some(node));
        } else if let Some((number, name)) = phase_of(text) {
            (section.kind, section.name) = (SectionKind::Phase, name);
            section.id = ImportedId::Suggested(phase_id(&number));
        }
        self.sections.begin(section);
    }

    /// Reads a block below the heading of a task.
    fn part(&mut self, block: &Block<'_>, node: usize, depth: usize) {
        let place = Place { file: self.file, line: block.line };
        if let Some((tick, _)) = split_box(block.text).filter(|_| matches!(block.kind, BlockKind::Item(_))) {
            if self.steps.last().is_none_or(|steps| steps.node != node) {
                self.steps.push(Steps { node, done: 0, open: 0 });
            }
            let steps = self.steps.last_mut().expect("it was just added");
            if tick == Tick::Ticked { steps.done += 1 } else { steps.open += 1 }
        }
        if let BlockKind::Fenced(_) = block.kind {
            // `Run:` may also be followed by a fenced command.
            if let Some(run) = self.run.as_mut().filter(|run| run.command.is_empty()) {
                let lines: Vec<&str> = block.text.lines().map(str::trim).collect();
                let inner: Vec<&str> = lines[1..lines.len().max(2) - 1]
                    .iter()
                    .copied()
                    .filter(|line| !line.is_empty() && !line.starts_with('#'))
                    .collect();
                run.command = inner.join(" && ");
            }
        } else {
            self.commands(block, node);
        }
        add_detail(self.plan, Detail { block, node, place, depth });
    }

    /// Reads `Run: COMMAND` and `Expected: PASS`. Only commands that must pass in the end judge the task.
    fn commands(&mut self, block: &Block<'_>, node: usize) {
        for (line, text) in (block.line..).zip(block.text.lines()) {
            let place = Place { file: self.file, line };
            let plain = text.trim().trim_start_matches(['-', '*', '+', ' ']);
            if let Some(rest) = field(plain, "run") {
                let command = rest.trim().trim_matches('`').trim();
                let is_one =
                    rest.trim().is_empty() || (rest.trim().starts_with('`') && !command.contains('`'));
                self.run = is_one.then(|| ImportedTest { command: command.to_owned(), place });
            } else if let Some(rest) = field(plain, "expected") {
                let passes = rest.trim_start_matches(['*', '`', ' ', '"']).to_uppercase();
                let passes = passes.starts_with("PASS")
                    || passes.starts_with("ALL PASS")
                    || passes.starts_with("ALL TESTS PASS");
                if let Some(run) = self.run.take().filter(|run| passes && !run.command.is_empty())
                    && self.plan.nodes[node].tests.iter().all(|test| test.command != run.command)
                {
                    self.plan.read(run.place, run.place.line, ReadAs::Test(node));
                    self.plan.nodes[node].tests.push(run);
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
