//! Reads plans of phases with numbered tasks: the Markdown of the first version of arborist, and that of spec-kit.

use std::collections::HashSet;

use super::attach::{NamedNeed, attach};
use super::checkbox::{Tick, split_box, split_id, split_marks};
use super::details::{Detail, ItemNode, add_detail, add_tests};
use super::headings::{
    TaskIds, heading_text, is_about_dependencies, is_prose, is_t, is_user_story, phase_of, task_heading,
};
use super::implied::{Within, order_phases, order_tasks};
use super::imported::{
    ImportedId, ImportedKind, ImportedNode, ImportedPlan, Need, Needed, Place, ReadAs, Why,
};
use super::markdown::{Block, BlockKind, blocks};
use super::sections::{Section, SectionKind, SectionText, Sections};
use super::source_file::SourceFile;
use super::stated::{Arrow, ids_in, needs_in, phase_id, stated_line, without_needs};
use super::texts::{dedent, name_lines, name_of};

/// The differences between the two dialects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    /// The Markdown of the first version of arborist. If it states any dependencies, phases need not be done in order.
    Arborist,
    /// spec-kit: phases are done in order, but user stories do not depend on each other.
    SpecKit,
}

/// Reads the source at position `file`.
pub(super) fn read(source: &SourceFile, file: usize, dialect: Dialect, plan: &mut ImportedPlan) {
    let blocks = blocks(&source.text);
    let boxed_ids = blocks.iter().filter(|block| matches!(block.kind, BlockKind::Item(_)));
    let boxed_ids: Vec<&str> =
        boxed_ids.filter_map(|block| Some(split_id(split_box(block.text)?.1)?.0)).collect();
    let heading_ids = blocks.iter().filter(|block| matches!(block.kind, BlockKind::Heading(_)));
    let mut heading_ids = heading_ids.filter_map(|block| task_heading(heading_text(block.text)));
    let ids = if boxed_ids.iter().any(|id| is_t(id)) || heading_ids.any(|(id, _)| is_t(id)) {
        TaskIds::OnlyT
    } else {
        TaskIds::Any
    };
    let has_phases = blocks.iter().any(|block| {
        matches!(block.kind, BlockKind::Heading(_)) && phase_of(heading_text(block.text)).is_some()
    });
    let first = plan.nodes.len();
    let mut reader = Reader {
        plan,
        file,
        ids,
        has_ids: !boxed_ids.is_empty(),
        has_phases,
        sections: Sections::default(),
        nodes: vec![None; blocks.len()],
        parallel: HashSet::new(),
        stated: Vec::new(),
        unread_prose: None,
        boxes_left_out: Vec::new(),
    };
    for at in 0..blocks.len() {
        reader.block(&blocks, at);
    }
    reader.finish(dialect, first);
}

struct Reader<'p> {
    plan: &'p mut ImportedPlan,
    file: usize,
    ids: TaskIds,
    /// Whether any box has an id.
    has_ids: bool,
    has_phases: bool,
    sections: Sections,
    /// For each block that is an item, what it was read as.
    nodes: Vec<Option<ItemNode>>,
    parallel: HashSet<usize>,
    /// The dependencies that are stated in sections about dependencies.
    stated: Vec<StatedNeed>,
    /// The first line in such a section that mentions tasks but was not understood.
    unread_prose: Option<Place>,
    /// Boxes that were not read as tasks.
    boxes_left_out: Vec<Place>,
}

/// A dependency from a section about dependencies.
struct StatedNeed {
    named: NamedNeed,
    arrow: Option<Arrow>,
}

impl Reader<'_> {
    fn place(&self, line: u32) -> Place {
        Place { file: self.file, line }
    }

    fn block(&mut self, blocks: &[Block<'_>], at: usize) {
        let block = &blocks[at];
        let place = self.place(block.line);
        let task = self.task_around(block);
        match block.kind {
            BlockKind::Comment => self.plan.read(place, block.last_line, ReadAs::Other("comment")),
            BlockKind::Heading(level) if block.item.is_none() => self.heading(block, level),
            _ if task.is_none() && self.is_dependency(block) => self.dependencies(block),
            BlockKind::Item(_) => self.nodes[at] = self.item(block, task),
            _ => self.text(block, task),
        }
    }

    /// Whether a block is about dependencies: it is below a heading about them, and is not a task.
    fn is_dependency(&self, block: &Block<'_>) -> bool {
        let is_task = matches!(block.kind, BlockKind::Item(_))
            && split_box(block.text).is_some_and(|(_, rest)| self.ids.split(rest).is_some());
        self.sections.is_in(SectionKind::Dependencies) && !is_task
    }

    /// The task to which a block belongs: that of an item around it, or that of the heading above it.
    fn task_around(&self, block: &Block<'_>) -> Option<usize> {
        let item = block.item.and_then(|item| self.nodes[item]);
        match item {
            Some(item) => Some(item.task()),
            None => self.sections.innermost().filter(|section| section.kind == SectionKind::Task)?.node,
        }
    }

    fn heading(&mut self, block: &Block<'_>, level: u8) {
        self.sections.end(level, self.plan);
        let text = heading_text(block.text);
        let place = self.place(block.line);
        let (kind, id, name) = if let Some((number, name)) = phase_of(text) {
            (SectionKind::Phase, ImportedId::Suggested(phase_id(&number)), name)
        } else if let Some((id, rest)) = task_heading(text).filter(|(id, _)| self.ids.split(id).is_some()) {
            let node = self.task(Some(id.to_owned()), rest, place);
            self.plan.read(place, block.last_line, ReadAs::Node(node));
            let section = Section {
                level,
                kind: SectionKind::Task,
                name: String::new(),
                id: ImportedId::Derived,
                place,
                last_line: block.last_line,
                node: Some(node),
                text: Vec::new(),
            };
            return self.sections.begin(section);
        } else {
            let kind = match text.to_lowercase() {
                lower if is_about_dependencies(&lower) => SectionKind::Dependencies,
                lower if is_prose(&lower) => SectionKind::Prose,
                _ if level == 1 => SectionKind::Title,
                _ => SectionKind::Group,
            };
            (kind, ImportedId::Derived, name_of(text))
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

    fn item(&mut self, block: &Block<'_>, around: Option<usize>) -> Option<ItemNode> {
        let place = self.place(block.line);
        let (tick, text) = match split_box(block.text) {
            Some((tick, text)) => (Some(tick), text),
            None => (None, block.text),
        };
        let id = self.ids.split(text);
        let text = text.trim_start().strip_prefix("TXXX").unwrap_or(text);
        let is_task = match (tick, id) {
            (Some(_), Some(_)) => true,
            (Some(_), None) => around.is_none() && self.takes_tasks(place, tick),
            // Without a box, an id at the beginning may also be the beginning of a sentence.
            (None, Some((_, rest))) => {
                let in_phase = self.sections.is_in(SectionKind::Phase);
                around.is_none() && !self.has_ids && in_phase && rest.starts_with([' ', '*', '`'])
            }
            (None, None) => false,
        };
        if !is_task {
            if tick.is_none() && id.is_some() && around.is_none() && self.sections.is_in(SectionKind::Phase) {
                self.plan.warn(
                    place,
                    "an item with an id but without a box is not read as a task",
                    "If it is one, write - [ ] before it.",
                );
            }
            if let Some(task) = around {
                let above = block.item.and_then(|item| self.nodes[item]);
                let depth = above.map_or(1, ItemNode::depth_inside);
                add_detail(self.plan, Detail { block, node: task, place, depth });
                return Some(ItemNode::Part { of: task, depth });
            }
            self.text(block, None);
            return None;
        }
        let node = match id {
            Some((id, rest)) => self.task_in(around, Some(id.to_owned()), rest, place),
            None => self.task_in(around, None, text, place),
        };
        match tick {
            Some(Tick::Ticked) => self.plan.nodes[node].claimed = true,
            Some(Tick::Other(mark)) => {
                let what = format!("the box [{mark}] is read as an open one");
                self.plan.warn(place, what, "Write [ ] or [x] to make it clear.");
            }
            Some(Tick::Open) | None => {}
        }
        self.plan.read(place, block.last_line, ReadAs::Node(node));
        Some(ItemNode::Task(node))
    }

    /// Whether a box without an id is a task here. If not, a warning will say so.
    fn takes_tasks(&mut self, place: Place, tick: Option<Tick>) -> bool {
        let is_prose =
            self.sections.is_in(SectionKind::Prose) || self.sections.is_in(SectionKind::Dependencies);
        let takes = !is_prose && (self.sections.is_in(SectionKind::Phase) || !self.has_phases);
        if !takes && tick.is_some() {
            self.boxes_left_out.push(place);
        }
        takes
    }

    fn task_in(&mut self, around: Option<usize>, id: Option<String>, text: &str, place: Place) -> usize {
        let node = self.task(id, text, place);
        if around.is_some() {
            self.plan.nodes[node].parent = around;
        }
        node
    }

    fn task(&mut self, id: Option<String>, text: &str, place: Place) -> usize {
        let (marks, text) = split_marks(text);
        let trailing = text.trim_end().strip_suffix("[P]");
        let text = trailing.unwrap_or(text).trim_start_matches([' ', '-', '–', '—', ':', '：', '.']);
        let parent = self.sections.parent(self.plan);
        let id = id.map_or(ImportedId::Derived, ImportedId::Given);
        let name: Vec<&str> = text.lines().take(name_lines(text)).collect();
        let mut node =
            ImportedNode::new(ImportedKind::Task, id, name_of(&without_needs(&name.join("\n"))), place);
        node.parent = parent;
        node.labels = marks.labels;
        node.describe(&dedent(text));
        node.needs = needs_in(text).into_iter().map(|on| Need { on, why: Why::Stated, place }).collect();
        let node = self.plan.add(node);
        add_tests(self.plan, node, place, text);
        if marks.parallel || trailing.is_some() {
            self.parallel.insert(node);
        }
        node
    }

    /// Reads text that is not an item, or an item that is neither a task nor inside one.
    fn text(&mut self, block: &Block<'_>, around: Option<usize>) {
        let place = self.place(block.line);
        if let Some(node) = around {
            return add_detail(self.plan, Detail { block, node, place, depth: 0 });
        }
        let lower = block.text.trim_start_matches(['*', '_', ' ']).to_lowercase();
        let of_phase = lower.starts_with("checkpoint") || lower.starts_with("independent test");
        let mark = if matches!(block.kind, BlockKind::Item(_)) { "- " } else { "" };
        let text = format!("{mark}{}", dedent(block.text));
        self.sections.describe(SectionText { text, place, last_line: block.last_line }, of_phase, self.plan);
    }

    /// Reads the lines of a block in a section about dependencies.
    fn dependencies(&mut self, block: &Block<'_>) {
        let is_task = |needed: &Needed| !matches!(needed, Needed::Id(id) if id.starts_with("phase"));
        for (number, line) in (block.line..).zip(block.text.lines()) {
            let place = self.place(number);
            let trimmed = line.trim();
            if trimmed.is_empty() || trimmed.starts_with("```") || trimmed.starts_with("~~~") {
                continue;
            }
            let Some(stated) = stated_line(line) else {
                if ids_in(line).iter().any(is_task) {
                    self.unread_prose = self.unread_prose.or(Some(place));
                }
                self.plan.read(place, number, ReadAs::Other("prose about dependencies"));
                continue;
            };
            self.plan.read(place, number, ReadAs::Needs);
            for pair in stated.pairs {
                let need = Need { on: pair.on, why: Why::Stated, place };
                self.stated
                    .push(StatedNeed { named: NamedNeed { node: pair.node, need }, arrow: stated.arrow });
            }
        }
    }

    fn finish(mut self, dialect: Dialect, first: usize) {
        self.sections.end(0, self.plan);
        let both = [Arrow::DependsOn, Arrow::Before].map(|arrow| {
            let found = self.stated.iter().find(|stated| stated.arrow == Some(arrow));
            found.map(|stated| stated.named.need.place)
        });
        if let [Some(depends_on), Some(before)] = both {
            self.plan.warn(
                before.max(depends_on),
                format!(
                    "the file has both arrows: `A -> B` on line {} means that A depends on B, `A → B` on line {} that A \
                     comes before B",
                    depends_on.line, before.line
                ),
                "Use only one of them.",
            );
        }
        if let Some(first) = self.boxes_left_out.first() {
            let lines: Vec<String> =
                self.boxes_left_out.iter().take(8).map(|place| place.line.to_string()).collect();
            let more = if self.boxes_left_out.len() > 8 { ", ..." } else { "" };
            self.plan.warn(
                *first,
                format!(
                    "boxes without an id outside of the phases are not read as tasks (lines {}{more})",
                    lines.join(", ")
                ),
                "If they are tasks, give them ids such as T100.",
            );
        }
        if let Some(place) = self.unread_prose {
            self.plan.warn(
                place,
                "this text about dependencies is not read, although it mentions tasks",
                "Write `(depends on T001)` after a task, or lines such as `T002 depends on T001`.",
            );
        }
        let states_any =
            !self.stated.is_empty() || self.plan.nodes[first..].iter().any(|node| !node.needs.is_empty());
        let named = self.stated.drain(..).map(|stated| stated.named).collect();
        attach(self.plan, first, named);
        order_tasks(self.plan, first, Within::Phases, &self.parallel);
        match dialect {
            Dialect::Arborist if states_any => {}
            Dialect::Arborist => order_phases(self.plan, first, |_| false),
            Dialect::SpecKit => order_phases(self.plan, first, is_user_story),
        }
    }
}
