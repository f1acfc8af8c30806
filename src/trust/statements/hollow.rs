//! Lets added functions give empty values: a return comes before everything else in them. What they did stays below it, so
//! that no name and no import is without use.

use std::ops::Range;

use super::super::language::Language;
use super::super::scan::{closing, is_listed, is_word, words};
use super::lines::{LineGroup, Lines, assignment, continues, depth_zero, first_word, word_at};

/// A file whose added functions give empty values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hollowed {
    /// The file.
    pub content: Vec<u8>,
    /// The first and the last line of each of these functions, counted from 1.
    pub places: Vec<(usize, usize)>,
}

/// The file with every function hollow that consists of changed lines (counted from 1, in order) and whose empty value is
/// known. None if there is no such function.
///
/// Constructors stay as they are: without their fields, tests would fail that compare nothing.
#[must_use]
pub fn hollowed(path: &str, content: &[u8], changed: &[usize]) -> Option<Hollowed> {
    let lines = Lines::read(path, content);
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    let mut places = Vec::new();
    let mut end = 0;
    for function in functions(&lines) {
        let (first, last) = (lines.line_of(function.start), lines.line_of(function.body.end));
        let is_changed = |line: usize| changed.binary_search(&(line + 1)).is_ok();
        let is_new = (first..=last).all(|line| is_changed(line) || lines.code_of(line, line).is_empty());
        if is_new
            && function.start >= end
            && let Some(edit) = function.emptied(&lines)
        {
            end = function.body.end;
            edits.push(edit);
            places.push((first + 1, last + 1));
        }
    }
    (!places.is_empty()).then_some(())?;
    let mut content = content.to_vec();
    for (place, text) in edits.into_iter().rev() {
        content.splice(place, text.into_bytes());
    }
    Some(Hollowed { content, places })
}

/// The empty value of the function around a place, if it is known.
pub(super) fn zero_around(lines: &Lines<'_>, at: usize) -> Option<String> {
    functions(lines).iter().rfind(|function| function.body.contains(&at))?.zero(lines)
}

/// A function with a body.
struct Function {
    /// Where its head begins, or its parameters.
    start: usize,
    /// What is in its braces or below its head, or the expression that it gives.
    body: Range<usize>,
    form: Form,
}

/// What stands between a function's head and its end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Statements,
    Expression,
}

/// The functions of a source in the order in which they begin. None of other languages than those whose empty values are
/// known.
fn functions(lines: &Lines<'_>) -> Vec<Function> {
    let Some(language) = lines.language else { return Vec::new() };
    if language == Language::Python {
        return of_python(lines);
    }
    let code = &lines.code;
    let groups = lines.groups();
    let mut found = Vec::new();
    let mut open: Vec<(usize, Option<usize>)> = Vec::new();
    // Where the head of the next block may begin, and the last pair of parentheses.
    let (mut from, mut closed) = (0, 0..0);
    let mut at = 0;
    while at < code.len() {
        match code[at] {
            b'(' | b'[' => open.push((at, None)),
            b')' | b']' => closed = open.pop().map_or(closed, |(start, _)| start..at + 1),
            // A type of Go, and no block.
            b'{' if code[at..].starts_with(b"{}")
                && is_listed("interface struct", last_word(&code[..at])) =>
            {
                at += 1
            }
            b'{' => {
                open.push((at, head(language, code, from..at, &closed)));
                from = at + 1;
            }
            b'}' => {
                if let Some((brace, Some(start))) = open.pop() {
                    found.push(Function { start, body: brace + 1..at, form: Form::Statements });
                }
                from = at + 1;
            }
            b';' if open.last().is_none_or(|(bracket, _)| code[*bracket] == b'{') => from = at + 1,
            b'=' if language == Language::JavaScript && code[at..].starts_with(b"=>") => {
                found.extend(of_arrow(lines, &groups, at, &closed));
            }
            _ => {}
        }
        at += 1;
    }
    found.sort_by_key(|function| function.start);
    found
}

/// Where the head of a function begins whose body opens at the end of `head`. `closed` is the last pair of parentheses.
fn head(language: Language, code: &[u8], head: Range<usize>, closed: &Range<usize>) -> Option<usize> {
    let text = code[head.clone()].trim_ascii_end();
    match language {
        Language::Go | Language::Rust => {
            let word = if language == Language::Go { "func" } else { "fn" };
            let is_head = |at: &usize| {
                let rest = &text[at + word.len()..];
                // The type of a function is followed by something else before a block begins.
                let is_named = language == Language::Go
                    || rest.trim_ascii_start().first().is_some_and(|first| is_word(*first));
                let ends = |at: usize| {
                    matches!(rest[at], b')' | b']') || rest[at] == b'\n' && language == Language::Go
                };
                is_named && depth_zero(rest, ends).is_none()
            };
            words(text, word).filter(is_head).last().map(|at| head.start + at)
        }
        Language::JavaScript if text.ends_with(b"=>") => {
            let arrow = head.start + text.len() - 2;
            Some(parameters(code, arrow, closed).unwrap_or(arrow))
        }
        Language::JavaScript => {
            let name = last_word(code[..closed.start].trim_ascii_end());
            let is_other = is_listed("if for while switch catch with await constructor", name)
                || words(text, "class").next().is_some();
            parameters(code, head.end, closed).filter(|_| !is_other)
        }
        Language::Shell => {
            let start = memchr::memrchr(b'\n', text).map_or(0, |end| end + 1);
            let line = text[start..].trim_ascii_start();
            (line.ends_with(b"()") || word_at(line) == b"function").then_some(head.start + start)
        }
        _ => None,
    }
}

/// Where the parameters begin that end before a place. A type may stand between.
fn parameters(code: &[u8], end: usize, closed: &Range<usize>) -> Option<usize> {
    let kind = code[closed.end..end].trim_ascii();
    let is_kind = kind.is_empty() || kind.starts_with(b":") && kind.len() > 1;
    (closed.end > 0 && is_kind).then_some(closed.start)
}

/// The function of JavaScript whose arrow is at a place, if it gives the value of an expression.
fn of_arrow(
    lines: &Lines<'_>,
    groups: &[LineGroup],
    arrow: usize,
    closed: &Range<usize>,
) -> Option<Function> {
    let rest = &lines.code[arrow + 2..];
    (!rest.trim_ascii_start().starts_with(b"{")).then_some(())?;
    // What is not assigned may be a type.
    let group = groups.iter().find(|group| lines.range(group.first, group.last).contains(&arrow))?;
    let before = &lines.code[lines.starts[group.first]..arrow];
    (assignment(before).is_some() && first_word(before.trim_ascii_start()) != b"type").then_some(())?;
    let ends = |at: usize| match rest[at] {
        b';' | b',' | b')' | b']' | b'}' => true,
        b'\n' => {
            let line = rest[..at].trim_ascii();
            !line.is_empty() && !lines.awaits_more(line) && !continues(rest[at..].trim_ascii_start())
        }
        _ => false,
    };
    let value = &rest[..depth_zero(rest, ends).unwrap_or(rest.len())];
    let begin = arrow + 2 + (value.len() - value.trim_ascii_start().len());
    let start = parameters(&lines.code, arrow, closed).unwrap_or(arrow);
    Some(Function { start, body: begin..begin + value.trim_ascii().len(), form: Form::Expression })
}

fn of_python(lines: &Lines<'_>) -> Vec<Function> {
    let mut found = Vec::new();
    let count = lines.starts.len() - 1;
    for first in 0..count {
        let code = lines.code_of(first, first);
        let name = code.strip_prefix(b"async ").unwrap_or(code).strip_prefix(b"def ").map(word_at);
        if name.is_none_or(|name| is_listed("__init__ __new__ __post_init__", name)) {
            continue;
        }
        let start = lines.starts[first] + lines.indent(first);
        let rest = &lines.code[start..];
        let Some(colon) = depth_zero(rest, |at| rest[at] == b':') else { continue };
        let colon = start + colon + 1;
        let head = lines.line_of(colon - 1);
        let is_inside = |line: &usize| lines.indent(*line) > lines.indent(first);
        let has_code = |line: &usize| !lines.code_of(*line, *line).is_empty();
        let mut below = (head + 1..count).filter(has_code).take_while(is_inside);
        let after = lines.code[colon..lines.starts[head + 1]].trim_ascii();
        let body = if after.is_empty() {
            let Some(begin) = below.next() else { continue };
            lines.starts[begin]..lines.starts[below.last().unwrap_or(begin) + 1] - 1
        } else {
            colon..lines.starts[head + 1] - 1
        };
        found.push(Function { start, body, form: Form::Statements });
    }
    found
}

impl Function {
    /// What to write, and where, so that the function gives an empty value. None if that is not known.
    fn emptied(&self, lines: &Lines<'_>) -> Option<(Range<usize>, String)> {
        let place = self.body.start..self.body.start;
        let first = lines.line_of(place.start);
        let text = match lines.language? {
            _ if self.form == Form::Expression => return Some((self.body.clone(), "undefined".to_owned())),
            Language::Python if place.start == lines.starts[first] => {
                let indent = &lines.source[place.start..place.start + lines.indent(first)];
                format!("{}return None\n", String::from_utf8_lossy(indent))
            }
            Language::Python => " return None;".to_owned(),
            Language::JavaScript => {
                let ending = lines.path.rsplit('.').next().unwrap_or_default();
                let is_typed = is_listed("ts tsx mts cts", ending);
                format!(" return undefined{};", if is_typed { " as any" } else { "" })
            }
            Language::Shell => " return 0;".to_owned(),
            // A plain return would make the rest unreachable, and some commands forbid that.
            _ => format!(" if true {{ {} }}", format!("return {}", self.zero(lines)?).trim_end()),
        };
        Some((place, text))
    }

    /// The empty value of what the head of a function says that it gives; nothing if it gives nothing, or names its results.
    fn zero(&self, lines: &Lines<'_>) -> Option<String> {
        let open = self.body.start - 1;
        let head = std::str::from_utf8(lines.source.get(self.start..open)?).ok()?;
        match lines.language? {
            Language::Go => {
                let after_word = self.start + "func".len();
                let code = &lines.code[..open];
                let mut from = after_word + memchr::memchr(b'(', &code[after_word..])?;
                let after = closing(code, from)? + 1;
                let name = code[after..].trim_ascii_start();
                // A receiver comes before the name of a method.
                if code[after_word..from].trim_ascii().is_empty()
                    && name[word_at(name).len()..].starts_with(b"(")
                    && !word_at(name).is_empty()
                {
                    from = after + memchr::memchr(b'(', &code[after..])?;
                }
                let results = std::str::from_utf8(&lines.source[closing(code, from)? + 1..open]).ok()?;
                zero_of_go(results.trim())
            }
            Language::Rust => {
                let code = &lines.code[self.start..open];
                let arrow = memchr::memmem::find(code, b"->");
                let end = words(code, "where").next().unwrap_or(code.len());
                let result = arrow.map_or("", |arrow| head.get(arrow + 2..end).unwrap_or("!"));
                let line = lines.line_of(self.start);
                let before = &lines.code[lines.starts[line]..self.start];
                // What is computed when it is built can call no function of a trait.
                (words(before, "const").next().is_none()).then(|| zero_of_rust(result.trim(), lines))?
            }
            _ => None,
        }
    }
}

fn zero_of_go(results: &str) -> Option<String> {
    let inner = results.strip_prefix('(').and_then(|inner| inner.strip_suffix(')'));
    let types: Vec<&str> = split(inner.unwrap_or(results));
    let last = types.last().copied().unwrap_or_default();
    let is_named = inner.is_some()
        && last.split_once(' ').is_some_and(|(name, _)| !is_listed("func chan struct interface", name));
    let zero = |kind: &&str| match kind.strip_prefix('*') {
        // Tests may read its fields.
        Some(kind) => format!("new({kind})"),
        None => format!("*new({kind})"),
    };
    Some(if is_named { String::new() } else { types.iter().map(zero).collect::<Vec<_>>().join(", ") })
}

fn zero_of_rust(result: &str, lines: &Lines<'_>) -> Option<String> {
    let (name, of) = result.split_once('<').unwrap_or((result, "()"));
    if result.is_empty() {
        return Some(String::new());
    }
    if name.rsplit("::").next() == Some("Result") {
        let value = *split(of.strip_suffix('>').unwrap_or(of)).first()?;
        return has_default(value, lines).then(|| "Ok(Default::default())".to_owned());
    }
    has_default(result, lines).then(|| "Default::default()".to_owned())
}

/// Types of Rust that have an empty value, whatever they are made of.
const WITH_DEFAULT: &str = "bool char u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 String Option Vec VecDeque \
     HashMap HashSet BTreeMap BTreeSet PathBuf OsString Duration";

fn has_default(kind: &str, lines: &Lines<'_>) -> bool {
    if let Some(inner) = kind.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')) {
        return split(inner).into_iter().all(|part| has_default(part, lines));
    }
    if let Some(target) = kind.strip_prefix('&') {
        let target = if target.starts_with('\'') {
            target.split_once(' ').map_or("", |(_, kind)| kind)
        } else {
            target
        };
        return target == "str" || target.starts_with('[');
    }
    let (path, of) = kind.split_once('<').unwrap_or((kind, ""));
    let name = path.rsplit("::").next().unwrap_or(path);
    if is_listed("Box Rc Arc Cell RefCell Mutex", name) {
        return has_default(of.strip_suffix('>').unwrap_or(of), lines);
    }
    is_listed(WITH_DEFAULT, name) || derives_default(name, lines)
}

/// Whether the file declares a type with an empty value.
fn derives_default(name: &str, lines: &Lines<'_>) -> bool {
    let code = &lines.code;
    words(code, name).any(|at| {
        let before = code[..at].trim_ascii_end();
        let start =
            before.iter().rposition(|byte| matches!(byte, b';' | b'}' | b'{')).map_or(0, |end| end + 1);
        let has = |word| words(&before[start..], word).next().is_some();
        has("Default") && is_listed("struct enum for", last_word(before))
    })
}

/// The parts between commas outside of brackets.
fn split(list: &str) -> Vec<&str> {
    let mut depth = 0i32;
    let is_comma = |sign: char| {
        depth += i32::from("([{<".contains(sign)) - i32::from(")]}>".contains(sign));
        sign == ',' && depth == 0
    };
    list.split(is_comma).map(str::trim).filter(|part| !part.is_empty()).collect()
}

fn last_word(code: &[u8]) -> &[u8] {
    &code[code.len() - code.iter().rev().take_while(|byte| is_word(**byte)).count()..]
}
