//! Collects what a reader of Markdown sees and does not take into the plan, and makes warnings of it: nothing that may be
//! meant as work disappears in silence.

use super::checkbox::{Symbol, split_box, symbol};
use super::imported::{ImportedPlan, Place};
use super::stated::unread_needs;

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
