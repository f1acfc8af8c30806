//! Prints the tree with the state of every task: whole, or in as many lines as a screen has.

use super::advice::tasks_done;
use super::document::RunDocument;
use super::folding::Extent;
use super::mark::TaskMark;
use super::plan_tree::{LineSelection, PlanTree};
use super::screen::{Screen, Style};
use super::text::{columns, cut, visible_columns, wrap};
use crate::text::counted;

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
        let mut text = self.top(screen);
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
        let mut lines: Vec<String> = self.top(screen).lines().map(str::to_owned).collect();
        lines.truncate(rows / PARTS);
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
    fn top(&self, screen: &Screen) -> String {
        let mut text = format!("{}\n", headline(self.document, [], screen));
        let integrator = self.document.integration.map(|one| format!("integrating: {}", one.claimant));
        let lines = self.document.run_lines().into_iter().chain(integrator);
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
}

/// How far a plan has come, in one line, with the end of that line.
#[must_use]
pub fn progress(document: &RunDocument<'_>, screen: &Screen) -> String {
    let RunDocument { counts, next, .. } = document;
    // What fails at the ends of phases.
    let red = document.known.ends.iter().map(|end| match end.has_failed() {
        true => format!("{}: tests fail", end.id),
        false => format!("{}: {}", end.id, counted(end.findings.len(), "warning")),
    });
    let red: Vec<String> = red.collect();
    let part = |text: String, mark: TaskMark, shown: bool| {
        let style = if shown { mark.style() } else { Style::Dim };
        screen.out.paint(style, &format!("{text} {}", mark.symbol(screen.symbols)))
    };
    let end = match next {
        Some(next) => format!("next {next}"),
        None if counts.done() == counts.total => "complete".to_owned(),
        None => "nothing is ready".to_owned(),
    };
    let end = match next {
        _ if red.is_empty() => end,
        Some(_) => format!("{end}  {}", red.join("  ")),
        None => red.join("  "),
    };
    let skipped = match counts.skipped {
        0 => String::new(),
        skipped => format!("{}  ", part(skipped.to_string(), TaskMark::Skipped, true)),
    };
    format!(
        "{}  {}  {}  {skipped}{end}\n",
        part(format!("{}/{}", counts.complete, counts.total), TaskMark::Complete, counts.complete > 0),
        part(counts.active.to_string(), TaskMark::Active, counts.active > 0),
        part(counts.failed.to_string(), TaskMark::Failed, counts.failed > 0),
    )
}

/// The title, how many tasks are done, a bar and these parts: what comes first matters most, as far as there is room beside the title.
pub(super) fn headline(
    document: &RunDocument<'_>,
    more: impl IntoIterator<Item = String>,
    screen: &Screen,
) -> String {
    let RunDocument { counts, title, .. } = document;
    let room = |taken: usize| screen.width.map_or(usize::MAX, |width| width.saturating_sub(taken));
    let mut told = tasks_done(counts.complete, counts.skipped, counts.total);
    let beside_title = room(columns(title).min(TITLE_ROOM) + 2);
    for part in std::iter::once(counts.bar(screen)).chain(more) {
        if visible_columns(&told) + 2 + visible_columns(&part) <= beside_title {
            told.push_str(&format!("  {part}"));
        }
    }
    let title = cut(title, room(visible_columns(&told) + 2), screen.symbols);
    if title.is_empty() { told } else { format!("{}  {told}", screen.out.paint(Style::Bold, &title)) }
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
