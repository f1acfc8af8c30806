//! The values that a statement returns or assigns, and empty ones in their place.

use std::ops::Range;

use super::super::language::Language;
use super::super::scan::is_word;
use super::place::{Place, Value, depth_zero, is_text};
use super::types;

impl Value {
    /// The value that the statement returns or assigns.
    pub(super) fn of(place: &Place<'_>) -> Option<Self> {
        let code = place.code();
        let start = place.range.start;
        let (from, is_result) = if let Some(at) = place.find("return") {
            (at - start + "return".len(), at == start)
        } else if let Some(arrow) = arrow(place) {
            (arrow, place.lines.language == Some(Language::Rust))
        } else if let Some(equals) = assignment(code) {
            (equals.end, false)
        } else if let Some(body) = body_of_line(place) {
            (body, true)
        } else if place.lines.language == Some(Language::Rust)
            && place.is_last
            && !is_arm(code)
            && !code.ends_with(b";")
        {
            (0, true)
        } else {
            return None;
        };
        let rest = &code[from..];
        let is_arm = arrow(place).is_some();
        let ends = |at: usize| match rest[at] {
            b';' | b')' | b']' | b'}' => true,
            b',' => is_arm,
            _ => false,
        };
        let length = depth_zero(rest, ends).unwrap_or(rest.len());
        let text = &rest[..length];
        let begin = start + from + (text.len() - text.trim_ascii_start().len());
        let range = begin..begin + text.trim_ascii().len();
        let is_returned = place.find("return").is_some();
        (!range.is_empty()).then_some(Self { range, is_result, is_returned })
    }
}

/// Where the value begins that follows `=>`, if it is no block.
fn arrow(place: &Place<'_>) -> Option<usize> {
    matches!(place.lines.language?, Language::JavaScript | Language::Rust | Language::CSharp).then_some(())?;
    let code = place.code();
    let after = memchr::memmem::find(code, b"=>")? + 2;
    (!code[after..].trim_ascii_start().starts_with(b"{")).then_some(after)
}

/// Whether the code is a branch of a `match`.
pub(super) fn is_arm(code: &[u8]) -> bool {
    depth_zero(code, |at| code[at..].starts_with(b"=>")).is_some()
}

/// Where the body of a function of Rust begins that is on one line.
fn body_of_line(place: &Place<'_>) -> Option<usize> {
    let code = place.code();
    let is_function = place.lines.language == Some(Language::Rust) && place.find("fn").is_some();
    (is_function && code.ends_with(b"}")).then_some(())?;
    memchr::memchr(b'{', code).map(|open| open + 1)
}

/// Where the sign of an assignment is.
pub(super) fn assignment(code: &[u8]) -> Option<Range<usize>> {
    let at = depth_zero(code, |at| {
        code[at] == b'='
            && !matches!(code.get(at + 1), Some(b'=' | b'>' | b'~'))
            && at.checked_sub(1).is_some_and(|before| !b"=!<>+-*/%&|^~".contains(&code[before]))
    })?;
    let start = if code[at - 1] == b':' { at - 1 } else { at };
    Some(start..at + 1)
}

/// What to write for a value so that it is the empty one of its type. None if nothing fits.
pub(super) fn empty(place: &Place<'_>, value: &Value) -> Option<String> {
    let code = &place.lines.code[value.range.clone()];
    let text = std::str::from_utf8(&place.lines.source[value.range.clone()]).ok()?;
    if let Some(literal) = of_literal(code, text) {
        return Some(literal);
    }
    let empty = match place.lines.language? {
        Language::Python => "None".to_owned(),
        Language::JavaScript => "undefined".to_owned(),
        Language::Ruby | Language::Elixir => "nil".to_owned(),
        Language::Php => "null".to_owned(),
        Language::Shell | Language::C => "0".to_owned(),
        Language::CSharp => "default".to_owned(),
        Language::Swift => return None,
        Language::Rust => of_rust(text),
        Language::Go if value.is_returned => {
            types::of_go(&place.lines.code, place.lines.source, value.range.start)?
        }
        Language::Java => types::of_java(place, value)?,
        Language::Go => {
            let open = opening(code).filter(|open| code[*open] == b'{')?;
            format!("{}{{}}", &text[..open])
        }
    };
    // `return None` is empty already, and another value of its type is not known.
    (empty != text).then_some(empty)
}

/// Another value for a number, a quoted text or a truth value.
fn of_literal(code: &[u8], text: &str) -> Option<String> {
    let number = code.strip_prefix(b"-").unwrap_or(code);
    let is_number = number.first().is_some_and(u8::is_ascii_digit)
        && number.iter().all(|byte| is_word(*byte) || *byte == b'.');
    if is_number {
        let is_zero = number.iter().all(|byte| matches!(byte, b'0' | b'.'));
        let digits = if text.contains('.') { ["0.0", "1.0"] } else { ["0", "1"] };
        return Some(digits[usize::from(is_zero)].to_owned());
    }
    if is_text(code) && code.len() > 1 {
        let quote = text.chars().next().filter(|quote| matches!(quote, '"' | '\'' | '`'))?;
        let is_char = quote == '\'' && text.chars().count() < 5;
        return Some(match (text.len() > 2, is_char) {
            (true, false) => format!("{quote}{quote}"),
            (true, true) => format!("{quote}0{quote}"),
            (false, _) => format!("{quote}empty{quote}"),
        });
    }
    let other = match text {
        "true" => "false",
        "false" => "true",
        "True" => "False",
        "False" => "True",
        _ => return None,
    };
    Some(other.to_owned())
}

fn of_rust(text: &str) -> String {
    let default = "Default::default()";
    for wrapper in ["Ok", "Err"] {
        if text.starts_with(&format!("{wrapper}(")) {
            return format!("Ok({default})");
        }
    }
    if text.starts_with("Some(") { "None".to_owned() } else { default.to_owned() }
}

/// A value without the call around it or after it: `x.trim()` becomes `x`, and `f(x)` becomes `(x)`.
pub(super) fn without_call(place: &Place<'_>, value: &Value) -> Option<(Range<usize>, String)> {
    let code = &place.lines.code[value.range.clone()];
    let source = &place.lines.source[value.range.clone()];
    code.ends_with(b")").then_some(())?;
    let open = opening(code)?;
    let inside = &code[open + 1..code.len() - 1];
    let name = open - code[..open].iter().rev().take_while(|byte| is_word(**byte)).count();
    // A name with a capital makes something, and what it is made of is something else.
    let makes = code[name].is_ascii_uppercase() || matches!(&code[name..open], b"make" | b"new");
    (name < open && !makes).then_some(())?;
    let kept = if name > 1 && code[name - 1] == b'.' && inside.trim_ascii().is_empty() {
        source[..name - 1].strip_suffix(b"?").unwrap_or(&source[..name - 1])
    } else if name == 0
        && !inside.trim_ascii().is_empty()
        && depth_zero(inside, |at| inside[at] == b',').is_none()
    {
        &source[open..]
    } else {
        return None;
    };
    let kept = String::from_utf8(kept.to_vec()).ok()?;
    Some((value.range.clone(), kept))
}

/// The place of the bracket that the last byte closes.
fn opening(code: &[u8]) -> Option<usize> {
    let mut depth = 0usize;
    for (at, byte) in code.iter().enumerate().rev() {
        match byte {
            b')' | b']' | b'}' => depth += 1,
            b'(' | b'[' | b'{' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}
