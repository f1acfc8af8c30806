//! Reads plans of phases with numbered tasks: the Markdown of the first version of arborist, and that of spec-kit.

use super::attach::{StatedNeed, attach};
use super::checkbox::{split_box, split_id};
use super::details::ItemNode;
use super::headings::{
    TaskIds, heading_text, is_about_dependencies, is_prose, is_t, is_user_story, phase_of, task_heading,
};
use super::implied::{Within, order_phases, order_tasks};
use super::imported::{ImportedId, ImportedPlan, Needed, Place, Prerequisite};
use super::markdown::{Block, BlockKind, blocks};
use super::outline::{FileOutline, TaskText};
use super::sections::SectionKind;
use super::source_file::SourceFile;
use super::stated::{ArrowMeaning, ids_in, phase_id, stated_line};
use super::texts::name_of;
use super::unread::lines_of;

/// The differences between the two dialects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PhaseDialect {
    /// The Markdown of the first version of arborist. If it states any dependencies, phases need not be done in order.
    Arborist,
    /// spec-kit: phases are done in order, but user stories do not depend on each other.
    SpecKit,
}

/// Reads the source at position `file`.
pub(super) fn read(source: &SourceFile, file: usize, dialect: PhaseDialect, plan: &mut ImportedPlan) {
    let blocks = blocks(&source.text);
    let boxed_ids = blocks.iter().filter(|block| block.is_item());
    let boxed_ids: Vec<&str> =
        boxed_ids.filter_map(|block| Some(split_id(split_box(block.text)?.1)?.0)).collect();
    let headings = || blocks.iter().filter_map(Block::heading);
    let mut heading_ids = headings().filter_map(task_heading);
    let ids = if boxed_ids.iter().any(|id| is_t(id)) || heading_ids.any(|(id, _)| is_t(id)) {
        TaskIds::OnlyT
    } else {
        TaskIds::Any
    };
    let mut reader = Reader {
        outline: FileOutline::new(plan, file, &blocks),
        ids,
        has_ids: !boxed_ids.is_empty(),
        has_phases: headings().any(|heading| phase_of(heading).is_some()),
        stated: Vec::new(),
        unread_prose: None,
        boxes_left_out: Vec::new(),
    };
    for at in 0..blocks.len() {
        reader.block(&blocks, at);
    }
    reader.finish(dialect);
}

struct Reader<'p> {
    outline: FileOutline<'p>,
    ids: TaskIds,
    /// Whether any box has an id.
    has_ids: bool,
    has_phases: bool,
    /// The dependencies that are stated in sections about dependencies.
    stated: Vec<StatedNeed>,
    /// The first line in such a section that mentions tasks but was not understood.
    unread_prose: Option<Place>,
    /// Boxes that were not read as tasks.
    boxes_left_out: Vec<Place>,
}

impl Reader<'_> {
    fn block(&mut self, blocks: &[Block<'_>], at: usize) {
        let block = &blocks[at];
        let task = self.outline.around(block).map(ItemNode::task);
        let task = task.or_else(|| self.outline.task_above());
        match block.kind {
            BlockKind::Comment => {}
            BlockKind::Heading(level) if block.item.is_none() => self.heading(block, level),
            _ if task.is_none() && self.is_dependency(block) => self.dependencies(block),
            BlockKind::Item(_) => self.outline.nodes[at] = self.item(block, task),
            _ => self.text(block, task),
        }
    }

    /// Whether a block is about dependencies: it is below a heading about them, and is not a task.
    fn is_dependency(&self, block: &Block<'_>) -> bool {
        let is_task =
            block.is_item() && split_box(block.text).is_some_and(|(_, rest)| self.ids.split(rest).is_some());
        self.outline.sections.is_in(SectionKind::Dependencies) && !is_task
    }

    fn heading(&mut self, block: &Block<'_>, level: u8) {
        self.outline.sections.end(level, self.outline.plan);
        let text = heading_text(block.text);
        let mut section = self.outline.begin(block, level, SectionKind::Group);
        if let Some((number, name)) = phase_of(text) {
            (section.kind, section.name) = (SectionKind::Phase, name);
            section.id = ImportedId::Suggested(phase_id(&number));
        } else if let Some((id, rest)) = task_heading(text).filter(|(id, _)| self.ids.split(id).is_some()) {
            let node = self.task(Some(id), rest, section.place);
            (section.kind, section.node) = (SectionKind::Task, Some(node));
        } else {
            section.name = name_of(text);
            section.kind = match text.to_lowercase() {
                lower if is_about_dependencies(&lower) => SectionKind::Dependencies,
                lower if is_prose(&lower) => SectionKind::Prose,
                _ if level == 1 => SectionKind::Title,
                _ => SectionKind::Group,
            };
        }
        self.outline.sections.begin(section);
    }

    fn item(&mut self, block: &Block<'_>, around: Option<usize>) -> Option<ItemNode> {
        let place = self.outline.place(block.line);
        let (tick, text) = match split_box(block.text) {
            Some((tick, text)) => (Some(tick), text),
            None => (None, block.text),
        };
        let id = self.ids.split(text);
        let text = text.trim_start().strip_prefix("TXXX").unwrap_or(text);
        let in_phase = self.outline.sections.is_in(SectionKind::Phase);
        let is_task = match (tick, id) {
            (Some(_), Some(_)) => true,
            (Some(_), None) => around.is_none() && self.takes_boxes(place),
            // Without a box, an id at the beginning may also be the beginning of a sentence.
            (None, Some((_, rest))) => {
                around.is_none() && !self.has_ids && in_phase && rest.starts_with([' ', '*', '`'])
            }
            (None, None) => false,
        };
        if !is_task {
            if tick.is_none() && id.is_some() && around.is_none() && in_phase {
                self.outline.plan.warn(
                    place,
                    "an item with an id but without a box is not read as a task",
                    "If it is one, write - [ ] before it.",
                );
            } else if tick.is_none() && around.is_none() && in_phase {
                self.outline.unread.item(block.text, place);
            }
            return self.part(block, around);
        }
        let node = match id {
            Some((id, rest)) => self.task(Some(id), rest, place),
            None => self.task(None, text, place),
        };
        if let Some(around) = around {
            let parent = self.parent_of_box(block, around, id.map(|(id, _)| id));
            self.outline.plan.nodes[node].parent = parent;
        }
        self.outline.tick(node, tick, place);
        Some(ItemNode::Task(node))
    }

    /// The parent of a box with an id that is inside of a task. A heading with an id stays a task of its own, unless the id of the box
    /// continues that of the heading, as in `T001.1`.
    fn parent_of_box(&self, block: &Block<'_>, around: usize, id: Option<&str>) -> Option<usize> {
        let task = &self.outline.plan.nodes[around];
        let continues = match (&task.id, id) {
            (ImportedId::Given(above), Some(id)) => {
                id.strip_prefix(above.as_str()).is_some_and(|rest| rest.starts_with(['.', '-']))
            }
            _ => false,
        };
        let is_below_heading = self.outline.around(block).is_none();
        if is_below_heading && !continues { task.parent } else { Some(around) }
    }

    /// Reads an item that is not a task.
    fn part(&mut self, block: &Block<'_>, task: Option<usize>) -> Option<ItemNode> {
        let Some(task) = task else {
            self.text(block, None);
            return None;
        };
        let depth = self.outline.around(block).map_or(1, ItemNode::depth_inside);
        self.outline.detail(block, task, depth);
        Some(ItemNode::Part { of: task, depth })
    }

    /// Whether a box without an id is a task here. If not, a warning will say so.
    fn takes_boxes(&mut self, place: Place) -> bool {
        let is_in = |kind| self.outline.sections.is_in(kind);
        let is_prose = is_in(SectionKind::Prose) || is_in(SectionKind::Dependencies);
        let takes = !is_prose && (is_in(SectionKind::Phase) || !self.has_phases);
        if !takes {
            self.boxes_left_out.push(place);
        }
        takes
    }

    fn task(&mut self, id: Option<&str>, text: &str, place: Place) -> usize {
        let id = id.map_or(ImportedId::Derived, |id| ImportedId::Given(id.to_owned()));
        self.outline.task(TaskText { id, text, parallel_mark: "[P]" }, place)
    }

    /// Reads text that is not an item, or an item that is neither a task nor inside one.
    fn text(&mut self, block: &Block<'_>, around: Option<usize>) {
        if let Some(node) = around {
            return self.outline.detail(block, node, 0);
        }
        let lower = block.text.trim_start_matches(['*', '_', ' ']).to_lowercase();
        let of_phase = lower.starts_with("checkpoint") || lower.starts_with("independent test");
        self.outline.describe(block, of_phase);
    }

    /// Reads the lines of a block in a section about dependencies.
    fn dependencies(&mut self, block: &Block<'_>) {
        let is_task = |needed: &Needed| !matches!(needed, Needed::Id(id) if id.starts_with("phase"));
        for (number, line) in (block.line..).zip(block.text.lines()) {
            let place = self.outline.place(number);
            let trimmed = line.trim();
            if trimmed.is_empty() || trimmed.starts_with("```") || trimmed.starts_with("~~~") {
                continue;
            }
            let Some(stated) = stated_line(line) else {
                if ids_in(line).iter().any(is_task) {
                    self.unread_prose = self.unread_prose.or(Some(place));
                }
                continue;
            };
            for pair in stated.pairs {
                let need = Prerequisite::stated(pair.on, place);
                self.stated.push(StatedNeed { node: pair.node, need, arrow: stated.arrow });
            }
        }
    }

    fn finish(mut self, dialect: PhaseDialect) {
        self.outline.sections.end(0, self.outline.plan);
        self.warn_of_both_arrows();
        self.warn_of_what_was_left_out();
        let FileOutline { plan, first, parallel, unread, .. } = self.outline;
        unread.finish(plan);
        let states_any =
            !self.stated.is_empty() || plan.nodes[first..].iter().any(|node| !node.needs.is_empty());
        attach(plan, first, self.stated);
        order_tasks(plan, first, Within::Phases, &parallel);
        match dialect {
            PhaseDialect::Arborist if states_any => {}
            PhaseDialect::Arborist => order_phases(plan, first, |_| false),
            PhaseDialect::SpecKit => order_phases(plan, first, is_user_story),
        }
    }

    fn warn_of_both_arrows(&mut self) {
        let both = [ArrowMeaning::DependsOn, ArrowMeaning::Before].map(|arrow| {
            let found = self.stated.iter().find(|stated| stated.arrow == Some(arrow));
            found.map(|stated| stated.need.place)
        });
        if let [Some(depends_on), Some(before)] = both {
            self.outline.plan.warn(
                before.max(depends_on),
                format!(
                    "the file has both arrows: `A -> B` on line {} means that A depends on B, `A → B` on line {} that A \
                     comes before B",
                    depends_on.line, before.line
                ),
                "Use only one of them.",
            );
        }
    }

    fn warn_of_what_was_left_out(&mut self) {
        if let Some(first) = self.boxes_left_out.first() {
            self.outline.plan.warn(
                *first,
                format!(
                    "boxes without an id outside of the phases are not read as tasks ({})",
                    lines_of(&self.boxes_left_out)
                ),
                "If they are tasks, give them ids such as T100.",
            );
        }
        if let Some(place) = self.unread_prose {
            self.outline.plan.warn(
                place,
                "this text about dependencies is not read, although it mentions tasks",
                "Write `(depends on T001)` after a task, or lines such as `T002 depends on T001`.",
            );
        }
    }
}
