//! Collects what a reader of Markdown sees and does not take into the plan, and makes warnings of it: nothing that may be
//! meant as work disappears in silence.

use super::checkbox::{Symbol, split_box, symbol};
use super::imported::{ImportedPlan, Place};
use super::stated::{after_one_of, ids_in, in_brackets, numbers_in, plain_line};

/// How tasks are named where a dependency is stated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum NeedForm {
    /// `(depends on T001)`
    #[default]
    Ids,
    /// `(depends on 1.2)`
    Numbers,
    /// Tasks have no ids.
    Order,
}

/// What was not taken from a file.
#[derive(Debug, Default)]
pub(super) struct Unread {
    pub(super) need_form: NeedForm,
    /// Items without a box.
    items: Vec<Place>,
    /// Items with a symbol in place of a box, unless it says that they are done.
    symbols: Vec<Place>,
    /// Tasks whose name begins with such a symbol.
    named: Vec<Place>,
    /// Tasks whose text is struck out.
    struck_out: Vec<Place>,
    /// Lines about dependencies.
    needs: Vec<Place>,
}

impl Unread {
    /// Takes note of an item that is neither a task nor inside of one.
    pub(super) fn item(&mut self, text: &str, place: Place) {
        match symbol(text) {
            _ if split_box(text).is_some() => {}
            Some((Symbol::Done, _)) => {}
            Some((Symbol::Open, _)) => self.symbols.push(place),
            None => self.items.push(place),
        }
    }

    /// Takes note of what is unusual about the text of a task, which is without its box.
    pub(super) fn task(&mut self, text: &str, place: Place) {
        if text.trim_start_matches([' ', '*', '_']).starts_with("~~") {
            self.struck_out.push(place);
        }
        if symbol(text).is_some() {
            self.named.push(place);
        }
    }

    /// Takes note of lines about dependencies from which none was read.
    pub(super) fn needs(&mut self, text: &str, place: Place) {
        let lines = unread_needs(text, self.need_form == NeedForm::Numbers).into_iter();
        self.needs.extend(lines.map(|line| Place { line: place.line + line, ..place }));
    }

    /// Adds the warnings: one for each kind, with the lines.
    pub(super) fn finish(self, plan: &mut ImportedPlan) {
        const BOX: &str = "Write `- [ ]` before those that are tasks.";
        let needs_remedy = match self.need_form {
            NeedForm::Ids => "If it means other tasks, name them as in `(depends on T001)`.",
            NeedForm::Numbers => "If it means other tasks, name them as in `(depends on 1.2)`.",
            NeedForm::Order => "If it means other tasks, number the list: it is done in its order then.",
        };
        let kinds = [
            (
                &self.items,
                "item",
                "has no box and is not read as a task",
                "have no box and are not read as tasks",
                BOX,
            ),
            (
                &self.symbols,
                "item",
                "has a symbol in place of a box and is not read as a task",
                "have a symbol in place of a box and are not read as tasks",
                BOX,
            ),
            (
                &self.named,
                "task",
                "begins with a symbol, which is read as a part of its name",
                "begin with a symbol, which is read as a part of their names",
                "Write [ ] or [x] in its place.",
            ),
            (
                &self.struck_out,
                "task",
                "is struck out and read like the others",
                "are struck out and read like the others",
                "Remove what is not to be done.",
            ),
            (
                &self.needs,
                "line",
                "about dependencies names no task that can be read",
                "about dependencies name no task that can be read",
                needs_remedy,
            ),
        ];
        for (places, noun, one, several, remedy) in kinds {
            match places.as_slice() {
                [] => {}
                [only] => plan.warn(*only, format!("this {noun} {one}"), remedy),
                [first, ..] => {
                    let what = format!("{} {noun}s {several} ({})", places.len(), lines_of(places));
                    plan.warn(*first, what, remedy);
                }
            }
        }
    }
}

/// The numbers of lines, as in `lines 3, 5, 8`.
pub(super) fn lines_of(places: &[Place]) -> String {
    const SHOWN: usize = 8;
    let lines: Vec<String> = places.iter().take(SHOWN).map(|place| place.line.to_string()).collect();
    format!("lines {}{}", lines.join(", "), if places.len() > SHOWN { ", ..." } else { "" })
}

/// The words that can only be about dependencies. `after` and `requires` begin other sentences as well.
const ONLY_NEEDS: [&str; 7] =
    ["depends on", "depend on", "dependencies", "dependency", "depends", "blocked by", "deps"];

/// The lines of a text, from 0, that state dependencies in a form from which none can be read. With `has_numbers`, tasks may
/// be named by numbers.
fn unread_needs(text: &str, has_numbers: bool) -> Vec<u32> {
    let is_unread = |line: &str| {
        let plain = plain_line(line);
        let field = after_one_of(&ONLY_NEEDS, &plain).filter(|rest| rest.starts_with([':', '：']));
        let stated = match field {
            Some(rest) => vec![rest],
            None => {
                in_brackets(&plain).into_iter().filter_map(|part| after_one_of(&ONLY_NEEDS, part)).collect()
            }
        };
        stated.into_iter().any(|rest| {
            let is_read = !ids_in(rest).is_empty() || has_numbers && !numbers_in(rest).is_empty();
            !is_read && says_something(rest)
        })
    };
    let lines = (0..).zip(text.lines());
    lines.filter(|(_, line)| is_unread(line)).map(|(number, _)| number).collect()
}

/// Whether what follows a word for dependencies says more than that there are none.
fn says_something(rest: &str) -> bool {
    let rest = rest.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let first = rest.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    !matches!(first, "" | "none" | "nothing" | "no" | "n" | "na" | "nil" | "null" | "keine" | "無" | "无")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_about_dependencies_that_name_no_task_are_found_and_other_sentences_are_not() {
        for (text, has_numbers, unread) in [
            ("Build it (depends on T001)\nDepends on: 1.2", false, vec![1]),
            ("Build it (depends on 1.2)\nDepends on: None", true, vec![]),
            ("Build it (depends on the parser)\nDependencies: n/a", true, vec![0]),
            ("Build it (after the login)\nIt depends on the weather", false, vec![]),
        ] {
            assert_eq!(unread_needs(text, has_numbers), unread, "{text}");
        }
    }
}
