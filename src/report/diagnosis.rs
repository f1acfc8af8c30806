//! Prints the findings of `doctor` as text and JSON.

use serde::Serialize;

use super::json_document;
use super::{Screen, Style, Symbols};
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
        let words = clean(diagnosis.words.as_bytes()).replace('\n', "\n    ");
        text.push_str(&format!("{} {:<12} {words}\n", screen.out.paint(style, symbol), diagnosis.what));
        for line in clean(diagnosis.remedy.as_bytes()).lines() {
            text.push_str(&format!("    {line}\n"));
        }
    }
    text
}

/// The diagnoses as JSON.
#[must_use]
pub fn diagnoses_json(diagnoses: &[Diagnosis]) -> String {
    json_document(&Document { version: 1, diagnoses })
}

/// The diagnoses of `doctor`: what is installed and what is missing.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Document<'a> {
    version: u32,
    /// The diagnoses, in order.
    diagnoses: &'a [Diagnosis],
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_is_that_of_the_document() {
        crate::schema::assert_committed::<Document<'_>>("doctor", "git arborist doctor --json");
    }
}
