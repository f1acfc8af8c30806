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

use parts::{Part, Source};

/// A file in which some of what it has gives empty values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hollow {
    /// The file.
    pub content: Vec<u8>,
    /// The names of the functions and constants, empty for what has none.
    pub names: Vec<String>,
    /// How many of their lines of code were changed.
    pub lines: usize,
    /// How many lines of code were changed and belong to none of them.
    pub others: usize,
}

/// How much of a function, a constant or a field was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Every line.
    Whole,
    /// At least one line.
    Touched,
}

/// The file with every function, constant and field hollow that was changed in these lines (counted from 1, in order) to this
/// extent, and whose empty value is known. None if there is none.
#[must_use]
pub fn hollowed(path: &str, content: &[u8], changed: &[usize], extent: Extent) -> Option<Hollow> {
    let source = Source::read(path, content)?;
    let is_changed = |line: usize| changed.binary_search(&line).is_ok();
    hollow(&source, changed, |part| match extent {
        Extent::Whole => source.lines_of(&part.range).all(is_changed),
        Extent::Touched => source.lines_of(&part.range).any(is_changed),
    })
}

/// The file with every function hollow that does nothing but fail, in these lines (counted from 1, in order): a test that only
/// calls it would notice what takes its place. None if there is no such function.
#[must_use]
pub fn without_stubs(path: &str, content: &[u8], gone: &[usize]) -> Option<Hollow> {
    let source = Source::read(path, content)?;
    let fails = Regex::new(r#"^[\s"]*(?:raise|throw|unimplemented|todo|panic)\b"#).expect("a pattern");
    hollow(&source, gone, |part| {
        // The end of a long part may lie inside of a sign.
        let found = source.code.get(part.at..part.range.end).and_then(|body| fails.find(body));
        found.is_some_and(|found| gone.contains(&source.line_of(part.at + found.end() - 1)))
    })
}

fn hollow(source: &Source<'_>, changed: &[usize], is_meant: impl Fn(&Part) -> bool) -> Option<Hollow> {
    let (mut content, mut names, mut lines) = (Vec::new(), Vec::new(), 0);
    let (mut done, mut end) = (0, 0);
    for part in source.parts() {
        if part.range.start < end || !is_meant(&part) {
            continue;
        }
        end = part.range.end;
        content.extend_from_slice(&source.text.as_bytes()[done..part.at]);
        content.extend_from_slice(part.empty.as_bytes());
        done = part.at;
        lines += source.lines_of(&part.range).filter(|line| changed.binary_search(line).is_ok()).count();
        names.push(part.name);
    }
    content.extend_from_slice(&source.text.as_bytes()[done..]);
    let all = changed.iter().filter(|line| source.has_code(**line)).count();
    (!names.is_empty()).then(|| Hollow { content, names, lines, others: all.saturating_sub(lines) })
}
