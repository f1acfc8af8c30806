//! Leaves out what goes into functions.

use std::sync::LazyLock;

use regex_lite::Regex;

use super::super::scan::{is_listed, is_word};

/// Parts of names in code as [`snake`] gives it.
pub(super) struct Words {
    /// With them, a comparison begins.
    pub(super) asserts: Regex,
    pub(super) compares: Regex,
    /// They let numbers differ a little.
    pub(super) near: Regex,
    /// Another value may be as good.
    pub(super) loose: Regex,
    /// They let a test fail.
    pub(super) fails: Regex,
}

pub(super) static WORDS: LazyLock<Words> = LazyLock::new(|| {
    let pattern = |before: &str, words: &str, after: &str| {
        let words = words.replace(' ', "|");
        Regex::new(&format!(r"(?:\b{before})(?:{words}){after}\b")).expect("a pattern of this file")
    };
    let parts = |words| pattern("|_", words, r"(?:_\w*)?");
    let asserts = "assert xctassert expect should require check verify ensure must t test is ok chai";
    Words {
        asserts: pattern("", asserts, r"(?:_\w*)?"),
        // What is done stands at the end: `is_equal`, `to_be`, but not `is_valid`.
        compares: pattern(
            "|_",
            "equals? eql? is be same identical length with times snapshot object diff",
            "(?:_to)?",
        ),
        near: parts("close almost near approx delta isclose allclose epsilon tolerance abs"),
        loose: parts(
            r"not greater less above below throws? raises? regexp? instance isinstance typeof in\b or\b any\b ne\b lt\b gt\b le\b ge\b most\b least\b contains?\b includes?\b matches\b match\b",
        ),
        fails: parts("errorf? fatalf? fail failed throw raise exit panic die abort"),
    }
});

/// The words of a text in small letters, with `_` between their parts.
pub(super) fn snake(code: &str) -> String {
    static EDGE: LazyLock<Regex> = LazyLock::new(|| Regex::new("([a-z])([A-Z])").expect("a pattern"));
    EDGE.replace_all(code, "${1}_${2}").to_lowercase()
}

/// Code without what goes into functions, apart from what values are made of if that is read, and without the commas of lists.
pub(super) fn outer(code: &str, reads_made: bool) -> String {
    let mut outer = code.to_owned().into_bytes();
    // Whether something is hidden in what is open, and whether commas count there.
    let mut open = vec![(false, true)];
    for (at, byte) in code.bytes().enumerate() {
        let (hides, counts) = *open.last().expect("the first one stays");
        match byte {
            b'(' | b'[' | b'{' => {
                let name = called(&code[..at]);
                let is_text = code[at + 1..].starts_with('"');
                let words = snake(name);
                let is_compared =
                    [&WORDS.asserts, &WORDS.compares, &WORDS.near].iter().any(|kind| kind.is_match(&words));
                open.push(match byte {
                    b'{' if is_block(code, at) => (false, true),
                    // The key of `row["price"]` is a name.
                    b'[' => (hides || is_indexed(&code[..at]) && !is_text, false),
                    b'(' if !name.is_empty() => {
                        (hides || !(is_compared || reads_made && is_made(name)), is_compared)
                    }
                    _ => (hides, false),
                });
            }
            b')' | b']' | b'}' if open.len() > 1 => drop(open.pop()),
            b'\n' => {}
            _ if hides || byte == b',' && !counts => outer[at] = b' ',
            _ => {}
        }
    }
    String::from_utf8(outer).unwrap_or_default()
}

/// The name of what is called where a text ends; a bracket if that is the end of what is called.
pub(super) fn called(before: &str) -> &str {
    let before = before.strip_suffix('!').unwrap_or(before);
    let length = before.bytes().rev().take_while(|byte| is_word(*byte)).count();
    &before[before.len() - length.max(usize::from(before.ends_with([')', ']'])))..]
}

/// Whether a bracket behind a text has an index, and not the parts of a list.
pub(super) fn is_indexed(before: &str) -> bool {
    !before.ends_with('!') && !called(before).is_empty()
}

/// Whether the brace at a place begins a block, as in `=> {` and `if x {`, and not in `({`, `int{`, `= {`.
pub(super) fn is_block(code: &str, at: usize) -> bool {
    let is_value = code[..at].trim_end().ends_with(['(', '[', '{', ',', '=', ':']);
    code[at + 1..].starts_with(['\n', '\r']) && code[..at].ends_with(' ') && !is_value
}

/// Whether a function makes a value of what is written.
pub(super) fn is_made(name: &str) -> bool {
    const MAKERS: &str = "vec set frozenset list tuple dict array date datetime from new of map some ok string str float int \
                          bytes loads param case";
    let is_type = name.starts_with(char::is_uppercase) && !WORDS.fails.is_match(&snake(name));
    is_type || is_listed(MAKERS, name)
}
