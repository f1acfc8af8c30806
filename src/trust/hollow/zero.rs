//! The empty values of types.

use super::super::scan::{is_listed, is_word};

/// The empty values of the results of a function of Go; nothing if it gives nothing, or names its results.
pub(super) fn zero_of_go(results: &str) -> String {
    let inner = results.strip_prefix('(').and_then(|inner| inner.strip_suffix(')'));
    let types = split(inner.unwrap_or(results));
    let last = types.last().copied().unwrap_or_default();
    let is_named = inner.is_some()
        && last.split_once(' ').is_some_and(|(name, _)| {
            name.bytes().all(is_word) && !is_listed("func chan struct interface", name)
        });
    let zero = |kind: &&str| match kind.strip_prefix('*') {
        // Tests may read its fields.
        Some(kind) => format!("new({kind})"),
        None => format!("*new({kind})"),
    };
    if is_named { String::new() } else { types.iter().map(zero).collect::<Vec<_>>().join(", ") }
}

/// Types of Rust that have an empty value, whatever they are made of.
const WITH_DEFAULT: &str = "bool char u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 String Option Vec VecDeque \
     HashMap HashSet BTreeMap BTreeSet PathBuf Duration";

/// The empty value of the result of a function of Rust; None if it is not known.
pub(super) fn zero_of_rust(result: &str) -> Option<String> {
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
        && !["mut ", "->"].iter().any(|part| result.contains(part));
    let is_tuple = result.strip_prefix('(').and_then(|inner| inner.strip_suffix(')'));
    let has_default = match is_tuple {
        Some(inner) => split(inner).into_iter().all(|part| zero_of_rust(part).is_some()),
        None => is_slice || is_listed(WITH_DEFAULT, name),
    };
    has_default.then(|| "Default::default()".to_owned())
}

/// The parts between commas outside of brackets. Arrows are no brackets.
fn split(list: &str) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0i32, 0, Vec::new());
    for (at, sign) in list.char_indices() {
        let is_arrow = list[..at].ends_with('-') || list[at..].starts_with("<-");
        match sign {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            '<' if !is_arrow => depth += 1,
            '>' if !is_arrow => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&list[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&list[start..]);
    parts.into_iter().map(str::trim).filter(|part| !part.is_empty()).collect()
}
