//! Makes names and descriptions from the texts of a source, and finds the test commands in them.

use super::super::node::one_line;

/// The longest name, in characters. The description has the whole text.
const MAX_NAME: usize = 100;

/// The name of a task: its first paragraph on one line, without bold marks, and cut at a word if it is too long.
pub(super) fn name_of(text: &str) -> String {
    let line = without_bold(&one_line(text));
    let line = line.trim_matches([' ', ':', '：', '-', '–', '—', '*']);
    if line.chars().nth(MAX_NAME).is_none() {
        return line.to_owned();
    }
    let cut = line.char_indices().nth(MAX_NAME - 4).map_or(line.len(), |(at, _)| at);
    let head = &line[..cut];
    let head = head.rsplit_once(' ').filter(|(head, _)| head.len() > cut / 2).map_or(head, |(head, _)| head);
    let head = head.trim_end_matches([' ', ',', ';', ':', '(', '-']);
    match (head.matches('`').count() % 2, head.rsplit_once('`')) {
        // The cut is inside of code, which begins where a name could end as well.
        (1, Some((before, _))) if before.len() > cut / 2 => {
            format!("{}...", before.trim_end_matches([' ', ',', ';', ':', '(', '-']))
        }
        (1, _) => format!("{head}...`"),
        _ => format!("{head}..."),
    }
}

/// A line without the marks of bold text. What is in backticks, names such as `__init__.py` and patterns such as `src/**` stay as
/// they are.
fn without_bold(line: &str) -> String {
    let parts = line.split('`').enumerate();
    let plain = parts.map(|(at, part)| match at % 2 {
        0 => without_pairs(&without_pairs(part, "**"), "__"),
        _ => part.to_owned(),
    });
    plain.collect::<Vec<_>>().join("`")
}

/// A text without the pairs of a mark that have words between them.
fn without_pairs(text: &str, mark: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(at) = rest.find(mark) {
        let (before, inner) = (&rest[..at], &rest[at + mark.len()..]);
        let begins = before.ends_with(|c: char| c.is_whitespace() || "([\"'".contains(c))
            || before.is_empty() && out.is_empty();
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let pair = inner.find(mark).map(|end| (&inner[..end], &inner[end + mark.len()..])).filter(
            |(within, after)| {
                let is_name = mark == "__" && within.chars().all(is_word);
                let touches =
                    within.starts_with([' ', '/']) || within.ends_with(' ') || after.starts_with(is_word);
                begins && !within.is_empty() && !is_name && !touches
            },
        );
        out.push_str(before);
        match pair {
            Some((within, after)) => {
                out.push_str(within);
                rest = after;
            }
            None => {
                out.push_str(mark);
                rest = inner;
            }
        }
    }
    out + rest
}

/// How many of the first lines of an item are its name: those before the first one that is a field, such as
/// `Test: COMMAND` or `**Files**: a.rs`.
pub(super) fn name_lines(text: &str) -> usize {
    let is_field = |line: &str| {
        let line = line.trim_start();
        let marked = line.strip_prefix("**").or_else(|| line.strip_prefix('_'));
        let is_marked = marked.is_some_and(|rest| {
            rest.split(['*', '_']).next().is_some_and(|key| key.contains(':'))
                || rest.split_once("**").is_some_and(|(_, rest)| rest.starts_with(':'))
        });
        is_marked || test_line(line).is_some() || super::stated::is_needs_line(line)
    };
    text.lines().skip(1).position(is_field).map_or(usize::MAX, |position| position + 1)
}

/// The text without the indentation that all lines but the first one share.
pub(super) fn dedent(text: &str) -> String {
    let indent = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let shared = text.lines().skip(1).filter(|line| !line.trim().is_empty()).map(indent).min().unwrap_or(0);
    let mut lines = text.lines();
    let mut out = lines.next().unwrap_or_default().trim_end().to_owned();
    for line in lines {
        out.push('\n');
        out.push_str(line.get(shared.min(indent(line))..).unwrap_or_default().trim_end());
    }
    out
}

/// The text after `NAME:` at the beginning of a line, whatever its emphasis and case.
pub(super) fn field<'t>(line: &'t str, name: &str) -> Option<&'t str> {
    let (head, rest) = line.split_once(':')?;
    head.trim_matches(['*', '_', ' ']).eq_ignore_ascii_case(name).then(|| rest.trim_start_matches(['*', '_']))
}

/// What a line says about a test command.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum TestLine {
    /// This command judges the task.
    Command(String),
    /// The line begins like a test command, but is prose.
    Prose,
}

/// Programs by which a test command is recognised if it is not in backticks.
const PROGRAMS: [&str; 42] = [
    "cargo",
    "npm",
    "pnpm",
    "yarn",
    "bun",
    "bunx",
    "deno",
    "npx",
    "pytest",
    "python",
    "python3",
    "uv",
    "poetry",
    "tox",
    "go",
    "make",
    "just",
    "mvn",
    "gradle",
    "dotnet",
    "mix",
    "bundle",
    "rspec",
    "rake",
    "phpunit",
    "composer",
    "php",
    "ruby",
    "node",
    "sh",
    "bash",
    "test",
    "true",
    "swift",
    "xcodebuild",
    "flutter",
    "dart",
    "zig",
    "cmake",
    "ctest",
    "sbt",
    "jest",
];

/// The number of a priority in words, from 1 for `critical` to 4 for `low`.
pub(in crate::plan) fn priority_of(word: &str) -> Option<u32> {
    const WORDS: [&[&str]; 4] = [&["critical", "urgent"], &["high"], &["medium", "normal"], &["low"]];
    let word = word.to_lowercase();
    let place = WORDS.iter().position(|words| words.contains(&word.as_str()))?;
    u32::try_from(place + 1).ok()
}

/// Reads a line `Test: COMMAND`.
pub(super) fn test_line(line: &str) -> Option<TestLine> {
    let plain = line.trim().trim_start_matches(['-', '*', '+', '_', ' ']);
    let (head, rest) = plain.split_once([':', '：'])?;
    let head = head.trim_matches(['*', '_', ' ']).to_lowercase();
    if !matches!(head.as_str(), "test" | "tests" | "test command" | "test commands") {
        return None;
    }
    let rest = rest.trim_matches(['*', '_', ' ']);
    let is_file = !rest.trim_matches('`').contains(' ')
        && !paths_in(&format!("`{}`", rest.trim_matches('`'))).is_empty();
    if is_file && command_of(rest).is_none() {
        return None;
    }
    Some(command_of(rest).map_or(TestLine::Prose, TestLine::Command))
}

/// The command in a text: it is in backticks, or begins with a well-known program.
pub(super) fn command_of(text: &str) -> Option<String> {
    let text = text.trim();
    if let Some(inner) = text.strip_prefix('`') {
        let inner = inner.trim_start_matches('`');
        let (command, rest) = inner.split_once('`')?;
        let command = command.trim();
        let ends = rest.trim_matches(['`', '.', ' ']).is_empty();
        // A word alone is more often a file or a name than a command.
        let is_command = command.contains(' ') || PROGRAMS.contains(&command) || command.starts_with("./");
        return (ends && is_command).then(|| command.to_owned());
    }
    let first = text.split_whitespace().next()?;
    let (folder, name) = first.rsplit_once('/').map_or((None, first), |(folder, name)| (Some(folder), name));
    let is_script = folder == Some(".") || folder.is_some() && name.ends_with(".sh");
    let is_program = is_script || PROGRAMS.contains(&name);
    let is_alone = text == "pytest" || folder == Some(".");
    (is_program && (is_alone || text.contains(' ')) && !text.ends_with('.')).then(|| text.to_owned())
}

/// The paths that a text mentions: words with a slash, or words in backticks with a file extension.
pub(in crate::plan) fn paths_in(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for (at, part) in text.split('`').enumerate() {
        let in_code = at % 2 == 1;
        for word in part.split(|c: char| c.is_whitespace() || ",;()[]<>\"'→、，（）".contains(c)) {
            let word = word.trim_end_matches(['.', ':', '!', '?']).trim_start_matches("./");
            let has_ending = word.rsplit_once('.').is_some_and(|(stem, ending)| {
                !stem.is_empty()
                    && (1..=6).contains(&ending.len())
                    && ending.bytes().all(|b| b.is_ascii_alphanumeric())
            });
            let is_path = (word.contains('/')
                && !word.contains("//")
                && (in_code || has_ending || word.ends_with('/')))
                || (in_code && has_ending);
            if is_path && !word.starts_with('/') && word.len() < 256 && seen.insert(word) {
                found.push(word);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_name_is_cut_at_a_word() {
        assert_eq!(name_of(" **Create** the\n schema: "), "Create the schema");
        for name in [
            "Create src/__init__.py and `__main__.py`",
            "Keep tests/__snapshots__",
            "Remove `a**b` and src/**/*.rs",
        ] {
            assert_eq!(name_of(name), name);
        }
        assert_eq!(name_of("__Say it__ (**loud**)"), "Say it (loud)");
        let name = name_of(&"word ".repeat(40));
        assert!(name.ends_with("word...") && name.chars().count() <= MAX_NAME, "{name}");
        let name = name_of(&"語".repeat(200));
        assert_eq!(name.chars().count(), MAX_NAME - 1);
        // Code is left out as a whole, or cut and closed.
        let name = name_of(&format!("{} `git commit --allow-empty`", "word ".repeat(18)));
        assert!(name.ends_with("word...") && !name.contains('`'), "{name}");
        let name = name_of(&format!("Run `{}`", "word ".repeat(40)));
        assert!(name.ends_with("word...`") && name.chars().count() <= MAX_NAME, "{name}");
    }

    #[test]
    fn a_test_line_gives_a_command_only_if_it_is_one() {
        let command = |text: &str| Some(TestLine::Command(text.to_owned()));
        let cases = [
            ("Test: `cargo test --lib`", command("cargo test --lib")),
            ("- **Test**: npm test -- auth", command("npm test -- auth")),
            ("Tests: pytest tests/ -x", command("pytest tests/ -x")),
            ("Test: the user can log in", Some(TestLine::Prose)),
            ("Test: `auth` works", Some(TestLine::Prose)),
            ("- Test: `tests/test_auth.py`", None),
            ("Test: `pytest`", command("pytest")),
            ("Test: `true`", command("true")),
            ("Test: ./check.sh", command("./check.sh")),
            ("Test: .venv/bin/pytest tests/test_a.py", command(".venv/bin/pytest tests/test_a.py")),
            ("Test: tests/run.sh --fast", command("tests/run.sh --fast")),
            ("Test: tests/run.sh", None),
            ("Test the login", None),
            ("Testing: `x`", None),
        ];
        for (line, expected) in cases {
            assert_eq!(test_line(line), expected, "{line}");
        }
    }

    #[test]
    fn paths_are_found_and_urls_and_slashes_in_prose_are_not() {
        let text = "Add `src/a.rs`, tests/b.py and `Cargo.toml`; see https://x.org/a.html, and/or e.g. v1.2 (lib/c/).";
        assert_eq!(paths_in(text), ["src/a.rs", "tests/b.py", "Cargo.toml", "lib/c/"]);
    }

    #[test]
    fn the_shared_indentation_is_removed() {
        assert_eq!(dedent("```sh\n    a\n      b\n    ```"), "```sh\na\n  b\n```");
    }
}
