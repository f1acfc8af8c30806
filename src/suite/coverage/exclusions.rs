//! What keeps code out of coverage reports: comments in source, and lists in the configuration of the tools that write reports.

use std::collections::BTreeSet;
use std::ops::Range;

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

/// What a change of these files keeps out of reports and was in them before, one text with the place for each. What has only
/// moved is not new.
#[must_use]
pub fn new_exclusions(files: &[Versions<'_>]) -> Vec<String> {
    let sides = |file: &Versions<'_>| [file.before, file.after].map(|text| listed(file.path, text));
    let lists: Vec<(&str, [Vec<Item>; 2])> = files.iter().map(|file| (file.path, sides(file))).collect();
    let all = |side: usize| -> BTreeSet<(List, &str)> {
        lists.iter().flat_map(|(_, sides)| &sides[side]).map(|item| (item.list, item.text.as_str())).collect()
    };
    let (before, after) = (all(0), all(1));
    let mut found = new_comments(files);
    for (path, [old, new]) in &lists {
        for Item { list, text, line } in new {
            if (list.excludes || text.starts_with('!')) && !before.contains(&(*list, text.as_str())) {
                found.push(format!("{path}:{line}: {}: {text}", list.key));
            }
        }
        for Item { list, text, .. } in old {
            if !list.excludes && !text.starts_with('!') && !after.contains(&(*list, text.as_str())) {
                found.push(format!("{path}: {}: no longer {text}", list.key));
            }
        }
    }
    found
}

/// The comments that exclude code, as far as there are more of them than before: one may be on a line that was altered.
fn new_comments(files: &[Versions<'_>]) -> Vec<String> {
    let mut before: Vec<&str> = Vec::new();
    let mut after: Vec<(&str, usize, &str)> = Vec::new();
    for Versions { path, before: old, after: new, .. } in files.iter().filter(|file| file.is_source) {
        before.extend(old.lines().map(str::trim).filter(|line| excludes(line)));
        let lines = (1..).zip(new.lines().map(str::trim)).filter(|(_, line)| excludes(line));
        after.extend(lines.map(|(number, line)| (*path, number, line)));
    }
    after.retain(|(.., line)| match before.iter().position(|known| known == line) {
        Some(place) => {
            before.swap_remove(place);
            false
        }
        None => true,
    });
    if after.len() <= before.len() {
        return Vec::new();
    }
    let shown = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    after.into_iter().map(|(path, number, line)| format!("{path}:{number}: {}", shown(line))).collect()
}

/// The words of comments and attributes that exclude code, without blanks.
const WORDS: [&str; 15] = [
    "pragma:nocover",
    "pragmanocover",
    "pragma:nobranch",
    "istanbulignore",
    "c8ignore",
    "v8ignore",
    "node:coveragedisable",
    "node:coverageignore",
    "coverage:ignore",
    "coverage(off)",
    "not(tarpaulin",
    "lcov_excl_",
    "gcovr_excl_",
    "@codecoverageignore",
    ":nocov:",
];

/// Whether a line of source has a comment or an attribute that keeps code out of reports.
fn excludes(line: &str) -> bool {
    let words: String = line.chars().filter(|letter| !letter.is_whitespace()).collect();
    let words = words.to_ascii_lowercase();
    let has_mark = |text: &str| ["#", "//", "/*"].iter().any(|mark| text.contains(mark));
    WORDS.iter().any(|word| words.find(word).is_some_and(|at| has_mark(&words[..at])))
}

/// A list in a configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct List {
    key: &'static str,
    /// Whether it names what is left out, and not what is measured.
    excludes: bool,
}

/// What stands in a list.
struct Item {
    list: List,
    text: String,
    /// Its line, counted from one.
    line: usize,
}

/// Where in a file its lists are.
#[derive(Clone, Copy)]
enum Within {
    Anywhere,
    /// Below a heading in brackets that contains this word.
    Section(&'static str),
    /// In the value of this key.
    Value(&'static str),
}

const fn out(key: &'static str) -> List {
    List { key, excludes: true }
}

const fn only(key: &'static str) -> List {
    List { key, excludes: false }
}

const PYTHON: &[List] =
    &[out("omit"), out("exclude_lines"), out("exclude_also"), out("partial_branches"), only("include")];
const ISTANBUL: &[List] = &[out("exclude"), only("include")];
const JEST: &[List] = &[out("coveragePathIgnorePatterns"), only("collectCoverageFrom")];

/// The lists, with how the names of the files begin.
const PLACES: [(&str, Within, &[List]); 13] = [
    (".coveragerc", Within::Anywhere, PYTHON),
    ("setup.cfg", Within::Section("coverage"), PYTHON),
    ("tox.ini", Within::Section("coverage"), PYTHON),
    ("pyproject.toml", Within::Section("coverage"), PYTHON),
    (".nycrc", Within::Anywhere, ISTANBUL),
    ("nyc.config.", Within::Anywhere, ISTANBUL),
    (".c8rc", Within::Anywhere, ISTANBUL),
    ("package.json", Within::Value("nyc"), ISTANBUL),
    ("package.json", Within::Value("c8"), ISTANBUL),
    ("package.json", Within::Anywhere, JEST),
    ("jest.config.", Within::Anywhere, JEST),
    ("vitest.config.", Within::Value("coverage"), ISTANBUL),
    ("vite.config.", Within::Value("coverage"), ISTANBUL),
];

/// Whether the file at `path` may have lists of what is kept out of reports.
#[must_use]
pub fn may_list_exclusions(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    PLACES.iter().any(|(start, ..)| name.starts_with(start))
}

/// What stands in the lists of a file.
fn listed(path: &str, text: &str) -> Vec<Item> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let mut items = Vec::new();
    for (_, within, lists) in PLACES.iter().filter(|(start, ..)| name.starts_with(start)) {
        let parts = match within {
            Within::Anywhere => std::iter::once(0..text.len()).collect(),
            Within::Section(word) => sections(text, word),
            Within::Value(key) => values(text, 0..text.len(), key),
        };
        for part in parts {
            for list in *lists {
                let values = values(text, part.clone(), list.key).into_iter();
                items.extend(values.flat_map(|value| items_of(text, value, *list)));
            }
        }
    }
    items
}

/// The parts below headings that contain a word, as in `[coverage:run]`.
fn sections(text: &str, word: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut is_inside = false;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.starts_with('[') {
            is_inside = line.contains(word);
            found.extend(is_inside.then_some(at..at));
        }
        at += line.len();
        if let Some(section) = found.last_mut().filter(|_| is_inside) {
            section.end = at;
        }
    }
    found
}

/// The values of a key in a part of a text: `key = value`, `key: value` and `"key": value`.
fn values(text: &str, part: Range<usize>, key: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for (start, _) in text[part.clone()].match_indices(key) {
        let start = part.start + start;
        let line = text[..start].rfind('\n').map_or(0, |end| end + 1);
        let before = text[line..start].trim_start();
        let is_word = !before.ends_with(|letter: char| letter.is_alphanumeric() || "_-".contains(letter));
        let is_comment = before.starts_with(['#', ';']) || before.starts_with("//");
        let rest = text[start + key.len()..part.end].trim_start_matches(['"', '\'', ' ', '\t']);
        if let Some(value) = rest.strip_prefix([':', '=']).filter(|_| is_word && !is_comment) {
            let value = value.trim_start_matches([' ', '\t']);
            let indent = text[line..start].len() - before.len();
            let begin = part.end - value.len();
            found.push(begin..begin + length_of_value(value, indent));
        }
    }
    found
}

/// How long the value at the beginning of a text is: to the bracket that closes it or, if none opens it, to the end of the
/// lines that are further indented than its key.
fn length_of_value(text: &str, indent: usize) -> usize {
    if !text.starts_with(['[', '{', '(']) {
        let is_part = |line: &&str| {
            let words = line.trim_start_matches([' ', '\t']);
            line.len() - words.len() > indent || words.trim().is_empty() || words.starts_with("- ")
        };
        let mut lines = text.split_inclusive('\n');
        let first = lines.next().map_or(0, str::len);
        return first + lines.take_while(is_part).map(str::len).sum::<usize>();
    }
    let mut depth = 0_usize;
    let mut quote = None;
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match (letter, quote) {
            ('\\', Some(_)) => {
                letters.next();
            }
            // An apostrophe in a comment opens nothing.
            ('\n', Some('"' | '\'')) => quote = None,
            (letter, Some(open)) => quote = quote.filter(|_| letter != open),
            ('"' | '\'' | '`', None) => quote = Some(letter),
            ('[' | '{' | '(', None) => depth += 1,
            (']' | '}' | ')', None) => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at + letter.len_utf8();
                }
            }
            _ => {}
        }
    }
    text.len()
}

/// What stands in a value, without brackets, quotes and comments.
fn items_of(text: &str, value: Range<usize>, list: List) -> Vec<Item> {
    let first = text[..value.start].matches('\n').count() + 1;
    let mut items = Vec::new();
    for (line, words) in (first..).zip(text[value].lines().map(str::trim)) {
        let is_comment = |word: &&str| word.starts_with('#') || word.starts_with("//");
        for word in words.split(',').map(str::trim).take_while(|word| !is_comment(word)) {
            let around = |letter: char| letter.is_whitespace() || "[](){}\"'`".contains(letter);
            let word = word.trim_start_matches("- ").trim_matches(around);
            if !word.is_empty() {
                items.push(Item { list, text: word.to_owned(), line });
            }
        }
    }
    items
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
                ".coveragerc:6: omit: b.py",
            ),
            (
                "setup.cfg",
                "[mypy]\nexclude_lines = x\n",
                "[mypy]\nexclude_lines = y\n[coverage:report]\nexclude_lines = raise\n[flake8]\nomit = z\n",
                "setup.cfg:4: exclude_lines: raise",
            ),
            (
                "pyproject.toml",
                "[tool.coverage.run]\nomit = [\"a.py\"]\n",
                "[tool.coverage.run]\nomit = [\n  \"a.py\", # don't\n  'b.py',\n]\n[tool.x]\nomit = ['c']\n",
                "pyproject.toml:4: omit: b.py",
            ),
            (
                "package.json",
                "{\"exclude\": [\"x\"], \"nyc\": {\"all\": true}}",
                "{\"exclude\": [\"y\"], \"nyc\": {\"exclude\": [\"src/a.js\"]}}",
                "package.json:1: exclude: src/a.js",
            ),
            (
                "web/package.json",
                "{\n\"jest\": {\"collectCoverageFrom\": [\"src/**\"]}\n}",
                "{\n\"jest\": {\n\"collectCoverageFrom\": [\"src/**\", \"!src/a.js\"]}\n}",
                "web/package.json:3: collectCoverageFrom: !src/a.js",
            ),
            (
                "jest.config.js",
                "module.exports = { collectCoverageFrom: ['src/**'] };",
                "module.exports = { collectCoverageFrom: ['src/a.js'] };",
                "jest.config.js: collectCoverageFrom: no longer src/**",
            ),
            (
                "vitest.config.ts",
                "export default { test: { exclude: ['e2e'], coverage: { all: true } } }",
                "export default {\n  test: { exclude: ['new'],\n    coverage: {\n      exclude: [...defaults, 'a.ts'] } } }",
                "vitest.config.ts:4: exclude: a.ts",
            ),
            (".nycrc.yml", "exclude:\n- a\n", "exclude:\n- a\n- b\nall: true\n", ".nycrc.yml:3: exclude: b"),
        ] {
            let found = found(path, before, after);
            assert!(found.contains(&expected.to_owned()), "{path}: {found:?}");
            assert!(found.len() <= 2 && found.iter().all(|text| !text.contains("true")), "{found:?}");
        }
    }

    #[test]
    fn lists_that_only_moved_shrank_or_name_what_is_measured_exclude_nothing_new() {
        let toml = "[tool.coverage.run]\nomit = [\"a.py\"]\n";
        for (path, before, after) in [
            (".coveragerc", "[run]\nomit = a, b\n", "[run]\nomit = b\n"),
            (".coveragerc", "", "[run]\ninclude = src/*\n# omit = a\nbranch = true\n"),
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
