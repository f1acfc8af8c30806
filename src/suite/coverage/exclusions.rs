//! What keeps code out of coverage reports: comments in source, and lists in the configuration of the tools that write reports.
//!
//! No configuration is parsed: a line belongs to the keys above it that are less indented, and to the last heading in brackets.

use std::collections::BTreeSet;

/// A file before and after a change; a side without a file is empty.
#[derive(Clone, Copy, Debug)]
pub struct Versions<'a> {
    /// From the top of the work tree.
    pub path: &'a str,
    /// As it was.
    pub before: &'a str,
    /// As it is.
    pub after: &'a str,
    /// Whether it is source, so that its comments count.
    pub is_source: bool,
}

struct Line<'a> {
    path: &'a str,
    number: usize,
    text: &'a str,
}

/// The lines of a change of these files that keep code out of reports which was in them before, with their places. What has only moved is
/// not new.
#[must_use]
pub fn new_exclusions(files: &[Versions<'_>]) -> Vec<String> {
    let before = files.iter().flat_map(|file| listed(file.path, file.before));
    let after = files.iter().flat_map(|file| listed(file.path, file.after));
    let known: BTreeSet<&str> = before.flat_map(|line| items(line.text)).collect();
    let left_out = after.filter(|line| items(line.text).any(|item| !known.contains(item)));
    let shown = |Line { path, number, text }: Line<'_>| {
        format!("{path}:{number}: {}", text.split_whitespace().collect::<Vec<_>>().join(" "))
    };
    new_comments(files).into_iter().chain(left_out).map(shown).collect()
}

/// The comments that exclude code, as far as there are more of them than before: one may be on a line that was altered.
fn new_comments<'a>(files: &[Versions<'a>]) -> Vec<Line<'a>> {
    let comments = |of: fn(&Versions<'a>) -> &'a str| -> Vec<Line<'a>> {
        let lines = files.iter().filter(|file| file.is_source).flat_map(|file| {
            let lines = (1..).zip(of(file).lines());
            lines.map(|(number, line)| Line { path: file.path, number, text: line.trim() })
        });
        lines.filter(|line| excludes(line.text)).collect()
    };
    let (mut before, mut after) = (comments(|file| file.before), comments(|file| file.after));
    after.retain(|line| {
        let known = before.iter().position(|known| known.text == line.text);
        known.map(|place| before.swap_remove(place)).is_none()
    });
    if after.len() > before.len() { after } else { Vec::new() }
}

/// The words of comments and attributes that exclude code, without blanks.
const WORDS: &str = "pragma:nocover pragmanocover pragma:nobranch istanbulignore c8ignore v8ignore node:coveragedisable \
     node:coverageignore coverage:ignore coverage(off) not(tarpaulin lcov_excl_ gcovr_excl_ @codecoverageignore :nocov:";

/// Whether a line of source has a comment or an attribute that keeps code out of reports.
fn excludes(line: &str) -> bool {
    let words: String = line.chars().filter(|letter| !letter.is_whitespace()).collect();
    let words = words.to_ascii_lowercase();
    let has_mark = |text: &str| ["#", "//", "/*"].iter().any(|mark| text.contains(mark));
    WORDS.split(' ').any(|word| words.find(word).is_some_and(|at| has_mark(&words[..at])))
}

/// Files, by how their names begin, a word above a list in them, and the names of lists of what is left out.
const LISTS: [[&str; 3]; 7] = [
    [".coveragerc", "", "omit exclude_lines exclude_also partial_branches"],
    ["setup.cfg tox.ini pyproject.toml", "coverage", "omit exclude_lines exclude_also partial_branches"],
    [".nycrc nyc.config. .c8rc", "", "exclude"],
    ["package.json", "nyc c8", "exclude"],
    ["package.json jest.config.", "", "coveragePathIgnorePatterns"],
    // What is measured, without what these patterns match.
    ["package.json jest.config.", "collectCoverageFrom", "!"],
    ["vitest.config. vite.config.", "coverage", "exclude"],
];

/// Whether the file at `path` may have lists of what is kept out of reports.
#[must_use]
pub fn may_list_exclusions(path: &str) -> bool {
    lists_of(path).next().is_some()
}

fn lists_of(path: &str) -> impl Iterator<Item = &'static [&'static str; 3]> {
    let name = path.rsplit('/').next().unwrap_or(path);
    LISTS.iter().filter(move |[files, ..]| files.split(' ').any(|start| name.starts_with(start)))
}

/// The lines of a configuration that belong to lists of what is left out.
fn listed<'a>(path: &'a str, text: &'a str) -> Vec<Line<'a>> {
    let mut found = Vec::new();
    let mut above: Vec<(usize, &str)> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let text = line.trim();
        if text.is_empty() || ["#", ";", "//"].iter().any(|mark| text.starts_with(mark)) {
            continue;
        }
        let indent = match line.len() - line.trim_start().len() {
            0 if text.starts_with('[') => 0,
            indent => indent + if text.starts_with("- ") { 2 } else { 1 },
        };
        above.retain(|(outer, _)| *outer < indent);
        above.push((indent, text));
        let is_inner = |c: char| c.is_alphanumeric() || "_-".contains(c);
        let has = |words: &str| {
            words.split_ascii_whitespace().any(|word| {
                let mut places = above
                    .iter()
                    .flat_map(|(_, text)| text.match_indices(word).map(move |(at, _)| &text[..at]));
                places.any(|before| !before.ends_with(is_inner))
            })
        };
        if lists_of(path).any(|[_, above, lists]| (above.is_empty() || has(above)) && has(lists)) {
            found.push(Line { path, number, text });
        }
    }
    found
}

/// What stands in a line, without brackets, quotes and signs around it.
fn items(line: &str) -> impl Iterator<Item = &str> {
    let code = line.split(" #").next().unwrap_or_default();
    let words = code.split(|c: char| c.is_whitespace() || "=,:[](){}\"'`".contains(c));
    words.filter(|word| word.contains(char::is_alphanumeric))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file<'a>(path: &'a str, before: &'a str, after: &'a str) -> Versions<'a> {
        Versions { path, before, after, is_source: !may_list_exclusions(path) }
    }

    fn found(path: &str, before: &str, after: &str) -> Vec<String> {
        new_exclusions(&[file(path, before, after)])
    }

    #[test]
    fn comments_that_exclude_code_are_found_in_all_languages() {
        for line in [
            "if DEBUG: # pragma: no cover",
            "x = 1 #pragma no cover",
            "else: # pragma: no branch",
            "/* istanbul ignore next */",
            "{/* v8 ignore start */}",
            "// c8 ignore next 3",
            "/* node:coverage disable */",
            "#[coverage(off)]",
            "#![cfg_attr(coverage_nightly, coverage(off))]",
            "#[cfg(not(tarpaulin_include))]",
            "abort(); // LCOV_EXCL_LINE",
            "// @codeCoverageIgnore",
            "# :nocov:",
        ] {
            assert_eq!(found("src/a", "", &format!("one\n  {line}\n")), [format!("src/a:2: {line}")]);
        }
        for line in ["pragma = 'no cover'", "# no cover letter", "ignore(istanbul)", "# istanbul is ignored"]
        {
            assert_eq!(found("src/a", "", line), [""; 0], "{line}");
        }
    }

    #[test]
    fn a_comment_that_was_moved_or_whose_line_was_altered_is_not_new() {
        let line = "x = 1  # pragma: no cover\n";
        assert_eq!(found("a.py", line, &format!("y = 2\n    {line}")), [""; 0]);
        assert_eq!(found("a.py", line, "x = 2  # pragma: no cover\n"), [""; 0]);
        assert_eq!(new_exclusions(&[file("a.py", line, ""), file("b.py", "", line)]), [""; 0]);
        assert_eq!(found("a.py", line, &format!("{line}{line}")), ["a.py:2: x = 1 # pragma: no cover"]);
        let test = Versions { is_source: false, ..file("tests/test_a.py", "", line) };
        assert_eq!(new_exclusions(&[test]), [""; 0]);
    }

    #[test]
    fn new_items_of_lists_are_found_in_every_configuration() {
        for (path, before, after, expected) in [
            (
                ".coveragerc",
                "[run]\nbranch = true\nomit =\n    a.py\n",
                "[run]\nbranch = true\nomit =\n    a.py\n\n    b.py\nsource = src\n",
                ".coveragerc:6: b.py",
            ),
            (
                "setup.cfg",
                "[mypy]\nexclude_lines = x\n",
                "[mypy]\nexclude_lines = y\n[coverage:report]\nexclude_lines = raise\n[flake8]\nomit = z\n",
                "setup.cfg:4: exclude_lines = raise",
            ),
            (
                "pyproject.toml",
                "[tool.coverage.run]\nomit = [\"a.py\"]\n",
                "[tool.coverage.run]\nomit = [\n  \"a.py\", # don't\n  'b.py',\n]\n[tool.x]\nomit = ['c']\n",
                "pyproject.toml:4: 'b.py',",
            ),
            (
                "package.json",
                "{\"exclude\": [\"x\"], \"nyc\": {\"all\": true}}",
                "{\"exclude\": [\"y\"], \"nyc\": {\"exclude\": [\"src/a.js\"]}}",
                "package.json:1: {\"exclude\": [\"y\"], \"nyc\": {\"exclude\": [\"src/a.js\"]}}",
            ),
            (
                "web/package.json",
                "{\n\"jest\": {\"collectCoverageFrom\": [\"src/**\"]}\n}",
                "{\n\"jest\": {\n\"collectCoverageFrom\": [\"src/**\", \"!src/a.js\"]}\n}",
                "web/package.json:3: \"collectCoverageFrom\": [\"src/**\", \"!src/a.js\"]}",
            ),
            (
                "jest.config.js",
                "module.exports = { verbose: 1 };",
                "module.exports = { verbose: 1, coveragePathIgnorePatterns: ['src/a.js'] };",
                "jest.config.js:1: module.exports = { verbose: 1, coveragePathIgnorePatterns: ['src/a.js'] };",
            ),
            (
                "vitest.config.ts",
                "export default { test: { exclude: ['e2e'], coverage: { all: true } } }",
                "export default {\n  test: { exclude: ['new'],\n    coverage: {\n      exclude: [...defaults, 'a.ts'] } } }",
                "vitest.config.ts:4: exclude: [...defaults, 'a.ts'] } } }",
            ),
            (".nycrc.yml", "exclude:\n- a\n", "exclude:\n- a\n- b\nall: true\n", ".nycrc.yml:3: - b"),
        ] {
            let found = found(path, before, after);
            assert!(found.contains(&expected.to_owned()), "{path}: {found:?}");
            assert!(found.len() <= 2 && found.iter().all(|text| !text.contains("true")), "{found:?}");
        }
    }

    #[test]
    fn lists_that_only_moved_or_shrank_exclude_nothing_new() {
        let toml = "[tool.coverage.run]\nomit = [\"a.py\"]\n";
        for (path, before, after) in [
            (".coveragerc", "[run]\nomit = a, b\n", "[run]\nomit = b\n"),
            (".coveragerc", "", "[run]\ninclude = src/*\n# omit = a\nbranch = true\n"),
            (".coveragerc", "[run]\nsource = src\n", "[run]\nbranch = true\n"),
            (".coveragerc", "[run]\nsource =\n    a\n    b\n", "[run]\nsource = b, a\ninclude = c\n"),
            (
                "vitest.config.ts",
                "a = { coverage: { include: ['src/a/*.ts'] } }",
                "a = { coverage: { include: ['src/**/*.ts'] } }",
            ),
            ("pyproject.toml", "[tool.ruff]\nomit = ['x']\n", "[tool.ruff]\nomit = ['y']\n"),
            ("jest.config.js", "", "module.exports = { collectCoverageFrom: ['src/**'] };"),
            ("vite.config.js", "", "export default { test: { exclude: ['e2e'] } }"),
        ] {
            assert_eq!(found(path, before, after), [""; 0], "{path}");
        }
        let moved = [file(".coveragerc", "[run]\nomit = a.py\n", ""), file("pyproject.toml", "", toml)];
        assert_eq!(new_exclusions(&moved), [""; 0]);
    }

    #[test]
    fn text_of_any_form_is_read() {
        for text in
            ["omit", "omit =", "omit = [", "omit = ['", "omit = [\\", "omit = [\"\\", "omit:\n\n", "ömit = ö"]
        {
            found(".coveragerc", text, "");
            found(".coveragerc", "", text);
        }
    }
}
