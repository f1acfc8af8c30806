//! Ticks boxes in the lines of a Markdown source, and changes nothing else in them.

use super::marks::{Tick, box_at};

/// What was found where a task is.
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

/// The lines of a text as a source file counts them, each with its end.
pub fn lines_of(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for part in text.split_inclusive(['\r', '\n']) {
        match lines.last_mut() {
            Some(last) if part == "\n" && last.ends_with('\r') => last.push('\n'),
            _ => lines.push(part.to_owned()),
        }
    }
    lines
}

/// Ticks the box at the beginning of a line.
pub fn tick(line: &mut String) -> BoxFound {
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
}

pattern!(MARKERS, r"^\u{feff}?\s*(?:(?:[>*+#-]|\d+[.)])\s*)*");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_is_ticked_whatever_it_looks_like_and_nothing_else_is() {
        for (before, after, found) in [
            ("- [ ] A", "- [x] A", BoxFound::Open),
            ("* [ ] A", "* [x] A", BoxFound::Open),
            ("+ [] A", "+ [x] A", BoxFound::Open),
            ("1. [ ] A", "1. [x] A", BoxFound::Open),
            ("12) [ ] A", "12) [x] A", BoxFound::Open),
            ("> - [ ] A", "> - [x] A", BoxFound::Open),
            ("- \\[ \\] A", "- \\[x\\] A", BoxFound::Open),
            ("- ［ ］ A", "- ［x］ A", BoxFound::Open),
            ("- [-] A", "- [x] A", BoxFound::Open),
            ("- ⬜ A", "- ✅ A", BoxFound::Open),
            ("-\t[ ]\tA [ ] b", "-\t[x]\tA [ ] b", BoxFound::Open),
            ("  - [ ]* 1.1 B", "  - [x]* 1.1 B", BoxFound::Open),
            ("\u{feff}- [ ] A\r\n", "\u{feff}- [x] A\r\n", BoxFound::Open),
            ("- [X] A", "- [X] A", BoxFound::Ticked),
            ("### T001: A", "### T001: A", BoxFound::NoBox),
            ("  Text [ ] here", "  Text [ ] here", BoxFound::NoBox),
        ] {
            let mut line = before.to_owned();
            assert_eq!((tick(&mut line), line.as_str()), (found, after), "{before}");
        }
    }

    #[test]
    fn lines_have_their_ends() {
        let text = "# Plan\r\n\r- [ ] A\r\n- [ ] B\n- [ ] C";
        let lines = lines_of(text);
        assert_eq!((lines.concat().as_str(), lines.len(), lines[2].as_str()), (text, 5, "- [ ] A\r\n"));
    }
}
