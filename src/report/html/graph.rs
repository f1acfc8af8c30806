//! The graph of dependencies: all tasks together if there are few, otherwise the phases, and each phase for itself.

use std::collections::HashMap;

use maud::{Markup, html};

use super::layers::{Cell, DependencyGraph};
use crate::report::document::{RunDocument, RunPhase, RunTask};
use crate::report::mark::TaskMark;
use crate::report::screen::Symbols;
use crate::report::visible::visible_name;
use crate::text::{counted, ellipsis};

/// Up to how many tasks there is one graph of all of them.
const TOGETHER: usize = 40;
/// Up to how many connected tasks a graph can be read.
const READABLE: usize = 150;

const TALL: f64 = 34.0;
const DOWN: f64 = 48.0;
/// The width of a window in which a graph fits.
const WINDOW: f64 = 1090.0;
/// The widths of a column: as long as there is room, and at least.
const WIDEST: f64 = 226.0;
const NARROWEST: f64 = 96.0;
/// About the width of a letter, and of the frame of a box.
const LETTER: f64 = 7.4;
const FRAME: f64 = 30.0;
/// The fewest letters of a name that say something.
const FEWEST: usize = 5;

/// How wide the columns of a graph are.
#[derive(Clone, Copy)]
struct Widths {
    /// From one to the next.
    across: f64,
    /// Of a box.
    boxed: f64,
}

impl Widths {
    #[expect(clippy::cast_precision_loss, reason = "there are few columns")]
    fn of(columns: usize) -> Self {
        let across = (WINDOW / columns.max(1) as f64).clamp(NARROWEST, WIDEST).floor();
        Self { across, boxed: (across * 0.75).floor() }
    }

    /// How many letters a box has room for.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is a small number above 0"
    )]
    fn letters(self) -> usize {
        ((self.boxed - FRAME) / LETTER) as usize
    }
}

/// What a graph shows of a node.
struct Node<'r> {
    id: &'r str,
    name: &'r str,
    mark: TaskMark,
}

/// A graph and its words.
struct Picture<'r> {
    id: String,
    title: String,
    nodes: Vec<Node<'r>>,
    graph: DependencyGraph,
}

/// The tasks that each id of the plan means: a task itself, or the tasks below a node.
struct IdMeanings<'r> {
    tasks: &'r [RunTask<'r>],
    of: HashMap<&'r str, Vec<usize>>,
}

impl<'r> IdMeanings<'r> {
    fn new(report: &'r RunDocument<'r>) -> Self {
        let mut of: HashMap<&str, Vec<usize>> = HashMap::new();
        let groups =
            report.phases.iter().filter_map(|phase| phase.report.as_ref()).flat_map(|report| &report.groups);
        let above: HashMap<&str, &str> = groups.map(|group| (group.id, group.parent)).collect();
        for (place, task) in report.tasks.iter().enumerate() {
            of.entry(task.id.as_str()).or_default().push(place);
            let mut node = task.parent;
            while let Some(id) = node {
                of.entry(id).or_default().push(place);
                node = above.get(id).copied();
            }
        }
        Self { tasks: &report.tasks, of }
    }

    /// The tasks on which a task depends.
    fn needs(&self, task: &RunTask<'_>) -> Vec<usize> {
        let ids = task.depends_on.iter();
        ids.flat_map(|id| self.of.get(*id).into_iter().flatten()).copied().collect()
    }
}

/// The graphs. The list of the tasks says the same.
pub(super) fn graphs(report: &RunDocument<'_>) -> Markup {
    if report.tasks.iter().all(|task| task.depends_on.is_empty()) {
        return html! { p { "No task depends on another." } };
    }
    let meaning = IdMeanings::new(report);
    let everything: Vec<usize> = (0..report.tasks.len()).collect();
    html! {
        @if report.tasks.len() <= TOGETHER {
            (draw(&of_tasks(&meaning, &everything, "all", "What each task depends on")))
        } @else {
            @if report.phases.len() > 1 { (draw(&of_phases(report, &meaning))) }
            @for phase in &report.phases { (of_phase(report, phase, &meaning)) }
        }
    }
}

fn of_phase(report: &RunDocument<'_>, phase: &RunPhase<'_>, meaning: &IdMeanings<'_>) -> Markup {
    let places: Vec<usize> =
        (0..report.tasks.len()).filter(|place| report.tasks[*place].phase == phase.id).collect();
    let title = format!("What each task of {} depends on", phase.id);
    html! {
        details.phase {
            summary { strong { span.id { (phase.id) } (visible_name(phase.name)) } " " span.soft { (counted(places.len(), "task")) } }
            @if places.len() > 4 * READABLE {
                p { "There are too many tasks for a picture; the list of the tasks says what each depends on." }
            } @else { (draw(&of_tasks(meaning, &places, phase.id, &title))) }
        }
    }
}

fn of_tasks<'r>(meaning: &IdMeanings<'r>, places: &[usize], id: &str, title: &str) -> Picture<'r> {
    let number: HashMap<usize, usize> = places.iter().enumerate().map(|(own, place)| (*place, own)).collect();
    let tasks: Vec<&RunTask<'_>> = places.iter().map(|place| &meaning.tasks[*place]).collect();
    let needs = tasks
        .iter()
        .map(|task| meaning.needs(task).iter().filter_map(|place| number.get(place).copied()).collect());
    Picture {
        id: format!("graph-{id}"),
        title: title.to_owned(),
        graph: DependencyGraph::new(needs.collect()),
        nodes: tasks
            .iter()
            .map(|task| Node { id: task.id.as_str(), name: task.name, mark: task.own_mark() })
            .collect(),
    }
}

/// The phases, in the order in which their first tasks are worked on.
fn of_phases<'r>(report: &'r RunDocument<'r>, meaning: &IdMeanings<'r>) -> Picture<'r> {
    let number: HashMap<&str, usize> =
        report.phases.iter().enumerate().map(|(place, phase)| (phase.id, place)).collect();
    let mut needs: Vec<Vec<usize>> = vec![Vec::new(); report.phases.len()];
    for task in &report.tasks {
        let Some(own) = number.get(task.phase) else { continue };
        let phases = meaning.needs(task).into_iter().map(|place| report.tasks[place].phase);
        needs[*own].extend(phases.filter_map(|phase| number.get(phase)).copied());
        needs[*own].sort_unstable();
        needs[*own].dedup();
    }
    let mark = |phase: &RunPhase<'_>| match phase.figures() {
        figures if figures.failed > 0 => TaskMark::Failed,
        figures if figures.complete + figures.skipped == figures.tasks => TaskMark::Complete,
        figures if figures.attempts == 0 => TaskMark::Pending,
        _ => TaskMark::Active,
    };
    Picture {
        id: "graph-phases".to_owned(),
        title: "What each phase depends on".to_owned(),
        graph: DependencyGraph::new(needs),
        nodes: report
            .phases
            .iter()
            .map(|phase| Node { id: phase.id, name: phase.name, mark: mark(phase) })
            .collect(),
    }
}

#[expect(clippy::cast_precision_loss, reason = "there are few rows and columns")]
fn draw(picture: &Picture<'_>) -> Markup {
    let Picture { id, title, nodes, graph } = picture;
    let cells = graph.cells();
    let placed: Vec<Cell> = cells.iter().flatten().copied().collect();
    let alone: Vec<&Node<'_>> =
        nodes.iter().zip(&cells).filter(|(_, cell)| cell.is_none()).map(|(node, _)| node).collect();
    let columns = placed.iter().map(|cell| cell.column + 1).max().unwrap_or(0);
    let rows = placed.iter().map(|cell| cell.row + 1).max().unwrap_or(0);
    let widths = Widths::of(columns);
    let width = (columns as f64 - 1.0) * widths.across + widths.boxed + 8.0;
    let height = rows as f64 * DOWN;
    let (heading, about) = (format!("{id}-title"), format!("{id}-about"));
    let edges = (0..nodes.len())
        .flat_map(|node| graph.needs(node).iter().map(move |need| [*need, node]))
        .filter_map(|[from, to]| Some(widths.curve(cells[from]?, cells[to]?)));
    html! {
        @if placed.len() > READABLE {
            p { "There are too many dependencies for a picture; the list of the tasks says what each depends on." }
        } @else if !placed.is_empty() {
            div.scroll tabindex="0" role="region" aria-label=(title) {
                svg.own viewBox={ "0 0 " (width) " " (height) } width=(width) height=(height) role="img" aria-labelledby={ (heading) " " (about) } {
                    title id=(heading) { (title) }
                    desc id=(about) { "Each line leads from a box to one that depends on it. Lines that follow from others are left out. The list of the tasks has all." }
                    @for edge in edges { path.edge d=(edge) {} }
                    @for (node, cell) in nodes.iter().zip(&cells) { @if let Some(cell) = cell { (widths.drawn(node, *cell)) } }
                }
            }
        }
        @if !alone.is_empty() && !placed.is_empty() {
            p.small.soft { "Without dependencies among these: "
                @for (place, node) in alone.iter().take(60).enumerate() { @if place > 0 { ", " } span.mono { (node.id) } }
                @if alone.len() > 60 { " and " (alone.len() - 60) " more" } "." }
        }
    }
}

/// The upper left corner of a box.
struct Corner {
    x: f64,
    y: f64,
}

impl Widths {
    #[expect(clippy::cast_precision_loss, reason = "there are few rows and columns")]
    fn corner(self, cell: Cell) -> Corner {
        Corner { x: 4.0 + cell.column as f64 * self.across, y: cell.row as f64 * DOWN + 6.0 }
    }

    fn curve(self, from: Cell, to: Cell) -> String {
        let (from, to) = (self.corner(from), self.corner(to));
        let (x1, y1) = (from.x + self.boxed, from.y + TALL / 2.0);
        let (x2, y2) = (to.x, to.y + TALL / 2.0);
        let bend = ((x2 - x1) / 2.0).max(20.0);
        format!("M{x1:.0} {y1:.0}C{:.0} {y1:.0} {:.0} {y2:.0} {x2:.0} {y2:.0}", x1 + bend, x2 - bend)
    }

    fn drawn(self, node: &Node<'_>, cell: Cell) -> Markup {
        let Corner { x, y } = self.corner(cell);
        let letters = self.letters();
        let id = ellipsis(node.id, letters.min(14));
        let left = letters.saturating_sub(id.chars().count() + 1);
        let name = if left < FEWEST { String::new() } else { ellipsis(&visible_name(node.name), left) };
        html! {
            g {
                // What is cut is at hand below the pointer.
                title { (node.id) " " (visible_name(node.name)) }
                rect class={ "node n-" (group_of(node.mark)) } x=(x) y=(y) width=(self.boxed) height=(TALL) rx="8" {}
                text x=(x + 8.0) y=(y + 21.0) { (node.mark.symbol(Symbols::Unicode)) " " (id) " " tspan.lab { (name) } }
            }
        }
    }
}

/// The group of a mark, in which it is drawn.
fn group_of(mark: TaskMark) -> &'static str {
    if mark == TaskMark::Active { "active" } else { mark.word() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn up_to_eleven_columns_fit_a_window_and_show_the_ids() {
        for columns in 1..=11_u8 {
            let widths = Widths::of(usize::from(columns));
            let width = (f64::from(columns) - 1.0) * widths.across + widths.boxed + 8.0;
            assert!(width <= WINDOW, "{columns}: {width}");
            assert!(widths.letters() >= 5, "{columns}: {}", widths.letters());
            let cell = |column| Cell { column, row: 0 };
            let (first, second) = (widths.corner(cell(0)), widths.corner(cell(1)));
            assert!(first.x + widths.boxed + 20.0 <= second.x, "there is room for the lines");
        }
        let node = Node { id: "T001", name: "A name that is longer than a box", mark: TaskMark::Complete };
        let drawn = Widths::of(6).drawn(&node, Cell { column: 0, row: 0 }).into_string();
        assert!(drawn.contains("<title>T001 A name that is longer than a box</title>"), "{drawn}");
        assert!(drawn.contains("...</tspan>"), "{drawn}");
    }
}
