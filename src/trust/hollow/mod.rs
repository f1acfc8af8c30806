//! Lets what a change adds give empty values: a return comes before everything else in a function, and `None` before the value of
//! a constant or of a field. Nothing is taken away, so that no name and no import is without use.
//!
//! A small scanner reads comments, quotes and brackets, and no grammar. What does not build or load afterwards says nothing: a wrong
//! guess costs the evidence of the run, and accuses nobody.

mod parts;
#[cfg(test)]
mod tests;
mod zero;

use std::collections::HashSet;

use regex_lite::Regex;

use super::scan::{Source, has_name};
use parts::{Outline, Part};

/// A file in which some of what it has gives empty values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hollow {
    /// The file.
    pub content: String,
    /// The names of the functions, constants and fields, empty for what has none.
    pub names: Vec<String>,
    /// The names of those that were changed and are not hollow.
    pub kept: Vec<String>,
}

/// The file with every function, constant and field hollow that was added in these lines (counted from 1, in order), and whose empty value
/// is known. `gone` are the names in what the change took out: what is named there was not added, but edited or moved. None if it is no
/// source that can be read.
#[must_use]
pub fn hollowed(source: &Source, changed: &[usize], gone: &HashSet<String>) -> Option<Hollow> {
    let source = Outline::of(source)?;
    Some(hollow(&source, changed, |part| {
        source.lines_of(&part.range).all(|line| changed.binary_search(&line).is_ok())
            && !has_name(gone, &part.name)
    }))
}

/// The file with every function hollow that does nothing but fail, in these lines (counted from 1, in order): a test that only
/// calls it would notice what takes its place. None if there is no such function.
#[must_use]
pub fn without_stubs(source: &Source, gone: &[usize]) -> Option<Hollow> {
    let source = Outline::of(source)?;
    let fails = Regex::new(r#"^[\s"]*(?:raise|throw|unimplemented|todo|panic)\b"#).expect("a pattern");
    let hollow = hollow(&source, gone, |part| {
        // The end of a long part may lie inside of a sign.
        let found = source.code.get(part.at..part.range.end).and_then(|body| fails.find(body));
        found.is_some_and(|found| gone.contains(&source.line_of(part.at + found.end() - 1)))
    });
    Some(hollow).filter(|hollow| !hollow.names.is_empty())
}

fn hollow(source: &Outline<'_>, changed: &[usize], is_meant: impl Fn(&Part) -> bool) -> Hollow {
    let (mut content, mut names, mut kept) = (String::new(), Vec::new(), Vec::new());
    let (mut done, mut end) = (0, 0);
    for part in source.parts() {
        let is_changed = source.lines_of(&part.range).any(|line| changed.binary_search(&line).is_ok());
        if !is_changed || part.range.start < end {
            continue;
        }
        let Some(empty) = part.empty.as_ref().filter(|_| is_meant(&part)) else {
            kept.push(part.name);
            continue;
        };
        end = part.range.end;
        content.push_str(&source.text[done..part.at]);
        content.push_str(empty);
        done = part.at;
        names.push(part.name);
    }
    content.push_str(&source.text[done..]);
    // What a function is assigned to has its name.
    kept.retain(|name| !names.contains(name));
    Hollow { content, names, kept }
}
