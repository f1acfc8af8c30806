//! Reads attributes of Rust.

use super::super::scan::closing;

/// An attribute.
pub(super) struct Attribute {
    /// `#![...]`.
    pub(super) is_inner: bool,
    /// What is in the brackets, without spaces.
    pub(super) text: String,
}

impl Attribute {
    /// The attribute that `code` begins with, and its length. The outer none: it has no end.
    pub(super) fn read(code: &[u8]) -> Option<Option<(Self, usize)>> {
        let Some(rest) = code.strip_prefix(b"#") else { return Some(None) };
        let blank = rest.iter().take(20).take_while(|byte| byte.is_ascii_whitespace()).count();
        let is_inner = rest.get(blank) == Some(&b'!');
        let open = 1 + blank + usize::from(is_inner);
        if code.get(open) != Some(&b'[') {
            return Some(None);
        }
        let close = closing(code, open)?;
        let inside = code[open + 1..close].iter().filter(|byte| !byte.is_ascii_whitespace());
        let text = String::from_utf8_lossy(&inside.copied().collect::<Vec<u8>>()).into_owned();
        Some(Some((Self { is_inner, text }, close + 1)))
    }
}

/// Whether `#![cfg(test)]` makes a whole file a test.
pub(super) fn is_inner_cfg_test(attribute: &Attribute) -> bool {
    attribute.is_inner && is_cfg_test(&attribute.text)
}

/// Whether an item with this attribute exists only in tests.
pub(super) fn marks_test(attribute: &str) -> bool {
    let path = attribute.split(['(', '=']).next().unwrap_or_default();
    let last = path.rsplit("::").next().unwrap_or_default();
    is_cfg_test(attribute)
        || matches!(
            last,
            "test" | "rstest" | "test_case" | "bench" | "quickcheck" | "proptest" | "wasm_bindgen_test"
        )
}

/// `cfg(test)`, or `cfg(all(test, ...))`. With `any`, the item may exist elsewhere, too.
fn is_cfg_test(attribute: &str) -> bool {
    let Some(condition) = attribute.strip_prefix("cfg(").and_then(|rest| rest.strip_suffix(')')) else {
        return false;
    };
    let all = condition.strip_prefix("all(").and_then(|rest| rest.strip_suffix(')'));
    condition == "test" || all.is_some_and(|parts| top_level(parts).any(|part| part == "test"))
}

/// The parts of a list between commas outside of parentheses.
fn top_level(list: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0i64;
    list.split(move |c: char| {
        depth += i64::from(c == '(') - i64::from(c == ')');
        c == ',' && depth == 0
    })
}
