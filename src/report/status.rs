//! Prints the tree with the state of every task: whole, or in as many lines as a screen has.

use super::advice::tasks_done;
use super::document::{Detail, RunDocument};
use super::folding::Extent;
use super::plan_tree::{LineSelection, PlanTree};
use super::screen::{Screen, Style};
use super::text::{columns, cut, wrap};

/// How many columns the bar takes.
const BAR: usize = 16;
/// The title is not cut to fewer columns than this.
const TITLE_ROOM: usize = 12;
/// The part of the screen that the lines above the tree may take is one of this many.
const PARTS: usize = 3;

/// What `status` prints.
#[derive(Clone, Copy, Debug)]
pub struct StatusView<'a> {
    /// The state of the run.
    pub document: &'a RunDocument<'a>,
    /// What is shown of the tree.
    pub selection: LineSelection<'a>,
}

impl StatusView<'_> {
    /// The tree with a line for each node, and advice if a run cannot simply continue.
    #[must_use]
    pub fn text(&self, screen: &Screen) -> String {
        let mut text = self.top(Detail::Full, screen);
        let tree = PlanTree { document: self.document, screen };
        for line in tree.lines(self.selection) {
            text.push_str(&format!("{line}\n"));
        }
        for paragraph in self.bottom(screen) {
            text.push_str(&format!("\n{paragraph}"));
        }
        text
    }

    /// At most `rows` lines. The tree has most of them, and a task that is running is always shown.
    #[must_use]
    pub fn frame(&self, screen: &Screen, rows: usize) -> Vec<String> {
        let most = rows / PARTS;
        let top =
            |detail: Detail| -> Vec<String> { self.top(detail, screen).lines().map(str::to_owned).collect() };
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
        let tree = PlanTree { document: self.document, screen };
        lines.extend(cut_rows(tree.lines(selection), room, screen));
        for paragraph in self.bottom(screen) {
            let below = paragraph.lines().map(str::to_owned);
            if lines.len() + 1 + below.clone().count() > rows {
                break;
            }
            lines.push(String::new());
            lines.extend(below);
        }
        lines
    }

    /// The lines above the tree: how far the plan has come, and what a run does now.
    fn top(&self, detail: Detail, screen: &Screen) -> String {
        let mut text = self.header(screen);
        let integrator = self.document.integration.map(|one| format!("integrating: {}", one.claimant));
        let lines = self.document.run_lines(detail).into_iter().chain(integrator);
        lines.for_each(|line| text.push_str(&run_line(&line, screen)));
        text
    }

    /// The paragraphs below the tree. They are about the whole plan.
    fn bottom(&self, screen: &Screen) -> Vec<String> {
        if let LineSelection::Tasks(_) = self.selection {
            return Vec::new();
        }
        let paragraphs = self.document.advice.iter();
        paragraphs.map(|paragraph| paragraph.lines().map(|line| wrapped(line, screen)).collect()).collect()
    }

    fn header(&self, screen: &Screen) -> String {
        let RunDocument { counts, title, .. } = self.document;
        let count = tasks_done(counts.complete, counts.skipped, counts.total);
        let bar = counts.bar(screen);
        let out = screen.out;
        let taken = columns(&count) + 2;
        let Some(room) = screen.width.map(|width| width.saturating_sub(taken)) else {
            return format!("{}  {count}  {bar}\n", out.paint(Style::Bold, title));
        };
        // On a narrow terminal, the numbers say more than the bar.
        let room_beside_bar = room.saturating_sub(BAR + 4);
        let (room, bar) = if room_beside_bar < columns(title).min(TITLE_ROOM) {
            (room, String::new())
        } else {
            (room_beside_bar, format!("  {bar}"))
        };
        let title = cut(title, room, screen.symbols);
        format!("{}  {count}{bar}\n", out.paint(Style::Bold, &title))
    }
}

/// At most `most` lines; the last one says how many are left out.
fn cut_rows(mut lines: Vec<String>, most: usize, screen: &Screen) -> Vec<String> {
    if lines.len() > most && most > 0 {
        let left_out = lines.len() - (most - 1);
        lines.truncate(most - 1);
        lines.push(screen.out.paint(Style::Dim, &format!("{left_out} more lines")));
    }
    lines
}

/// A line, broken to the width of the terminal, with its end.
fn wrapped(line: &str, screen: &Screen) -> String {
    let lines = screen.width.map_or_else(|| vec![line.to_owned()], |width| wrap(line, width));
    format!("{}\n", lines.join("\n"))
}

/// A line about a run. Its first word says in colour what the run does.
fn run_line(line: &str, screen: &Screen) -> String {
    let text = wrapped(line, screen);
    let end = text.find([':', ';', ' ']).unwrap_or(0);
    format!("{}{}", screen.out.paint(Style::Yellow, &text[..end]), &text[end..])
}
