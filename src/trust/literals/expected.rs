//! Finds the values that tests compare with.
//!
//! Of a statement, only its words, signs, commas and brackets are read. That is enough, since a value that is compared stands beside
//! a sign or in the call that compares, and what goes into a function stands in the brackets of that function.

use std::ops::Range;

use super::super::scan::{TEXT, is_listed, is_word, line_start, words};
use super::scope::{Scope, Source};

/// First parts of words with which a comparison begins. `assertEqual` has the parts `assert` and `equal`.
const ASSERTS: &str = "assert xctassert expect should require check verify ensure must t test is ok chai abs";
/// Last parts of words that compare two values, or of the call that has the expected one.
const COMPARES: &str = "equal equals eq eql is be same identical length with times snapshot object diff close almost near \
                        approx delta isclose allclose";
/// Parts of words for which another value may be as good, and last parts for which it may.
const NEGATIVE: &str = "not greater less above below throw throws raise raises regex regexp instance";
const LOOSE: &str =
    "in or any ne lt gt le ge most least contain contains include includes match matches isinstance typeof";
/// Functions that make a value of what is written.
const MAKERS: &str = "vec set frozenset list tuple dict array date datetime from new of map some ok string str float int \
                      bytes loads param case";
/// Words with which a test fails, or says why.
const FAILS: &str = "error errorf fatal fatalf fail failed failnow throw raise exit panic die abort";
/// Parts of words that let numbers differ a little.
const NEARLY: &str = "close almost near approx delta isclose allclose epsilon tolerance abs";
/// Words of languages that are no names of values.
const NO_NAMES: &str = "and if let const var mut ref self this nil null none err";

/// A value in a file.
#[derive(Clone)]
pub(super) struct Place<'s> {
    pub(super) source: &'s Source<'s>,
    pub(super) range: Range<usize>,
    /// Whether only a number that is far away is another one.
    is_near: bool,
}

impl Place<'_> {
    pub(super) fn overlaps(&self, other: &Self) -> bool {
        let (one, two) = (&self.range, &other.range);
        std::ptr::eq(self.source, other.source) && one.start < two.end && two.start < one.end
    }

    /// Another number, truth or text. None for what is none of them, for paths, patterns, and texts with code.
    pub(super) fn other(&self) -> Option<String> {
        let text = &self.source.text[self.range.clone()];
        let pairs = [("true", "false"), ("false", "true"), ("True", "False"), ("False", "True")];
        if let Some((_, other)) = pairs.into_iter().find(|(word, _)| *word == text) {
            return Some(other.to_owned());
        }
        if text.as_bytes()[0].is_ascii_digit() {
            return if self.is_near { Some(format!("1000{text}")) } else { other_number(text) };
        }
        // A text of Rust begins with its prefix, others stand behind it.
        let open =
            text.find(['"', '\'', '`']).filter(|open| text[..*open].trim_matches(['r', '#']).is_empty())?;
        let quote = &text[open..=open];
        let width = if text[open..].starts_with(&quote.repeat(3)) && text.len() > 5 { 3 } else { 1 };
        let (head, rest) = text.split_at(open + width);
        let inside = rest.get(..rest.rfind(quote)?.saturating_sub(width - 1))?;
        let has_code =
            matches!(self.source.text.as_bytes()[..self.range.start].last(), Some(b'f' | b'F' | b'$'));
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
}

/// The next number of the same type, or for the greatest ones the last.
fn other_number(text: &str) -> Option<String> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let number: u64 = text[..digits].parse().ok().filter(|_| !text[digits..].starts_with(['x', 'b', 'o']))?;
    let is_greatest = number >= 127 && number.wrapping_add(1).count_ones() < 2;
    let other = if is_greatest { number - 1 } else { number + 1 };
    Some(format!("{other:0digits$}{}", &text[digits..]))
}

/// A statement that compares, so that only one value is right.
struct Comparison {
    range: Range<usize>,
    is_near: bool,
    /// How many commas may be before a value in a call that compares: behind them are messages and tolerances.
    commas: usize,
}

/// What the comparisons in a scope expect, those at the end first. `around` is where values can be declared, and `helper` is the
/// name of the scope where it is called with values.
pub(super) fn expected_in<'s>(
    scope: &Scope<'s>,
    around: &[&Scope<'s>],
    helper: Option<&str>,
) -> Vec<Place<'s>> {
    let expected = |comparison: Comparison| {
        let (direct, made, names) = read(scope.source, &comparison);
        let value_of = |name: &&str| {
            let column = column(scope, name);
            let is_declared = column.is_some() || words(scope.text().as_bytes(), name).count() > 1;
            let listed =
                || around.iter().filter(|_| is_declared).find_map(|scope| last_row(scope, column, helper));
            around.iter().find_map(|scope| keyed(scope, name)).or_else(listed)
        };
        let named = || names.iter().rev().filter(|name| is_used_once(scope, name)).find_map(value_of);
        direct.or_else(named).or(made).map(|place| Place { is_near: comparison.is_near, ..place })
    };
    comparisons(scope).into_iter().rev().filter_map(expected).collect()
}

/// The names that the last comparison of a scope compares. None if there is no comparison.
pub(super) fn compared_names<'s>(scope: &Scope<'s>) -> Option<Vec<&'s str>> {
    comparisons(scope).last().map(|comparison| read(scope.source, comparison).2)
}

/// The words of a text, each in parts: `toBe` and `to_be` have two.
fn parts(code: &[u8]) -> Vec<Vec<String>> {
    let words = code.split(|byte| !is_word(*byte)).filter(|word| !word.is_empty());
    let in_parts = |word: &[u8]| {
        let mut snake = String::new();
        for (at, byte) in word.iter().enumerate() {
            if byte.is_ascii_uppercase() && at > 0 && word[at - 1].is_ascii_lowercase() {
                snake.push('_');
            }
            snake.push(char::from(byte.to_ascii_lowercase()));
        }
        snake.split('_').filter(|part| !part.is_empty()).map(str::to_owned).collect()
    };
    words.map(in_parts).collect()
}

fn begins(list: &str, word: &[String]) -> bool {
    word.first().is_some_and(|part| is_listed(list, part))
}

/// Whether the part that says what is done is in a list: `close` of `toBeCloseTo`.
fn ends(list: &str, word: &[String]) -> bool {
    word.iter().rev().find(|part| *part != "to").is_some_and(|part| is_listed(list, part))
}

fn comparisons(scope: &Scope<'_>) -> Vec<Comparison> {
    let code = &scope.source.code[..scope.range.end];
    let lines = memchr::memchr_iter(b'\n', &code[scope.from..]).map(|at| scope.from + at + 1);
    std::iter::once(scope.from).chain(lines).filter_map(|start| comparison(code, start)).collect()
}

/// The comparison that begins with the line at `start`.
fn comparison(code: &[u8], start: usize) -> Option<Comparison> {
    let end = end_of(code, start, b"\n");
    let text = code[start..end].trim_ascii_start();
    let find = |signs: &[&str]| signs.iter().find_map(|sign| memchr::memmem::find(text, sign.as_bytes()));
    let has = |signs: &[&str]| find(signs).is_some();
    let starts = |words: &[&str]| words.iter().any(|word| text.starts_with(word.as_bytes()));
    let all = parts(text);
    let any = |list: &str| all.iter().flatten().any(|part| is_listed(list, part));
    let (is_if, is_shell) = (starts(&["if ", "if("]), starts(&["test ", "[", "diff "]));
    let (is_near, has_sign) = (any(NEARLY), has(&["==", " is "]) || is_shell && has(&[" = ", " -eq "]));
    // What is compared with a threshold is far from it, unless it is a difference.
    let threshold = find(&[" < ", " <= ", " > ", " >= "]);
    let is_equality = if is_if {
        let differs = has(&["!=", " -ne ", "if !"]) || is_near && threshold.is_some();
        let then = code[end..].splitn(4, |byte| *byte == b'\n').take(3).flat_map(parts);
        differs && then.flatten().any(|part| is_listed(FAILS, part))
    } else {
        let is_assertion = is_shell || all.iter().any(|word| begins(ASSERTS, word));
        let compares = has_sign || is_near || all.iter().any(|word| ends(COMPARES, word));
        let is_loose = has(&["!=", " -ne "]) || any(NEGATIVE) || all.iter().any(|word| ends(LOOSE, word));
        is_assertion && compares && !is_loose
    };
    if !is_equality || has(&["||", "!~", "=~"]) || threshold.is_some() && !is_near {
        return None;
    }
    let is_fluent = all.iter().any(|word| begins("expect should must", word)) && !has(&["should."]);
    let commas = usize::from(!has_sign && !is_fluent && (!is_if || has(&["if !"])));
    let length = threshold.unwrap_or(text.len());
    Some(Comparison { range: end - text.len()..end - text.len() + length, is_near, commas })
}

/// The first of some bytes behind `start` that is in no bracket, or the bracket that closes around it. A statement ends with its line,
/// unless the next one begins with a point, and before a block: `=> {`, `if x {`, and not `({`, `int{`, `= {`.
fn end_of(code: &[u8], start: usize, stops: &[u8]) -> usize {
    let mut depth = 0usize;
    for at in start..code.len() {
        let (before, after) = (&code[..at], &code[at + 1..]);
        let is_block = || {
            let last = before.trim_ascii_end().last();
            let is_value = matches!(last, Some(b'(' | b'[' | b'{' | b',' | b'=' | b':'));
            before.ends_with(b" ") && !is_value && matches!(after, [b'\n', ..] | [b'\r', b'\n', ..])
        };
        match code[at] {
            b'{' if stops == b"\n" && is_block() => return at,
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' if depth == 0 => return at,
            b')' | b']' | b'}' => depth -= 1,
            b'\n' if before.ends_with(b"\\") || after.trim_ascii_start().starts_with(b".") => {}
            byte if depth == 0 && stops.contains(&byte) => return at,
            _ => {}
        }
    }
    code.len()
}

/// What a bracket is for.
#[derive(Clone, Copy, PartialEq)]
enum Inside {
    /// A comparison.
    Compared,
    /// A value, such as a list.
    Value,
    /// A value that a function makes of another one.
    Made,
    /// What goes into a function, or the key of an element.
    Input,
}

/// The last value in a comparison, the last one that is made by a call, and the names that stand in their place.
fn read<'s>(
    source: &'s Source<'_>,
    comparison: &Comparison,
) -> (Option<Place<'s>>, Option<Place<'s>>, Vec<&'s str>) {
    let code = &source.code[..comparison.range.end];
    let mut open = vec![(Inside::Compared, comparison.commas, 0)];
    let (mut direct, mut made, mut names) = (None, None, Vec::new());
    let mut at = comparison.range.start;
    while at < code.len() {
        let range = at..at + token(&code[at..]);
        let (before, after) = (code[..at].trim_ascii_end(), code[range.end..].trim_ascii_start());
        // A statement may end inside of a sign.
        let Some(word) = source.text.get(range.clone()) else { break };
        let is_input = |(inside, most, commas): &(Inside, usize, usize)| {
            *inside == Inside::Input || *inside == Inside::Compared && commas > most
        };
        let (inside, _, commas) = *open.last().expect("the first one stays");
        let is_value = code[at] == TEXT
            || code[at].is_ascii_digit()
            || matches!(word, "true" | "false" | "True" | "False");
        at = range.end;
        match code[range.start] {
            b'(' | b'[' | b'{' => {
                let is_near = parts(called(before)).first().is_some_and(|word| ends("approx close", word));
                // The first argument of some assertions is the test itself.
                let more = if is_near { 0 } else { usize::from(after.starts_with(b"t,")) };
                let most = if is_near { 0 } else { comparison.commas.saturating_add(more) };
                open.push((opened(&code[..range.start], code[range.start]), most, 0));
            }
            b')' | b']' | b'}' if open.len() > 1 => drop(open.pop()),
            b',' => open.last_mut().expect("the first one stays").2 += 1,
            // `row["price"]` is named like its key.
            TEXT if inside == Inside::Input && commas == 0 && before.ends_with(b"[") => {
                names.extend(
                    word.get(1..word.len() - 1)
                        .filter(|_| open.iter().filter(|open| is_input(open)).count() == 1),
                );
            }
            _ if open.iter().any(is_input) => {}
            _ if is_value => {
                let is_key = after.starts_with(b":") && !after.starts_with(b"::") || after.starts_with(b"=>");
                // `places=2`, but not `Point(x=2)`.
                let is_set = before.ends_with(b"=") && !before.ends_with(b"==") && !before.ends_with(b"!=");
                let is_option = is_set && inside == Inside::Compared && open.len() > 1;
                let is_part = before.ends_with(b"/") || after.starts_with(b"/") || before.ends_with(b".");
                let place = Place { source, range, is_near: false };
                if !is_key && !is_option && !is_part && place.other().is_some() {
                    let is_made = open.iter().any(|(inside, ..)| *inside == Inside::Made);
                    *(if is_made { &mut made } else { &mut direct }) = Some(place);
                }
            }
            first if is_word(first) => {
                let is_called = [b"(".as_slice(), b"!", b"::"].iter().any(|sign| after.starts_with(sign));
                let is_path = after.starts_with(b".") && !before.ends_with(b".");
                let is_reserved = is_listed(NO_NAMES, word.to_ascii_lowercase())
                    || parts(word.as_bytes()).iter().any(|word| begins(ASSERTS, word));
                names.extend(Some(word).filter(|_| !is_called && !is_path && !is_reserved));
            }
            _ => {}
        }
    }
    (direct, made, names)
}

/// The length of the text, word, number or sign at the beginning.
fn token(code: &[u8]) -> usize {
    let is_point = |at: usize| code[at] == b'.' && code.get(at + 1).is_some_and(u8::is_ascii_digit);
    let is_inside = |at: &usize| match code[0] {
        TEXT => code[*at] == TEXT,
        b'0'..=b'9' => is_word(code[*at]) || is_point(*at),
        first => is_word(first) && is_word(code[*at]),
    };
    (0..code.len()).take_while(is_inside).count().max(1)
}

/// The name of what is called where `before` ends.
fn called(before: &[u8]) -> &[u8] {
    let before = before.strip_suffix(b"!").unwrap_or(before);
    &before[before.len() - before.iter().rev().take_while(|byte| is_word(**byte)).count()..]
}

/// What a bracket behind `before` is for.
fn opened(before: &[u8], bracket: u8) -> Inside {
    let name = called(before);
    let follows_value = matches!(before.last(), Some(b')' | b']'));
    match (bracket, parts(name).first()) {
        (b'{', _) => Inside::Value,
        (_, None) if !follows_value => Inside::Value,
        (b'[', Some(_)) if before.ends_with(b"!") => Inside::Value,
        (b'(', Some(word)) if begins(FAILS, word) => Inside::Input,
        (b'(', Some(word)) if begins(ASSERTS, word) || ends(COMPARES, word) => Inside::Compared,
        (b'(', Some(word)) if name[0].is_ascii_uppercase() || ends(MAKERS, word) => Inside::Made,
        _ => Inside::Input,
    }
}

/// Whether a name is compared and nothing else is done with it: what goes in and comes out again is no expected value.
fn is_used_once(scope: &Scope<'_>, name: &str) -> bool {
    let code = &scope.source.code[scope.range.clone()];
    let uses = words(code, name).filter(|at| {
        let is_message =
            parts(&code[line_start(code, *at)..*at]).iter().flatten().any(|part| is_listed(FAILS, part));
        let after = code[at + name.len()..].trim_ascii_start();
        let is_key = after.starts_with(b":") && !after.starts_with(b":=") && !after.starts_with(b"::");
        !is_key && !is_message && !after.starts_with(b"(")
    });
    let keys = ["[\"", "['"].map(|open| scope.text().matches(&format!("{open}{name}")).count());
    // One of them may be where it is declared.
    uses.count() <= 2 && keys.iter().sum::<usize>() <= 1
}

/// The value behind `NAME:`, `NAME =` or `"NAME":`, the last one in the scope.
pub(super) fn keyed<'s>(scope: &Scope<'s>, name: &str) -> Option<Place<'s>> {
    let code = &scope.source.code[..scope.range.end];
    let ends: Vec<usize> =
        words(scope.text().as_bytes(), name).map(|at| scope.range.start + at + name.len()).collect();
    ends.into_iter().rev().find_map(|end| {
        let after = code.get(end + usize::from(code[end - 1] == TEXT)..)?.trim_ascii_start();
        let sign = [b":=".as_slice(), b"=>", b":", b"="].into_iter().find(|sign| after.starts_with(sign))?;
        let value = Some(&after[sign.len()..])
            .filter(|value| !value.starts_with(b"=") && !value.starts_with(b":"))?;
        let start = code.len() - value.len();
        last_in(scope.source, start..end_of(code, start, b",;\n"))
    })
}

/// The last value in a part of a file.
pub(super) fn last_in<'s>(source: &'s Source<'_>, range: Range<usize>) -> Option<Place<'s>> {
    let (direct, made, _) = read(source, &Comparison { range, is_near: false, commas: usize::MAX });
    direct.or(made)
}

/// Which of the names beside it in a list a name is.
fn column(scope: &Scope<'_>, name: &str) -> Option<usize> {
    let text = scope.text();
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
    scope.range.clone().rev().filter(|at| matches!(code[*at], b'(' | b'[' | b'{')).find_map(|open| {
        let is_row = match helper {
            Some(name) => called(&code[..open]) == name.as_bytes(),
            None => matches!(opened(&code[..open], code[open]), Inside::Value | Inside::Made),
        };
        let (mut cells, mut start) = (Vec::new(), open + 1);
        while is_row && start < code.len() {
            let end = end_of(code, start, b",");
            cells.push(start..end);
            start = if code.get(end) == Some(&b',') { end + 1 } else { code.len() };
        }
        let value = |cell: &Range<usize>| last_in(scope.source, cell.clone());
        match column {
            Some(column) => cells.get(column).filter(|_| cells.len() > 1).and_then(value),
            None => cells.iter().skip(1).rev().find_map(value),
        }
    })
}
