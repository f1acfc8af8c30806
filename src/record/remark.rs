//! What a reviewer has found in a change, as an item of a list in the review step (docs/commits.md):
//! `src/export.py:41: must: the file is never closed`.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::words::words;
use crate::text::one_line;

words! {
    /// How much a remark matters to the reviewer who made it.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    #[cfg_attr(test, derive(schemars::JsonSchema))]
    pub enum Weight {
        /// It makes the task wrong, or not worthy of trust.
        Must "must",
        /// It should be better.
        Should "should",
        /// A matter of taste, or good to know.
        Note "note",
    }
}

/// The place in a change that a remark is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RemarkPlace {
    /// The file, from the top of the work tree.
    pub file: String,
    /// The line after the change, from 1; `None` if it is about the whole file.
    pub line: Option<u32>,
}

/// A remark of a reviewer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Remark {
    /// Where; `None` if it is about no file in particular.
    #[serde(flatten)]
    pub place: Option<RemarkPlace>,
    /// How much it matters; `None` for an item of a list in words.
    #[serde(rename = "severity", skip_serializing_if = "Option::is_none")]
    pub weight: Option<Weight>,
    /// What the reviewer says, in one line.
    pub what: String,
}

impl Remark {
    /// A remark in words. A place at their beginning, `src/export.py:41:`, becomes its place.
    fn in_words(words: &str) -> Self {
        let words = one_line(words);
        let (place, what) =
            leading_place(&words).map_or((None, words.as_str()), |(place, what)| (Some(place), what));
        Self { place, weight: None, what: what.to_owned() }
    }

    /// The remark in an item of a list, as a step records it or a reviewer writes it.
    #[must_use]
    pub fn recorded(item: &str) -> Self {
        let weighted = |text: &str| -> Option<(Weight, String)> {
            let (word, what) = text.split_once(": ")?;
            Some((Weight::from_word(word)?, what.to_owned()))
        };
        if let Some((weight, what)) = weighted(item) {
            return Self { place: None, weight: Some(weight), what };
        }
        if let Some((place, rest)) = item.split_once(": ")
            && let Some((weight, what)) = weighted(rest)
        {
            let place = place.trim_matches(['`', '*', '_']);
            let numbered = place.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse().ok()?)));
            let (file, line) = numbered.map_or((place, None), |(file, line)| (file, Some(line)));
            return Self {
                place: Some(RemarkPlace { file: file.to_owned(), line }),
                weight: Some(weight),
                what,
            };
        }
        Self::in_words(item)
    }
}

impl fmt::Display for RemarkPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}", self.file),
            None => f.write_str(&self.file),
        }
    }
}

impl fmt::Display for Remark {
    /// As compilers write it, so that editors find the place.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{place}: ")?;
        }
        if let Some(weight) = self.weight {
            write!(f, "{}: ", weight.word())?;
        }
        f.write_str(&self.what)
    }
}

/// The place with which some words begin, `` `src/export.py:41`: ``, and the rest of them.
fn leading_place(words: &str) -> Option<(RemarkPlace, &str)> {
    let (token, rest) = words.split_once(' ')?;
    let bare = token.trim_matches(['`', '*', '_', ':', '(', ')', '-', ',']);
    let (file, line) = bare.rsplit_once(':')?;
    // Of a range, `41-44`, the first line.
    let line = line.split('-').next()?.parse().ok().filter(|line| *line > 0)?;
    let is_path = file.contains(['/', '.']) && !file.contains("//");
    let place = RemarkPlace { file: file.to_owned(), line: Some(line) };
    is_path.then(|| (place, rest.trim_start_matches(['-', '–', '—', ':', ' '])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_recorded_is_read_as_the_same_remark() {
        let place = |file: &str, line| Some(RemarkPlace { file: file.to_owned(), line });
        for (place, weight, expected) in [
            (place("src/a b.rs", Some(7)), Some(Weight::Must), "src/a b.rs:7: must: it: breaks"),
            (place("src/a.rs", None), Some(Weight::Should), "src/a.rs: should: it: breaks"),
            (None, Some(Weight::Note), "note: it: breaks"),
            (None, None, "it: breaks"),
            (place("src/a.rs", Some(7)), None, "src/a.rs:7: it: breaks"),
        ] {
            let remark = Remark { place, weight, what: "it: breaks".to_owned() };
            assert_eq!(remark.to_string(), expected);
            assert_eq!(Remark::recorded(expected), remark, "{expected}");
        }
    }

    #[test]
    fn a_place_at_the_beginning_of_words_is_found() {
        for (words, expected) in [
            ("`src/a.py:41`: the key is logged", "src/a.py:41: the key is logged"),
            ("**src/a.py:41-44** - the key is logged", "src/a.py:41: the key is logged"),
            ("src/a.py:41 the key", "src/a.py:41: the key"),
            ("at 10:30 the key", "at 10:30 the key"),
            ("http://localhost:80 is fixed", "http://localhost:80 is fixed"),
            ("12:30 is too late", "12:30 is too late"),
        ] {
            assert_eq!(Remark::in_words(words).to_string(), expected, "{words}");
        }
    }
}
