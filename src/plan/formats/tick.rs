//! Ticks the boxes of tasks in a Markdown source, and changes nothing else in it.

use std::collections::HashMap;

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

/// Ticks the boxes of these tasks in a source whose whole content is `text`. Returns the new content and, for each task, what was found
/// at its line. `is_name` says whether the source had this name for a task when the tree was built.
#[must_use]
pub fn tick(
    format: Format,
    source: &SourceFile,
    text: &str,
    tasks: &[TaskToTick],
    is_name: &dyn Fn(&TaskToTick, &str) -> bool,
) -> (String, Vec<BoxFound>) {
    let plan = read(format, std::slice::from_ref(source), Tag::Usual);
    // Several nodes can be on one line, if a list begins inside of another one.
    let mut nodes: HashMap<u32, Vec<&ImportedNode>> = HashMap::new();
    for node in &plan.nodes {
        nodes.entry(node.place.line).or_default().push(node);
    }
    // Lines as in the text of the source, each with its end.
    let mut lines: Vec<String> = Vec::new();
    for part in text.split_inclusive(['\r', '\n']) {
        match lines.last_mut() {
            Some(last) if part == "\n" && last.ends_with('\r') => last.push('\n'),
            _ => lines.push(part.to_owned()),
        }
    }
    let found = tasks.iter().map(|task| {
        let Some([only]) = nodes.get(&task.line).map(Vec::as_slice) else { return BoxFound::NotTheTask };
        let is_named = is_name(task, if only.name.is_empty() { &task.id } else { &only.name });
        // In the tree, the name of the file may stand before an id, and one that cannot be used is another.
        let has_id = match &only.id {
            ImportedId::Given(id) if TaskId::parse(id).is_ok() => {
                let scope = task.id.strip_suffix(id.as_str());
                scope.is_some_and(|scope| scope.is_empty() || scope.ends_with('.'))
            }
            _ => true,
        };
        if !is_named || !has_id {
            return BoxFound::NotTheTask;
        }
        let line = &mut lines[task.line as usize - 1];
        let start = MARKERS.find(line).map_or(0, |markers| markers.end());
        match box_at(&line[start..]).map(|(tick, mark, _)| (tick, start + mark.start..start + mark.end)) {
            None => BoxFound::NoBox,
            Some((Tick::Ticked, _)) => BoxFound::Ticked,
            Some((Tick::Open | Tick::Other(_), mark)) => {
                let is_symbol = !line[mark.clone()].is_ascii() && !mark.is_empty();
                line.replace_range(mark, if is_symbol { "✅" } else { "x" });
                BoxFound::Open
            }
        }
    });
    let found = found.collect();
    (lines.concat(), found)
}

pattern!(MARKERS, r"^\u{feff}?\s*(?:(?:[>*+#-]|\d+[.)])\s*)*");

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
        tick(format, &source, text, &tasks, &|task, name| task.name == name)
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
