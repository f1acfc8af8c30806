//! Draws a plan as a tree of lines, folded to what matters.

use super::document::{RunDocument, RunningStep, TaskCounts};
use super::folding::{Extent, ShownLine, TreeRow, fold, only};
use super::mark::TaskMark;
use super::screen::{Screen, Style, Symbols};
use super::text::{columns, cut};
use crate::plan::{Node, NodeIx};
use crate::text::counted;

/// A name is cut to make room for the remark after it, but not to fewer columns than this.
const NAME_ROOM: usize = 12;
/// The same for the short form of the remark.
const SHORT_NAME_ROOM: usize = 6;

/// How many levels are drawn. Otherwise a line would be as long as the tree is deep.
const MOST_LEVELS: usize = 16;

/// Which lines of a plan are drawn.
#[derive(Clone, Copy, Debug)]
pub enum LineSelection<'a> {
    /// The plan, folded.
    Plan(Extent),
    /// These tasks, and the nodes above them.
    Tasks(&'a [NodeIx]),
}

/// A plan, and what is running in it.
#[derive(Clone, Copy, Debug)]
pub struct PlanTree<'a> {
    /// The state of every task.
    pub document: &'a RunDocument<'a>,
    /// How it may look. The lines are cut to its width.
    pub screen: &'a Screen,
}

impl PlanTree<'_> {
    /// The lines, without their ends.
    #[must_use]
    pub fn lines(&self, selection: LineSelection<'_>) -> Vec<String> {
        let rows = match selection {
            LineSelection::Plan(extent) => {
                let running: Vec<NodeIx> = self.document.running().iter().map(|step| step.node).collect();
                fold(self.document, extent, &running)
            }
            LineSelection::Tasks(tasks) => only(self.document, tasks),
        };
        // For each level above the row, whether nothing follows there.
        let mut ended = Vec::new();
        let line = |row: &TreeRow| {
            ended.truncate(row.depth);
            ended.push(row.is_last);
            self.line(&branches(&ended, self.screen), row)
        };
        rows.iter().map(line).collect()
    }

    /// The line of a task after this text.
    pub(super) fn task_line(&self, before: &str, task: NodeIx) -> String {
        self.task(task).drawn(before, self.screen)
    }

    fn line(&self, before: &str, row: &TreeRow) -> String {
        let line = match row.shown {
            ShownLine::Task(ix) => self.task(ix),
            ShownLine::Open(ix) => self.parent(ix, None),
            ShownLine::Folded(ix) => self.parent(ix, Some(self.counts(ix).mark())),
            ShownLine::Several(first, last) => self.several(first, last),
        };
        line.drawn(before, self.screen)
    }

    fn task(&self, ix: NodeIx) -> Line<'_> {
        let task = self.document.task(ix);
        let short = task.running.map_or_else(|| self.document.short_remark(task), RunningStep::during);
        Line {
            mark: Some(task.mark()),
            id: task.id.to_string(),
            name: task.name,
            is_bold: task.running.is_some() || self.document.next_leaf == Some(ix),
            remarks: [self.document.remark(task), short.to_owned()],
        }
    }

    /// A node with tasks below it; with a mark if these are not shown.
    fn parent(&self, ix: NodeIx, mark: Option<TaskMark>) -> Line<'_> {
        let Node { id, name, .. } = self.document.plan.node(ix);
        let counts = self.counts(ix);
        let short = format!("{}/{}", counts.complete, counts.total);
        let mut parts = vec![short.clone()];
        parts.extend(counts.exceptions());
        let edited = self.document.tasks_below(ix).filter(|task| task.plan_edited).count();
        if mark.is_some() && edited > 0 {
            parts.push(format!("{edited} edited since"));
        }
        if mark.is_some() {
            parts.extend(counts.without_evidence());
        }
        let has_failed = self.document.fails(ix);
        let end = self.document.end_of(ix);
        parts.extend(match end.map_or(0, |end| end.findings.len()) {
            _ if has_failed => Some("its tests fail".to_owned()),
            0 => None,
            count => Some(counted(count, "warning")),
        });
        let running = self.document.running().iter().find(|step| step.node == ix);
        parts.extend(running.map(RunningStep::remark));
        let mark = match running {
            Some(_) => mark.map(|_| TaskMark::Active),
            None if has_failed => Some(TaskMark::Failed),
            None => mark,
        };
        Line { mark, id: id.as_str().to_owned(), name, is_bold: true, remarks: [parts.join(", "), short] }
    }

    fn several(&self, first: NodeIx, last: NodeIx) -> Line<'_> {
        let tree = self.document.plan;
        let end = tree.leaves_below(last).next_back().unwrap_or(last);
        let nodes = tree.nodes().skip(first.position()).take(end.position() + 1 - first.position());
        let leaves = nodes.filter(|(_, node)| node.is_leaf());
        let counts = TaskCounts::of(leaves.map(|(ix, _)| self.document.task(ix)));
        let full = match counts.only() {
            Some(mark) => format!("{} tasks, {}", counts.total, mark.word()),
            None => format!("{} tasks, {} complete", counts.total, counts.complete),
        };
        let mut parts = vec![full];
        if counts.only().is_none() {
            parts.extend(counts.exceptions());
        }
        parts.extend(counts.without_evidence());
        let id = format!("{} to {}", tree.node(first).id, tree.node(last).id);
        Line {
            mark: Some(counts.mark()),
            id,
            name: "",
            is_bold: false,
            remarks: [parts.join(", "), counts.total.to_string()],
        }
    }

    fn counts(&self, ix: NodeIx) -> TaskCounts {
        TaskCounts::of(self.document.tasks_below(ix))
    }
}

/// The content of a line.
struct Line<'l> {
    mark: Option<TaskMark>,
    id: String,
    name: &'l str,
    is_bold: bool,
    /// The remark in parentheses after the name, and a shorter form of it.
    remarks: [String; 2],
}

impl Line<'_> {
    fn drawn(&self, before: &str, screen: &Screen) -> String {
        let out = screen.out;
        let mut start = out.paint(Style::Dim, before);
        let mut taken = columns(before) + columns(&self.id);
        if let Some(mark) = self.mark {
            let (symbol, pad) = (mark.symbol(screen.symbols), symbol_columns(screen.symbols));
            start.push_str(&out.paint(mark.style(), symbol));
            start.push_str(&" ".repeat(pad.saturating_sub(columns(symbol)) + 1));
            taken += pad + 1;
        }
        let (name, remark) = self.fit(screen, taken);
        let name = if self.is_bold { out.paint(Style::Bold, &name) } else { name };
        let style = self.mark.map_or(Style::Dim, TaskMark::style);
        let mut line = start + &out.paint(Style::Cyan, &self.id);
        for (part, is_empty) in [(name, self.name.is_empty()), (out.paint(style, &remark), remark.is_empty())]
        {
            if !is_empty {
                line.push(' ');
                line.push_str(&part);
            }
        }
        line
    }

    /// The name and the longest of the remarks that fit on the terminal after `taken` columns. The name is cut.
    fn fit(&self, screen: &Screen, taken: usize) -> (String, String) {
        let remarks = self
            .remarks
            .each_ref()
            .map(|remark| if remark.is_empty() { String::new() } else { format!("({remark})") });
        let [full, short] = remarks;
        let Some(width) = screen.width else { return (self.name.to_owned(), full) };
        let own = if self.name.is_empty() { 0 } else { 1 };
        for (remark, name_room) in [(full, NAME_ROOM), (short, SHORT_NAME_ROOM), (String::new(), 0)] {
            let wanted = columns(self.name).min(name_room);
            let behind = if remark.is_empty() { 0 } else { columns(&remark) + 1 };
            let fits = taken + own + wanted + behind <= width;
            if fits || remark.is_empty() {
                let room = width.saturating_sub(taken + own + behind);
                return (cut(self.name, room, screen.symbols), remark);
            }
        }
        (String::new(), String::new())
    }
}

/// The lines that connect a node with those above it, for each of whose levels, and its own, is given whether nothing follows there.
/// Levels that do not fit are left out from the left, and dots say so.
fn branches(ended: &[bool], screen: &Screen) -> String {
    let (dots, above, next, last) = match screen.symbols {
        Symbols::Unicode => ("… ", "│   ", "├── ", "└── "),
        Symbols::Ascii => ("... ", "|   ", "|-- ", "`-- "),
    };
    let fitting = screen.width.map_or(MOST_LEVELS, |width| width / 2 / columns(above)).clamp(1, MOST_LEVELS);
    let hidden = ended.len().saturating_sub(fitting);
    let Some((own, levels)) = ended[hidden..].split_last() else { return String::new() };
    let mut line = if hidden > 0 { dots } else { "" }.to_owned();
    levels.iter().for_each(|ended| line.push_str(if *ended { "    " } else { above }));
    line + if *own { last } else { next }
}

fn symbol_columns(symbols: Symbols) -> usize {
    match symbols {
        Symbols::Unicode => 1,
        Symbols::Ascii => 4,
    }
}
