//! Draws the tasks and their dependencies for Graphviz and for Mermaid.

use std::collections::HashSet;
use std::fmt::Write as _;

use super::StatusView;
use crate::plan::NodeIx;
use crate::report::plan_view::TaskMark;
use crate::report::running_step::RunningStep;

/// The language of a drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DrawingFormat {
    /// Graphviz.
    Dot,
    /// Mermaid.
    Mermaid,
}

/// The colours of a box: its inside and its border.
#[derive(Clone, Copy)]
struct Colors {
    fill: &'static str,
    border: &'static str,
}

fn colors(mark: TaskMark) -> Colors {
    match mark {
        TaskMark::Complete => Colors { fill: "#d5efd8", border: "#2e7d32" },
        TaskMark::Active => Colors { fill: "#fff3c4", border: "#b08800" },
        TaskMark::Pending => Colors { fill: "#f5f5f5", border: "#8a8a8a" },
        TaskMark::Failed => Colors { fill: "#fbd5d5", border: "#c62828" },
        TaskMark::Skipped => Colors { fill: "#ffffff", border: "#8a8a8a" },
    }
}

const MARKS: [(TaskMark, &str); 5] = [
    (TaskMark::Complete, "complete"),
    (TaskMark::Active, "active"),
    (TaskMark::Pending, "pending"),
    (TaskMark::Failed, "failed"),
    (TaskMark::Skipped, "skipped"),
];

impl StatusView<'_> {
    /// A drawing of these tasks and what is above them, with an arrow from each task or phase to what depends on it.
    #[must_use]
    pub fn drawing(&self, language: DrawingFormat, tasks: &[NodeIx]) -> String {
        let drawing = PlanDrawing { view: self, shown: self.with_parents(tasks) };
        match language {
            DrawingFormat::Dot => drawing.dot(),
            DrawingFormat::Mermaid => drawing.mermaid(),
        }
    }

    fn with_parents(&self, tasks: &[NodeIx]) -> HashSet<NodeIx> {
        let tree = self.plan_view.tree;
        tasks.iter().flat_map(|task| std::iter::once(*task).chain(tree.ancestors(*task))).collect()
    }
}

struct PlanDrawing<'d> {
    view: &'d StatusView<'d>,
    shown: HashSet<NodeIx>,
}

/// What is drawn, in order.
enum Piece {
    Task(NodeIx),
    Begin(NodeIx),
    End,
}

/// An arrow between two nodes.
struct Arrow {
    from: NodeIx,
    to: NodeIx,
}

impl PlanDrawing<'_> {
    /// The nodes of the tree, with the beginning and the end of each that has others in it.
    fn pieces(&self) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let mut open = 0;
        for (ix, node) in self.view.plan_view.tree.nodes().filter(|(ix, _)| self.shown.contains(ix)) {
            while open > node.depth() {
                pieces.push(Piece::End);
                open -= 1;
            }
            if node.is_leaf() {
                pieces.push(Piece::Task(ix));
            } else {
                pieces.push(Piece::Begin(ix));
                open += 1;
            }
        }
        pieces.extend((0..open).map(|_| Piece::End));
        pieces
    }

    fn arrows(&self) -> Vec<Arrow> {
        let shown = |(ix, _): &(NodeIx, _)| self.shown.contains(ix);
        let nodes = self.view.plan_view.tree.nodes().filter(shown);
        let arrows =
            nodes.flat_map(|(to, node)| node.depends_on.iter().map(move |from| Arrow { from: *from, to }));
        arrows.filter(|arrow| self.shown.contains(&arrow.from)).collect()
    }

    /// The text of a box, in pieces, one below the other.
    fn label(&self, ix: NodeIx) -> [String; 2] {
        let view = &self.view.plan_view;
        let node = view.tree.node(ix);
        let title = format!("{} {}", node.id, node.name);
        if node.is_leaf() {
            let running = view.running_step(ix).map(RunningStep::remark);
            return [title, running.unwrap_or_else(|| view.short_remark(ix).to_owned())];
        }
        let counts = self.view.counts_below(ix);
        [title, format!("{}/{}", counts.complete, counts.total)]
    }

    fn dot(&self) -> String {
        let view = &self.view.plan_view;
        let mut text = format!("digraph {} {{\n", dot_word(view.tree.spec_id().unwrap_or(self.view.folder)));
        text.push_str("  rankdir=LR;\n  compound=true;\n  node [shape=box, style=\"rounded,filled\", fontname=\"sans-serif\"];\n");
        text.push_str("  graph [fontname=\"sans-serif\", style=rounded, color=\"#8a8a8a\"];\n");
        let mut depth = 1;
        for piece in self.pieces() {
            let indent = "  ".repeat(depth);
            match piece {
                Piece::Task(ix) => {
                    let Colors { fill, border } = colors(view.mark(ix));
                    let label = self.label(ix).map(|line| dot_text(&line)).join("\\n");
                    let id = dot_word(view.id(ix));
                    let _ = writeln!(
                        text,
                        "{indent}{id} [label=\"{label}\", fillcolor=\"{fill}\", color=\"{border}\"];"
                    );
                }
                Piece::Begin(ix) => {
                    let label = self.label(ix).map(|line| dot_text(&line)).join("\\n");
                    let _ = writeln!(
                        text,
                        "{indent}subgraph {} {{\n{indent}  label=\"{label}\";",
                        cluster(view.id(ix))
                    );
                    depth += 1;
                }
                Piece::End => {
                    depth -= 1;
                    let _ = writeln!(text, "{}}}", "  ".repeat(depth));
                }
            }
        }
        for arrow in self.arrows() {
            let _ = writeln!(text, "  {}", self.dot_arrow(&arrow));
        }
        text.push_str("}\n");
        text
    }

    /// Graphviz draws arrows only between boxes. Those to and from a group end at its border.
    fn dot_arrow(&self, arrow: &Arrow) -> String {
        let tree = self.view.plan_view.tree;
        let id = |ix: NodeIx| self.view.plan_view.id(ix);
        let shown = |ix: NodeIx| tree.leaves_below(ix).filter(|leaf| self.shown.contains(leaf));
        let tail = shown(arrow.from).next_back().unwrap_or(arrow.from);
        let head = shown(arrow.to).next().unwrap_or(arrow.to);
        let mut options = Vec::new();
        if tail != arrow.from {
            options.push(format!("ltail={}", cluster(id(arrow.from))));
        }
        if head != arrow.to {
            options.push(format!("lhead={}", cluster(id(arrow.to))));
        }
        let options = if options.is_empty() { String::new() } else { format!(" [{}]", options.join(", ")) };
        format!("{} -> {}{options};", dot_word(id(tail)), dot_word(id(head)))
    }

    fn mermaid(&self) -> String {
        let view = &self.view.plan_view;
        let mut text = "flowchart LR\n".to_owned();
        let mut depth = 1;
        for piece in self.pieces() {
            let indent = "  ".repeat(depth);
            match piece {
                Piece::Task(ix) => {
                    let mark = view.mark(ix);
                    let class = MARKS.into_iter().find(|(of, _)| *of == mark).map_or("", |(_, class)| class);
                    let label = self.label(ix).map(|line| mermaid_text(&line)).join("<br/>");
                    let _ = writeln!(text, "{indent}{}[\"{label}\"]:::{class}", mermaid_id(ix));
                }
                Piece::Begin(ix) => {
                    let label = self.label(ix).map(|line| mermaid_text(&line)).join(" ");
                    let _ = writeln!(text, "{indent}subgraph {}[\"{label}\"]", mermaid_id(ix));
                    depth += 1;
                }
                Piece::End => {
                    depth -= 1;
                    let _ = writeln!(text, "{}end", "  ".repeat(depth));
                }
            }
        }
        for Arrow { from, to } in self.arrows() {
            let _ = writeln!(text, "  {} --> {}", mermaid_id(from), mermaid_id(to));
        }
        for (mark, class) in MARKS {
            let Colors { fill, border } = colors(mark);
            let _ = writeln!(text, "  classDef {class} fill:{fill},stroke:{border},color:#1a1a1a");
        }
        text
    }
}

fn cluster(id: &str) -> String {
    dot_word(&format!("cluster_{id}"))
}

/// A name in quotation marks.
fn dot_word(text: &str) -> String {
    format!("\"{}\"", dot_text(text))
}

fn dot_text(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

/// A name that means nothing to Mermaid, which has words of its own, such as `end`.
fn mermaid_id(ix: NodeIx) -> String {
    format!("n{}", ix.position())
}

/// A text in which Mermaid finds nothing but characters.
fn mermaid_text(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if c.is_ascii() && !c.is_ascii_alphanumeric() && !" ,.-:/+()?'".contains(c) {
            let _ = write!(out, "#{};", u32::from(c));
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_leave_their_quotation_marks() {
        assert_eq!(dot_word(r#"a"b\"#), r#""a\"b\\""#);
        assert_eq!(mermaid_text("a\"b; `x` <b>#1"), "a#34;b#59; #96;x#96; #60;b#62;#35;1");
        assert_eq!(mermaid_text("Größe 1/2 (x, y)"), "Größe 1/2 (x, y)");
    }
}
