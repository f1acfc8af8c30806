//! Cuts a change into statements, and says how each could be taken out or changed, so that a run of the tests shows whether
//! they notice.
//!
//! The lines are read with a small scanner that knows comments, quotes, brackets and indentation, but no grammar. What does
//! not build or load after a change says nothing, so a guess that is wrong costs a run and no more.

mod conditions;
mod lines;
mod operators;
mod place;
#[cfg(test)]
mod tests;
mod types;
mod values;

use super::language::Language;
use super::scan::{TEXT, is_listed, is_word};
use lines::{LineGroup, Lines, word_at};
pub use operators::Operator;
use place::depth_zero;

/// A statement of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// Its first line, counted from 1.
    pub first: usize,
    /// Its last line.
    pub last: usize,
    /// How many bytes of code it has, without blanks and comments.
    pub size: usize,
}

/// A version of a file in which one statement is not as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variant {
    /// What was done.
    pub operator: Operator,
    /// The file.
    pub content: Vec<u8>,
}

/// The statements among these changed lines (counted from 1, in order) of the new version of a file. Of a statement that
/// was changed in part, the changed entries of its lists are taken.
#[must_use]
pub fn statements(path: &str, content: &[u8], changed: &[usize]) -> Vec<Statement> {
    if content.contains(&0) {
        return Vec::new();
    }
    let lines = Lines::read(path, content);
    let units = lines.units();
    let is_changed = |line: usize| changed.binary_search(&(line + 1)).is_ok();
    let mut found = Vec::new();
    for (at, unit) in units.iter().enumerate() {
        let here = unit.first..=unit.last;
        if unit.is_field || !here.clone().any(is_changed) || !has_behaviour(&lines, unit) {
            continue;
        }
        if here.clone().all(is_changed) {
            if !operators::edits(&lines, &units, at).is_empty() {
                found.push(statement(&lines, unit.first, unit.last));
            }
        } else {
            let entries = here.filter(|line| is_changed(*line) && is_entry(&lines, *line));
            found.extend(entries.map(|line| statement(&lines, line, line)));
        }
    }
    found
}

/// What to try with a statement, the best first: a version that does not build or load is followed by the next one.
#[must_use]
pub fn variants(path: &str, content: &[u8], statement: &Statement) -> Vec<Variant> {
    let lines = Lines::read(path, content);
    if statement.first == 0 || statement.last > lines.count() || statement.first > statement.last {
        return Vec::new();
    }
    let (first, last) = (statement.first - 1, statement.last - 1);
    let units = lines.units();
    let edits = match units.iter().position(|unit| (unit.first, unit.last) == (first, last)) {
        Some(at) => operators::edits(&lines, &units, at),
        None => vec![operators::removal(&lines, first, last)],
    };
    let mut variants: Vec<Variant> = Vec::new();
    for (operator, edit) in edits {
        let variant = Variant { operator, content: edit.applied(content) };
        if variant.content != content && variants.iter().all(|known| known.content != variant.content) {
            variants.push(variant);
        }
    }
    variants
}

fn statement(lines: &Lines<'_>, first: usize, last: usize) -> Statement {
    let code = lines.code_of(first, last);
    let size = code.iter().filter(|byte| !byte.is_ascii_whitespace()).count();
    Statement { first: first + 1, last: last + 1, size }
}

/// Words that begin what does nothing when it runs, or what cannot stand alone.
const DECLARATIONS: &str = "import from use using package namespace mod extern type interface struct enum union trait impl \
     class typedef typealias else try finally ensure rescue except do end fi done esac then pass \
     global nonlocal";

/// Whether something is lost without these lines.
fn has_behaviour(lines: &Lines<'_>, unit: &LineGroup) -> bool {
    let code = lines.code_of(unit.first, unit.last);
    let has_words = code.iter().any(|byte| is_word(*byte));
    let has_text = code.contains(&TEXT);
    let is_docstring = code.iter().all(|byte| *byte == TEXT || matches!(byte, b'r' | b'u' | b';'));
    if !has_words && !has_text || is_docstring {
        return false;
    }
    let word = word_at(code);
    let is_python = lines.language == Some(Language::Python);
    if code.starts_with(b"#") || code.starts_with(b"@") && !is_python && !code.contains(&b'{') {
        return false;
    }
    let next = word_at(code[word.len()..].trim_ascii_start());
    let is_visible = matches!(word, b"pub" | b"export" | b"public" | b"private" | b"protected" | b"internal");
    let word = if is_visible { next } else { word };
    let is_else_if = word == b"else" && next == b"if";
    if is_listed(DECLARATIONS, word) && !is_else_if || code.starts_with(b"export") && word.is_empty() {
        return false;
    }
    if matches!(word, b"case" | b"default") && code.ends_with(b":") {
        return false;
    }
    // The end of something, with what follows it.
    if !unit.is_head && matches!(code.first(), Some(b')' | b']' | b'}')) {
        return false;
    }
    // A name with a type and without a value, as in a class.
    let is_bare = is_visible && !code.contains(&b'=') && !code.contains(&b'(');
    !(is_bare || word == b"const" && next == b"enum")
}

/// Whether a line is an entry of a list that goes over several lines.
fn is_entry(lines: &Lines<'_>, line: usize) -> bool {
    let code = lines.code_of(line, line);
    let is_closed = depth_zero(code, |at| at + 1 == code.len()).is_some();
    let range = lines.range(line, line);
    let is_whole = range.start == 0 || lines.code[range.start - 1] != TEXT;
    is_closed && code.len() > 1 && code.ends_with(b",") && is_whole
}
