//! The state in as many lines as a screen has.

use super::StatusView;
use super::at_work::Detail;
use crate::report::folding::Extent;
use crate::report::plan_tree::{LineSelection, PlanTree};
use crate::report::{Screen, Style};

/// The part of the screen that the lines above the tree may take is one of this many.
const PARTS: usize = 3;

impl StatusView<'_> {
    /// At most `rows` lines. The tree has most of them, and a task that is running is always shown.
    #[must_use]
    pub fn frame(&self, screen: &Screen, rows: usize) -> Vec<String> {
        let tally = self.tally();
        let most = rows / PARTS;
        let top = |detail: Detail| -> Vec<String> {
            self.top(tally, detail, screen).lines().map(str::to_owned).collect()
        };
        let mut lines = top(Detail::Full);
        if lines.len() > most {
            lines = top(Detail::Short);
        }
        lines.truncate(most);
        let room = rows - lines.len();
        let selection = match self.selection {
            LineSelection::Plan(_) => LineSelection::Plan(Extent::Lines(room)),
            tasks @ LineSelection::Tasks(_) => tasks,
        };
        let tree = PlanTree { plan_view: &self.plan_view, running: self.plan_view.running(), screen };
        lines.extend(cut(tree.lines(selection), room, screen));
        for paragraph in self.bottom(tally, screen) {
            let below = paragraph.lines().map(str::to_owned);
            if lines.len() + 1 + below.clone().count() > rows {
                break;
            }
            lines.push(String::new());
            lines.extend(below);
        }
        lines
    }
}

/// At most `most` lines; the last one says how many are left out.
fn cut(mut lines: Vec<String>, most: usize, screen: &Screen) -> Vec<String> {
    if lines.len() > most && most > 0 {
        let left_out = lines.len() - (most - 1);
        lines.truncate(most - 1);
        lines.push(screen.out.paint(Style::Dim, &format!("{left_out} more lines")));
    }
    lines
}
