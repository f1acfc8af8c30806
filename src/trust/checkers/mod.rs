//! What judges beside tests: linters and type checkers with their configuration, libraries for tests that are in the
//! repository, and files that a command starts or reads.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use super::files::{is_test_side, matches_name};
use super::mixed::combined;
use super::scan::is_listed;
use super::weakened::changed_lines;
use crate::error::Result;
use crate::suite::{Framework, is_silent};
use crate::text::simple_commands;

/// Words with blanks between them.
type Words = &'static str;

/// A linter or a type checker.
struct Checker {
    /// The names of its programs.
    programs: Words,
    /// The files that have nothing but its configuration; each `*` stands for any characters.
    files: Words,
    /// Where its configuration is in a manifest, as [`combined`] reads it.
    keys: Words,
    /// With these exit statuses it reports what it has found. With another one it could not do its work.
    finds: RangeInclusive<i32>,
}

const fn row(programs: Words, files: Words, keys: Words, finds: RangeInclusive<i32>) -> Checker {
    Checker { programs, files, keys, finds }
}

static CHECKERS: [Checker; 16] = [
    row("ruff", "ruff.toml .ruff.toml", "tool.ruff", 1..=1),
    row("mypy dmypy", "mypy.ini .mypy.ini", "tool.mypy mypy*", 1..=1),
    row("flake8", ".flake8", "flake8*", 1..=1),
    row("pylint", ".pylintrc* pylintrc*", "tool.pylint* pylint*", 1..=31),
    row("pyright basedpyright", "pyrightconfig.json", "tool.pyright tool.basedpyright", 1..=1),
    row("eslint", "eslint.config.* .eslintrc* .eslintignore eslint-suppressions.json", "eslint*", 1..=1),
    row("biome", "biome.json biome.jsonc", "", 1..=1),
    row("oxlint", ".oxlintrc.json", "", 1..=1),
    row("stylelint", "stylelint.config.* .stylelintrc* .stylelintignore", "stylelint", 2..=2),
    row("tsc vue-tsc tsgo", "tsconfig*.json", "", 1..=2),
    row("golangci-lint", ".golangci.*", "", 1..=1),
    row("clippy", "clippy.toml .clippy.toml", "", 101..=101),
    row("cargo", "", "lints workspace.lints", 101..=101),
    row("shellcheck", ".shellcheckrc", "", 1..=1),
    row("rubocop", ".rubocop.yml .rubocop_todo.yml", "", 1..=1),
    row("phpstan", "phpstan.neon* phpstan-baseline.neon", "", 1..=1),
];

/// The manifests in which configuration has its own keys.
const MANIFESTS: Words = "pyproject.toml setup.cfg package.json Cargo.toml";

/// Programs that start what a recipe says, and where their recipes are.
const RECIPES: [(Words, Words); 11] = [
    ("make gmake", "Makefile makefile GNUmakefile"),
    ("just", "justfile Justfile .justfile"),
    ("task", "Taskfile.yml Taskfile.yaml taskfile.yml taskfile.yaml"),
    ("tox", "tox.ini pyproject.toml setup.cfg"),
    ("nox", "noxfile.py"),
    ("npm pnpm yarn bun", "package.json"),
    ("poe hatch pdm rye", "pyproject.toml"),
    ("pre-commit prek lefthook", ".pre-commit-config.yaml lefthook.yml .lefthook.yml"),
    ("composer", "composer.json"),
    ("deno", "deno.json deno.jsonc"),
    ("rake", "Rakefile"),
];

/// The endings of scripts that a command may start.
const SCRIPTS: Words = "sh bash py js mjs cjs ts rb pl mk";

/// How many recipes and scripts are read.
const MOST_TEXTS: usize = 20;

/// What the commands of a task start, as far as it can be read.
#[derive(Debug, Default)]
pub struct Started {
    commands: Vec<String>,
    /// The recipes and scripts that they name, with their paths.
    recipes: Vec<(String, String)>,
}

/// The configuration of checkers as it was before a change.
#[derive(Debug, PartialEq, Eq)]
pub struct OldConfiguration {
    /// The names of the checkers.
    pub checkers: Vec<&'static str>,
    /// Where it is.
    pub place: Configuration,
    /// What the change did to it, as the lines of a difference.
    pub lines: Vec<String>,
}

/// Where checkers have their configuration.
#[derive(Debug, PartialEq, Eq)]
pub enum Configuration {
    /// It is the whole file.
    File,
    /// It is a part of this file, in which it is as it was before.
    Keys(Vec<u8>),
}

impl Started {
    /// Reads what these commands start. `load` gives those of some files that exist.
    ///
    /// # Errors
    /// If a file cannot be loaded.
    pub fn read(
        commands: Vec<String>,
        mut load: impl FnMut(&[String]) -> Result<Vec<(String, Vec<u8>)>>,
    ) -> Result<Self> {
        let mut known = BTreeSet::new();
        let mut texts = commands.clone();
        let mut recipes = Vec::new();
        while !texts.is_empty() && recipes.len() < MOST_TEXTS {
            let named = texts.iter().flat_map(|text| files_started_by(text));
            let new: Vec<String> = named.filter(|path| known.insert(path.clone())).collect();
            let text =
                |(path, bytes): (String, Vec<u8>)| (path, String::from_utf8_lossy(&bytes).into_owned());
            let loaded: Vec<(String, String)> = load(&new)?.into_iter().map(text).collect();
            texts = loaded.iter().map(|(path, text)| commands_in(path, text)).collect();
            recipes.extend(loaded);
        }
        Ok(Self { commands, recipes })
    }

    /// What a changed file is without the change to the configuration of checkers that are started. None if it has no such
    /// configuration, or nothing of that has changed.
    #[must_use]
    pub fn old_configuration(
        &self,
        path: &str,
        base: Option<&[u8]>,
        head: Option<&[u8]>,
    ) -> Option<OldConfiguration> {
        if let Some(checker) = Checker::with_file(path) {
            let lines = changed_lines(base, head);
            let place = Configuration::File;
            return self.starts(checker).then(|| OldConfiguration {
                checkers: vec![checker.name()],
                place,
                lines,
            });
        }
        let head = head.filter(|_| is_listed(MANIFESTS, name_of(path)))?;
        let is_changed = |checker: &&Checker| {
            !checker.keys.is_empty()
                && self.starts(checker)
                && combined(path, checker.keys, base, head).is_some_and(|old| old != head)
        };
        let (checkers, keys): (Vec<&str>, Vec<&str>) =
            CHECKERS.iter().filter(is_changed).map(|checker| (checker.name(), checker.keys)).unzip();
        let keys = Some(keys.join(" ")).filter(|keys| !keys.is_empty())?;
        let old = combined(path, &keys, base, head)?;
        // Both are written by us, so that only what the programs read differs.
        let lines = changed_lines(Some(&old), combined(path, &keys, Some(head), &old).as_deref());
        Some(OldConfiguration { checkers, place: Configuration::Keys(old), lines })
    }

    /// Whether a file is the configuration of a checker that is started, and nothing else.
    #[must_use]
    pub fn configures(&self, path: &str) -> bool {
        Checker::with_file(path).is_some_and(|checker| self.starts(checker))
    }

    fn starts(&self, checker: &Checker) -> bool {
        let recipes = self.recipes.iter().map(|(path, text)| commands_in(path, text));
        let texts: Vec<String> = self.commands.iter().cloned().chain(recipes).collect();
        let mut programs = checker.programs.split_ascii_whitespace();
        programs.any(|program| texts.iter().any(|text| place_of(text, program).is_some()))
    }

    /// The same with `true` in the place of each part that names a file. None if no part does, or if nothing else judges.
    #[must_use]
    pub fn without(&self, path: &str) -> Option<Self> {
        let without = |text: &str| {
            let mut text = text.to_owned();
            let mut from = 0;
            while let Some(at) = naming(&text[from..], path) {
                let (start, end) = part_around(&text, from + at);
                text.replace_range(start..end, "true");
                from = start + "true".len();
            }
            text
        };
        let commands: Vec<String> = self.commands.iter().map(|text| without(text)).collect();
        // What a script reads in its turn, such as the source that it checks, is not named by the command.
        let is_recipe = |path: &str| RECIPES.iter().any(|(_, files)| is_listed(files, path));
        let recipe = |(path, text): &(String, String)| {
            (path.clone(), if is_recipe(path) { without(text) } else { text.clone() })
        };
        let recipes: Vec<_> = self.recipes.iter().map(recipe).collect();
        let simple: Vec<Vec<String>> = commands.iter().flat_map(|text| simple_commands(text)).collect();
        let judges = if commands != self.commands {
            simple.iter().any(|words| !is_silent(words))
        } else if recipes != self.recipes {
            let of_recipes =
                recipes.iter().flat_map(|(path, text)| simple_commands(&commands_in(path, text)));
            let judges = |words: &Vec<String>| {
                Framework::guess(&words.join(" ")).is_some() || words.iter().any(|word| is_test_side(word))
            };
            simple.into_iter().chain(of_recipes).any(|words| judges(&words))
        } else {
            false
        };
        judges.then_some(Self { commands, recipes })
    }

    /// The commands, in order.
    #[must_use]
    pub fn commands(&self) -> &[String] {
        &self.commands
    }

    /// The recipes and scripts that are not as in another one.
    pub fn recipes_unlike<'s>(&'s self, other: &'s Self) -> impl Iterator<Item = &'s (String, String)> {
        self.recipes.iter().filter(|recipe| !other.recipes.contains(recipe))
    }
}

/// Whether a file may have configuration of a checker.
#[must_use]
pub fn may_configure(path: &str) -> bool {
    is_listed(MANIFESTS, name_of(path)) || Checker::with_file(path).is_some()
}

fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

impl Checker {
    /// The one of which a file has the configuration, and nothing else.
    fn with_file(path: &str) -> Option<&'static Self> {
        let is_it = |pattern: &str| matches_name(pattern, name_of(path));
        CHECKERS.iter().find(|checker| checker.files.split_ascii_whitespace().any(is_it))
    }

    fn name(&self) -> &'static str {
        self.programs.split(' ').next().unwrap_or_default()
    }
}

/// The part of a file that starts something: of a manifest of JavaScript, its scripts.
fn commands_in(path: &str, text: &str) -> String {
    let manifest =
        || serde_json::from_str::<serde_json::Value>(text).ok().filter(|_| path.ends_with(".json"));
    let Some(manifest) = manifest() else { return text.to_owned() };
    let tables = ["scripts", "tasks"].iter().filter_map(|key| manifest.get(key)?.as_object());
    let lines = tables.flat_map(|table| table.values()).filter_map(serde_json::Value::as_str);
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// The recipes and scripts that a text may name.
fn files_started_by(text: &str) -> Vec<String> {
    let words = text.split(|c: char| c.is_whitespace() || "\"'`;|&()<>=,:@".contains(c));
    let mut files = Vec::new();
    for word in words {
        let recipes = RECIPES.iter().filter(|(programs, _)| is_listed(programs, word));
        files.extend(recipes.flat_map(|(_, files)| files.split_ascii_whitespace()).map(str::to_owned));
        let path = word.trim_start_matches("./");
        let is_script = path.rsplit_once('.').is_some_and(|(_, ending)| is_listed(SCRIPTS, ending));
        if is_script && !path.starts_with('/') && !path.contains("..") {
            files.push(path.to_owned());
        }
    }
    files
}

/// Where a text has a word that is not a part of a longer name.
fn place_of(text: &str, word: &str) -> Option<usize> {
    let is_inner = |c: char| c.is_alphanumeric() || "_-".contains(c);
    text.match_indices(word).map(|(at, _)| at).find(|at| {
        let (before, after) = (&text[..*at], &text[at + word.len()..]);
        !before.ends_with(is_inner) && !after.starts_with(|c| is_inner(c) || c == '.' || c == '/')
    })
}

/// Where a text names a file, by its path or as a module of Python.
fn naming(text: &str, path: &str) -> Option<usize> {
    let module = path.strip_suffix(".py").map(|stem| format!("-m {}", stem.replace('/', ".")));
    let is_whole = |at: &usize| {
        let before = &text[..*at];
        let before = before.strip_suffix("./").unwrap_or(before);
        !before.ends_with(['/', '.'])
    };
    place_of(text, path).filter(is_whole).or_else(|| place_of(text, &module?))
}

/// The simple command around a place in a text: a part of a command, of a line of a recipe, or of a script in a manifest. Where
/// another one reads its output, that one stays, and will miss it.
fn part_around(text: &str, at: usize) -> (usize, usize) {
    let ends = ["&&", "|", ";", "\n", "\"", "(", ")", "`"];
    let start = ends.iter().filter_map(|end| Some(text[..at].rfind(end)? + end.len())).max().unwrap_or(0);
    let end = ends.iter().filter_map(|end| text[at..].find(end)).min().map_or(text.len(), |end| at + end);
    let is_around = |c: char| c.is_whitespace() || c == '@';
    let start = start + text[start..at].len() - text[start..at].trim_start_matches(is_around).len();
    (start, start + text[start..end].trim_end().len())
}

/// How checkers say that they do not understand their configuration, where their exit status does not.
const UNLOADED: [&str; 5] = [
    "error TS5",
    "error TS18003",
    "unrecognized-option",
    "failed to parse manifest",
    "error reading Clippy's configuration",
];

/// How checkers say that a library is missing, or has no types: a change that needs a new library configures that.
const MISSING: Words = "[import] [import-untyped] [import-not-found] TS2307 TS2792 TS7016 TS2688 reportMissingImports \
     reportMissingModuleSource reportMissingTypeStubs import/no-unresolved E0401";

/// Whether one of these checkers ended because of what it has found in the code.
#[must_use]
pub fn found_something(checkers: &BTreeSet<&str>, status: i32, printed: &str) -> bool {
    // `make` ends with 2, whatever its commands end with.
    let of_make = |line: &str| {
        let (_, told) = line.split_once(": *** [")?.1.split_once("] Error ")?;
        told.trim().parse().ok()
    };
    let status = printed.lines().filter_map(of_make).next_back().unwrap_or(status);
    let mut known = CHECKERS.iter().filter(|checker| checkers.contains(checker.name()));
    let is_error = |line: &&str| [": error", "- error", "  error  "].iter().any(|sign| line.contains(sign));
    let mut errors = printed.lines().filter(is_error).peekable();
    let only_missing =
        errors.peek().is_some() && errors.all(|line| MISSING.split(' ').any(|sign| line.contains(sign)));
    known.any(|checker| checker.finds.contains(&status))
        && !only_missing
        && !UNLOADED.iter().any(|said| printed.contains(said))
}

/// Folders for the code of others, by their names.
const VENDORED: Words = "vendor vendored _vendor third_party third-party thirdparty external deps";

/// Libraries with which tests are written.
const TEST_LIBRARIES: Words = "\
    _pytest assert assert_cmd ava bats bats-assert bats-core bats-file bats-support behave catch2 chai check cmocka doctest \
    expect ginkgo go-cmp gocheck gomega gomock googlemock googletest gotest.tools gtest hypothesis insta is jasmine jest \
    minitest mocha mock mockall mockery nose pluggy pretty_assertions proptest pytest quickcheck quicktest rspec \
    rspec-core rspec-expectations rspec-mocks rstest should should.js shunit2 sinon tap tape testify unity unittest2 uvu \
    vitest wiremock phpunit";

/// Whether a file belongs to a library for tests that is in the repository.
#[must_use]
pub fn is_vendored_test_library(path: &str) -> bool {
    let mut folders = path.split('/').rev().skip(1).collect::<Vec<_>>().into_iter().rev();
    folders.any(|folder| is_listed(VENDORED, folder))
        && folders.any(|folder| is_listed(TEST_LIBRARIES, folder))
}
