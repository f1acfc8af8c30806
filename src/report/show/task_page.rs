//! Builds lines of text under headings, cut to the width of the terminal.

use crate::plan::{Node, NodeIx, SetBy, TaskTree, TestCommand};
use crate::report::document::{RunDocument, RunTask};
use crate::report::mark::TaskMark;
use crate::report::plan_tree::PlanTree;
use crate::report::screen::{Screen, Style};
use crate::report::text::{columns, cut, wrap};
use crate::text::{clean, one_line};

/// How many columns one level of indentation takes.
const INDENT: usize = 2;

/// A text that grows line by line.
pub(super) struct TaskPage {
    pub(super) text: String,
    screen: Screen,
}

impl TaskPage {
    pub(super) fn new(screen: Screen) -> Self {
        Self { text: String::new(), screen }
    }

    /// The id and name of a node, and a remark in parentheses.
    pub(super) fn title(&mut self, node: &Node, remark: &str, style: Style) {
        let out = self.screen.out;
        let line = format!(
            "{} {} {}",
            out.paint(Style::Cyan, node.id.as_str()),
            out.paint(Style::Bold, &node.name),
            out.paint(style, &format!("({remark})"))
        );
        for line in wrap(&line, self.screen.width.unwrap_or(usize::MAX)) {
            self.whole_line(0, &line);
        }
    }

    /// The description of a node in the plan, besides its name.
    pub(super) fn node(&mut self, node: &Node) {
        if let Some(file) = &node.source_file {
            let line = node.source_line.map(|line| format!(":{line}")).unwrap_or_default();
            self.line(0, &format!("from {file}{line}"));
        }
        let description = clean(node.description.as_bytes());
        if !description.trim().is_empty() {
            self.text.push('\n');
            description.lines().for_each(|line| self.prose(1, line));
        }
    }

    pub(super) fn heading(&mut self, heading: &str) {
        self.text.push_str(&format!("\n{}\n", self.screen.out.paint(Style::Bold, heading)));
    }

    /// A line, cut to the width of the terminal.
    pub(super) fn line(&mut self, level: usize, line: &str) {
        let line = clean(line.as_bytes());
        let indent = level * INDENT;
        let room = self.screen.width.map_or(usize::MAX, |width| width.saturating_sub(indent));
        self.whole_line(level, &cut(&line, room, self.screen.symbols));
    }

    /// A line of prose, broken to fit the terminal.
    pub(super) fn prose(&mut self, level: usize, line: &str) {
        let room = self.screen.width.map_or(usize::MAX, |width| width.saturating_sub(level * INDENT));
        for part in wrap(&clean(line.as_bytes()), room) {
            self.whole_line(level, &part);
        }
    }

    /// A line that is never cut, because it is a command to be copied.
    pub(super) fn whole_line(&mut self, level: usize, line: &str) {
        let line = format!("{}{line}", " ".repeat(level * INDENT));
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }

    /// Parts of a line after a symbol and an id. What does not fit there any more is in lines below it.
    pub(super) fn marked(&mut self, mark: TaskMark, style: Style, id: &str, parts: &[String]) {
        let Screen { out, symbols, width, .. } = self.screen;
        let symbol = mark.symbol(symbols);
        let taken = INDENT + columns(symbol) + columns(id) + 2;
        let room = width.map_or(usize::MAX, |width| width.saturating_sub(taken));
        let mut lines: Vec<String> = Vec::new();
        for part in parts {
            match lines.last_mut() {
                Some(line) if columns(line) + 2 + columns(part) <= room => {
                    line.push_str(&format!("  {part}"));
                }
                _ => lines.push(part.clone()),
            }
        }
        let (symbol, id) = (out.paint(style, symbol), out.paint(Style::Cyan, id));
        let mut lines = lines.into_iter();
        self.whole_line(1, &format!("{symbol} {id} {}", lines.next().unwrap_or_default()));
        lines.for_each(|line| self.prose(3, &line));
    }

    /// Tasks with their states under a heading; nothing if there are none.
    pub(super) fn tasks(&mut self, heading: &str, document: &RunDocument<'_>, tasks: &[&RunTask<'_>]) {
        if !tasks.is_empty() {
            self.heading(heading);
        }
        let tree = PlanTree { document, screen: &self.screen.clone() };
        for task in tasks {
            self.whole_line(0, &tree.task_line("  ", task.leaf));
        }
    }

    /// The fields of a node that say how it is done, under a heading; nothing if there are none.
    pub(super) fn fields(&mut self, tree: &TaskTree, ix: NodeIx) {
        let fields = &tree.node(ix).fields;
        if fields.iter().next().is_some() {
            self.heading("Fields");
        }
        for entry in fields.iter() {
            let from = match entry.set_by {
                SetBy::Node(own) if own == ix => String::new(),
                above => format!(" (from {})", tree.place_of(above)),
            };
            self.line(1, &format!("{:<11}  {}{from}", entry.field.name(), entry.value));
        }
    }

    /// The acceptance criteria and the documents that apply to a node, each under a heading.
    pub(super) fn background(&mut self, tree: &TaskTree, ix: NodeIx) {
        let criteria = tree.acceptance(ix);
        if !criteria.is_empty() {
            self.heading("Acceptance criteria");
        }
        for criterion in criteria {
            self.prose(1, &format!("- {}", one_line(criterion)));
        }
        let documents = tree.documents(ix);
        if !documents.is_empty() {
            self.heading("Documents");
        }
        for document in documents {
            self.line(1, &format!("{} ({})", document.path, document.kind.word()));
        }
    }

    /// Test commands under a heading; nothing if there are none.
    pub(super) fn tests(&mut self, tests: &[TestCommand]) {
        if !tests.is_empty() {
            self.heading("Tests");
        }
        for test in tests {
            let command = clean(test.command.as_bytes()).replace('\n', "\n               ");
            self.whole_line(1, &format!("{:<11}  {command}", test.kind.word()));
        }
    }
}
