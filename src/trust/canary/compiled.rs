//! Failing tests for Go and Rust.

use super::super::scan::{closing, line_start, open_braces, words};
use super::source::{Fails, Source, fails};

const OF_GO: [Fails; 10] = [
    fails("assert.Equal", "{}(t, 1, 2)"),
    fails("require.Equal", "{}(t, 1, 2)"),
    fails("assert.True", "{}(t, false)"),
    fails("require.True", "{}(t, false)"),
    fails("t.Error", "{}(\"1 is not 2\")"),
    fails("t.Errorf", "{}(\"%d is not %d\", 1, 2)"),
    fails("t.Fatal", "{}(\"1 is not 2\")"),
    fails("t.Fatalf", "{}(\"%d is not %d\", 1, 2)"),
    fails("t.Fail", "{}()"),
    fails("t.FailNow", "{}()"),
];

/// A function at the end of a file with tests of its package.
pub(super) fn go(source: &Source<'_>) -> Option<Vec<u8>> {
    (source.path.ends_with("_test.go") && source.has("testing.T")).then_some(())?;
    let assertion = source.most_used(&OF_GO).unwrap_or_else(|| "t.Fatal(\"1 is not 2\")".to_owned());
    Some(source.with_end(&format!("\nfunc TestArboristCanary(t *testing.T) {{\n\t{assertion}\n}}\n")))
}

const OF_RUST: [Fails; 3] =
    [fails("assert_eq!", "{}(1, 2)"), fails("assert!", "{}(1 == 2)"), fails("assert_ne!", "{}(1, 1)")];

/// A function at the end of the file, or in the module with the last test.
pub(super) fn rust(source: &Source<'_>) -> Option<Vec<u8>> {
    let assertion = source.most_used(&OF_RUST).unwrap_or_else(|| "assert_eq!(1, 2)".to_owned());
    let test = |indent: &str| {
        format!("\n{indent}#[test]\n{indent}fn arborist_canary() {{\n{indent}    {assertion};\n{indent}}}\n")
    };
    let mut tests: Vec<usize> = ["test", "rstest"].iter().flat_map(|name| marks(source, name)).collect();
    tests.sort_unstable();
    // The last one is in the innermost module that surely has tests; others may be in a macro.
    for mark in tests.iter().rev() {
        let Some(open) = open_braces(&source.code, *mark).first().copied() else {
            return Some(source.with_end(&test("")));
        };
        let head = source.text[line_start(source.text.as_bytes(), open)..open].trim_start();
        if words(head.as_bytes(), "mod").next().is_some() {
            return Some(source.with(before_end(source, open)?, &test("    ")));
        }
    }
    let is_crate = source.path.starts_with("tests/") || source.path.contains("/tests/");
    (is_crate && !tests.is_empty()).then(|| source.with_end(&test("")))
}

/// Where there is `#[test]`, `#[tokio::test]` or `#[test(...)]`.
fn marks<'a>(source: &'a Source<'_>, name: &'a str) -> impl Iterator<Item = usize> + 'a {
    words(&source.code, name).filter(move |at| {
        let before = source.code[..*at].trim_ascii_end();
        let line = &before[line_start(before, before.len())..];
        line.trim_ascii_start().starts_with(b"#[")
            && !words(line, "cfg").any(|_| true)
            && matches!(source.code.get(at + name.len()), Some(b']' | b'('))
    })
}

/// The line of the brace that closes the one at `open`, or the brace itself if something precedes it on its line.
fn before_end(source: &Source<'_>, open: usize) -> Option<usize> {
    let end = closing(&source.code, open)?;
    let start = line_start(source.text.as_bytes(), end);
    Some(if source.text[start..end].trim().is_empty() && start > open { start } else { end })
}
