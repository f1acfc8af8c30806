//! Blanks comments and quoted text in source, so that the rest can be read as words and brackets.

use std::collections::HashSet;

use crate::suite::Language;

/// What a byte of quoted text becomes, a line break in it too.
pub(super) const TEXT: u8 = b'"';

/// How long a regular expression may be. Without its end, each sign that may begin one is looked at up to here.
const LONGEST_EXPRESSION: usize = 1000;

/// A file, read so that its words and brackets can be looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// From the top of the work tree.
    pub path: String,
    /// What it says.
    pub text: String,
    /// The same with blank comments, and a quote for each byte of quoted text.
    pub(super) code: String,
}

impl Source {
    /// None if it is no text.
    #[must_use]
    pub fn read(path: impl Into<String>, content: impl Into<Vec<u8>>) -> Option<Self> {
        let path = path.into();
        let text = String::from_utf8(content.into()).ok().filter(|text| !text.contains('\0'))?;
        let code = String::from_utf8(masked(&path, text.as_bytes())).ok()?;
        Some(Self { path, text, code })
    }
}

/// A source of the same length in which comments are blank and every byte of quoted text is [`TEXT`]. Line breaks of code
/// and of comments stay.
#[must_use]
pub(super) fn masked(path: &str, source: &[u8]) -> Vec<u8> {
    let language = Language::of(path).unwrap_or(Language::Other);
    let mut masked = source.to_vec();
    let mut at = 0;
    while at < source.len() {
        let (before, rest) = (&masked[..at], &source[at..]);
        let is_escape = rest[0] == b'\\' && language == Language::Shell;
        let length = if let Some(length) = comment(language, before, rest) {
            let blank = masked[at..at + length].iter_mut().filter(|byte| **byte != b'\n');
            blank.for_each(|byte| *byte = b' ');
            length
        } else if let Some(length) = text(language, before, rest) {
            masked[at..at + length].fill(TEXT);
            length
        } else {
            1 + usize::from(is_escape)
        };
        at += length;
    }
    masked
}

/// The length of the comment at the beginning of `rest`.
fn comment(language: Language, before: &[u8], rest: &[u8]) -> Option<usize> {
    let line = || Some(memchr::memchr(b'\n', rest).unwrap_or(rest.len()));
    match language {
        Language::Python if rest[0] == b'#' => return line(),
        Language::Shell if rest[0] == b'#' && before.last().is_none_or(u8::is_ascii_whitespace) => {
            return line();
        }
        Language::Python | Language::Shell => return None,
        _ if rest.starts_with(b"//") => return line(),
        _ => rest.starts_with(b"/*").then_some(())?,
    }
    let (mut depth, mut at) = (1, 2);
    while at < rest.len() && depth > 0 {
        match &rest[at..rest.len().min(at + 2)] {
            b"*/" => (depth, at) = (depth - 1, at + 2),
            b"/*" if language == Language::Rust => (depth, at) = (depth + 1, at + 2),
            _ => at += 1,
        }
    }
    Some(at)
}

/// The length of the quoted text at the beginning of `rest`.
fn text(language: Language, before: &[u8], rest: &[u8]) -> Option<usize> {
    use Language::{Go, JavaScript, Other, Python, Rust, Shell};
    match (rest[0], language) {
        (quote @ (b'"' | b'\''), Python | Other) if rest[1..].starts_with(&[quote; 2]) => {
            let end = memchr::memmem::find(&rest[3..], &[quote; 3]);
            Some(end.map_or(rest.len(), |end| end + 6))
        }
        (b'r', Rust) => raw(before, rest),
        (b'\'', Rust) => character(rest),
        (b'\'', Shell) | (b'`', Go) => Some(closed(rest, None, true)),
        (b'"' | b'\'', _) => Some(closed(rest, Some(b'\\'), matches!(language, Rust | Shell))),
        (b'`', JavaScript) => Some(template(rest)),
        (b'/', JavaScript) => expression(before, rest),
        _ => None,
    }
}

/// `r"..."` and `r#"..."#`.
fn raw(before: &[u8], rest: &[u8]) -> Option<usize> {
    let before = before.strip_suffix(b"b").or_else(|| before.strip_suffix(b"c")).unwrap_or(before);
    // Rust allows this many.
    let hashes = rest[1..].iter().take(255).take_while(|byte| **byte == b'#').count();
    let inside = 2 + hashes;
    if before.last().is_some_and(|byte| is_word(*byte)) || rest.get(inside - 1) != Some(&b'"') {
        return None;
    }
    let close = [b"\"".as_slice(), &rest[1..=hashes]].concat();
    let end = memchr::memmem::find(&rest[inside..], &close);
    Some(end.map_or(rest.len(), |end| inside + end + close.len()))
}

/// A regular expression between slashes, where there can be no division.
fn expression(before: &[u8], rest: &[u8]) -> Option<usize> {
    let before = before.trim_ascii_end();
    let word = before.len() - before.iter().rev().take(10).take_while(|byte| is_word(**byte)).count();
    let follows_sign = before.last().is_none_or(|last| b"(,=:[!&|?{;~>".contains(last));
    (follows_sign || is_listed("return typeof case", &before[word..])).then_some(())?;
    let (mut at, mut is_set) = (1, false);
    loop {
        match rest.get(at).filter(|_| at < LONGEST_EXPRESSION)? {
            b'\n' => return None,
            b'\\' => at += 1,
            b'[' => is_set = true,
            b']' => is_set = false,
            b'/' if !is_set => return Some(at + 1),
            _ => {}
        }
        at += 1;
    }
}

/// The length of a quoted text up to its end, or to the end of its line if it cannot span lines.
fn closed(rest: &[u8], escape: Option<u8>, spans_lines: bool) -> usize {
    let mut at = 1;
    while let Some(byte) = rest.get(at) {
        match *byte {
            byte if Some(byte) == escape => at += 1,
            byte if byte == rest[0] => return at + 1,
            b'\n' if !spans_lines => return at,
            _ => {}
        }
        at += 1;
    }
    rest.len()
}

/// A template of JavaScript, with the code in it, which may have templates.
fn template(rest: &[u8]) -> usize {
    let mut open = vec![b'`'];
    let mut at = 1;
    while let (Some(byte), Some(inside)) = (rest.get(at), open.last()) {
        match (byte, inside) {
            (b'\\', _) => at += 1,
            (b'`', b'`') | (b'}', b'{') => drop(open.pop()),
            (b'`' | b'{', b'{') => open.push(*byte),
            (b'$', b'`') if rest.get(at + 1) == Some(&b'{') => {
                open.push(b'{');
                at += 1;
            }
            _ => {}
        }
        at += 1;
    }
    at.min(rest.len())
}

/// A character of Rust, and not a lifetime.
fn character(rest: &[u8]) -> Option<usize> {
    if rest.get(1) == Some(&b'\\') {
        return Some(closed(rest, Some(b'\\'), false));
    }
    let end = rest.iter().take(6).skip(2).position(|byte| *byte == b'\'')? + 2;
    let is_one = std::str::from_utf8(&rest[1..end]).is_ok_and(|text| text.chars().count() == 1);
    is_one.then_some(end + 1)
}

/// Whether a byte can be part of a name.
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// Whether a list of words with blanks between them has this one.
pub(super) fn is_listed(list: &str, word: impl AsRef<[u8]>) -> bool {
    list.split_ascii_whitespace().any(|listed| listed.as_bytes() == word.as_ref())
}

/// Where `word` occurs in `text`, but not as a part of a longer name.
pub(super) fn words<'a>(text: &'a [u8], word: &'a str) -> impl Iterator<Item = usize> + 'a {
    let is_edge = |byte: Option<&u8>, own: Option<&u8>| {
        !(byte.is_some_and(|byte| is_word(*byte)) && own.is_some_and(|byte| is_word(*byte)))
    };
    memchr::memmem::find_iter(text, word.as_bytes()).filter(move |at| {
        let end = at + word.len();
        let before = at.checked_sub(1).and_then(|at| text.get(at));
        is_edge(before, word.as_bytes().first()) && is_edge(text.get(end), word.as_bytes().last())
    })
}

/// All names in a text.
pub(super) fn names_in(text: &str) -> impl Iterator<Item = &str> {
    text.split(is_between_names).filter(|name| !name.is_empty())
}

/// Whether a text with these names has a name, or all parts of one like `self.x`.
pub(super) fn has_name(names: &HashSet<String>, name: &str) -> bool {
    name.split(is_between_names).all(|part| names.contains(part))
}

fn is_between_names(sign: char) -> bool {
    sign.is_ascii() && !sign.is_ascii_alphanumeric() && sign != '_'
}

/// The first of some bytes from a place on that is outside of brackets, or the bracket that closes around it, or the end.
pub(super) fn first_of(masked: &[u8], from: usize, stops: &[u8]) -> usize {
    let mut depth = 0usize;
    for (at, byte) in masked.iter().enumerate().skip(from) {
        match byte {
            byte if depth == 0 && stops.contains(byte) => return at,
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' if depth == 0 => return at,
            b')' | b']' | b'}' => depth -= 1,
            _ => {}
        }
    }
    masked.len()
}

/// The place of the bracket that closes the one at `open`.
pub(super) fn closing(masked: &[u8], open: usize) -> Option<usize> {
    Some(first_of(masked, open + 1, b"")).filter(|close| *close < masked.len())
}

/// The beginning of the line that `at` is on.
pub(super) fn line_start(text: &[u8], at: usize) -> usize {
    memchr::memrchr(b'\n', &text[..at]).map_or(0, |end| end + 1)
}

/// The innermost open brace around a place.
pub(super) fn open_brace(code: &[u8], at: usize) -> Option<usize> {
    let mut depth = 0usize;
    code[..at].iter().rposition(|byte| {
        let is_it = *byte == b'{' && depth == 0;
        depth = (depth + usize::from(*byte == b'}')).saturating_sub(usize::from(*byte == b'{'));
        is_it
    })
}

/// Whether the name of a test begins with the path of its file.
pub(super) fn names_path(test: &str, path: &str) -> bool {
    let file = test.split("::").next().unwrap_or(test);
    let file = file.split(" > ").next().unwrap_or(file).trim_start_matches("./");
    file.contains('.') && path.strip_suffix(file).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_quoted_text_of_rust_are_told_from_code() {
        let hashes = "#".repeat(21);
        for (source, expected) in [
            ("a // b\nc /* d /* e */ f */ g", "a c g"),
            ("x(\"a \\\" // b\", 'c', '\\'', '\"', b'x', 'ä') y", "x(\", \", \", \", b\", \") y"),
            (
                "fn f<'a>(x: &'a str) -> &'static str { r#\"a\" }\"# }",
                "fn f<'a>(x: &'a str) -> &'static str { \" }",
            ),
            ("let r#type = br\"\\\"; c(b\"x\\\n\")", "let r#type = b\"; c(b\")"),
            ("for x in y { 'l: loop { break 'l } }", "for x in y { 'l: loop { break 'l } }"),
            (&format!("r{hashes}\"\" /* \"{hashes} f()"), "\" f()"),
            ("m!(abr\"x\"); g()", "m!(abr\"); g()"),
        ] {
            let code = masked("a.rs", source.as_bytes());
            assert_eq!(code.len(), source.len());
            let mut code = String::from_utf8(code).unwrap();
            while code.contains("\"\"") {
                code = code.replace("\"\"", "\"");
            }
            assert_eq!(code.split_whitespace().collect::<Vec<_>>().join(" "), expected, "{source}");
        }
    }
}
