//! The account of a source: what became of each of its lines. A line that nobody has taken in the end gives a warning, so nothing
//! that a source says is lost in silence.

use std::collections::HashMap;

// What nobody has taken and what says nothing by itself: rules, underlines, brackets, tags, the targets of links.
pattern!(
    pub(super) LAYOUT,
    r#"^[\s>|:*_=+~#`{}\[\],-]*$|^\s*(?:</?\w[^>]*>\s*)+$|^\s*\[[^\]]+\]:\s|^\s*\{?(?:\s*"[^"]*"\s*:\s*[\[{]\s*)+$"#
);

/// The first and the last line of something.
pub(super) type Lines = [u32; 2];

/// What a line says of the plan, or of a phase or task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Its name or its id.
    Title,
    /// Its description, or what must be so when it is done.
    Text,
    /// What must be complete before it.
    After,
    /// A command that judges it.
    Test,
    /// That it is done.
    Ticked,
    /// That a person must approve it.
    Gate,
    /// Another field, such as a priority or a label.
    Field,
}

/// What became of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// It is about the whole plan.
    Plan(Part),
    /// It is about the node at this position.
    Node(usize, Part),
    /// It is left out on purpose. Where that could surprise, a warning says so.
    LeftOut,
    /// A warning names it.
    Warned,
}

/// What became of each line of each source. A line may have several uses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// By the position of the source, and the line in it.
    pub(super) lines: HashMap<(usize, u32), Vec<Use>>,
}

impl Account {
    /// What became of a line, counted from 1, of the source at this position.
    pub fn uses(&self, file: usize, line: u32) -> &[Use] {
        self.lines.get(&(file, line)).map_or(&[], Vec::as_slice)
    }

    /// Takes the lines from the first to the last one.
    pub(super) fn take(&mut self, file: usize, [first, last]: Lines, taken: Use) {
        for line in first..=last {
            let uses = self.lines.entry((file, line)).or_default();
            // Many can be on one line of JSON.
            if !uses.iter().rev().take(8).any(|used| *used == taken) {
                uses.push(taken);
            }
        }
    }

    /// Takes those of these lines that nobody has taken.
    pub(super) fn fill(&mut self, file: usize, [first, last]: Lines, taken: Use) {
        for line in first..=last {
            self.lines.entry((file, line)).or_insert_with(|| vec![taken]);
        }
    }

    /// Whether any line says something about the whole plan.
    pub(super) fn has_prose(&self, file: usize) -> bool {
        self.lines.iter().any(|((of, _), uses)| *of == file && uses.contains(&Use::Plan(Part::Text)))
    }
}
