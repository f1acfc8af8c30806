//! Prints the findings of `doctor` as text and JSON.

use serde::Serialize;

use super::json::{Printed, json_document};
use super::screen::{Screen, Style, Symbols};
use super::text::fitted;
use crate::error::Result;
use crate::text::clean;

/// The health of a thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Health {
    /// It is fine.
    Good,
    /// It is worth knowing.
    Note,
    /// It keeps a run from working.
    Bad,
}

/// One diagnosis: a thing, its health, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Diagnosis {
    /// The thing.
    pub what: &'static str,
    /// Its health.
    pub health: Health,
    /// Its state in words.
    pub words: String,
    /// What to do; empty if there is nothing to do.
    pub remedy: String,
}

impl Diagnosis {
    /// A thing that is fine.
    #[must_use]
    pub fn good(what: &'static str, words: &str) -> Self {
        Self { what, health: Health::Good, words: words.to_owned(), remedy: String::new() }
    }

    /// A thing worth knowing.
    #[must_use]
    pub fn note(what: &'static str, words: &str, remedy: &str) -> Self {
        Self { what, health: Health::Note, words: words.to_owned(), remedy: remedy.to_owned() }
    }

    /// A thing that keeps a run from working.
    #[must_use]
    pub fn bad(what: &'static str, words: &str, remedy: &str) -> Self {
        Self { what, health: Health::Bad, words: words.to_owned(), remedy: remedy.to_owned() }
    }

    /// A thing that is fine, or an error that says why it is not.
    #[must_use]
    pub fn of(what: &'static str, state: Result<String>) -> Self {
        match state {
            Ok(words) => Self::good(what, &words),
            Err(error) => Self::bad(what, error.what(), error.remedy()),
        }
    }
}

/// How wide the name of a thing is, and how far a remedy is indented, in columns.
const LABEL: usize = 12;
const REMEDY: usize = 4;
/// A terminal with less room than this for words breaks them itself.
const LEAST: usize = 20;

/// A text whose lines have room behind this many columns, if there is a terminal.
fn fit_to(text: &str, screen: &Screen, indent: usize) -> String {
    match screen.width.and_then(|width| width.checked_sub(indent)).filter(|room| *room >= LEAST) {
        Some(room) => fitted(text, room),
        None => text.to_owned(),
    }
}

/// The diagnoses as text.
#[must_use]
pub fn diagnoses_text(diagnoses: &[Diagnosis], screen: &Screen) -> String {
    let mut text = String::new();
    for diagnosis in diagnoses {
        let (symbol, style) = match (diagnosis.health, screen.symbols) {
            (Health::Good, Symbols::Unicode) => ("✓", Style::Green),
            (Health::Note, Symbols::Unicode) => ("●", Style::Yellow),
            (Health::Bad, Symbols::Unicode) => ("✗", Style::Red),
            (Health::Good, Symbols::Ascii) => ("OK", Style::Green),
            (Health::Note, Symbols::Ascii) => ("--", Style::Yellow),
            (Health::Bad, Symbols::Ascii) => ("FAIL", Style::Red),
        };
        let symbol_width = symbol.chars().count();
        let words = clean(diagnosis.words.as_bytes());
        // Lines that follow begin below the words, and those of a remedy closer to the edge.
        let indent = symbol_width + 1 + LABEL + 1;
        let words = fit_to(&words, screen, indent).replace('\n', &format!("\n{}", " ".repeat(indent)));
        text.push_str(&format!("{} {:<LABEL$} {words}\n", screen.out.paint(style, symbol), diagnosis.what));
        for line in fit_to(&clean(diagnosis.remedy.as_bytes()), screen, REMEDY).lines() {
            text.push_str(&format!("{:REMEDY$}{line}\n", ""));
        }
    }
    text
}

/// The diagnoses as JSON.
#[must_use]
pub fn diagnoses_json(diagnoses: &[Diagnosis]) -> String {
    json_document(&Printed::new("doctor", &Document { diagnoses }))
}

/// The diagnoses of `doctor`: what is installed and what is missing.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Document<'a> {
    /// The diagnoses, in order.
    diagnoses: &'a [Diagnosis],
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::screen::Paint;

    #[test]
    fn words_and_remedies_are_broken_between_words_on_a_terminal() {
        let diagnosis = Diagnosis::note(
            "tests",
            "3 of 12 tasks have no test commands",
            "Give them `test_commands` in the plan.",
        );
        let text = |width| {
            let (out, err) = (Paint::Plain, Paint::Plain);
            let screen = Screen { out, err, symbols: Symbols::Ascii, width, live: false };
            diagnoses_text(std::slice::from_ref(&diagnosis), &screen)
        };
        assert_eq!(
            text(Some(40)),
            "-- tests        3 of 12 tasks have no\n                test commands\n    Give them `test_commands` in the\n    plan.\n"
        );
        assert_eq!(text(None).lines().count(), 2);
    }

    #[test]
    fn the_schema_is_that_of_the_document() {
        crate::schema::assert_committed::<Document<'_>>("doctor", "git arborist doctor --json");
    }
}
