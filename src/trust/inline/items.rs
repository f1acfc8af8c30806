//! Finds the items of Rust that exist only in tests, by their attributes and by the braces around them.

use std::ops::Range;
use std::sync::LazyLock;

use regex_lite::Regex;

use super::super::scan::closing;

/// What a file of Rust consists of, as far as tests are concerned.
#[derive(Debug, Default)]
pub(super) struct File {
    /// It begins with `#![cfg(test)]`.
    pub(super) is_all_tests: bool,
    pub(super) tests: Vec<TestItem>,
    /// The modules in the file that are not tests themselves.
    pub(super) modules: Vec<Container>,
    /// How many items that are tests are inside of others than modules.
    pub(super) inside_items: usize,
}

/// An item that exists only in tests.
#[derive(Debug)]
pub(super) struct TestItem {
    pub(super) module: Vec<String>,
    /// From the first attribute to the last brace.
    pub(super) bytes: Range<usize>,
}

/// A module with a body.
#[derive(Debug)]
pub(super) struct Container {
    pub(super) path: Vec<String>,
    /// Where its closing brace is.
    pub(super) end: usize,
}

/// Whether an item with this attribute, without spaces, exists only in tests. With `cfg(any(test, ...))`, it may exist elsewhere, too.
static MARKS_TEST: LazyLock<Regex> = LazyLock::new(|| {
    let cfg = r"cfg\((?:all\((?:(?:[^()]|\([^()]*\))*,)?test[,)].*|test)\)";
    let names = "test|rstest|test_case|bench|quickcheck|proptest|wasm_bindgen_test";
    Regex::new(&format!(r"^(?:{cfg}|(?:\w*::)*(?:{names})(?:[(=].*)?)$")).expect("a pattern of this file")
});

impl File {
    /// Reads code as [`masked`](super::super::scan::masked) returns it. None if brackets do not match.
    pub(super) fn read(code: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(code).ok()?;
        let mut file = Self::default();
        // The module in each bracket that is open, if that is one, and the beginning of the attributes before an item.
        let mut open = vec![Some(Vec::new())];
        let (mut start, mut is_test, mut at) = (None, false, 0);
        while at < code.len() {
            let module = open.last()?;
            if code[at].is_ascii_whitespace() {
                at += 1;
            } else if let Some((is_inner, attribute, end)) = attribute(text, at)? {
                let marks = MARKS_TEST.is_match(&attribute);
                if is_inner {
                    file.is_all_tests |= marks && module.as_ref().is_some_and(Vec::is_empty);
                } else {
                    (start, is_test) = (start.or(Some(at)), is_test || marks);
                }
                at = end;
            } else {
                match (start.take(), module) {
                    (Some(start), Some(module)) if is_test => {
                        at = item_end(text, at)?;
                        file.tests.push(TestItem { module: module.clone(), bytes: start..at });
                    }
                    _ => {
                        file.inside_items += usize::from(is_test);
                        match code[at] {
                            b'{' => {
                                open.push(module.as_ref().and_then(|outer| inner_module(&text[..at], outer)));
                            }
                            b'(' | b'[' => open.push(None),
                            b')' | b']' | b'}' => {
                                let closed = open.pop().filter(|_| !open.is_empty())?;
                                file.modules.extend(closed.map(|path| Container { path, end: at }));
                            }
                            _ => {}
                        }
                        at += 1;
                    }
                }
                is_test = false;
            }
        }
        (open.len() == 1).then_some(file)
    }
}

/// The attribute that begins at a place: whether it is an inner one, what is in its brackets, without spaces, and its end. The outer
/// none: it has no end.
fn attribute(text: &str, at: usize) -> Option<Option<(bool, String, usize)>> {
    static HEAD: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\A#\s*(!?)\s*\[").expect("a pattern of this file"));
    let rest = Some(at).filter(|at| text.as_bytes()[*at] == b'#').map(|at| &text[at..]);
    let Some(head) = rest.and_then(|rest| HEAD.captures(rest)) else { return Some(None) };
    let begin = at + head[0].len();
    let close = closing(text.as_bytes(), begin - 1)?;
    Some(Some((!head[1].is_empty(), text[begin..close].split_whitespace().collect(), close + 1)))
}

/// The path of the module whose brace follows, if it is that of one.
fn inner_module(before: &str, outer: &[String]) -> Option<Vec<String>> {
    let mut words = before.split_whitespace().rev();
    let name = words.next()?;
    (words.next()? == "mod").then(|| outer.iter().cloned().chain([name.to_owned()]).collect())
}

/// The end of the item that begins at a place, behind its attributes: a semicolon, or a brace that nothing follows which goes on with it,
/// as in `use a::{b};`, `Array<{ N }>` and `= if A { 1 } else { 2 };`.
fn item_end(text: &str, start: usize) -> Option<usize> {
    let mut depth = 0usize;
    for (at, byte) in text.bytes().enumerate().skip(start) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => {
                depth = depth.checked_sub(1)?;
                let after = text[at + 1..].trim_start();
                let goes_on = after.starts_with([';', ',', '.', '?', '>', '=', '+', '-', '*', '/', '|', '&'])
                    || ["else ", "as "].iter().any(|word| after.starts_with(word));
                if depth == 0 && byte == b'}' && !goes_on {
                    return Some(at + 1);
                }
            }
            b';' if depth == 0 => return Some(at + 1),
            _ => {}
        }
    }
    // A macro without a semicolon at the end of the file.
    (depth == 0).then_some(text.len())
}
