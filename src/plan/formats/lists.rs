//! Reads plans that are lists of boxes, with or without numbers: OpenSpec, Kiro and plain checklists.

use std::collections::{HashMap, HashSet};

use super::checkbox::{Tick, split_box};
use super::details::ItemNode;
use super::headings::{TaskIds, heading_text, phase_of};
use super::implied::{Within, order_tasks};
use super::imported::{ImportedId, ImportedPlan, Needed, Place, Prerequisite, Why};
use super::markdown::{Block, BlockKind, blocks};
use super::outline::{FileOutline, TaskText};
use super::section_criteria::{SectionCriteria, announces_criteria};
use super::sections::SectionKind;
use super::source_file::SourceFile;
use super::stated::{numbers_needed, phase_id};
use super::texts::name_of;
use super::unread::NeedForm;

/// The differences between the dialects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ListDialect {
    /// Numbers are ids, and tasks are done in their order. Boxes without a number inside of a task are steps.
    OpenSpec,
    /// Numbers are ids, and tasks are done in their order, except for those marked `(P)`. All boxes are tasks.
    Kiro,
    /// Boxes are tasks, and those inside of a task are its steps; without any box, all items are tasks. Only numbered lists have an
    /// order.
    Checklist,
}

/// Reads the source at position `file`.
pub(super) fn read(source: &SourceFile, file: usize, dialect: ListDialect, plan: &mut ImportedPlan) {
    let blocks = blocks(&source.text);
    let is_progress = |heading: &str| heading.eq_ignore_ascii_case("progress");
    let only_progress =
        dialect == ListDialect::Checklist && blocks.iter().filter_map(Block::heading).any(is_progress);
    let mut reader = Reader {
        outline: FileOutline::new(plan, file, &blocks),
        dialect,
        has_boxes: blocks.iter().any(Block::is_box),
        only_progress,
        by_number: HashMap::new(),
        left_out: Vec::new(),
        criteria: SectionCriteria::default(),
    };
    reader.outline.unread.need_form = match dialect {
        ListDialect::Checklist => NeedForm::Order,
        ListDialect::OpenSpec | ListDialect::Kiro => NeedForm::Numbers,
    };
    for at in 0..blocks.len() {
        reader.block(&blocks, at);
    }
    reader.finish();
}

struct Reader<'p> {
    outline: FileOutline<'p>,
    dialect: ListDialect,
    has_boxes: bool,
    /// Whether only the boxes below the heading "Progress" are tasks.
    only_progress: bool,
    /// For each number, the latest task that has it.
    by_number: HashMap<String, usize>,
    /// Boxes that are not tasks.
    left_out: Vec<Place>,
    criteria: SectionCriteria,
}

/// An item, split into its parts.
struct ItemText<'t> {
    /// Its box.
    tick: Option<Tick>,
    /// Whether a `*` after the box says that it may be left out.
    is_optional: bool,
    number: Option<&'t str>,
    /// What is left.
    text: &'t str,
}

impl Reader<'_> {
    fn block(&mut self, blocks: &[Block<'_>], at: usize) {
        let block = &blocks[at];
        let around = self.outline.around(block);
        if self.begins_criteria(blocks, at) {
            return;
        }
        match block.kind {
            BlockKind::Comment => {}
            _ if self.criterion(block, around, at) => {}
            BlockKind::Heading(level) if block.item.is_none() => self.heading(block, level),
            BlockKind::Item(number) => self.outline.nodes[at] = self.item(block, number, around),
            _ => self.text(block, around),
        }
    }

    /// Begins to read boxes as the acceptance criteria of the section around them, if the block announces these.
    fn begins_criteria(&mut self, blocks: &[Block<'_>], at: usize) -> bool {
        let block = &blocks[at];
        if block.item.is_some() || block.is_item() || block.kind == BlockKind::Comment {
            return false;
        }
        self.criteria.end();
        if self.only_progress || !announces_criteria(block, blocks.get(at + 1)) {
            return false;
        }
        if let BlockKind::Heading(level) = block.kind {
            self.outline.sections.end(level, self.outline.plan);
        }
        let section = self.outline.sections.parent(self.outline.plan);
        section.is_some_and(|node| self.criteria.begin(node, self.outline.plan))
    }

    /// Reads a block as an acceptance criterion of a section, or as a part of one. Returns whether it is.
    fn criterion(&mut self, block: &Block<'_>, around: Option<ItemNode>, at: usize) -> bool {
        let ends = split_box(block.text).is_none_or(|(_, text)| split_number(text).is_some());
        if around.is_none() && ends {
            self.criteria.end();
        }
        let read = self.criteria.read(block, around.is_some(), self.outline.plan);
        let Some(node) = read else { return false };
        self.outline.nodes[at] = Some(ItemNode::Part { of: node, depth: 0 });
        true
    }

    fn heading(&mut self, block: &Block<'_>, level: u8) {
        self.outline.sections.end(level, self.outline.plan);
        let text = heading_text(block.text);
        let mut section = self.outline.begin(block, level, SectionKind::Group);
        (section.kind, section.id, section.name) = match (phase_of(text), split_number(text)) {
            (Some((number, name)), _) => (SectionKind::Phase, ImportedId::Suggested(phase_id(&number)), name),
            (None, Some((number, rest))) if level > 1 && self.dialect != ListDialect::Checklist => {
                (SectionKind::Group, ImportedId::Suggested(number.to_owned()), name_of(rest))
            }
            _ if level == 1 => (SectionKind::Title, ImportedId::Derived, name_of(text)),
            _ => (SectionKind::Group, ImportedId::Derived, name_of(text)),
        };
        self.outline.sections.begin(section);
    }

    fn item(
        &mut self,
        block: &Block<'_>,
        list_number: Option<u64>,
        around: Option<ItemNode>,
    ) -> Option<ItemNode> {
        let place = self.outline.place(block.line);
        let ItemText { tick, is_optional, number, text } = self.item_text(block);
        let is_task = match tick {
            None => self.takes_items() && around.is_none(),
            Some(_) => number.is_some() || around.is_none() || self.dialect == ListDialect::Kiro,
        };
        let is_outside = self.only_progress && self.section() != "progress";
        if is_task && is_outside {
            self.left_out.push(place);
        }
        if !is_task || is_outside {
            return self.part(block, around);
        }
        let node = self.task(number, text, place);
        let parent = number.and_then(|number| self.above(number)).filter(|above| *above != node);
        if let Some(above) = parent.or(around.map(ItemNode::task)) {
            self.outline.plan.nodes[node].parent = Some(above);
        }
        if let Some(number) = number {
            self.by_number.insert(number.to_owned(), node);
        }
        if is_optional {
            self.outline.plan.nodes[node].fields.labels.push("optional".to_owned());
        }
        if self.dialect == ListDialect::Checklist && list_number.is_none() {
            self.outline.parallel.insert(node);
        }
        self.tick(node, tick, place);
        Some(ItemNode::Task(node))
    }

    /// Splits the text of an item from what is before it.
    fn item_text<'t>(&self, block: &Block<'t>) -> ItemText<'t> {
        let (tick, text) =
            split_box(block.text).map_or((None, block.text), |(tick, text)| (Some(tick), text));
        let rest = text.strip_prefix('*').or_else(|| text.strip_prefix("\\*"));
        let (is_optional, text) = match rest {
            Some(rest) if rest.starts_with(' ') => (true, rest),
            _ => (false, text),
        };
        // Some plans have ids such as `CORE-1` in place of numbers.
        let number = match self.dialect {
            ListDialect::Checklist => None,
            ListDialect::OpenSpec | ListDialect::Kiro => {
                split_number(text).or_else(|| TaskIds::Any.split(text))
            }
        };
        let (number, text) = number.map_or((None, text), |(number, rest)| (Some(number), rest));
        ItemText { tick, is_optional, number, text }
    }

    /// The name of the current section, in small letters.
    fn section(&self) -> String {
        self.outline.sections.innermost().map(|section| section.name.to_lowercase()).unwrap_or_default()
    }

    /// Whether items without a box are tasks here: in checklists without any box, but not among notes.
    fn takes_items(&self) -> bool {
        !self.has_boxes && self.dialect == ListDialect::Checklist && !self.is_prose()
    }

    /// Whether the current section is no place for tasks.
    fn is_prose(&self) -> bool {
        ["notes", "learnings", "context", "background"].contains(&self.section().as_str())
            || self.only_progress && self.section() != "progress"
    }

    /// Reads an item that is not a task: a part of the task around it, or text of the section.
    fn part(&mut self, block: &Block<'_>, around: Option<ItemNode>) -> Option<ItemNode> {
        let Some(around) = around else {
            if self.has_boxes && !self.is_prose() {
                self.outline.unread.item(block.text, self.outline.place(block.line));
            }
            self.outline.describe(block, false);
            return None;
        };
        let (node, depth) = (around.task(), around.depth_inside());
        self.outline.detail(block, node, depth);
        self.state_numbers(node, block.text, self.outline.place(block.line));
        Some(ItemNode::Part { of: node, depth })
    }

    /// The node with the number above `number`, which is `1` for `1.2`: a task, or the group of the current section.
    fn above(&mut self, number: &str) -> Option<usize> {
        let (above, _) = number.rsplit_once('.')?;
        let section = self.outline.sections.innermost().and_then(|section| section.node);
        let id = ImportedId::Suggested(above.to_owned());
        let is_section = |node: &usize| self.outline.plan.nodes[*node].id == id;
        self.by_number.get(above).copied().or(section.filter(is_section))
    }

    fn task(&mut self, number: Option<&str>, text: &str, place: Place) -> usize {
        let id = number.map_or(ImportedId::Derived, |number| ImportedId::Given(number.to_owned()));
        let parallel_mark = if self.dialect == ListDialect::Kiro { "(P)" } else { "" };
        let node = self.outline.task(TaskText { id, text: without_time(text), parallel_mark }, place);
        self.state_numbers(node, text, place);
        node
    }

    fn state_numbers(&mut self, node: usize, text: &str, place: Place) {
        if self.dialect != ListDialect::Checklist {
            let needs = numbers_needed(text).into_iter().map(|on| Prerequisite::stated(on, place));
            self.outline.plan.nodes[node].needs.extend(needs);
        }
    }

    fn tick(&mut self, node: usize, tick: Option<Tick>, place: Place) {
        let is_done = ["done", "completed", "complete", "finished"].contains(&self.section().as_str());
        match tick {
            None => self.outline.plan.nodes[node].claimed |= is_done,
            // Kiro marks work in progress with - and queued work with ~.
            Some(Tick::Other('-' | '~')) if self.dialect == ListDialect::Kiro => {}
            tick => self.outline.tick(node, tick, place),
        }
    }

    /// Reads text that is not an item.
    fn text(&mut self, block: &Block<'_>, around: Option<ItemNode>) {
        let Some(node) = around.map(ItemNode::task) else { return self.outline.describe(block, false) };
        self.outline.detail(block, node, 0);
        self.state_numbers(node, block.text, self.outline.place(block.line));
    }

    fn finish(self) {
        let FileOutline { plan, first, mut sections, mut parallel, unread, .. } = self.outline;
        sections.end(0, plan);
        unread.finish(plan);
        if let Some(place) = self.left_out.first() {
            let count = self.left_out.len();
            plan.warn(
                *place,
                format!("boxes outside of the section Progress are not read as tasks: there are {count}, and this is the first"),
                "If they are tasks, move them below the heading Progress.",
            );
        }
        let judged = self.criteria.finish(plan);
        if self.dialect == ListDialect::Checklist {
            parallel.extend(judged);
        }
        order_tasks(plan, first, Within::Plan, &parallel);
        if self.dialect == ListDialect::Checklist {
            drop_needs_on_parallel(plan, first, &parallel);
        }
    }
}

/// Removes the implied dependencies on items of bullet lists: in a checklist, these items have no order.
fn drop_needs_on_parallel(plan: &mut ImportedPlan, first: usize, parallel: &HashSet<usize>) {
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
