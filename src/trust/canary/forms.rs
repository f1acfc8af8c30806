//! How a failing test is written into a file with tests.

use regex_lite::Regex;

use crate::suite::{Framework, Language};
use crate::trust::scan::{Source, closing, line_start, open_brace, words};

/// Calls that assert, as a pattern for what stands before the bracket, and how they are written so that they fail: `{}` stands for the
/// call in the file.
type Assertions = [[&'static str; 2]];

const OF_A_CASE: &Assertions =
    &[[r"\bself\.assertEquals?", "{}(1, 2)"], [r"\bself\.assertTrue", "{}(False)"]];

const OF_JAVASCRIPT: &Assertions = &[
    [r"\.(?:toBe|toEqual|toStrictEqual)", "expect(1){}(2)"],
    [r"\b(?:[\w$]+\.)*(?:deepStrictEqual|deepEqual|strictEqual|equal)", "{}(1, 2)"],
    [r"\b(?:[\w$]+\.)*(?:ok|assert)", "{}(false)"],
];

const OF_GO: &Assertions =
    &[[r"\b(?:assert|require)\.Equal", "{}(t, 1, 2)"], [r"\bt\.(?:Error|Fatal)f?", "{}(\"1 is not 2\")"]];

const OF_RUST: &Assertions = &[[r"\bassert_eq!", "{}(1, 2)"], [r"\bassert!", "{}(1 == 2)"]];

/// A file with tests.
struct Form<'a> {
    path: &'a str,
    text: &'a str,
    /// The same without comments and quoted text.
    code: &'a str,
}

/// The file with a test that fails. None if this is not a file with tests, or if a test added to it might not run.
pub(super) fn added(framework: Framework, Source { path, text, code }: &Source) -> Option<String> {
    let source = Form { path, text, code };
    let (at, lines) = match framework.language()? {
        Language::Python => source.python(framework == Framework::Unittest)?,
        Language::JavaScript => (text.len(), source.javascript()?),
        Language::Go => (text.len(), source.go()?),
        Language::Rust => source.rust()?,
        Language::Shell | Language::Other => return None,
    };
    let (before, after) = text.split_at_checked(at)?;
    let gap = if before.is_empty() || before.ends_with('\n') { "" } else { "\n" };
    let lines = format!("{gap}{lines}");
    let lines = if text.contains("\r\n") { lines.replace('\n', "\r\n") } else { lines };
    Some([before, &lines, after].concat())
}

impl Form<'_> {
    /// Where a word is in the code.
    fn words<'a>(&'a self, word: &'a str) -> impl Iterator<Item = usize> + 'a {
        words(self.code.as_bytes(), word)
    }

    fn is_at_margin(&self, at: usize) -> bool {
        line_start(self.text.as_bytes(), at) == at
    }

    /// Where this is called, and how it is written.
    fn calls(&self, pattern: &str) -> Vec<(usize, &str)> {
        let pattern = Regex::new(&format!(r"{pattern}\(")).expect("the patterns of the tables are valid");
        let calls = pattern.find_iter(self.code);
        calls.map(|found| (found.start(), &self.code[found.start()..found.end() - 1])).collect()
    }

    /// The assertion that the file has most often, so that it fails.
    fn most_used(&self, assertions: &Assertions) -> Option<String> {
        let mut found: Vec<(usize, &str, &str)> = Vec::new();
        for [pattern, fails] in assertions {
            for (_, call) in self.calls(pattern) {
                match found.iter_mut().find(|(_, known, _)| *known == call) {
                    Some((count, ..)) => *count += 1,
                    None => found.push((1, call, fails)),
                }
            }
        }
        found.iter().rev().max_by_key(|(count, ..)| *count).map(|(_, call, fails)| fails.replace("{}", call))
    }

    /// A function with an `assert`, or a test case if the file has more of its assertions.
    fn python(&self, is_unittest: bool) -> Option<(usize, String)> {
        let is_test = |at: &usize| self.text[at + 3..].trim_start().starts_with("test");
        let test = self.words("def").filter(is_test).last()?;
        let (of_case, plain) = (self.calls(r"\bself\.assert\w+").len(), self.words("assert").count());
        let test = if is_unittest || of_case > plain {
            let used = self.most_used(OF_A_CASE).unwrap_or_else(|| "self.assertEqual(1, 2)".to_owned());
            let assertion = if plain > of_case { "assert 1 == 2" } else { &used };
            // The base classes of the class that has the last test.
            let class = self.words("class").filter(|at| *at < test && self.is_at_margin(*at)).last();
            let head = class.and_then(|class| self.text[class..].lines().next());
            let bases = head.and_then(|head| Some(head.split_once('(')?.1.rsplit_once("):")?.0.trim()));
            let base = bases.filter(|bases| !bases.is_empty()).unwrap_or("__import__(\"unittest\").TestCase");
            format!(
                "class ArboristCanaryTest({base}):\n    def test_arborist_canary(self):\n        {assertion}\n"
            )
        } else {
            "def test_arborist_canary():\n    assert 1 == 2\n".to_owned()
        };
        // The block that runs only if the file is executed stays the last one.
        let is_main =
            |at: &usize| self.is_at_margin(*at) && self.text[at + 2..].trim_start().starts_with("__name__");
        Some(match self.words("if").find(is_main) {
            Some(at) => (at, format!("\n\n{test}\n\n")),
            None => (self.text.len(), format!("\n\n{test}")),
        })
    }

    /// A test at the end. None if the file calls neither `test` nor `it`, or lets only some tests run.
    fn javascript(&self) -> Option<String> {
        let runner = self.most_used(&[[r"\b(?:test|it)", "{}"]])?;
        if !self.calls(r"\.only").is_empty() {
            return None;
        }
        let other = || self.words("expect").next().map(|_| "expect(1).toBe(2)".to_owned());
        let assertion = self.most_used(OF_JAVASCRIPT).or_else(other)?;
        // What tests get as an argument has to be an argument here, too.
        let root = assertion.split(['.', '(']).next().filter(|root| ["t", "ctx", "context"].contains(root));
        // The semicolon ends a statement before it that has none.
        Some(format!("\n;{runner}('arborist_canary', ({}) => {{ {assertion} }})\n", root.unwrap_or_default()))
    }

    /// A function at the end of a file with tests of its package.
    fn go(&self) -> Option<String> {
        (self.path.ends_with("_test.go") && self.words("testing.T").next().is_some()).then_some(())?;
        let assertion = self.most_used(OF_GO).unwrap_or_else(|| "t.Fatal(\"1 is not 2\")".to_owned());
        Some(format!("\nfunc TestArboristCanary(t *testing.T) {{\n\t{assertion}\n}}\n"))
    }

    /// A function at the end of the file, or in the module with the last test.
    fn rust(&self) -> Option<(usize, String)> {
        let assertion = self.most_used(OF_RUST).unwrap_or_else(|| "assert_eq!(1, 2)".to_owned());
        let test = |indent: &str| {
            format!(
                "\n{indent}#[test]\n{indent}fn arborist_canary() {{\n{indent}    {assertion};\n{indent}}}\n"
            )
        };
        let attribute = Regex::new(r"#\[(?:\w+::)*r?s?test\b").expect("the pattern is valid");
        let tests: Vec<usize> = attribute.find_iter(self.code).map(|found| found.start()).collect();
        let (code, text) = (self.code.as_bytes(), self.text.as_bytes());
        // The last one is in the innermost module that surely has tests; others may be in a macro.
        for attribute in tests.iter().rev() {
            let Some(open) = open_brace(code, *attribute) else {
                return Some((text.len(), test("")));
            };
            let head = self.text[line_start(text, open)..open].trim_start();
            if words(head.as_bytes(), "mod").next().is_some() {
                // Before the line of the brace that closes the module, or the brace itself if something precedes it.
                let end = closing(code, open)?;
                let start = line_start(text, end);
                let is_alone = self.text[start..end].trim().is_empty() && start > open;
                return Some((if is_alone { start } else { end }, test("    ")));
            }
        }
        let is_crate = self.path.starts_with("tests/") || self.path.contains("/tests/");
        (is_crate && !tests.is_empty()).then(|| (text.len(), test("")))
    }
}
