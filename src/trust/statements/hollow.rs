//! Lets added functions give empty values: a return comes before everything else in them. What they did stays below it, so
//! that no name and no import is without use.

use std::ops::Range;

use super::super::language::Language;
use super::super::scan::{TEXT, closing, is_listed, is_word, words};
use super::lines::{LineGroup, Lines, assignment, depth_zero, first_word, word_at};

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
/// Constructors go on to make fields, but empty ones: without fields, tests would fail that compare nothing.
#[must_use]
pub fn hollowed(path: &str, content: &[u8], changed: &[usize]) -> Option<Hollowed> {
    let lines = Lines::read(path, content);
    let is_changed = |line: usize| changed.binary_search(&(line + 1)).is_ok();
    hollow(&lines, |function| {
        let mut all = lines.line_of(function.start)..=lines.line_of(function.body.end);
        all.all(|line| is_changed(line) || lines.code_of(line, line).is_empty())
    })
}

/// The file with every function hollow that does nothing but fail, in these lines (counted from 1, in order): a test that only
/// calls it would notice what takes its place. None if there is no such function.
#[must_use]
pub fn without_stubs(path: &str, content: &[u8], gone: &[usize]) -> Option<Hollowed> {
    let lines = Lines::read(path, content);
    hollow(&lines, |function| {
        let code = &lines.code[function.body.clone()];
        let begin = code.iter().take_while(|byte| byte.is_ascii_whitespace() || **byte == TEXT).count();
        let line = lines.line_of(function.body.start + begin);
        is_listed("raise throw unimplemented todo panic", word_at(&code[begin..]))
            && gone.contains(&(line + 1))
    })
}

fn hollow(lines: &Lines<'_>, is_meant: impl Fn(&Function) -> bool) -> Option<Hollowed> {
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    let mut places = Vec::new();
    let mut end = 0;
    for function in functions(lines) {
        if function.start < end || !is_meant(&function) {
            continue;
        }
        if function.form == Form::Constructor {
            for edit in function.empty_fields(lines) {
                places.push((lines.line_of(edit.0.start) + 1, lines.line_of(edit.0.end) + 1));
                edits.push(edit);
            }
        } else if let Some(edit) = function.emptied(lines) {
            places.push((lines.line_of(function.start) + 1, lines.line_of(function.body.end) + 1));
            edits.push(edit);
        } else {
            continue;
        }
        end = function.body.end;
    }
    (!places.is_empty()).then_some(())?;
    let mut content = lines.source.to_vec();
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

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Statements,
    Expression,
    /// It makes the fields of an object.
    Constructor,
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
                at += 1;
            }
            b'{' => {
                open.push((at, head(language, code, from..at, &closed)));
                from = at + 1;
            }
            b'}' => {
                if let Some((brace, Some(start))) = open.pop() {
                    let is_constructor = last_word(code[..start].trim_ascii_end()) == b"constructor";
                    let form = if is_constructor { Form::Constructor } else { Form::Statements };
                    found.push(Function { start, body: brace + 1..at, form });
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
            let is_other = is_listed("if for while switch catch with await", name)
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
    let group = groups.iter().find(|group| lines.range(group.first, group.last).contains(&arrow))?;
    let Range { start, end } = lines.range(group.first, group.last);
    let (before, rest) = (&lines.code[start..arrow], &lines.code[arrow + 2..end]);
    // What is not assigned may be a type.
    let is_value = assignment(before).is_some() && first_word(before.trim_ascii_start()) != b"type";
    (is_value && !rest.trim_ascii_start().starts_with(b"{")).then_some(())?;
    let ends = |at: usize| matches!(rest[at], b';' | b',' | b')' | b']' | b'}');
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
        let form = match name {
            None | Some(b"__new__") => continue,
            Some(b"__init__" | b"__post_init__") => Form::Constructor,
            Some(_) => Form::Statements,
        };
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
        found.push(Function { start, body, form });
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

    /// What to write, and where, so that a constructor makes empty fields.
    fn empty_fields(&self, lines: &Lines<'_>) -> Vec<(Range<usize>, String)> {
        let (object, empty) = match lines.language {
            Some(Language::Python) => ("self.", " None"),
            _ => ("this.", " undefined"),
        };
        let mut edits = Vec::new();
        for group in lines.groups() {
            let start = lines.starts[group.first] + lines.indent(group.first);
            let code = lines.code_of(group.first, group.last);
            let code = code.strip_suffix(b";").unwrap_or(code);
            if self.body.contains(&start)
                && code.starts_with(object.as_bytes())
                && let Some(equals) = assignment(code)
            {
                edits.push((start + equals + 1..start + code.len(), empty.to_owned()));
            }
        }
        edits
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
                // What is computed when it is built can call no function of a trait.
                let before = &lines.code[lines.starts[lines.line_of(self.start)]..self.start];
                let is_constant = words(before, "const").next().is_some();
                let code = &lines.code[self.start..open];
                let end = words(code, "where").next().unwrap_or(code.len());
                let Some(arrow) = memchr::memmem::find(code, b"->") else { return Some(String::new()) };
                (!is_constant).then(|| zero_of_rust(head.get(arrow + 2..end)?.trim()))?
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

/// Types of Rust that have an empty value, whatever they are made of.
const WITH_DEFAULT: &str = "bool char u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 String Option Vec VecDeque \
     HashMap HashSet BTreeMap BTreeSet PathBuf Duration";

fn zero_of_rust(result: &str) -> Option<String> {
    let (path, parts) = result.split_once('<').unwrap_or((result, ""));
    let name = path.rsplit("::").next().unwrap_or(path);
    if name == "Result" {
        let value = split(parts.strip_suffix('>').unwrap_or(parts))
            .first()
            .map_or_else(|| Some("()".to_owned()), |value| zero_of_rust(value));
        return value.map(|value| format!("Ok({value})"));
    }
    let is_slice = result.starts_with('&')
        && (result.ends_with("str") || result.ends_with(']'))
        && !result.contains("mut ");
    let is_tuple = result.strip_prefix('(').and_then(|inner| inner.strip_suffix(')'));
    let has_default = match is_tuple {
        Some(inner) => split(inner).into_iter().all(|part| zero_of_rust(part).is_some()),
        None => is_slice || is_listed(WITH_DEFAULT, name),
    };
    has_default.then(|| "Default::default()".to_owned())
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
