//! The empty values of types.

use super::super::scan::is_listed;

/// The empty values of the results of a function of Go; nothing if it gives nothing, or names its results.
pub(super) fn zero_of_go(results: &str) -> String {
    let inner = results.strip_prefix('(').and_then(|inner| inner.strip_suffix(')'));
    let types = split(inner.unwrap_or(results));
    let last = types.last().copied().unwrap_or_default();
    let is_named = inner.is_some()
        && last.split_once(' ').is_some_and(|(name, _)| !is_listed("func chan struct interface", name));
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
