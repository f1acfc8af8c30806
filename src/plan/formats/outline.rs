//! What all plans in Markdown share: a walk over the blocks of a file, whose headings become groups and whose items become
//! tasks or parts of their descriptions.

use std::collections::HashSet;

use super::checkbox::{Tick, split_marks};
use super::details::{DetailBlock, ItemNode, add_detail, add_tests};
use super::imported::{ImportedId, ImportedNode, ImportedPlan, Place, Prerequisite};
use super::markdown::{Block, BlockKind};
use super::sections::{Section, SectionKind, Sections};
use super::stated::{needs_in, without_needs};
use super::texts::{dedent, name_lines, name_of};
use super::unread::Unread;

/// The plan of a file as far as it was read.
pub(super) struct FileOutline<'p> {
    pub(super) plan: &'p mut ImportedPlan,
    file: usize,
    /// The position of its first node.
    pub(super) first: usize,
    pub(super) sections: Sections,
    /// For each block that is an item, what it was read as.
    pub(super) nodes: Vec<Option<ItemNode>>,
    /// The tasks that may be done at the same time as those before them.
    pub(super) parallel: HashSet<usize>,
    pub(super) unread: Unread,
}

/// The beginning of a task.
pub(super) struct TaskText<'t> {
    pub(super) id: ImportedId,
    /// Its text without box and id.
    pub(super) text: &'t str,
    /// What says at the end of its text that it may be done at the same time as others.
    pub(super) parallel_mark: &'static str,
}

impl<'p> FileOutline<'p> {
    /// The outline of the file at this position, before anything was read.
    pub(super) fn new(plan: &'p mut ImportedPlan, file: usize, blocks: &[Block<'_>]) -> Self {
        Self {
            first: plan.nodes.len(),
            plan,
            file,
            sections: Sections::default(),
            nodes: vec![None; blocks.len()],
            parallel: HashSet::new(),
            unread: Unread::default(),
        }
    }

    pub(super) fn place(&self, line: u32) -> Place {
        Place { file: self.file, line }
    }

    /// What the item around a block was read as.
    pub(super) fn around(&self, block: &Block<'_>) -> Option<ItemNode> {
        block.item.and_then(|item| self.nodes[item])
    }

    /// The task whose heading is above the current place.
    pub(super) fn task_above(&self) -> Option<usize> {
        self.sections.innermost().filter(|section| section.kind == SectionKind::Task)?.node
    }

    /// Begins the section of a heading.
    pub(super) fn begin(&mut self, heading: &Block<'_>, level: u8, kind: SectionKind) -> Section {
        Section::at(self.place(heading.line), level, kind)
    }

    /// Adds the task that begins at `place`.
    pub(super) fn task(&mut self, task: TaskText<'_>, place: Place) -> usize {
        self.unread.task(task.text, place);
        self.unread.needs(task.text, place);
        let (marks, text) = split_marks(task.text);
        let before_mark =
            text.trim_end().strip_suffix(task.parallel_mark).filter(|_| !task.parallel_mark.is_empty());
        let text = before_mark.unwrap_or(text).trim_start_matches([' ', '-', '–', '—', ':', '：']);
        let name: Vec<&str> = text.lines().take(name_lines(text)).collect();
        let mut node = ImportedNode::task(task.id, name_of(&without_needs(&name.join("\n"))), place);
        node.parent = self.sections.parent(self.plan);
        node.fields.labels = marks.labels;
        node.describe(&dedent(text));
        node.needs = needs_in(text).into_iter().map(|on| Prerequisite::stated(on, place)).collect();
        let node = self.plan.add(node);
        add_tests(self.plan, node, place, text);
        if marks.parallel || before_mark.is_some() {
            self.parallel.insert(node);
        }
        node
    }

    /// Reads the box of a task.
    pub(super) fn tick(&mut self, node: usize, tick: Option<Tick>, place: Place) {
        match tick {
            Some(Tick::Ticked) => self.plan.nodes[node].claimed = true,
            Some(Tick::Other(mark)) => {
                let what = format!("the box [{mark}] is read as an open one");
                self.plan.warn(place, what, "Write [ ] or [x] to make it clear.");
            }
            Some(Tick::Open) | None => {}
        }
    }

    /// Adds a block to the task `node`, as a part of its description or what it says about tests and dependencies. Items are
    /// this deep below the task.
    pub(super) fn detail(&mut self, block: &Block<'_>, node: usize, depth: usize) {
        if !matches!(block.kind, BlockKind::Fenced(_) | BlockKind::Indented) {
            self.unread.needs(block.text, self.place(block.line));
        }
        add_detail(self.plan, DetailBlock { block, node, place: self.place(block.line), depth });
    }

    /// Adds a block that belongs to no task to its section, or to the phase around it.
    pub(super) fn describe(&mut self, block: &Block<'_>, of_phase: bool) {
        self.sections.describe(block.as_text(), of_phase, self.plan);
    }
}
