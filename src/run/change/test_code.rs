//! Finds the code of tests by their names, as far as that is simple: for a reviewer, who should see the tests that a change
//! makes pass.

use std::collections::BTreeMap;

use crate::error::Result;
use crate::git::Git;
use crate::record::CommitId;
use crate::text::clean;
use crate::trust::files::{FileKind, kind_of};

/// How many tests are looked for.
const TESTS: usize = 20;
/// A file of at most this many characters is shown whole.
const SMALL: usize = 3000;
/// In a larger file, nothing is looked for. In bytes.
const LARGEST: usize = 1 << 20;
/// How many characters are shown of all files together.
const ROOM: usize = 12_000;

/// The code of these tests in the files of a commit; empty if none is found. Files in `known` are left out.
///
/// # Errors
/// If git cannot search the commit.
pub(crate) fn code_of(git: &Git, commit: &CommitId, names: &[String], known: &[&str]) -> Result<String> {
    let names: Vec<Name<'_>> = names.iter().take(TESTS).map(|name| Name::of(name)).collect();
    let words: Vec<&str> = names.iter().map(|name| name.word).filter(|word| word.len() > 2).collect();
    if words.is_empty() {
        return Ok(String::new());
    }
    let mut found: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    let files = git.files_with_any(commit, &words)?;
    for path in files.iter().filter_map(|path| String::from_utf8(path.clone()).ok()) {
        let has_inline_tests = path.ends_with(".rs");
        if known.contains(&path.as_str()) || !(kind_of(&path) == FileKind::Test || has_inline_tests) {
            continue;
        }
        let own = names.iter().filter(|name| name.may_be_in(&path, &files));
        let own: Vec<&str> = own.map(|name| name.word).collect();
        if !own.is_empty() {
            found.insert(path, own);
        }
    }
    let mut shown = String::new();
    for (path, words) in found {
        let bytes = git.blob(&format!("{commit}:{path}"))?;
        if bytes.len() > LARGEST {
            continue;
        }
        let text = clean(&bytes);
        let code = shown_of(&text, &words);
        if !code.is_empty() && shown.chars().count() + code.chars().count() <= ROOM {
            shown.push_str(&format!("=== {} ===\n{code}\n", crate::text::one_line(&path)));
        }
    }
    Ok(shown)
}

/// The name of a test, as a framework prints it.
struct Name<'n> {
    /// The file in front of it, if it names one.
    file: Option<&'n str>,
    /// The part of it that appears in the code.
    word: &'n str,
}

impl<'n> Name<'n> {
    fn of(name: &'n str) -> Self {
        // unittest: `test_a (tests.test_b.Case.test_a)`.
        let name = match name.split_once(" (") {
            Some((first, rest)) if rest.ends_with(')') && !first.contains(' ') => first,
            _ => name,
        };
        let file = ["::", " > "].iter().find_map(|between| {
            let (first, _) = name.split_once(between)?;
            first.contains('.').then_some(first)
        });
        let last = ["::", " > ", " › "]
            .iter()
            .fold(name, |name, between| name.rsplit(between).next().unwrap_or(name));
        let last = if last.starts_with("Test") { last.split('/').next().unwrap_or(last) } else { last };
        let word =
            last.split_once('[').filter(|(first, _)| !first.is_empty()).map_or(last, |(first, _)| first);
        Self { file, word: word.trim() }
    }

    /// Whether it may be in this file; `all` are all files that contain some of the words.
    fn may_be_in(&self, path: &str, all: &[Vec<u8>]) -> bool {
        match self.file {
            Some(file) if all.iter().any(|found| found == file.as_bytes()) => file == path,
            _ => true,
        }
    }
}

/// The file itself if it is small, otherwise the tests with these names in it. Empty if it has none of them.
fn shown_of(text: &str, words: &[&str]) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let starts: Vec<usize> =
        (0..lines.len()).filter(|&at| words.iter().any(|word| defines(lines[at], word))).collect();
    if starts.is_empty() {
        return String::new();
    }
    if text.chars().count() <= SMALL {
        return text.trim_end().to_owned();
    }
    let blocks: Vec<String> = starts.into_iter().map(|at| block(&lines, at).join("\n")).collect();
    blocks.join("\n\n")
}

/// Whether a line begins the test with this name.
fn defines(line: &str, word: &str) -> bool {
    let by_name = ["def ", "fn ", "func ", "function "].iter().any(|keyword| {
        let after = line.split_once(keyword).map_or("", |(_, after)| after);
        after
            .strip_prefix(word)
            .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
    });
    let by_text = ['"', '\'', '`'].iter().any(|quote| line.contains(&format!("({quote}{word}{quote}")));
    by_name || by_text
}

/// The lines of the block that begins at a line: with the decorators above it, up to where the indentation ends.
fn block<'l>(lines: &[&'l str], at: usize) -> Vec<&'l str> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let own = indent(lines[at]);
    let mut first = at;
    while first > 0
        && lines[first - 1].trim_start().starts_with(['@', '#'])
        && indent(lines[first - 1]) == own
    {
        first -= 1;
    }
    let mut last = at;
    for (place, line) in lines.iter().enumerate().skip(at + 1) {
        if line.trim().is_empty() {
            continue;
        }
        let closes = line.trim_start().starts_with(['}', ')', ']']) || line.trim() == "end";
        if indent(line) > own || (indent(line) == own && closes) {
            last = place;
        }
        if indent(line) <= own {
            break;
        }
    }
    lines[first..=last].to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_of_a_name_is_what_stands_in_the_code() {
        for (name, file, word) in [
            ("tests/test_a.py::TestX::test_y[1-2]", Some("tests/test_a.py"), "test_y"),
            ("test_y (tests.test_a.Case.test_y)", None, "test_y"),
            ("suite::parses_it", None, "parses_it"),
            ("TestAdd/negative", None, "TestAdd"),
            ("a.test.ts > adds > two numbers", Some("a.test.ts"), "two numbers"),
            ("adds › two/three numbers", None, "two/three numbers"),
        ] {
            let found = Name::of(name);
            assert_eq!((found.file, found.word), (file, word), "{name}");
        }
    }

    #[test]
    fn of_a_large_file_only_the_tests_are_shown() {
        let rest = "x = 1\n".repeat(1000);
        let python = format!(
            "{rest}\n@mark\ndef test_a(one):\n    if one:\n\n        assert 1\n\ndef test_ab():\n    pass\n"
        );
        assert_eq!(
            shown_of(&python, &["test_a"]),
            "@mark\ndef test_a(one):\n    if one:\n\n        assert 1"
        );
        let rust = format!("{rest}    #[test]\n    fn it_adds() {{\n        assert!(true);\n    }}\n}}\n");
        assert_eq!(
            shown_of(&rust, &["it_adds"]),
            "    #[test]\n    fn it_adds() {\n        assert!(true);\n    }"
        );
        let script = format!("{rest}test('adds two', () => {{\n  ok(1);\n}});\ntest('b', f);\n");
        assert_eq!(shown_of(&script, &["adds two"]), "test('adds two', () => {\n  ok(1);\n});");
        assert_eq!(shown_of("def test_a():\n    pass\n", &["test_a"]), "def test_a():\n    pass");
        assert_eq!(shown_of("# test_a is elsewhere\n", &["test_a"]), "");
    }
}
