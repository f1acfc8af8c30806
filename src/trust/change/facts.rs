//! Finds tests, assertions and skips in a file.

use super::markers::{ASSERTIONS, FOCUS, SKIPS, is_one_of};
use super::source::{Source, Token};
use crate::trust::language::Language;

/// What was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    Test,
    Assertion,
    AlwaysHolds,
    Skip,
    Focus,
}

/// Something in a file.
#[derive(Debug)]
pub(super) struct Fact {
    pub(super) what: What,
    /// What tells it from others: the name of a test, the text of an assertion.
    pub(super) text: Vec<u8>,
    pub(super) line: usize,
}

/// All facts of a file; none if its language is unknown.
pub(super) fn facts_of(path: &str, bytes: &[u8]) -> Vec<Fact> {
    let Some(language) = Language::of(path) else { return Vec::new() };
    let source = Source::new(language, bytes);
    let mut found = Finder { source: &source, facts: Vec::new(), condition: None };
    let mut at = 0;
    while let Some(token) = source.token(at) {
        at = found.look_at(&token);
    }
    found.facts
}

struct Finder<'s, 'a> {
    source: &'s Source<'a>,
    facts: Vec<Fact>,
    /// Where the last `if` was, in Go, where it is a part of an assertion.
    condition: Option<usize>,
}

impl Finder<'_, '_> {
    /// Notes what a token means. Returns where to go on.
    fn look_at(&mut self, token: &Token) -> usize {
        let language = self.source.language;
        if let Some(name) = test_name(self.source, token) {
            self.add(What::Test, name, token.start);
        }
        if is_skip(self.source, token) {
            self.add(What::Skip, self.head(token), token.start);
        }
        if is_one_of(FOCUS, language, &token.text) {
            self.add(What::Focus, self.head(token), token.start);
        }
        if language == Language::Go && token.text == "if" {
            self.condition = Some(token.start);
        }
        if !is_one_of(ASSERTIONS, language, &token.text) || is_definition(self.source, token) {
            return token.end;
        }
        let end = self.source.statement_end(token.start).max(token.end);
        let start = self.condition.take_if(|at| self.source.line(token.start) - self.source.line(*at) < 4);
        let text = self.source.compact(start.unwrap_or(token.start), end);
        if always_holds(&text) {
            self.add(What::AlwaysHolds, text.clone(), token.start);
        }
        self.add(What::Assertion, text, token.start);
        end
    }

    fn add(&mut self, what: What, text: Vec<u8>, at: usize) {
        let line = self.source.line(at);
        self.facts.push(Fact { what, text, line });
    }

    /// The line that a token is in, from the token on.
    fn head(&self, token: &Token) -> Vec<u8> {
        let rest = &self.source.bytes[token.start..];
        let line = rest.iter().take(200).position(|byte| *byte == b'\n').unwrap_or(rest.len().min(200));
        self.source.compact(token.start, token.start + line)
    }
}

/// Whether a name is being defined, and not used.
fn is_definition(source: &Source<'_>, token: &Token) -> bool {
    let before = source.code[source.line_start(token.start)..token.start].trim_ascii_end();
    ["def", "function", "fn", "func", "fun", "macro_rules!", "import", "from", "use", "const", "let", "var"]
        .iter()
        .any(|word| before.ends_with(word.as_bytes()))
}

fn is_skip(source: &Source<'_>, token: &Token) -> bool {
    if source.language == Language::Rust && token.text == "#cfg(" {
        let condition = source.code[token.end..].strip_prefix(b"(test)");
        return condition.is_none();
    }
    is_one_of(SKIPS, source.language, &token.text) && !is_definition(source, token)
}

/// The name of the test that a token begins.
fn test_name(source: &Source<'_>, token: &Token) -> Option<Vec<u8>> {
    let text = token.text.as_str();
    let next = || source.name_after(token.end);
    let named = |prefix: &str| {
        Some(next()).filter(|name| name.starts_with(prefix)).map(|name| name.as_bytes().to_vec())
    };
    let quoted = || source.text_after(token.end).map(<[u8]>::to_vec);
    match source.language {
        Language::Python if text == "def" => named("test"),
        Language::JavaScript => {
            let name = text.trim_end_matches(['(', ':', '=']);
            let first = name.split('.').next().unwrap_or_default();
            let rest = name[first.len()..].trim_start_matches('.');
            let is_test = ["test", "it", "fit", "xit", "xtest", "specify"].contains(&first);
            let kind =
                ["", "only", "skip", "each", "concurrent", "todo", "failing", "fails", "fixme", "sequential"];
            let is_kind = rest.split('.').all(|part| kind.contains(&part));
            let called = text.ends_with('(') && source.code[..token.start].last() != Some(&b'.');
            if (is_test && is_kind && called) || ["Deno.test(", "t.test("].contains(&text) {
                quoted()
            } else {
                None
            }
        }
        Language::Go if text == "func" => ["Test", "Benchmark", "Fuzz", "Example"]
            .iter()
            .find_map(|prefix| named(prefix))
            .filter(|name| name != b"TestMain"),
        Language::Go if text.ends_with(".Run(") => quoted(),
        Language::Rust => {
            let attribute = text.strip_prefix('#')?.trim_end_matches('(');
            let last = attribute.rsplit("::").next().unwrap_or_default();
            ["test", "rstest", "test_case", "quickcheck", "proptest"]
                .contains(&last)
                .then(|| function_after(source, token))
        }
        Language::Java if text == "def" && source.text_after(token.end).is_some() => quoted(),
        Language::Java if ["test(", "testWidgets("].contains(&text) => quoted(),
        Language::Java => ["@Test", "@ParameterizedTest", "@RepeatedTest", "@TestFactory", "@Property"]
            .contains(&text.trim_end_matches('('))
            .then(|| called_after(source, token)),
        Language::CSharp => ["[Fact", "[Theory", "[Test", "[TestCase", "[TestMethod", "[DataTestMethod"]
            .contains(&text.trim_end_matches('('))
            .then(|| called_after(source, token)),
        Language::Ruby | Language::Elixir if text == "def" => named("test_"),
        Language::Ruby | Language::Elixir => {
            ["it", "specify", "example", "scenario", "test", "property", "it(", "test("]
                .contains(&text)
                .then(quoted)?
        }
        Language::Php if text == "function" => named("test"),
        Language::Php if ["it(", "test("].contains(&text) => quoted(),
        Language::Swift if text == "func" => named("test"),
        Language::Swift => ["@Test", "@Test("].contains(&text).then(|| function_after(source, token)),
        Language::C => {
            let is_test = text.ends_with('(')
                && (text.contains("TEST") || text == "SCENARIO(")
                && !text.contains("ASSERT");
            let rest = source.code[token.end..].iter().take(300);
            let arguments = || rest.take_while(|byte| **byte != b')').count();
            is_test.then(|| source.compact(token.end, token.end + arguments()))
        }
        Language::Shell if text == "@test" => quoted(),
        Language::Shell if text.starts_with("test_") && text.ends_with('(') => Some(text.as_bytes().to_vec()),
        Language::Python | Language::Go | Language::Php | Language::Shell => None,
    }
}

/// The name of the next function, by the word before it.
fn function_after(source: &Source<'_>, token: &Token) -> Vec<u8> {
    let end = source.code.len().min(token.end + 1000);
    let rest = &source.code[token.end..end];
    let at = ["fn ", "func "].iter().filter_map(|word| {
        let found = memchr::memmem::find(rest, word.as_bytes())?;
        Some(token.end + found + word.len())
    });
    at.min().map_or_else(Vec::new, |at| source.name_after(at).as_bytes().to_vec())
}

/// The next name that a parenthesis follows, after the arguments of an annotation.
fn called_after(source: &Source<'_>, token: &Token) -> Vec<u8> {
    let mut at = token.end;
    if token.text.ends_with('(') {
        at = source.statement_end(token.end).min(token.end + 1000);
    }
    for _ in 0..20 {
        let Some(next) = source.token(at).filter(|next| next.start < token.end + 1000) else { break };
        if next.text.ends_with('(') && !next.text.starts_with(['@', '[']) {
            return next.text.into_bytes();
        }
        at = next.end;
    }
    Vec::new()
}

/// Assertions that hold whatever the program does, without spaces.
fn always_holds(text: &[u8]) -> bool {
    const ALWAYS: [&str; 27] = [
        "assertTrue",
        "assert(True)",
        "assert1",
        "assertTrue(True)",
        "assertTrue(true)",
        "assert(true)",
        "assert(1)",
        "assertFalse(False)",
        "assertFalse(false)",
        "assertEqual(1,1)",
        "assertEqual(True,True)",
        "assertEquals(1,1)",
        "expect(true).toBe(true)",
        "expect(true).toBeTruthy()",
        "expect(true).toEqual(true)",
        "expect(1).toBe(1)",
        "expect(1).toEqual(1)",
        "assert.ok(true)",
        "assert.equal(1,1)",
        "assert.strictEqual(1,1)",
        "assert!(true)",
        "assert_eq!(1,1)",
        "assert_eq!(true,true)",
        "assert.True(t,true)",
        "require.True(t,true)",
        "Assert.True(true)",
        "XCTAssertTrue(true)",
    ];
    let ends = [b"orTrue".as_slice(), b"||true)", b"||true", b"or1", b"||1)", b"|true)"];
    ALWAYS.iter().any(|known| known.as_bytes() == text) || ends.iter().any(|end| text.ends_with(end))
}
