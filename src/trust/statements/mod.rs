//! Cuts a change into statements, and says what the source is without one of them, or with the added functions giving empty
//! values, so that a run of the tests shows whether they notice.
//!
//! The lines are read with a small scanner that knows comments, quotes, brackets and indentation, but no grammar. What does
//! not build or load after a change says nothing, so a guess that is wrong costs a run and no more.

mod hollow;
mod lines;
#[cfg(test)]
mod tests;

use std::ops::Range;

use super::language::Language;
use super::scan::{TEXT, is_listed, is_word, words};
pub use hollow::{Hollowed, hollowed, without_stubs};
use lines::{LineGroup, Lines, assignment, depth_zero, first_word, word_at};

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

/// The statements among these changed lines (counted from 1, in order) of the new version of a file. Of a statement that
/// was changed in part, the changed entries of its lists are taken.
#[must_use]
pub fn statements(path: &str, content: &[u8], changed: &[usize]) -> Vec<Statement> {
    if content.contains(&0) {
        return Vec::new();
    }
    let lines = Lines::read(path, content);
    let groups = lines.groups();
    let is_changed = |line: usize| changed.binary_search(&(line + 1)).is_ok();
    let statement = |first, last| {
        let size = lines.code_of(first, last).iter().filter(|byte| !byte.is_ascii_whitespace()).count();
        Statement { first: first + 1, last: last + 1, size }
    };
    let mut found = Vec::new();
    for (at, group) in groups.iter().enumerate() {
        let mut here = group.first..=group.last;
        if !group.may_act || !here.clone().any(is_changed) || !acts(lines.code_of(group.first, group.last)) {
            continue;
        }
        if here.all(is_changed) {
            let has_variant = !tried(&lines, &groups, at).is_empty();
            found.extend(has_variant.then(|| statement(group.first, group.last)));
        } else {
            let entries =
                (group.first..=group.last).filter(|line| is_changed(*line) && lines.is_entry(*line));
            found.extend(entries.map(|line| statement(line, line)));
        }
    }
    found
}

/// The versions of the file without a statement, the best first: one that does not build or load is followed by the next one.
#[must_use]
pub fn variants(path: &str, content: &[u8], statement: &Statement) -> Vec<Vec<u8>> {
    let lines = Lines::read(path, content);
    if statement.first == 0 || statement.last >= lines.starts.len() || statement.first > statement.last {
        return Vec::new();
    }
    let (first, last) = (statement.first - 1, statement.last - 1);
    let groups = lines.groups();
    match groups.iter().position(|group| (group.first, group.last) == (first, last)) {
        Some(at) => tried(&lines, &groups, at),
        // An entry of a list.
        None => vec![lines.with(lines.range(first, last), b"")],
    }
}

/// Words that begin what does nothing when it runs, or what cannot stand alone.
const DECLARATIONS: &str = "import from use using package namespace require mod extern type interface struct enum union trait \
     impl class typedef typealias else elif elsif try finally ensure rescue except do end fi done esac then pass global nonlocal";

/// Whether something is lost without this code.
fn acts(code: &[u8]) -> bool {
    let is_text = |byte: &u8| *byte == TEXT || matches!(byte, b'r' | b'u' | b';');
    if !code.iter().any(|byte| is_word(*byte)) || code.iter().all(is_text) {
        return false;
    }
    let word = first_word(code);
    let is_label = matches!(word, b"case" | b"default") && code.ends_with(b":");
    // A name with a type and without a value, as in a class.
    let is_bare = is_listed("pub public private protected internal", word_at(code))
        && !code.iter().any(|byte| matches!(byte, b'=' | b'('));
    !(is_label
        || is_bare
        || is_listed(DECLARATIONS, word)
        || matches!(code[0], b'#' | b'@' | b')' | b']' | b'}')
        || code.starts_with(b"export") && word.is_empty())
}

/// What to try with some lines: they are taken out, or the value that they give becomes the empty one.
fn tried(lines: &Lines<'_>, groups: &[LineGroup], at: usize) -> Vec<Vec<u8>> {
    let LineGroup { first, last, .. } = groups[at];
    let code = lines.code_of(first, last);
    let word = first_word(code);
    if is_listed("def fn func fun function", word) {
        let all: Vec<usize> = (first + 1..=last + 1).collect();
        return hollowed(lines.path, lines.source, &all).into_iter().map(|hollow| hollow.content).collect();
    }
    let start = lines.starts[first] + lines.indent(first);
    let is_last =
        groups.get(at + 1).is_some_and(|next| lines.code_of(next.first, next.first).starts_with(b"}"));
    let value = value(lines, start..start + code.len(), is_last);
    let is_result = value.as_ref().is_some_and(|(_, is_result)| *is_result);
    let emptied = value.and_then(|(value, _)| {
        let empty = empty(lines, &value)?;
        (empty.as_bytes() != &lines.source[value.clone()]).then(|| lines.with(value, empty.as_bytes()))
    });
    // Without a declaration or a result, a compiler finds an error; other languages find it when they run.
    let is_needed = is_result || is_listed("let const var val", word) || words(code, ":=").next().is_some();
    let nothing: &[u8] = match lines.language {
        Some(Language::Python) => b"pass",
        Some(Language::Shell) => b":",
        Some(Language::Go | Language::Rust) if is_needed => return emptied.into_iter().collect(),
        Some(Language::Go | Language::Rust | Language::Ruby | Language::Elixir) => b"",
        _ => b";",
    };
    let end = lines.starts[first] + lines.source[lines.range(first, last)].trim_ascii_end().len();
    let removed = Some(lines.with(start..end, nothing)).filter(|removed| removed != lines.source);
    let (best, other) = if is_result { (emptied, removed) } else { (removed, emptied) };
    best.into_iter().chain(other).collect()
}

/// The value that a statement returns or assigns, and whether it does nothing else. `is_last` says that a block ends behind it.
fn value(lines: &Lines<'_>, place: Range<usize>, is_last: bool) -> Option<(Range<usize>, bool)> {
    let code = &lines.code[place.clone()];
    let is_rust = lines.language == Some(Language::Rust);
    let arm = depth_zero(code, |at| is_rust && code[at..].starts_with(b"=>"));
    let (from, is_result) = if let Some(at) = words(code, "return").next() {
        (at + "return".len(), at == 0)
    } else if let Some(arrow) = arm {
        (arrow + 2, true)
    } else if let Some(equals) = assignment(code) {
        (equals + 1, false)
    } else if is_rust && is_last && !code.ends_with(b";") {
        (0, true)
    } else {
        return None;
    };
    let rest = &code[from..];
    let ends = |at: usize| matches!(rest[at], b';' | b')' | b']' | b'}') || rest[at] == b',' && arm.is_some();
    let text = &rest[..depth_zero(rest, ends).unwrap_or(rest.len())];
    let start = place.start + from + (text.len() - text.trim_ascii_start().len());
    let value = start..start + text.trim_ascii().len();
    (!value.is_empty() && lines.code[value.start] != b'{').then_some((value, is_result))
}

/// What to write for a value so that it is the empty one of its type, or another one if it is empty. None if nothing fits.
fn empty(lines: &Lines<'_>, value: &Range<usize>) -> Option<String> {
    let text = std::str::from_utf8(&lines.source[value.clone()]).ok()?;
    let number = text.strip_prefix('-').unwrap_or(text);
    let is_text = lines.code[value.clone()].iter().all(|byte| *byte == TEXT);
    let quote = text.chars().next().filter(|quote| is_text && matches!(quote, '"' | '\'' | '`'));
    if number.starts_with(|first: char| first.is_ascii_digit())
        && number.bytes().all(|byte| is_word(byte) || byte == b'.')
    {
        let digit = if number.bytes().all(|byte| matches!(byte, b'0' | b'.')) { "1" } else { "0" };
        return Some(if number.contains('.') { format!("{digit}.0") } else { digit.to_owned() });
    } else if let Some(quote) = quote {
        return Some(if text.len() > 2 { format!("{quote}{quote}") } else { format!("{quote}empty{quote}") });
    }
    let empty = match text {
        "true" => "false",
        "false" => "true",
        "True" => "False",
        "False" => "True",
        _ => match lines.language? {
            Language::Python => "None",
            Language::JavaScript => "undefined",
            Language::Shell => "0",
            Language::Rust if text.starts_with("Ok(") || text.starts_with("Err(") => "Ok(Default::default())",
            Language::Rust if text.starts_with("Some(") => "None",
            Language::Rust => "Default::default()",
            Language::Go if lines.code[..value.start].trim_ascii_end().ends_with(b"return") => {
                return hollow::zero_around(lines, value.start);
            }
            _ => return None,
        },
    };
    Some(empty.to_owned())
}
