//! The account of a source: what became of each of its lines. A line that nobody has taken in the end gives a warning, so nothing
//! that a source says is lost in silence.

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

/// Why a line is left out on purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// It only divides the text.
    Layout,
    /// It is a comment.
    Comment,
    /// It is an example.
    Example,
    /// It explains the format, or repeats what the format says everywhere.
    Format,
    /// It repeats how far the work is.
    Progress,
    /// The work is done or given up.
    Closed,
    /// It is struck out.
    Struck,
    /// It makes a branch, which is the business of the run.
    Branch,
    /// It is a field that says nothing about the work.
    Field,
}

/// What became of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// It is about the whole plan.
    Plan(Part),
    /// It is about the node at this position.
    Node(usize, Part),
    /// It is left out on purpose.
    LeftOut(Reason),
    /// A warning names it.
    Warned,
}

/// What became of each line of each source. A line may have several uses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Account {
    files: Vec<Vec<Vec<Use>>>,
}

impl Account {
    /// What became of a line, counted from 1, of the source at this position.
    #[must_use]
    pub fn uses(&self, file: usize, line: u32) -> &[Use] {
        let lines = self.files.get(file).map_or(&[][..], Vec::as_slice);
        lines.get((line as usize).wrapping_sub(1)).map_or(&[], Vec::as_slice)
    }

    /// Takes the lines from the first to the last one.
    pub(super) fn take(&mut self, file: usize, lines: Lines, taken: Use) {
        let [first, last] = lines;
        if self.files.len() <= file {
            self.files.resize_with(file + 1, Vec::new);
        }
        let lines = &mut self.files[file];
        if lines.len() < last as usize {
            lines.resize_with(last as usize, Vec::new);
        }
        for uses in &mut lines[first.saturating_sub(1) as usize..last as usize] {
            // Many can be on one line of JSON.
            if !uses.iter().rev().take(8).any(|used| *used == taken) {
                uses.push(taken);
            }
        }
    }

    /// Takes those of these lines that nobody has taken.
    pub(super) fn fill(&mut self, file: usize, [first, last]: Lines, taken: Use) {
        for line in first..=last {
            if self.uses(file, line).is_empty() {
                self.take(file, [line, line], taken);
            }
        }
    }

    /// Forgets a blank line, which says nothing.
    pub(super) fn clear(&mut self, file: usize, line: u32) {
        if let Some(uses) = self.files.get_mut(file).and_then(|lines| lines.get_mut(line as usize - 1)) {
            uses.clear();
        }
    }

    /// Whether any line says something about the whole plan.
    pub(super) fn has_prose(&self, file: usize) -> bool {
        self.files
            .get(file)
            .is_some_and(|lines| lines.iter().flatten().any(|taken| *taken == Use::Plan(Part::Text)))
    }
}
