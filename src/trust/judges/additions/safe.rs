//! Tells whether added lines leave everything around them as it was.

use std::collections::BTreeSet;
use std::ops::Range;

use super::hunks::Hunks;
use crate::trust::change::TestChange;
use crate::trust::judges::words::{word_set, words};
use crate::trust::language::Language;
use crate::trust::lex::{classes, code};

/// What was there before.
pub(super) struct Surroundings {
    language: Language,
    /// All its words but those of imports.
    pub(super) words: BTreeSet<Vec<u8>>,
}

impl Surroundings {
    pub(super) fn of(language: Language, rest: &[u8]) -> Self {
        let code = code(rest, &classes(language, rest));
        Self { language, words: word_set(&code).into_iter().map(<[u8]>::to_vec).collect() }
    }
}

/// What in added lines can change other tests.
const UNSAFE: &[&str] = &[
    "autouse",
    "pytest_",
    "pytestmark",
    "setattr",
    "monkeypatch.undo",
    "__builtins__",
    "builtins",
    "sys.modules",
    "load_tests",
    "globals(",
    "jest.mock",
    "jest.set",
    "vi.mock",
    "mock.module",
    "global.",
    "globalThis",
    "prototype",
    "Object.",
    "require.cache",
    "process.",
    "func init(",
    "TestMain",
    "#![",
    "macro_rules!",
    "BeforeEach",
    "BeforeAll",
    "AfterEach",
    "[SetUp",
    "[TearDown",
    "[OneTime",
    "_exit",
    "importlib",
];

/// Beginnings of lines that define something which nobody uses yet.
fn starters(language: Language) -> &'static [&'static str] {
    match language {
        Language::Python => &["def ", "async def ", "class ", "@", ")", "]", "}", "\"\"\"", "'''"],
        Language::JavaScript => &[
            "test(",
            "test.",
            "it(",
            "it.",
            "describe(",
            "describe.",
            "function ",
            "async function ",
            "const ",
            "class ",
            "type ",
            "interface ",
            "})",
            "}",
            ")",
            "]",
            "Deno.test(",
        ],
        Language::Go => &["func ", "type ", "var ", "const ", ")", "}", "{"],
        Language::Rust => &[
            "fn ",
            "async fn ",
            "#[",
            "mod ",
            "const ",
            "static ",
            "struct ",
            "enum ",
            "impl ",
            "type ",
            "}",
            ")",
            "pub ",
            "proptest!",
        ],
        Language::Shell => &["@test ", "}"],
        _ => &[
            "@",
            "[",
            "public ",
            "private ",
            "protected ",
            "internal ",
            "void ",
            "fun ",
            "func ",
            "function ",
            "static ",
            "final ",
            "async ",
            "class ",
            "#[",
            "test(",
            "it(",
            "})",
            "}",
            ")",
        ],
    }
}

/// More places than this are no addition of tests, but something that deserves a look.
const MOST_HUNKS: usize = 30;

/// Whether all `hunks` of `lines` may be added.
pub(super) fn are_safe(around: &Surroundings, lines: &[Vec<u8>], hunks: &Hunks) -> bool {
    let text = lines.join(&b"\n"[..]);
    let code_text = code(&text, &classes(around.language, &text));
    let code_lines: Vec<&[u8]> = code_text.split(|byte| *byte == b'\n').collect();
    hunks.iter().count() <= MOST_HUNKS
        && hunks.iter().all(|hunk| is_safe(around, &Texts { lines, code_lines: &code_lines }, hunk))
}

/// The lines of a file.
struct Texts<'a> {
    lines: &'a [Vec<u8>],
    /// Without comments and quotes.
    code_lines: &'a [&'a [u8]],
}

fn is_safe(around: &Surroundings, texts: &Texts<'_>, hunk: &Range<usize>) -> bool {
    let language = around.language;
    let Texts { lines, code_lines } = texts;
    let Some(added) = code_lines.get(hunk.clone()) else { return false };
    let has = |word: &&str| added.iter().any(|line| memchr::memmem::find(line, word.as_bytes()).is_some());
    let whole = lines[hunk.clone()].join(&b"\n"[..]);
    // These are comments.
    let directs = |word: &&str| memchr::memmem::find(&whole, word.as_bytes()).is_some();
    if UNSAFE.iter().any(&has) || ["go:", "+build"].iter().any(&directs) {
        return false;
    }
    let facts = TestChange::between(&format!("x.{}", ending(language)), None, Some(&whole));
    if facts.weakens() {
        return false;
    }
    if marks_what_follows(texts, hunk) {
        return false;
    }
    if language == Language::Python {
        return is_safe_python(around, code_lines, hunk);
    }
    let Some(open) = enclosing(code_lines, hunk) else { return false };
    if is_rows_of_data(&open, added) {
        return true;
    }
    open.iter().all(|line| is_container(language, line))
        && top_lines(added).is_some_and(|tops| tops.iter().all(|line| may_stand(around, line)))
}

/// Whether the last lines of a hunk are attributes or decorators of what was there before. If the same lines are directly
/// before the hunk, they belong to what was added, and those before it to the rest.
fn marks_what_follows(texts: &Texts<'_>, hunk: &Range<usize>) -> bool {
    let is_mark = |at: &usize| {
        let line = texts.code_lines[*at].trim_ascii();
        line.starts_with(b"#[") || line.starts_with(b"@") || (line.starts_with(b"[") && line.ends_with(b"]"))
    };
    let is_filled = |at: &usize| !texts.lines[*at].is_empty();
    let marks: Vec<usize> = hunk.clone().rev().filter(is_filled).take_while(is_mark).collect();
    let before: Vec<usize> = (0..hunk.start).rev().filter(is_filled).take(marks.len()).collect();
    let is_alone = marks.len() == hunk.clone().filter(is_filled).count();
    let same = marks.len() == before.len()
        && marks.iter().zip(&before).all(|(mark, other)| texts.lines[*mark] == texts.lines[*other]);
    !marks.is_empty() && (is_alone || !same)
}

/// A file ending of a language.
fn ending(language: Language) -> &'static str {
    match language {
        Language::C => "c",
        Language::CSharp => "cs",
        Language::Elixir => "exs",
        Language::Go => "go",
        Language::Java => "java",
        Language::JavaScript => "js",
        Language::Php => "php",
        Language::Python => "py",
        Language::Ruby => "rb",
        Language::Rust => "rs",
        Language::Shell => "sh",
        Language::Swift => "swift",
    }
}

/// The lines whose brackets are open where the hunk begins. None if the hunk closes one of them, or leaves one open.
fn enclosing<'a>(lines: &[&'a [u8]], hunk: &Range<usize>) -> Option<Vec<&'a [u8]>> {
    let mut open: Vec<&[u8]> = Vec::new();
    let mut outer = None;
    for (at, line) in lines.iter().enumerate().take(hunk.end) {
        if at == hunk.start {
            outer = Some(open.clone());
        }
        let floor = outer.as_ref().map_or(0, Vec::len);
        for byte in *line {
            match byte {
                b'(' | b'[' | b'{' => open.push(line),
                b')' | b']' | b'}' => {
                    if open.len() <= floor && outer.is_some() {
                        return None;
                    }
                    open.pop();
                }
                _ => {}
            }
        }
    }
    outer.filter(|outer| outer.len() == open.len())
}

/// Whether a line opens something that contains tests and is none itself.
fn is_container(language: Language, line: &[u8]) -> bool {
    let line = line.trim_ascii_start();
    let begins = |starts: &[&str]| starts.iter().any(|start| line.starts_with(start.as_bytes()));
    match language {
        Language::JavaScript => {
            begins(&["describe", "suite", "context", "class ", "test.describe", "export class "])
        }
        Language::Rust => begins(&["mod ", "pub mod ", "impl ", "proptest!", "#[cfg(test)] mod "]),
        Language::Go | Language::Shell => false,
        _ => words(line).any(|word| {
            matches!(
                word,
                b"class"
                    | b"interface"
                    | b"object"
                    | b"namespace"
                    | b"extension"
                    | b"struct"
                    | b"describe"
                    | b"record"
            )
        }),
    }
}

/// Whether the lines are rows of a table of cases: literals in a list.
fn is_rows_of_data(open: &[&[u8]], added: &[&[u8]]) -> bool {
    let Some(list) = open.last() else { return false };
    let has = |text: &str| memchr::memmem::find(list, text.as_bytes()).is_some();
    let is_list = list.ends_with(b"[")
        || list.trim_ascii() == b"}{"
        || (list.ends_with(b"{") && (has("[]") || has("map[")));
    let is_row = |line: &&[u8]| {
        let line = line.trim_ascii();
        let begins = line.first().is_none_or(|first| b"{([\"'`0123456789-&}])".contains(first));
        begins && (line.is_empty() || line.ends_with(b","))
    };
    // In a list, an expression that is called would run; a literal does not.
    let calls = |line: &&[u8]| line.windows(2).any(|pair| is_name(pair[0]) && pair[1] == b'(');
    is_list && added.iter().all(|line| is_row(line) && !calls(line))
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// The lines of a hunk that are in no bracket of the hunk. None if brackets do not match.
fn top_lines<'a>(added: &[&'a [u8]]) -> Option<Vec<&'a [u8]>> {
    let mut depth = 0usize;
    let mut tops = Vec::new();
    for line in added {
        if depth == 0 && !line.trim_ascii().is_empty() {
            tops.push(line.trim_ascii());
        }
        for byte in *line {
            match byte {
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' => depth = depth.checked_sub(1)?,
                _ => {}
            }
        }
    }
    (depth == 0).then_some(tops)
}

/// Whether a line may stand between others: it begins a definition, and its name is new.
fn may_stand(around: &Surroundings, line: &[u8]) -> bool {
    let starts = starters(around.language).iter().any(|start| line.starts_with(start.as_bytes()));
    starts && defined(line).is_none_or(|name| !around.words.contains(name))
}

/// The name that a line defines.
fn defined(line: &[u8]) -> Option<&[u8]> {
    let mut line = words(line);
    while let Some(word) = line.next() {
        if matches!(
            word,
            b"def"
                | b"class"
                | b"function"
                | b"const"
                | b"let"
                | b"func"
                | b"fn"
                | b"static"
                | b"struct"
                | b"enum"
                | b"type"
                | b"mod"
                | b"var"
                | b"fun"
                | b"void"
        ) {
            return line.next();
        }
    }
    None
}

/// As [`is_safe`], by indentation.
fn is_safe_python(around: &Surroundings, lines: &[&[u8]], hunk: &Range<usize>) -> bool {
    let indent = |line: &[u8]| line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let filled = |range: Range<usize>| range.filter(|at| !lines[*at].trim_ascii().is_empty());
    let Some(base) = filled(hunk.clone()).map(|at| indent(lines[at])).min() else { return true };
    let first = filled(hunk.clone()).next().map_or(0, |at| indent(lines[at]));
    if let Some(open) = enclosing(lines, hunk).filter(|open| !open.is_empty()) {
        return is_rows_of_data(&open, &lines[hunk.clone()]);
    }
    let mut level = base;
    let mut containers = Vec::new();
    for at in (0..hunk.start).rev() {
        let line = lines[at];
        if !line.trim_ascii().is_empty() && indent(line) < level {
            level = indent(line);
            containers.push(line.trim_ascii());
        }
    }
    // What comes after must not be deeper than what was added, or it would belong to it.
    let next = filled(hunk.end..lines.len()).next().map_or(0, |at| indent(lines[at]));
    first == base
        && next <= base
        && containers.iter().all(|line| line.starts_with(b"class "))
        && tops_of_python(&lines[hunk.clone()], base).all(|line| may_stand_in_python(around, line))
}

/// The lines with the least indentation, outside of brackets.
fn tops_of_python<'a>(lines: &[&'a [u8]], base: usize) -> impl Iterator<Item = &'a [u8]> {
    let mut depth = 0i64;
    let mut tops = Vec::new();
    for line in lines {
        let indent = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        if depth == 0 && indent == base && !line.trim_ascii().is_empty() {
            tops.push(line.trim_ascii());
        }
        for byte in *line {
            depth += i64::from(b"([{".contains(byte)) - i64::from(b")]}".contains(byte));
        }
    }
    tops.into_iter()
}

fn may_stand_in_python(around: &Surroundings, line: &[u8]) -> bool {
    let hooks = ["setUp", "tearDown", "setup", "teardown", "__", "pytest"];
    let is_hook = |name: &[u8]| hooks.iter().any(|hook| name.starts_with(hook.as_bytes()));
    if defined(line).is_some_and(is_hook) {
        return false;
    }
    may_stand(around, line) || is_plain_assignment(around, line)
}

/// `NAME = value`, with a name that was not there.
fn is_plain_assignment(around: &Surroundings, line: &[u8]) -> bool {
    let Some(equals) = line.iter().position(|byte| *byte == b'=') else { return false };
    let name = line[..equals].trim_ascii();
    let name = name.split(|byte| *byte == b':').next().unwrap_or(name).trim_ascii();
    let is_equality = line.get(equals + 1) == Some(&b'=');
    !is_equality && !name.is_empty() && name.iter().all(|byte| is_name(*byte)) && !around.words.contains(name)
}
