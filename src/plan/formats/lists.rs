//! Reads plans that are lists of boxes, with or without numbers: OpenSpec, Kiro and plain checklists.

use std::collections::{HashMap, HashSet};

use super::checkbox::{Tick, split_box, split_marks};
use super::details::{Detail, ItemNode, add_detail, add_tests};
use super::headings::{TaskIds, heading_text, phase_of};
use super::implied::{Within, order_tasks};
use super::imported::{ImportedId, ImportedKind, ImportedNode, ImportedPlan, Need, Place, ReadAs, Why};
use super::markdown::{Block, BlockKind, blocks};
use super::section_criteria::{SectionCriteria, announces_criteria};
use super::sections::{Section, SectionKind, SectionText, Sections};
use super::source_file::SourceFile;
use super::stated::{needs_in, numbers_needed, phase_id, without_needs};
use super::texts::{dedent, name_lines, name_of};

/// The differences between the dialects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    /// Numbers are ids, and tasks are done in their order. Boxes without a number inside of a task are steps.
    OpenSpec,
    /// Numbers are ids, and tasks are done in their order, except for those marked `(P)`. All boxes are tasks.
    Kiro,
    /// All boxes are tasks; without any box, all items are. Only numbered lists have an order.
    Checklist,
}

/// Reads the source at position `file`.
pub(super) fn read(source: &SourceFile, file: usize, dialect: Dialect, plan: &mut ImportedPlan) {
    let blocks = blocks(&source.text);
    let has_boxes = blocks.iter().any(Block::is_box);
    let is_progress = |block: &Block<'_>| {
        matches!(block.kind, BlockKind::Heading(_))
            && heading_text(block.text).eq_ignore_ascii_case("progress")
    };
    let only_progress = dialect == Dialect::Checklist && blocks.iter().any(is_progress);
    let first = plan.nodes.len();
    let mut reader = Reader {
        plan,
        file,
        dialect,
        has_boxes,
        only_progress,
        sections: Sections::default(),
        nodes: vec![None; blocks.len()],
        by_number: HashMap::new(),
        parallel: HashSet::new(),
        left_out: Vec::new(),
        criteria: SectionCriteria::default(),
    };
    for at in 0..blocks.len() {
        reader.block(&blocks, at);
    }
    reader.finish(first);
}

struct Reader<'p> {
    plan: &'p mut ImportedPlan,
    file: usize,
    dialect: Dialect,
    has_boxes: bool,
    /// Whether only the boxes below the heading "Progress" are tasks.
    only_progress: bool,
    sections: Sections,
    /// For each block that is an item, what it was read as.
    nodes: Vec<Option<ItemNode>>,
    /// For each number, the latest task that has it.
    by_number: HashMap<String, usize>,
    parallel: HashSet<usize>,
    /// Boxes that are not tasks.
    left_out: Vec<Place>,
    criteria: SectionCriteria,
}

impl Reader<'_> {
    fn place(&self, line: u32) -> Place {
        Place { file: self.file, line }
    }

    fn block(&mut self, blocks: &[Block<'_>], at: usize) {
        let block = &blocks[at];
        let place = self.place(block.line);
        let around = block.item.and_then(|item| self.nodes[item]);
        if self.begins_criteria(blocks, at) {
            return;
        }
        match block.kind {
            BlockKind::Comment => self.plan.read(place, block.last_line, ReadAs::Other("comment")),
            _ if self.criterion(block, around, at) => {}
            BlockKind::Heading(level) if block.item.is_none() => self.heading(block, level),
            BlockKind::Item(number) => self.nodes[at] = self.item(block, number, around),
            _ => self.text(block, around),
        }
    }

    /// Begins to read boxes as the acceptance criteria of the section around them, if the block announces these.
    fn begins_criteria(&mut self, blocks: &[Block<'_>], at: usize) -> bool {
        let block = &blocks[at];
        if block.item.is_some() || matches!(block.kind, BlockKind::Item(_) | BlockKind::Comment) {
            return false;
        }
        self.criteria.end();
        if self.only_progress || !announces_criteria(block, blocks.get(at + 1)) {
            return false;
        }
        if let BlockKind::Heading(level) = block.kind {
            self.sections.end(level, self.plan);
        }
        let section = self.sections.parent(self.plan);
        let Some(node) = section.filter(|node| self.criteria.begin(*node, self.plan)) else { return false };
        self.plan.read(self.place(block.line), block.last_line, ReadAs::Description(node));
        true
    }

    /// Reads a block as an acceptance criterion of a section, or as a part of one. Returns whether it is.
    fn criterion(&mut self, block: &Block<'_>, around: Option<ItemNode>, at: usize) -> bool {
        let ends = split_box(block.text).is_none_or(|(_, text)| split_number(text).is_some());
        if around.is_none() && ends {
            self.criteria.end();
        }
        let Some(node) = self.criteria.read(block, around.is_some(), self.plan) else { return false };
        self.nodes[at] = Some(ItemNode::Part { of: node, depth: 0 });
        self.plan.read(self.place(block.line), block.last_line, ReadAs::Description(node));
        true
    }

    fn heading(&mut self, block: &Block<'_>, level: u8) {
        self.sections.end(level, self.plan);
        let text = heading_text(block.text);
        let place = self.place(block.line);
        let (kind, id, name) = match (phase_of(text), split_number(text)) {
            (Some((number, name)), _) => (SectionKind::Phase, ImportedId::Suggested(phase_id(&number)), name),
            (None, Some((number, rest))) if level > 1 && self.dialect != Dialect::Checklist => {
                (SectionKind::Group, ImportedId::Suggested(number.to_owned()), name_of(rest))
            }
            _ if level == 1 => (SectionKind::Title, ImportedId::Derived, name_of(text)),
            _ => (SectionKind::Group, ImportedId::Derived, name_of(text)),
        };
        let last_line = block.last_line;
        self.sections.begin(Section {
            level,
            kind,
            name,
            id,
            place,
            last_line,
            node: None,
            text: Vec::new(),
        });
    }

    fn item(
        &mut self,
        block: &Block<'_>,
        list_number: Option<u64>,
        around: Option<ItemNode>,
    ) -> Option<ItemNode> {
        let place = self.place(block.line);
        let (tick, text) = match split_box(block.text) {
            Some((tick, text)) => (Some(tick), text),
            None => (None, block.text),
        };
        let (is_optional, text) = match text.strip_prefix('*').or_else(|| text.strip_prefix("\\*")) {
            Some(rest) if rest.starts_with(' ') => (true, rest),
            _ => (false, text),
        };
        // Some plans have ids such as `CORE-1` in place of numbers.
        let number = if self.dialect == Dialect::Checklist {
            None
        } else {
            split_number(text).or_else(|| TaskIds::Any.split(text))
        };
        let is_task = match tick {
            None => {
                !self.has_boxes
                    && self.dialect == Dialect::Checklist
                    && around.is_none()
                    && !self.is_in_notes()
            }
            Some(_) if number.is_some() => true,
            Some(_) => around.is_none() || self.dialect != Dialect::OpenSpec,
        };
        let is_outside = self.only_progress
            && !self
                .sections
                .innermost()
                .is_some_and(|section| section.name.eq_ignore_ascii_case("progress"));
        if is_task && is_outside {
            self.left_out.push(place);
        }
        if !is_task || is_outside {
            return self.part(block, around);
        }
        let (number, text) = match number {
            Some((number, rest)) => (Some(number), rest),
            None => (None, text),
        };
        let node = self.task(number, text, place);
        let above = around.map(ItemNode::task);
        let parent = number.and_then(|number| self.above(number)).filter(|above| *above != node);
        if let Some(above) = parent.or(above) {
            self.plan.nodes[node].parent = Some(above);
        }
        if let Some(number) = number {
            self.by_number.insert(number.to_owned(), node);
        }
        if is_optional {
            self.plan.nodes[node].labels.push("optional".to_owned());
        }
        if self.dialect == Dialect::Checklist && list_number.is_none() {
            self.parallel.insert(node);
        }
        self.tick(node, tick, place);
        self.plan.read(place, block.last_line, ReadAs::Node(node));
        Some(ItemNode::Task(node))
    }

    /// Whether the current section has notes, which are not tasks.
    fn is_in_notes(&self) -> bool {
        let name = self.sections.innermost().map(|section| section.name.to_lowercase()).unwrap_or_default();
        ["notes", "learnings", "context", "background"].contains(&name.as_str())
    }

    /// Reads an item that is not a task: a part of the task around it, or text of the section.
    fn part(&mut self, block: &Block<'_>, around: Option<ItemNode>) -> Option<ItemNode> {
        let Some(around) = around else {
            self.text(block, None);
            return None;
        };
        let (node, depth) = (around.task(), around.depth_inside());
        add_detail(self.plan, Detail { block, node, place: self.place(block.line), depth });
        self.state_numbers(node, block.text, self.place(block.line));
        Some(ItemNode::Part { of: node, depth })
    }

    /// The node with the number above `number`, which is `1` for `1.2`: a task, or the group of the current section.
    fn above(&mut self, number: &str) -> Option<usize> {
        let (above, _) = number.rsplit_once('.')?;
        let section = self.sections.innermost().and_then(|section| section.node);
        let is_section = |node: &usize| self.plan.nodes[*node].id == ImportedId::Suggested(above.to_owned());
        self.by_number.get(above).copied().or(section.filter(is_section))
    }

    fn task(&mut self, number: Option<&str>, text: &str, place: Place) -> usize {
        let (marks, text) = split_marks(text);
        let trailing = text.trim_end().strip_suffix("(P)").filter(|_| self.dialect == Dialect::Kiro);
        let text = without_time(trailing.unwrap_or(text)).trim_start_matches([' ', '-', '–', '—', ':']);
        let parent = self.sections.parent(self.plan);
        let id = number.map_or(ImportedId::Derived, |number| ImportedId::Given(number.to_owned()));
        let name: Vec<&str> = text.lines().take(name_lines(text)).collect();
        let name = name_of(&without_needs(&name.join("\n")));
        let mut node = ImportedNode::new(ImportedKind::Task, id, name, place);
        node.parent = parent;
        node.labels = marks.labels;
        node.describe(&dedent(text));
        node.needs = needs_in(text).into_iter().map(|on| Need { on, why: Why::Stated, place }).collect();
        let node = self.plan.add(node);
        self.state_numbers(node, text, place);
        add_tests(self.plan, node, place, text);
        if marks.parallel || trailing.is_some() {
            self.parallel.insert(node);
        }
        node
    }

    fn state_numbers(&mut self, node: usize, text: &str, place: Place) {
        if self.dialect != Dialect::Checklist {
            let needs = numbers_needed(text).into_iter().map(|on| Need { on, why: Why::Stated, place });
            self.plan.nodes[node].needs.extend(needs);
        }
    }

    fn tick(&mut self, node: usize, tick: Option<Tick>, place: Place) {
        let section =
            self.sections.innermost().map(|section| section.name.to_lowercase()).unwrap_or_default();
        let is_done =
            tick.is_none() && ["done", "completed", "complete", "finished"].contains(&section.as_str());
        match tick {
            _ if is_done => self.plan.nodes[node].claimed = true,
            Some(Tick::Ticked) => self.plan.nodes[node].claimed = true,
            Some(Tick::Other(mark)) => {
                // Kiro marks work in progress with - and queued work with ~.
                if !(self.dialect == Dialect::Kiro && matches!(mark, '-' | '~')) {
                    let what = format!("the box [{mark}] is read as an open one");
                    self.plan.warn(place, what, "Write [ ] or [x] to make it clear.");
                }
            }
            Some(Tick::Open) | None => {}
        }
    }

    /// Reads text that is not an item, or an item that is neither a task nor inside one.
    fn text(&mut self, block: &Block<'_>, around: Option<ItemNode>) {
        let place = self.place(block.line);
        if let Some(node) = around.map(ItemNode::task) {
            add_detail(self.plan, Detail { block, node, place, depth: 0 });
            return self.state_numbers(node, block.text, place);
        }
        let mark = if matches!(block.kind, BlockKind::Item(_)) { "- " } else { "" };
        let text = format!("{mark}{}", dedent(block.text));
        self.sections.describe(SectionText { text, place, last_line: block.last_line }, false, self.plan);
    }

    fn finish(mut self, first: usize) {
        self.sections.end(0, self.plan);
        if let Some(place) = self.left_out.first() {
            let count = self.left_out.len();
            self.plan.warn(
                *place,
                format!("boxes outside of the section Progress are not read as tasks: there are {count}, and this is the first"),
                "If they are tasks, move them below the heading Progress.",
            );
        }
        let judged = std::mem::take(&mut self.criteria).finish(self.plan);
        if self.dialect == Dialect::Checklist {
            self.parallel.extend(judged);
        }
        order_tasks(self.plan, first, Within::Plan, &self.parallel);
        if self.dialect == Dialect::Checklist {
            drop_needs_on_parallel(self.plan, first, &self.parallel);
        }
    }
}

/// Removes the implied dependencies on items of bullet lists: in a checklist, these items have no order.
fn drop_needs_on_parallel(plan: &mut ImportedPlan, first: usize, parallel: &HashSet<usize>) {
    use super::imported::Needed;
    for node in &mut plan.nodes[first..] {
        node.needs.retain(|need| {
            need.why == Why::Stated || !matches!(need.on, Needed::Node(on) if parallel.contains(&on))
        });
    }
}

/// Splits a number such as `1.`, `1.2` or `**2.1**` off a text.
fn split_number(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let inner = text.trim_start_matches(['*', '_', '`']);
    let inner = inner.strip_prefix("Task ").unwrap_or(inner);
    let end = inner.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(inner.len());
    let number = inner[..end].trim_end_matches('.');
    let rest = inner[end..].trim_start_matches(['*', '_', '`', ')', ':', '：']);
    let is_number = number.len() <= 16
        && number.split('.').all(|part| !part.is_empty() && part.len() <= 4)
        && (rest.starts_with([' ', '\t', '\n', '(', '['])
            || !rest.is_ascii()
            || rest.len() < inner.len() - end
            || inner[..end].ends_with('.'));
    (is_number && !rest.trim().is_empty()).then_some((number, rest))
}

/// The text without a time in brackets at its beginning, as in `(2025-10-01 13:00Z) Done`.
fn without_time(text: &str) -> &str {
    let trimmed = text.trim_start();
    let Some(rest) = trimmed.strip_prefix('(') else { return text };
    match rest.split_once(')') {
        Some((time, rest)) if time.len() >= 10 && time.starts_with("20") && time.contains('-') => rest,
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_split_off() {
        for (text, found) in [
            ("1. Title", Some(("1", " Title"))),
            (" 1.1 Title", Some(("1.1", " Title"))),
            ("**2.3** Title", Some(("2.3", " Title"))),
            ("2.3: Title", Some(("2.3", " Title"))),
            ("1.标题", Some(("1", "标题"))),
            ("3.2.1 (P) Title", Some(("3.2.1", " (P) Title"))),
            ("Title", None),
            ("1.5x faster", None),
            ("2024", None),
        ] {
            assert_eq!(split_number(text), found, "{text}");
        }
        assert_eq!(without_time("(2025-10-01 13:00Z) Done"), " Done");
        assert_eq!(without_time("(maybe) Done"), "(maybe) Done");
    }
}
