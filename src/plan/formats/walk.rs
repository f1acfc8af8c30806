//! Walks through the outline of a file: headings become phases and groups, items become tasks or parts of their descriptions, and every
//! line is accounted for.

use std::collections::{HashMap, HashSet};

use super::account::{LAYOUT, Lines, Part, Use};
use super::dialects::{Boxes, Dialect, Ids, NUMBERED_LISTS, has};
use super::imported::{ImportedId, ImportedNode, ImportedPlan, Place};
use super::marks::{is_t, numbered_task, phase_of, split_box, split_id, split_number, task_with_id};
use super::needs::Steps;
use super::notes::{self, Note};
use super::order::{Order, order_phases, order_tasks};
use super::outline::{Block, BlockKind, blocks, front_matter};
use super::sentences::Sentence;
use super::source_file::SourceFile;

/// What a heading begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum SectionKind {
    /// The title of the file, or of the list of its tasks.
    Title,
    /// A phase. It is expected to have tasks.
    Phase,
    /// A group, if it has tasks.
    #[default]
    Group,
    /// Text. Boxes without an id in it are not tasks; whether that is said.
    Prose { boxes_are_named: bool },
    /// A list of dependencies.
    Dependencies,
    /// A task.
    Task,
    /// Something that is left out.
    LeftOut,
}

/// A heading and what is below it.
#[derive(Default)]
pub(super) struct Section {
    pub(super) level: u8,
    pub(super) kind: SectionKind,
    pub(super) name: String,
    pub(super) id: ImportedId,
    pub(super) lines: Lines,
    /// The position of its node, once there is one.
    pub(super) node: Option<usize>,
    /// The text in it that was read before it had a node.
    pub(super) text: Vec<(String, Lines)>,
}

/// What an item was read as.
#[derive(Clone, Copy)]
pub(super) enum Role {
    Text,
    Task(usize),
    /// A part of the description of a task.
    Part(usize),
    Criterion,
    LeftOut,
}

/// A command whose expected result has not been read; without one if it is not certain.
#[derive(Default)]
pub(super) struct Run {
    pub(super) command: Option<String>,
    pub(super) places: Vec<Lines>,
}

/// The plan of a file as far as it was read.
#[derive(Default)]
pub(super) struct Walk<'t> {
    pub(super) dialect: &'static Dialect,
    pub(super) plan: ImportedPlan,
    pub(super) file: usize,
    /// The position of its first node.
    pub(super) first: usize,
    pub(super) blocks: Vec<Block<'t>>,
    /// For each block, what it was read as.
    pub(super) roles: Vec<Role>,
    pub(super) sections: Vec<Section>,
    pub(super) has_phases: bool,
    /// The lines of the headings below which, and before the next one, there are boxes.
    pub(super) boxed: HashSet<u32>,
    pub(super) has_one_title: bool,
    pub(super) only_below: bool,
    pub(super) loose: Loose,
    /// The tasks that may be done at the same time as those before them.
    pub(super) parallel: HashSet<usize>,
    /// The tasks that say that they depend on nothing.
    pub(super) free: HashSet<usize>,
    /// The number of the last heading with one.
    pub(super) headings: u32,
    /// The number of the last item, if it had no dot behind it.
    pub(super) bare: Option<u32>,
    /// For each number, and each other name of a group, the latest node that has it.
    pub(super) by_name: HashMap<String, usize>,
    /// The ids of tasks that are left out.
    pub(super) gone: HashSet<String>,
    /// The ids with which lines of prose begin, which may be tasks without a box.
    pub(super) unboxed: Vec<(String, u32)>,
    /// The task whose criteria are being read, because its section announces them.
    pub(super) criteria: Option<usize>,
    /// What sections about dependencies state.
    pub(super) stated: Vec<(Steps, u32)>,
    /// The sentences there, and the phases that need not wait for each other according to them.
    pub(super) sentences: Vec<(Sentence, u32)>,
    pub(super) beside: Vec<(Vec<usize>, u32)>,
    pub(super) notes: Vec<(Note, u32)>,
    pub(super) run: Option<Run>,
    /// The commands that judge all tasks without one, and their lines.
    pub(super) validation: Vec<(String, Lines)>,
    /// For each task with steps, how many of them are ticked and how many there are.
    pub(super) steps: HashMap<usize, (usize, usize)>,
}

/// Which items without a box are tasks.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Loose {
    #[default]
    None,
    WithId,
    Numbered,
    All,
}

/// The fields above a text that say nothing about the work.
const NO_WORK: &str = "tags|draft|date|created|updated|author|authors|layout|slug|version|status|isProject|id|type|owner|branch";

pattern!(TASK_TABLE, r"(?i)^\|(?:[^\n]*\|)?\s*(?:task|todo|item)s?\s*\|");
// What a box explains that says what boxes mean.
pattern!(
    BOX_MEANING,
    r"(?i)^\W*(?:x\W+)?(?:(?:an?|the|this|task|item|step|is|not|yet|in|to|be|to-?do|open|pending|started|progress|done|completed?|incomplete|blocked|cancell?ed|skipped|optional|deferred|ready|required|finished|failed|active|current)\b\W*)+$"
);
pattern!(EXPLAINS, r"(?i)^[*_ ]*(?:input|prerequisites|tests|organization)\*\*");
pattern!(OF_PHASE, r"(?i)^[*_ ]*(?:checkpoint|independent test)");

/// Reads the source at position `file`.
pub(super) fn read(source: &SourceFile, file: usize, dialect: &'static Dialect, plan: &mut ImportedPlan) {
    let blocks = match blocks(&source.text) {
        Ok(blocks) => blocks,
        Err(line) => {
            return plan.fault(Place { file, line }, "lists are nested too deeply here", "Use fewer levels.");
        }
    };
    // A check list most of whose boxes have numbers such as `1.2` is read by these.
    let number = |block: &Block<'_>| {
        let (_, text) = split_box(block.text).filter(|_| block.is_item() && block.item.is_none())?;
        Some(split_number(text, None).is_some_and(|(number, _)| number.contains('.')))
    };
    let boxes: Vec<bool> = blocks.iter().filter_map(number).collect();
    let numbered = boxes.iter().filter(|is_numbered| **is_numbered).count();
    let dialect =
        if dialect.ids == Ids::Absent && 2 * numbered > boxes.len() { &NUMBERED_LISTS } else { dialect };
    let headings = || blocks.iter().filter_map(Block::heading);
    let has_task_heading =
        headings().any(|heading| numbered_task(heading).is_some() || task_with_id(heading).is_some());
    let mut items = blocks.iter().filter(|block| block.is_item() && block.item.is_none());
    let loose = if dialect.boxes == Boxes::Steps || has_task_heading || blocks.iter().any(Block::is_box) {
        Loose::None
    } else if dialect.ids != Ids::Absent && items.clone().any(|item| split_id(item.text).is_some()) {
        Loose::WithId
    } else if has(dialect.takes_bullets, &source.name()) {
        Loose::All
    } else if items.any(|item| matches!(item.kind, BlockKind::Item(Some(_)))) {
        Loose::Numbered
    } else {
        Loose::None
    };
    let is_only = |heading: &str| has(dialect.only_below, &heading.to_lowercase());
    let (mut boxed, mut heading) = (HashSet::new(), 0);
    for block in &blocks {
        match block.kind {
            BlockKind::Heading(_) if block.item.is_none() => heading = block.line,
            _ if block.is_box() => _ = boxed.insert(heading),
            _ => {}
        }
    }
    let is_only_place =
        |block: &Block<'_>| block.heading().is_some_and(is_only) && boxed.contains(&block.line);
    let mut walk = Walk {
        file,
        first: plan.nodes.len(),
        roles: vec![Role::Text; blocks.len()],
        has_phases: headings().any(|heading| phase_of(heading).is_some()),
        has_one_title: dialect.ids != Ids::Absent
            || blocks.iter().filter(|block| block.kind == BlockKind::Heading(1)).count() == 1,
        only_below: blocks.iter().any(is_only_place),
        boxed,
        loose,
        dialect,
        bare: Some(0),
        plan: std::mem::take(plan),
        blocks,
        ..Walk::default()
    };
    walk.front_matter(&source.text);
    for at in 0..walk.blocks.len() {
        walk.block(at);
    }
    walk.finish();
    *plan = walk.plan;
}

impl Walk<'_> {
    pub(super) fn place(&self, line: u32) -> Place {
        Place { file: self.file, line }
    }

    pub(super) fn take(&mut self, lines: Lines, taken: Use) {
        self.plan.account.take(self.file, lines, taken);
    }

    pub(super) fn note(&mut self, note: Note, line: u32) {
        self.notes.push((note, line));
        self.take([line, line], Use::Warned);
    }

    pub(super) fn is_in(&self, is_kind: impl Fn(SectionKind) -> bool) -> bool {
        self.sections.iter().any(|section| is_kind(section.kind))
    }

    /// The task that an item or a heading around a block is or belongs to.
    pub(super) fn task_around(&self, block: &Block<'_>) -> Option<usize> {
        match block.item.map(|item| self.roles[item]) {
            Some(Role::Task(task) | Role::Part(task)) => Some(task),
            _ => self.sections.last().filter(|section| section.kind == SectionKind::Task)?.node,
        }
    }

    /// Takes the fields above the text.
    fn front_matter(&mut self, text: &str) {
        let Some(matter) = front_matter(text).0 else { return };
        let mut taken = Use::LeftOut;
        for (line, text) in (2u32..).zip(matter.lines()).filter(|(_, text)| !text.trim().is_empty()) {
            let key = text.split_once(':').filter(|_| !text.starts_with([' ', '-'])).map(|(key, _)| key);
            taken = match key {
                None => taken,
                Some("todos" | "tasks") => Use::Warned,
                Some(key) if has(NO_WORK, key) => Use::LeftOut,
                Some(_) => Use::Plan(Part::Text),
            };
            self.take([line, line], taken);
            self.notes.extend((taken == Use::Warned).then_some((notes::NOT_READ, line)));
        }
    }

    fn block(&mut self, at: usize) {
        let block = self.blocks[at];
        let lines = [block.line, block.last_line];
        if block.is_unclosed() {
            self.note(notes::UNCLOSED, block.line);
        }
        let left_out = match (block.item.map(|item| self.roles[item]), block.kind) {
            (Some(Role::LeftOut), _) | (_, BlockKind::Comment | BlockKind::Rule) => true,
            (Some(Role::Task(_) | Role::Part(..)), _) => false,
            (_, BlockKind::Heading(_)) if block.item.is_none() => false,
            _ => {
                let kinds = self.sections.iter().rev().map(|section| section.kind);
                kinds.into_iter().find(|kind| matches!(kind, SectionKind::Task | SectionKind::LeftOut))
                    == Some(SectionKind::LeftOut)
            }
        };
        // An item with an id is a task wherever it is.
        let is_task = self.dialect.ids == Ids::Letters
            && block.is_item()
            && block.item.is_none()
            && split_box(block.text).is_some_and(|(_, text)| split_id(text).is_some());
        if left_out && !is_task {
            self.roles[at] = Role::LeftOut;
            if block.item.is_none() && block.is_box() && !BOX_MEANING.is_match(block.text) {
                return (lines[0]..=lines[1]).for_each(|line| self.note(notes::BOX_OUTSIDE, line));
            }
            return self.take(lines, Use::LeftOut);
        }
        let is_special = match (self.dialect.ids, self.dialect.boxes) {
            (Ids::Letters, _) => self.dependencies(&block),
            (_, Boxes::Steps) => self.commands(&block),
            (Ids::Numbers, _) => self.dependencies(&block),
            _ => false,
        };
        if is_special || self.is_criterion(at) {
            return;
        }
        match block.kind {
            BlockKind::Heading(level) if block.item.is_none() => self.heading(&block, level),
            BlockKind::Item(number) => self.roles[at] = self.item(&block, number),
            _ => match self.task_around(&block) {
                Some(task) => self.detail(&block, task),
                None => self.prose(&block),
            },
        }
    }

    /// Takes a block that belongs to no task: for its section, for the phase around it, or for the plan.
    pub(super) fn prose(&mut self, block: &Block<'_>) {
        let lines = [block.line, block.last_line];
        if block.is_code() && block.text.lines().any(|line| super::marks::boxed_line(line).is_some()) {
            return self.take(lines, Use::LeftOut);
        }
        if TASK_TABLE.is_match(block.text) {
            return (lines[0]..=lines[1]).for_each(|line| self.note(notes::NOT_READ, line));
        }
        if block.kind == BlockKind::Html && block.text.lines().all(|line| LAYOUT.is_match(line)) {
            return self.take(lines, Use::LeftOut);
        }
        let explains = self.dialect.ids == Ids::Letters
            && !self.is_in(|kind| kind == SectionKind::Phase)
            && EXPLAINS.is_match(block.text);
        if explains || block.text.contains("REQUIRED SUB-SKILL") {
            return self.take(lines, Use::LeftOut);
        }
        if self.dialect.ids == Ids::Letters && block.kind == BlockKind::Paragraph {
            let ids = (block.line..)
                .zip(block.text.lines())
                .filter_map(|(line, text)| Some((split_id(text)?.0, line)));
            self.unboxed.extend(ids.filter(|(id, _)| is_t(id)).map(|(id, line)| (id.to_owned(), line)));
        }
        let of_phase = OF_PHASE.is_match(block.text);
        let text = (block.as_text(), lines);
        let section =
            self.sections.iter_mut().rev().find(|section| !of_phase || section.kind == SectionKind::Phase);
        match section.map(|section| (section.node, section)) {
            Some((Some(node), _)) => self.describe(node, &text.0, text.1),
            Some((None, section)) => section.text.push(text),
            None => self.take(lines, Use::Plan(Part::Text)),
        }
    }

    fn finish(&mut self) {
        self.end(0);
        self.settle_tasks();
        self.attach();
        let (file, first) = (self.file, self.first);
        let states_any = self.plan.nodes[first..].iter().any(|node| !node.needs.is_empty());
        let plan = &mut self.plan;
        order_tasks(plan, first, self.dialect.order, [&self.parallel, &self.free]);
        match self.dialect.order {
            Order::Phases if !states_any => order_phases(plan, first, |_| false),
            Order::Stories => order_phases(plan, first, |name| USER_STORY.is_match(name)),
            _ => {}
        }
        self.name_overruled();
        self.notes.sort_by_key(|(note, line)| (*note, *line));
        self.notes.dedup();
        for of_kind in self.notes.chunk_by(|a, b| a.0 == b.0) {
            let lines: Vec<u32> = of_kind.iter().map(|(_, line)| *line).collect();
            notes::name(of_kind[0].0, &lines, file, &mut self.plan);
        }
    }

    /// What the steps of tasks, and the commands and criteria for several ones, mean for each of them.
    fn settle_tasks(&mut self) {
        let parents: HashSet<usize> = self.plan.nodes.iter().filter_map(|node| node.parent).collect();
        let is_open = |node: &&ImportedNode| !node.claimed;
        let has_open: HashSet<usize> =
            self.plan.nodes.iter().filter(is_open).filter_map(|node| node.parent).collect();
        for at in self.first..self.plan.nodes.len() {
            let line = self.plan.nodes[at].place.line;
            if let Some((ticked, all)) = self.steps.get(&at) {
                self.plan.nodes[at].claimed = *ticked > 0 && ticked == all;
            }
            let node = &mut self.plan.nodes[at];
            if !parents.contains(&at) {
                if node.claimed {
                    self.take([line, line], Use::Node(at, Part::Ticked));
                }
                if self.plan.nodes[at].tests.is_empty() {
                    for (command, lines) in self.validation.clone() {
                        self.take(lines, Use::Node(at, Part::Test));
                        self.plan.nodes[at].tests.push(command);
                    }
                }
                continue;
            }
            // Criteria that several tasks have to meet are not those of one.
            if !node.acceptance.is_empty() {
                let criteria = std::mem::take(&mut node.acceptance).join("\n- ");
                node.is_group = true;
                node.describe(&format!("Acceptance criteria:\n- {criteria}"));
            }
            if self.plan.nodes[at].claimed && has_open.contains(&at) {
                self.note(notes::TICKED_GROUP, line);
            }
        }
    }
}

pattern!(USER_STORY, r"(?i)user stor|\bus\d+\b");
