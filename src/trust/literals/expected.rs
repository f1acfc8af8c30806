//! Finds the values that tests compare with.
//!
//! What goes into a function stands in its brackets, so of a statement, only what is outside of them is read.

use std::ops::Range;
use std::sync::LazyLock;

use regex_lite::Regex;

use super::super::scan::{Source, first_of, is_listed, line_start, words};
use super::scope::Scope;
use super::source::{WORDS, called, is_block, is_indexed, is_made, outer, snake};

/// How many values of one test are looked for.
const MOST: usize = 8;

/// A value in a file.
#[derive(Clone)]
pub(super) struct Place<'s> {
    pub(super) source: &'s Source,
    pub(super) range: Range<usize>,
    /// Another value.
    pub(super) new: String,
}

/// Another number, truth or text; far away if a near number may be as good. None for what is none of them, for paths, and for texts
/// with code.
fn other(source: &Source, range: &Range<usize>, is_near: bool) -> Option<String> {
    let text = source.text.get(range.clone())?;
    let truths = [("true", "false"), ("false", "true"), ("True", "False"), ("False", "True")];
    if let Some((_, other)) = truths.into_iter().find(|(word, _)| *word == text) {
        return Some(other.to_owned());
    }
    if text.as_bytes()[0].is_ascii_digit() {
        return if is_near { Some(format!("1000{text}")) } else { other_number(text) };
    }
    // A text of Rust begins with its prefix, others stand behind it.
    let open =
        text.find(['"', '\'', '`']).filter(|open| text[..*open].trim_matches(['r', '#']).is_empty())?;
    let quote = &text[open..=open];
    let width = if text[open..].starts_with(&quote.repeat(3)) && text.len() > 5 { 3 } else { 1 };
    let (head, rest) = text.split_at(open + width);
    let inside = rest.get(..rest.rfind(quote)?.saturating_sub(width - 1))?;
    let has_code = source.code[..range.start].ends_with(['f', 'F', '$']);
    if has_code || inside.contains(['$', '/']) || inside.contains("#{") {
        return None;
    }
    // One sign may be a character, and what begins with a digit may be read as a number or a date.
    let other = match inside.chars().count() {
        1 => if inside == "x" { "y" } else { "x" }.to_owned(),
        _ => other_number(inside).unwrap_or_else(|| format!("x{inside}")),
    };
    Some(format!("{head}{other}{}", &rest[inside.len()..]))
}

/// The next number of the same type, or for the greatest ones the last.
fn other_number(text: &str) -> Option<String> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let number: u64 = text[..digits].parse().ok().filter(|_| !text[digits..].starts_with(['x', 'b', 'o']))?;
    let is_greatest = number >= 127 && number.wrapping_add(1).count_ones() < 2;
    let other = if is_greatest { number - 1 } else { number + 1 };
    Some(format!("{other:0digits$}{}", &text[digits..]))
}

/// What the comparisons in a scope expect, those at the end first. `around` is where values can be declared, and `helper` is the
/// name of the scope where it is called with values.
pub(super) fn expected_in<'s>(
    scope: &Scope<'s>,
    around: &[&Scope<'s>],
    helper: Option<&str>,
) -> Vec<Place<'s>> {
    let expected = |(range, is_near): (Range<usize>, bool)| {
        let value_of = |name: &&str| {
            let column = column(scope.text(), name);
            let is_declared = column.is_some() || words(scope.text().as_bytes(), name).count() > 1;
            let listed = |scope: &&Scope<'s>| last_row(scope, column, helper).filter(|_| is_declared);
            is_used_once(scope, name).then_some(())?;
            let keyed = around.iter().find_map(|scope| keyed(scope, name));
            keyed.or_else(|| around.iter().find_map(listed))
        };
        let (value, names) = read(scope.source, &range, false);
        let named = || names.iter().rev().find_map(value_of);
        let place = value.or_else(named).or_else(|| read(scope.source, &range, true).0)?;
        let new = if is_near { other(place.source, &place.range, true)? } else { place.new };
        Some(Place { new, ..place })
    };
    comparisons(scope).filter_map(expected).take(MOST).collect()
}

/// The names that the last comparison of a scope compares. None if there is no comparison.
pub(super) fn compared_names<'s>(scope: &Scope<'s>) -> Option<Vec<&'s str>> {
    comparisons(scope).next().map(|(range, _)| read(scope.source, &range, false).1)
}

/// The parts of statements that compare, so that only one value is right there, and whether numbers may differ a little. Those at the
/// end come first.
fn comparisons<'s>(scope: &Scope<'s>) -> impl Iterator<Item = (Range<usize>, bool)> + use<'s> {
    let (code, from) = (&scope.source.code[..scope.range.end], scope.from);
    let lines = code.rmatch_indices('\n').map(|(at, _)| at + 1).take_while(move |at| *at >= from);
    lines.chain([from]).filter_map(|start| comparison(code, start))
}

/// The comparison that begins with the line at `start`.
fn comparison(code: &str, start: usize) -> Option<(Range<usize>, bool)> {
    let end = end_of(code, start);
    let start = end - code[start..end].trim_start().len();
    let text = outer(&code[start..end], false);
    let words = snake(&text);
    let has = |signs: &[&str]| signs.iter().any(|sign| text.contains(sign));
    let starts = |words: &[&str]| words.iter().any(|word| text.starts_with(word));
    let (is_if, is_shell) = (starts(&["if ", "if("]), starts(&["test ", "[", "diff "]));
    let has_sign = has(&["==", " is "]) || is_shell && has(&[" = ", " -eq "]);
    let differs = has(&["!=", " -ne "]);
    let is_near = WORDS.near.is_match(&words);
    // What is compared with a threshold is far from it, unless it is a difference.
    let threshold = [" < ", " <= ", " > ", " >= "].iter().find_map(|sign| text.find(sign));
    let is_equality = if is_if {
        let then: String = code[end..].split_inclusive('\n').take(3).collect();
        (differs || has(&["if !"]) || is_near && threshold.is_some()) && WORDS.fails.is_match(&snake(&then))
    } else {
        let compares = has_sign || is_near || WORDS.compares.is_match(&words);
        (is_shell || WORDS.asserts.is_match(&words)) && compares && !differs && !WORDS.loose.is_match(&words)
    };
    if !is_equality || has(&["||", "!~", "=~"]) || threshold.is_some() && !is_near {
        return None;
    }
    // Behind commas are messages and tolerances. The first argument of some assertions is the test itself.
    let is_plain = has_sign || has(&["expect("]) || is_if && !has(&["if !"]);
    let commas = if is_plain { 0 } else { 1 + usize::from(has(&["(t,"])) };
    let comma = text.match_indices(',').nth(commas).map(|(at, _)| at);
    let length = threshold.into_iter().chain(comma).min().unwrap_or(text.len());
    Some((start..start + length, is_near))
}

/// The end of the statement at `start`: that of its line, unless the next one begins with a point, or where its block begins.
fn end_of(code: &str, start: usize) -> usize {
    let line = code[start..].lines().next().unwrap_or_default().trim_end();
    let last = start + line.len().saturating_sub(1);
    if line.ends_with('{') && is_block(code, last) {
        return last;
    }
    let mut end = first_of(code.as_bytes(), start, b"\n");
    while code[end..].starts_with('\n')
        && (code[..end].ends_with('\\') || code[end..].trim_start().starts_with('.'))
    {
        end = first_of(code.as_bytes(), end + 1, b"\n");
    }
    end
}

/// The last value in a part of a file that goes into no function, unless something is made of it that is read, and the names that stand in
/// the place of a value.
fn read<'s>(source: &'s Source, range: &Range<usize>, reads_made: bool) -> (Option<Place<'s>>, Vec<&'s str>) {
    /// Words of languages that are no names of values.
    const NO_NAMES: &str = "and if let const var mut ref self this nil null none None err";
    static TOKEN: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r#""+|\w+(?:\.\d\w*)?"#).expect("a pattern of this file"));
    let outer = outer(&source.code[range.clone()], reads_made);
    let (mut value, mut names) = (None, Vec::new());
    for found in TOKEN.find_iter(&outer) {
        let (before, after) = (outer[..found.start()].trim_end(), outer[found.end()..].trim_start());
        let range = range.start + found.start()..range.start + found.end();
        let Some(word) = source.text.get(range.clone()) else { continue };
        let is_key = after.starts_with(':') && !after.starts_with("::") || after.starts_with("=>");
        let is_part = before.ends_with(['/', '.']) || after.starts_with('/');
        let is_called = after.starts_with(['(', '!', '[']) || after.starts_with("::");
        let is_path = after.starts_with('.') && !before.ends_with('.');
        let is_reserved = is_listed(NO_NAMES, word) || WORDS.asserts.is_match(&snake(word));
        let is_index = before.strip_suffix('[').is_some_and(is_indexed);
        let is_literal = found.as_str().starts_with(|first: char| first == '"' || first.is_ascii_digit());
        match other(source, &range, false) {
            // A key, as in `row["price"]`.
            _ if is_index => names.extend(word.get(1..word.len() - 1)),
            Some(new) if !is_key && !is_part => value = Some(Place { source, range, new }),
            None if !(is_called || is_path || is_reserved || is_literal) => {
                names.push(word);
            }
            _ => {}
        }
    }
    (value, names)
}

/// Whether a name is compared and nothing else is done with it: what goes in and comes out again is no expected value.
fn is_used_once(scope: &Scope<'_>, name: &str) -> bool {
    let code = &scope.source.code[scope.range.clone()];
    let uses = words(code.as_bytes(), name).filter(|at| {
        let is_message = WORDS.fails.is_match(&snake(&code[line_start(code.as_bytes(), *at)..*at]));
        let after = code[at + name.len()..].trim_start();
        let is_key = after.starts_with(':') && !after.starts_with(":=") && !after.starts_with("::");
        !is_key && !is_message && !after.starts_with('(')
    });
    let keys = ["[\"", "['"].map(|open| scope.text().matches(&format!("{open}{name}")).count());
    // One of them may be where it is declared.
    uses.count() <= 2 && keys.iter().sum::<usize>() <= 1
}

/// The value behind `NAME:`, `NAME =` or `"NAME":`, the last one in the scope.
pub(super) fn keyed<'s>(scope: &Scope<'s>, name: &str) -> Option<Place<'s>> {
    let code = &scope.source.code[..scope.range.end];
    let ends = words(scope.text().as_bytes(), name).map(|at| scope.range.start + at + name.len());
    ends.collect::<Vec<_>>().into_iter().rev().find_map(|end| {
        let after = code[end..].trim_start_matches(['"', ' ', '\t']);
        let sign = [":=", "=>", ":", "="].into_iter().find(|sign| after.starts_with(sign))?;
        let start = code.len() - after.len() + sign.len();
        let is_set = !code[start..].starts_with(['=', ':']);
        is_set.then(|| last_in(scope.source, start..first_of(code.as_bytes(), start, b",;\n")))?
    })
}

/// The last value in a part of a file.
pub(super) fn last_in<'s>(source: &'s Source, range: Range<usize>) -> Option<Place<'s>> {
    read(source, &range, false).0.or_else(|| read(source, &range, true).0)
}

/// Which of the names beside it in a list a name is.
fn column(text: &str, name: &str) -> Option<usize> {
    words(text.as_bytes(), name).find_map(|at| {
        let begin = text[..at].rfind(['(', '[', '{', '"', '\'', '\n', '|']).map_or(0, |at| at + 1);
        let before = text[begin..at].trim_start_matches("self,");
        let is_list = !before.starts_with(',') && !before.contains([')', ';', '=', '.']);
        let count = before.matches(',').count();
        (is_list && count > 0 || text[at + name.len()..].starts_with(',')).then_some(count)
    })
}

/// What the last row of a table has in a column, or as its last value. A row is a list, and so is a call of a helper.
fn last_row<'s>(scope: &Scope<'s>, column: Option<usize>, helper: Option<&str>) -> Option<Place<'s>> {
    let code = &scope.source.code[..scope.range.end];
    let opens = code[scope.range.start..].rmatch_indices(['(', '[', '{']);
    opens.map(|(at, _)| scope.range.start + at).find_map(|open| {
        let name = called(&code[..open]);
        let is_list = (name.is_empty() || is_made(name)) && !is_block(code, open);
        let is_row = helper.map_or(is_list, |helper| name == helper);
        let (mut cells, mut start) = (Vec::new(), open + 1);
        while is_row && start < code.len() {
            let end = first_of(code.as_bytes(), start, b",");
            cells.push(start..end);
            start = if code[end..].starts_with(',') { end + 1 } else { code.len() };
        }
        let value = |cell: &Range<usize>| last_in(scope.source, cell.clone());
        match column {
            Some(column) => cells.get(column).filter(|_| cells.len() > 1).and_then(value),
            None => cells.iter().skip(1).rev().find_map(value),
        }
    })
}
