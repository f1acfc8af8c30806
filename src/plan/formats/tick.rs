//! Ticks the boxes of tasks in a Markdown source, and changes nothing else in it.

use std::collections::HashMap;
use std::ops::Range;

use super::imported::{ImportedId, ImportedNode};
use super::marks::{Tick, box_at};
use super::source_file::SourceFile;
use super::{Format, Tag, read};
use crate::record::TaskId;

/// A task whose box is to be ticked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskToTick {
    /// Its id in the tree.
    pub id: String,
    /// Its name in the tree.
    pub name: String,
    /// The line on which it was in the source when the tree was built.
    pub line: u32,
    /// Whether it is a task, and not a node above tasks.
    pub is_leaf: bool,
}

/// What was found at the line of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoxFound {
    /// An open box, which is now ticked.
    Open,
    /// A box that was ticked before.
    Ticked,
    /// The task, but without a box.
    NoBox,
    /// Not this task: the source has changed.
    NotTheTask,
}

/// A source with more ticks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TickedSource {
    /// The whole content of the file.
    pub bytes: Vec<u8>,
    /// For each task, what was found at its line.
    pub found: Vec<BoxFound>,
}

/// Ticks the boxes of these tasks in a source whose content is `bytes`. `is_name` says whether the source had this name for a task
/// when the tree was built.
#[must_use]
pub fn tick(
    format: Format,
    source: &SourceFile,
    bytes: &[u8],
    tasks: &[TaskToTick],
    is_name: &dyn Fn(&TaskToTick, &str) -> bool,
) -> TickedSource {
    let plan = read(format, std::slice::from_ref(source), Tag::Usual);
    // Several nodes can be on one line, if a list begins inside of another one.
    let mut nodes: HashMap<u32, Vec<&ImportedNode>> = HashMap::new();
    for node in &plan.nodes {
        nodes.entry(node.place.line).or_default().push(node);
    }
    let lines = lines(bytes);
    let mut ticks: Vec<Range<usize>> = Vec::new();
    let found = tasks.iter().map(|task| {
        let Some([only]) = nodes.get(&task.line).map(Vec::as_slice) else { return BoxFound::NotTheTask };
        let is_named = is_name(task, if only.name.is_empty() { &task.id } else { &only.name });
        // In the tree, the name of the file may stand before an id, and one that cannot be used is another.
        let has_id = match &only.id {
            ImportedId::Given(id) if TaskId::parse(id).is_ok() => task
                .id
                .strip_suffix(id.as_str())
                .is_some_and(|scope| scope.is_empty() || scope.ends_with('.')),
            _ => true,
        };
        if !is_named || !has_id {
            return BoxFound::NotTheTask;
        }
        let line = task.line.checked_sub(1).and_then(|line| lines.get(line as usize));
        let line = line.expect("the importer has read this line");
        let text = std::str::from_utf8(&bytes[line.clone()]).expect("the source was decoded as UTF-8");
        match find_box(text) {
            None => BoxFound::NoBox,
            Some((Tick::Ticked, _)) => BoxFound::Ticked,
            Some((Tick::Open | Tick::Other(_), inner)) => {
                ticks.push(line.start + inner.start..line.start + inner.end);
                BoxFound::Open
            }
        }
    });
    let found = found.collect();
    let mut ticked = bytes.to_vec();
    ticks.sort_by_key(|range| std::cmp::Reverse(range.start));
    for range in ticks {
        let is_symbol = !bytes[range.clone()].is_ascii() && !range.is_empty();
        ticked.splice(range, if is_symbol { "✅".bytes() } else { "x".bytes() });
    }
    TickedSource { bytes: ticked, found }
}

/// The lines of a file without their ends, counted as in [`SourceFile::text`].
fn lines(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut lines = Vec::new();
    let mut start = if bytes.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
    let mut at = start;
    while at < bytes.len() {
        let end = match bytes[at..] {
            [b'\r', b'\n', ..] => 2,
            [b'\r' | b'\n', ..] => 1,
            _ => 0,
        };
        if end > 0 {
            lines.push(start..at);
            start = at + end;
        }
        at += end.max(1);
    }
    lines.push(start..bytes.len());
    lines
}

pattern!(MARKERS, r"^\s*(?:(?:[>*+#-]|\d+[.)])\s*)*");

/// The box after the markers at the beginning of a line, and where its mark is.
fn find_box(line: &str) -> Option<(Tick, Range<usize>)> {
    let start = MARKERS.find(line).map_or(0, |markers| markers.end());
    box_at(&line[start..]).map(|(tick, mark, _)| (tick, start + mark.start..start + mark.end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticked(format: Format, text: &str, tasks: &[(u32, &str)]) -> (String, Vec<BoxFound>) {
        let source = SourceFile::decode("tasks.md".into(), text.as_bytes()).unwrap();
        // An id that the source gives stands before the name.
        let one = |(line, name): &(u32, &str)| {
            let (id, name) = name.split_once('|').unwrap_or(("T1", name));
            TaskToTick { id: id.into(), name: name.into(), line: *line, is_leaf: true }
        };
        let tasks: Vec<TaskToTick> = tasks.iter().map(one).collect();
        let TickedSource { bytes, found } =
            tick(format, &source, text.as_bytes(), &tasks, &|task, name| task.name == name);
        (String::from_utf8(bytes).unwrap(), found)
    }

    #[test]
    fn the_box_of_a_task_is_ticked_whatever_it_looks_like() {
        for (before, after) in [
            ("- [ ] A", "- [x] A"),
            ("* [ ] A", "* [x] A"),
            ("+ [] A", "+ [x] A"),
            ("1. [ ] A", "1. [x] A"),
            ("12) [ ] A", "12) [x] A"),
            ("> - [ ] A", "> - [x] A"),
            ("- \\[ \\] A", "- \\[x\\] A"),
            ("- ［ ］ A", "- ［x］ A"),
            ("- [-] A", "- [x] A"),
            ("-\t[ ]\tA [ ] b", "-\t[x]\tA [ ] b"),
        ] {
            let name = before.rsplit_once("A").map(|(_, rest)| format!("A{rest}")).unwrap();
            let expected = (after.to_owned(), vec![BoxFound::Open]);
            assert_eq!(ticked(Format::Checklist, before, &[(1, &name)]), expected, "{before}");
        }
        let kiro = "- [ ] 1. A\n  - [ ]* 1.1 B\n";
        let expected = ("- [x] 1. A\n  - [x]* 1.1 B\n".to_owned(), vec![BoxFound::Open, BoxFound::Open]);
        assert_eq!(ticked(Format::Kiro, kiro, &[(1, "1|A"), (2, "1.1|B")]), expected);
    }

    #[test]
    fn line_ends_and_byte_order_marks_stay_as_they_are() {
        let text = "\u{feff}# Plan\r\n\r- [ ] A\r\n- [ ] B\n- [ ] C";
        let (after, found) = ticked(Format::Checklist, text, &[(5, "C"), (3, "A"), (4, "B")]);
        assert_eq!(after, text.replace("[ ]", "[x]"));
        assert_eq!(found, [BoxFound::Open; 3]);
    }

    #[test]
    fn only_the_box_of_the_task_itself_is_ticked() {
        let text = "- [x] A\n- [ ] Other\n- C\n\n  Text [ ] here\n";
        let tasks = [(1, "A"), (2, "B"), (3, "C"), (5, "Text [ ] here"), (99, "D"), (0, "E")];
        let (after, found) = ticked(Format::Checklist, text, &tasks);
        assert_eq!(after, text);
        let not = BoxFound::NotTheTask;
        assert_eq!(found, [BoxFound::Ticked, not, not, not, not, not]);
        let swapped = "- [ ] T002 Write tests\n- [ ] T001 Write tests\n";
        let (after, found) = ticked(Format::SpecKit, swapped, &[(1, "T001|Write tests")]);
        assert_eq!((after.as_str(), found.as_slice()), (swapped, &[not][..]));
        let heading = "## Phase 1: One\n\n### T001: A\n";
        let (after, found) = ticked(Format::SpecKit, heading, &[(3, "T001|A")]);
        assert_eq!((after.as_str(), found.as_slice()), (heading, &[BoxFound::NoBox][..]));
    }
}
