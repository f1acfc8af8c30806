//! Reads the acceptance criteria of a section: boxes below these words. The section is a task then, and the boxes are not.

use super::checkbox::{Tick, split_box};
use super::headings::heading_text;
use super::imported::{ImportedKind, ImportedPlan};
use super::markdown::Block;
use super::texts::dedent;

/// The sections with criteria.
#[derive(Debug, Default)]
pub(super) struct SectionCriteria {
    judged: Vec<usize>,
    /// The one whose criteria are being read.
    current: Option<usize>,
}

/// Whether a heading or a paragraph says that acceptance criteria follow, and the next block is a box.
pub(super) fn announces_criteria(block: &Block<'_>, next: Option<&Block<'_>>) -> bool {
    let words = heading_text(block.text).trim_matches(|c: char| !c.is_alphanumeric());
    words.eq_ignore_ascii_case("acceptance criteria") && next.is_some_and(Block::is_box)
}

impl SectionCriteria {
    /// Begins to read the criteria of the section that became this node. Returns whether it can have any: it cannot if
    /// there are tasks in it already, which would all have to meet them.
    pub(super) fn begin(&mut self, node: usize, plan: &mut ImportedPlan) -> bool {
        let is_free = node + 1 == plan.nodes.len();
        if is_free {
            plan.nodes[node].kind = ImportedKind::Task;
            self.judged.push(node);
            self.current = Some(node);
        }
        is_free
    }

    /// The boxes that follow are not criteria.
    pub(super) fn end(&mut self) {
        self.current = None;
    }

    /// Reads a block that may be a criterion or, if it `is_inside` of one, a part of it. Returns the task of the section.
    pub(super) fn read(
        &mut self,
        block: &Block<'_>,
        is_inside: bool,
        plan: &mut ImportedPlan,
    ) -> Option<usize> {
        let node = self.current?;
        let task = &mut plan.nodes[node];
        if is_inside {
            task.acceptance.last_mut()?.push_str(&format!("\n{}", block.as_text()));
        } else {
            let (tick, text) = split_box(block.text).filter(|_| block.is_box())?;
            task.claimed = tick == Tick::Ticked && (task.claimed || task.acceptance.is_empty());
            task.acceptance.push(dedent(text).trim().to_owned());
        }
        Some(node)
    }

    /// Ends the reading. Returns the sections that are tasks. Criteria of others, which have tasks below the criteria,
    /// become a part of the description, because no single task has to meet them.
    pub(super) fn finish(self, plan: &mut ImportedPlan) -> Vec<usize> {
        let mut tasks = Vec::new();
        for node in self.judged {
            if plan.nodes[node + 1..].iter().any(|other| other.parent == Some(node)) {
                let section = &mut plan.nodes[node];
                section.kind = ImportedKind::Group;
                let criteria = std::mem::take(&mut section.acceptance).join("\n- ");
                section.describe(&format!("Acceptance criteria:\n- {criteria}"));
            } else {
                tasks.push(node);
            }
        }
        tasks
    }
}
