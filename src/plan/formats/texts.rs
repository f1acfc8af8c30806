//! Makes names and descriptions from the texts of a source, and finds the test commands in them.

use std::collections::HashSet;

use super::super::node::one_line;
use super::needs;

/// The longest name, in characters. The description has the whole text.
const MAX_NAME: usize = 100;

pattern!(BOLD, r#"(^|[\s(\["'])(?:\*\*([^\s*/](?:[^*]*[^\s*])?)\*\*|__([^\s_][^_]*\s[^_]*[^\s_])__)"#);

/// The name of a task: its first paragraph on one line, without bold marks, and cut at a word if it is too long.
pub(super) fn name_of(text: &str) -> String {
    let line = one_line(text);
    // What is in backticks, names such as `__init__.py` and patterns such as `src/**` stay as they are.
    let plain = |(at, part)| if at % 2 == 0 { BOLD.replace_all(part, "$1$2$3") } else { part.into() };
    let line = line.split('`').enumerate().map(plain).collect::<Vec<_>>().join("`");
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

pattern!(MARKED_FIELD, r"^\s*(?:\*\*|_)(?:[^*_]*[:：]|[^*]*\*\*[:：])");

/// How many of the first lines of an item are its name: those before the first one that is a field, such as
/// `Test: COMMAND` or `**Files**: a.rs`.
pub(super) fn name_lines(text: &str) -> usize {
    let is_field = |line: &str| MARKED_FIELD.is_match(line) || TEST.is_match(line) || needs::is_field(line);
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

/// Programs by which a test command is recognised if it is not in backticks.
const PROGRAMS: &str = "cargo|npm|pnpm|yarn|bun|bunx|deno|npx|pytest|python|python3|uv|poetry|tox|go|make|just|mvn|gradle|dotnet|\
                        mix|bundle|rspec|rake|phpunit|composer|php|ruby|node|sh|bash|test|true|swift|xcodebuild|flutter|dart|\
                        zig|cmake|ctest|sbt|jest";

pub(super) fn is_program(word: &str) -> bool {
    PROGRAMS.split('|').any(|program| program == word)
}

/// The number of a priority in words, from 1 for `critical` to 4 for `low`.
pub(in crate::plan) fn priority_of(word: &str) -> Option<u32> {
    match word.to_lowercase().as_str() {
        "critical" | "urgent" => Some(1),
        "high" => Some(2),
        "medium" | "normal" => Some(3),
        "low" => Some(4),
        _ => None,
    }
}

pattern!(TEST, r"(?i)^[\s*+_-]*(?:tests?|test commands?|(verify))[*_ ]*[:：](.*)$");

/// The command of a line `Test: COMMAND` or `verify: COMMAND`.
pub(super) fn test_line(line: &str) -> Option<String> {
    let found = TEST.captures(line)?;
    let rest = found[2].trim_matches(['*', '_', ' ']);
    let end = [" runs", " passes", " pass", " runs.", " passes.", " pass."]
        .iter()
        .find_map(|end| rest.strip_suffix(end));
    command_of(end.filter(|_| found.get(1).is_some()).unwrap_or(rest))
}

/// Words that follow a program's name in prose: `make sure that it works`, `test that login works`.
const PROSE: &str =
    "sure|certain|the|that|a|an|it|to|if|all|whether|with|by|how|through|in|on|must|should|can|is|when|open";

/// The command in a text: it is in backticks, or begins with a well-known program.
pub(super) fn command_of(text: &str) -> Option<String> {
    let text = text.trim();
    if let Some(inner) = text.strip_prefix('`') {
        let (command, rest) = inner.trim_start_matches('`').split_once('`')?;
        let command = command.trim();
        let ends = rest.trim_matches(['`', '.', ' ']).is_empty();
        // A word alone is more often a file or a name than a command.
        let is_command = command.contains(' ') || is_program(command) || command.starts_with("./");
        return (ends && is_command).then(|| command.to_owned());
    }
    let mut words = text.split_whitespace();
    let first = words.next()?;
    if words.next().is_some_and(|second| PROSE.split('|').any(|known| known == second)) {
        return None;
    }
    let (folder, name) = first.rsplit_once('/').map_or((None, first), |(folder, name)| (Some(folder), name));
    let is_script = folder == Some(".") || folder.is_some() && name.ends_with(".sh");
    let is_alone = text == "pytest" || folder == Some(".");
    let is_command =
        (is_script || is_program(name)) && (is_alone || text.contains(' ')) && !text.ends_with('.');
    is_command.then(|| text.to_owned())
}

/// The paths that a text mentions: words with a slash, or words in backticks with a file extension.
pub(in crate::plan) fn paths_in(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    for (at, part) in text.split('`').enumerate() {
        let in_code = at % 2 == 1;
        for word in part.split(|c: char| c.is_whitespace() || ",;()[]<>\"'→、，（）".contains(c)) {
            let word = word.trim_end_matches(['.', ':', '!', '?']).trim_start_matches("./");
            let has_ending = word.rsplit_once('.').is_some_and(|(stem, ending)| {
                !stem.is_empty()
                    && (1..=6).contains(&ending.len())
                    && ending.bytes().all(|b| b.is_ascii_alphanumeric())
            });
            let is_in_folder = word.contains('/') && !word.contains("//");
            let is_path =
                is_in_folder && (in_code || has_ending || word.ends_with('/')) || in_code && has_ending;
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
        let command = |text: &str| Some(text.to_owned());
        let cases = [
            ("Test: `cargo test --lib`", command("cargo test --lib")),
            ("- **Test**: npm test -- auth", command("npm test -- auth")),
            ("Tests: pytest tests/ -x", command("pytest tests/ -x")),
            ("Test: the user can log in", None),
            ("Test: `auth` works", None),
            ("- Test: `tests/test_auth.py`", None),
            ("Test: `pytest`", command("pytest")),
            ("Test: `true`", command("true")),
            ("Test: ./check.sh", command("./check.sh")),
            ("Test: .venv/bin/pytest tests/test_a.py", command(".venv/bin/pytest tests/test_a.py")),
            ("Test: tests/run.sh --fast", command("tests/run.sh --fast")),
            ("Test: tests/run.sh", None),
            ("Test the login", None),
            ("Testing: `x`", None),
            ("verify: `pytest tests/a.py` runs", command("pytest tests/a.py")),
            ("verify: it is there", None),
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
