//! How a failing test is written into a file with tests, and which file it may have for itself.

use super::source::{Fails, Source, fails};
use crate::suite::TestForm;
use crate::trust::scan::{closing, line_start, open_braces, words};

/// The file with a test that fails. None if this is not a file with tests, or if a test added to it might not run.
pub(super) fn added(form: TestForm, source: &Source<'_>) -> Option<Vec<u8>> {
    match form {
        TestForm::PythonFunction | TestForm::PythonCase => python(source, form == TestForm::PythonCase),
        TestForm::JavaScript { .. } => javascript(source),
        TestForm::Go => go(source),
        TestForm::Rust => rust(source),
        TestForm::Bats => bats(source),
    }
}

/// The name and the text of a new file beside this one. None if a new file would not run without being named somewhere.
pub(super) fn new_file(form: TestForm, beside: &Source<'_>) -> Option<(String, String)> {
    let python = |text: &str| Some(("test_arborist_canary.py".to_owned(), text.to_owned()));
    match form {
        TestForm::PythonFunction => python("def test_arborist_canary():\n    assert 1 == 2\n"),
        TestForm::PythonCase => python(
            "import unittest\n\n\nclass ArboristCanaryTest(unittest.TestCase):\n    def test_arborist_canary(self):\n        \
             self.assertEqual(1, 2)\n",
        ),
        TestForm::JavaScript { imports, fails } => {
            // Its name ends as that of its neighbour does.
            let file = &beside.path[beside.folder().len()..];
            let (_, endings) = file.split_once('.')?;
            let is_module = file.ends_with("mjs")
                || file.contains(".mts")
                || beside.text.starts_with("import ")
                || beside.text.contains("\nimport ");
            let required = || {
                imports.replace("import ", "const ").replace(" from ", " = require(").replace("'\n", "')\n")
            };
            let head = if is_module { imports.to_owned() } else { required() };
            let text = format!("{head}\ntest('arborist_canary', () => {{ {fails} }})\n");
            Some((format!("arborist_canary.{endings}"), text))
        }
        TestForm::Go | TestForm::Rust | TestForm::Bats => None,
    }
}

/// The assertions of a test case in Python, each so that it fails.
const OF_A_CASE: [Fails; 8] = [
    fails("self.assertEqual", "{}(1, 2)"),
    fails("self.assertEquals", "{}(1, 2)"),
    fails("self.assertTrue", "{}(False)"),
    fails("self.assertFalse", "{}(True)"),
    fails("self.assertIn", "{}(1, [2])"),
    fails("self.assertIs", "{}(1, None)"),
    fails("self.assertIsNone", "{}(1)"),
    fails("self.assertListEqual", "{}([1], [2])"),
];

/// A function with an `assert`, or a test case if the file has more of its assertions.
fn python(source: &Source<'_>, is_unittest: bool) -> Option<Vec<u8>> {
    let is_test = |at: &usize| source.text[at + 3..].trim_start().starts_with("test");
    let test = words(&source.code, "def").filter(is_test).last()?;
    let of_case = source.calls().filter(|call| call.starts_with("self.assert")).count();
    let plain = words(&source.code, "assert").count();
    let at_margin = |at: &usize| line_start(source.text.as_bytes(), *at) == *at;
    let lines = if is_unittest || of_case > plain {
        let assertion = if plain > of_case {
            "assert 1 == 2".to_owned()
        } else {
            source.most_used(&OF_A_CASE).unwrap_or_else(|| "self.assertEqual(1, 2)".to_owned())
        };
        // The base classes of the class that has the last test.
        let class = words(&source.code[..test], "class").filter(at_margin).last();
        let head = class.and_then(|class| source.text[class..].lines().next());
        let bases = head.and_then(|head| Some(head.split_once('(')?.1.rsplit_once("):")?.0.trim()));
        let base = bases.filter(|bases| !bases.is_empty()).unwrap_or("__import__(\"unittest\").TestCase");
        format!(
            "class ArboristCanaryTest({base}):\n    def test_arborist_canary(self):\n        {assertion}\n"
        )
    } else {
        "def test_arborist_canary():\n    assert 1 == 2\n".to_owned()
    };
    // The block that runs only if the file is executed stays the last one.
    let is_main = |at: &usize| source.text[at + 2..].trim_start().starts_with("__name__");
    Some(match words(&source.code, "if").filter(at_margin).find(is_main) {
        Some(at) => source.with(at, &format!("\n\n{lines}\n\n")),
        None => source.with_end(&format!("\n\n{lines}")),
    })
}

/// Assertions in JavaScript, each so that it fails.
const OF_JAVASCRIPT: [Fails; 16] = [
    fails(".to.equal", "expect(1).to.equal(2)"),
    fails(".to.eql", "expect(1).to.eql(2)"),
    fails(".to.deep.equal", "expect(1).to.deep.equal(2)"),
    fails(".should.equal", "(1).should.equal(2)"),
    fails("toBe", "expect(1).toBe(2)"),
    fails("toEqual", "expect(1).toEqual(2)"),
    fails("toStrictEqual", "expect(1).toStrictEqual(2)"),
    fails("deepStrictEqual", "{}(1, 2)"),
    fails("deepEqual", "{}(1, 2)"),
    fails("strictEqual", "{}(1, 2)"),
    fails("equal", "{}(1, 2)"),
    fails("same", "{}(1, 2)"),
    fails("is", "{}(1, 2)"),
    fails("ok", "{}(false)"),
    fails("assert", "{}(false)"),
    fails("isTrue", "{}(false)"),
];

/// A test at the end. None if the file calls neither `test` nor `it`, or lets only some tests run.
fn javascript(source: &Source<'_>) -> Option<Vec<u8>> {
    let count = |name: &str| source.calls().filter(|call| *call == name).count();
    let runner = ["test", "it"].into_iter().max_by_key(|name| count(name)).filter(|name| count(name) > 0)?;
    if source.calls().any(|call| call.ends_with(".only")) {
        return None;
    }
    let other = || source.calls().any(|call| call == "expect").then(|| "expect(1).toBe(2)".to_owned());
    let assertion = source.most_used(&OF_JAVASCRIPT).or_else(other)?;
    let root = assertion.split(['.', '(']).next().unwrap_or_default();
    // What tests get as an argument has to be an argument here, too.
    let argument = if ["t", "ctx", "context"].contains(&root) { root } else { "" };
    // Somewhere, the name is neither called nor read from, as in an import.
    let is_end = |at: usize| !matches!(source.code.get(at + root.len()), Some(b'(' | b'.'));
    let is_bound = || words(&source.code, root).any(is_end);
    let is_known = matches!(root, "expect" | "assert" | "") || !argument.is_empty() || is_bound();
    // The semicolon ends a statement before it that has none.
    let test = format!("\n;{runner}('arborist_canary', ({argument}) => {{ {assertion} }})\n");
    is_known.then(|| source.with_end(&test))
}

/// Assertions in Go, each so that it fails.
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
fn go(source: &Source<'_>) -> Option<Vec<u8>> {
    (source.path.ends_with("_test.go") && source.has("testing.T")).then_some(())?;
    let assertion = source.most_used(&OF_GO).unwrap_or_else(|| "t.Fatal(\"1 is not 2\")".to_owned());
    Some(source.with_end(&format!("\nfunc TestArboristCanary(t *testing.T) {{\n\t{assertion}\n}}\n")))
}

/// Assertions in Rust, each so that it fails.
const OF_RUST: [Fails; 3] =
    [fails("assert_eq!", "{}(1, 2)"), fails("assert!", "{}(1 == 2)"), fails("assert_ne!", "{}(1, 1)")];

/// A function at the end of the file, or in the module with the last test.
fn rust(source: &Source<'_>) -> Option<Vec<u8>> {
    let assertion = source.most_used(&OF_RUST).unwrap_or_else(|| "assert_eq!(1, 2)".to_owned());
    let test = |indent: &str| {
        format!("\n{indent}#[test]\n{indent}fn arborist_canary() {{\n{indent}    {assertion};\n{indent}}}\n")
    };
    let mut tests: Vec<usize> = ["test", "rstest"].iter().flat_map(|name| attributes(source, name)).collect();
    tests.sort_unstable();
    // The last one is in the innermost module that surely has tests; others may be in a macro.
    for attribute in tests.iter().rev() {
        let Some(open) = open_braces(&source.code, *attribute).first().copied() else {
            return Some(source.with_end(&test("")));
        };
        let head = source.text[line_start(source.text.as_bytes(), open)..open].trim_start();
        if words(head.as_bytes(), "mod").next().is_some() {
            // Before the line of the brace that closes the module, or the brace itself if something precedes it.
            let end = closing(&source.code, open)?;
            let start = line_start(source.text.as_bytes(), end);
            let is_alone = source.text[start..end].trim().is_empty() && start > open;
            return Some(source.with(if is_alone { start } else { end }, &test("    ")));
        }
    }
    let is_crate = source.path.starts_with("tests/") || source.path.contains("/tests/");
    (is_crate && !tests.is_empty()).then(|| source.with_end(&test("")))
}

/// Where there is `#[test]`, `#[tokio::test]` or `#[test(...)]`.
fn attributes<'a>(source: &'a Source<'_>, name: &'a str) -> impl Iterator<Item = usize> + 'a {
    words(&source.code, name).filter(move |at| {
        let before = source.code[..*at].trim_ascii_end();
        let line = &before[line_start(before, before.len())..];
        line.trim_ascii_start().starts_with(b"#[")
            && words(line, "cfg").next().is_none()
            && matches!(source.code.get(at + name.len()), Some(b']' | b'('))
    })
}

/// A test at the end.
fn bats(source: &Source<'_>) -> Option<Vec<u8>> {
    source.text.contains("@test").then_some(())?;
    let assertion = if source.has("assert_equal") { "assert_equal 1 2" } else { "[ 1 -eq 2 ]" };
    Some(source.with_end(&format!("\n@test \"arborist_canary\" {{\n  {assertion}\n}}\n")))
}
