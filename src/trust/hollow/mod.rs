//! Lets what a change adds give empty values: a return comes before everything else in a function, and `None` before the value of
//! a constant or of a field. Nothing is taken away, so that no name and no import is without use.
//!
//! A small scanner reads comments, quotes and brackets, and no grammar. What does not build or load afterwards says nothing: a wrong
//! guess costs the evidence of the run, and accuses nobody.

mod parts;
#[cfg(test)]
mod tests;
mod zero;

use regex_lite::Regex;

use super::scan::words;
use parts::{Part, Source};

/// A file in which some of what it has gives empty values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hollow {
    /// The file.
    pub content: Vec<u8>,
    /// The names of the functions, constants and fields, empty for what has none.
    pub names: Vec<String>,
    /// The names of those that were changed and are not hollow.
    pub kept: Vec<String>,
}

/// Which functions, constants and fields become hollow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Those that were added.
    Added,
    /// Those with changed lines.
    Touched,
}

/// The file with every function, constant and field hollow that was changed in these lines (counted from 1, in order) to this
/// extent, and whose empty value is known. `gone` is what the change took out: what is named there was not added, but edited or moved.
/// None if it is no source that can be read.
#[must_use]
pub fn hollowed(
    path: &str,
    content: &[u8],
    changed: &[usize],
    gone: &[u8],
    extent: Extent,
) -> Option<Hollow> {
    let source = Source::read(path, content)?;
    Some(hollow(&source, changed, |part| {
        extent == Extent::Touched
            || source.lines_of(&part.range).all(|line| changed.binary_search(&line).is_ok())
                && (part.name.is_empty() || words(gone, &part.name).next().is_none())
    }))
}

/// The file with every function hollow that does nothing but fail, in these lines (counted from 1, in order): a test that only
/// calls it would notice what takes its place. None if there is no such function.
#[must_use]
pub fn without_stubs(path: &str, content: &[u8], gone: &[usize]) -> Option<Hollow> {
    let source = Source::read(path, content)?;
    let fails = Regex::new(r#"^[\s"]*(?:raise|throw|unimplemented|todo|panic)\b"#).expect("a pattern");
    let hollow = hollow(&source, gone, |part| {
        // The end of a long part may lie inside of a sign.
        let found = source.code.get(part.at..part.range.end).and_then(|body| fails.find(body));
        found.is_some_and(|found| gone.contains(&source.line_of(part.at + found.end() - 1)))
    });
    Some(hollow).filter(|hollow| !hollow.names.is_empty())
}

fn hollow(source: &Source<'_>, changed: &[usize], is_meant: impl Fn(&Part) -> bool) -> Hollow {
    let (mut content, mut names, mut kept) = (Vec::new(), Vec::new(), Vec::new());
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
        content.extend_from_slice(&source.text.as_bytes()[done..part.at]);
        content.extend_from_slice(empty.as_bytes());
        done = part.at;
        names.push(part.name);
    }
    content.extend_from_slice(&source.text.as_bytes()[done..]);
    // What a function is assigned to has its name.
    kept.retain(|name| !names.contains(name));
    Hollow { content, names, kept }
}
