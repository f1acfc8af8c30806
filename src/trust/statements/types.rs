//! Guesses empty values from the types that a function or a declaration names.

use super::super::scan::{closing, is_word, open_braces, words};
use super::place::{Place, Value};

/// The empty values of the results of the function around `at`.
pub(super) fn of_go(code: &[u8], source: &[u8], at: usize) -> Option<String> {
    let function = open_braces(code, at).into_iter().find_map(|open| {
        let head = &code[..open];
        let start =
            words(&head[head.len().saturating_sub(400)..], "func").last()? + head.len().saturating_sub(400);
        // Between a function and its brace is no other one.
        (!head[start..].contains(&b'{') || head[start..].ends_with(b"interface{}"))
            .then_some((start + 4, open))
    });
    let (mut from, open) = function?;
    let skip =
        |from: usize| from + code[from..open].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    from = skip(from);
    if code[from] == b'(' {
        let end = closing(code, from)?;
        // Otherwise this is not Go.
        (end < open).then_some(())?;
        let after = skip(end + 1);
        let name = code[after..open].iter().take_while(|byte| is_word(**byte)).count();
        // A receiver comes before the name of a method.
        if name > 0 && code[after + name] == b'(' {
            from = after;
        }
    }
    let parameters = from + memchr::memchr(b'(', &code[from..open])?;
    let results = closing(code, parameters)? + 1..open;
    let results = std::str::from_utf8(source.get(results)?).ok()?.trim();
    let inner = results.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')).unwrap_or(results);
    let mut types: Vec<&str> = inner.split(',').map(str::trim).filter(|part| !part.is_empty()).collect();
    if types.is_empty() {
        return None;
    }
    let is_named =
        results.starts_with('(') && types.last()?.contains(' ') && !types.last()?.starts_with("func");
    if is_named {
        let mut last = "";
        for part in types.iter_mut().rev() {
            last = part.split_once(' ').map_or(last, |(_, kind)| kind.trim());
            *part = last;
        }
    }
    Some(types.into_iter().map(zero_of_go).collect::<Vec<_>>().join(", "))
}

fn zero_of_go(kind: &str) -> String {
    match kind {
        "string" => "\"\"".to_owned(),
        "bool" => "false".to_owned(),
        "error" | "any" | "interface{}" => "nil".to_owned(),
        "byte" | "rune" | "uintptr" => "0".to_owned(),
        _ if ["int", "uint", "float", "complex"].iter().any(|number| kind.starts_with(number)) => {
            "0".to_owned()
        }
        _ if ["*", "[]", "map[", "func", "chan", "<-"].iter().any(|start| kind.starts_with(start)) => {
            "nil".to_owned()
        }
        _ => format!("*new({kind})"),
    }
}

/// The empty value of the type that a declaration or the method around it names.
pub(super) fn of_java(place: &Place<'_>, value: &Value) -> Option<String> {
    let code = &place.lines.code;
    let kind = if value.is_returned {
        open_braces(code, value.range.start).into_iter().find_map(|open| {
            let start = code[..open]
                .iter()
                .rposition(|byte| matches!(byte, b'{' | b'}' | b';'))
                .map_or(0, |at| at + 1);
            let head = &code[start..open];
            let name = &head[..memchr::memchr(b'(', head)?];
            let mut words = name.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).rev();
            let (_, kind) = (words.next()?, words.next()?);
            (!matches!(kind, b"new" | b"else" | b"return" | b"=")).then_some(kind)
        })
    } else {
        let left = &code[place.range.start..value.range.start];
        let mut words = left.split(|byte| !is_word(*byte)).filter(|word| !word.is_empty()).rev();
        words.next().and_then(|_| words.next())
    }?;
    Some(match kind {
        b"int" | b"long" | b"short" | b"byte" | b"char" | b"double" | b"float" => "0".to_owned(),
        b"boolean" => "false".to_owned(),
        b"String" => "\"\"".to_owned(),
        b"void" => return None,
        _ => "null".to_owned(),
    })
}
