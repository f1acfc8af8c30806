//! What judges beside tests: linters and type checkers with their configuration, libraries for tests that are in the
//! repository, and files that a command starts or reads.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use serde_json::{Map, Value};

use super::files::{FileKind, is_test_side, kind_of, matches_name};
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
    row("mypy dmypy", "mypy.ini .mypy.ini setup.cfg", "tool.mypy", 1..=1),
    row("flake8", ".flake8 setup.cfg", "", 1..=1),
    row("pylint", ".pylintrc* pylintrc* setup.cfg", "tool.pylint*", 1..=31),
    row("pyright basedpyright", "pyrightconfig.json", "tool.pyright tool.basedpyright", 1..=1),
    row("eslint", "eslint.config.* .eslintrc* .eslintignore eslint-suppressions.json", "eslint*", 1..=1),
    row("biome", "biome.json biome.jsonc", "", 1..=1),
    row("oxlint", ".oxlintrc.json", "", 1..=1),
    row("tsc vue-tsc tsgo", "tsconfig*.json", "", 1..=2),
    row("golangci-lint", ".golangci.*", "", 1..=1),
    row("stylelint", "stylelint.config.* .stylelintrc* .stylelintignore", "stylelint", 2..=2),
    row("shellcheck", ".shellcheckrc shellcheckrc", "", 1..=1),
    row("rubocop", ".rubocop.yml .rubocop_todo.yml", "", 1..=1),
    row("phpstan", "phpstan*.neon phpstan*.neon.dist", "", 1..=1),
    row("clippy", "clippy.toml .clippy.toml", "", 101..=101),
    row("cargo", "", "lints workspace.lints", 101..=101),
];

/// The manifests in which configuration has its own keys.
const MANIFESTS: Words = "pyproject.toml package.json Cargo.toml";

/// Programs that start what a recipe says, and where their recipes are.
const RECIPES: [(Words, Words); 8] = [
    ("make gmake", "Makefile makefile GNUmakefile"),
    ("just", "justfile Justfile .justfile"),
    ("task", "Taskfile.yml Taskfile.yaml taskfile.yml taskfile.yaml"),
    ("tox", "tox.ini pyproject.toml setup.cfg"),
    ("nox", "noxfile.py"),
    ("npm pnpm yarn bun", "package.json"),
    ("poe hatch pdm", "pyproject.toml"),
    ("pre-commit prek lefthook", ".pre-commit-config.yaml lefthook.yml .lefthook.yml"),
];

/// The endings of scripts that a command may start.
const SCRIPTS: Words = "sh bash py js mjs cjs ts mk";

/// How many recipes and scripts are read.
const MOST_TEXTS: usize = 20;

/// What the commands of a task start, as far as it can be read.
#[derive(Debug, Default)]
pub struct Started {
    /// The commands, in order.
    pub commands: Vec<String>,
    /// The recipes and scripts that they name, with their paths.
    pub recipes: Vec<(String, String)>,
}

/// A file with configuration of checkers, or of a library for tests, without a change.
#[derive(Debug, PartialEq, Eq)]
pub struct OldChecks {
    /// The names of the checkers; none if it is a library.
    pub checkers: Vec<&'static str>,
    /// The file without the change to what judges in it; `None` if there was none.
    pub content: Option<Vec<u8>>,
    /// What the change did to that, as the lines of a difference.
    pub lines: Vec<String>,
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

    /// What a changed file is without the change to what checks the code. None if nothing of that has changed in it.
    #[must_use]
    pub fn old_checks(&self, path: &str, base: Option<&[u8]>, head: Option<&[u8]>) -> Option<OldChecks> {
        let whole = |checkers| {
            let lines = changed_lines(base, head);
            Some(OldChecks { checkers, content: base.map(<[u8]>::to_vec), lines })
        };
        if base.is_some() && is_vendored_test_library(path) {
            return whole(Vec::new());
        }
        let name = name_of(path);
        let started = || CHECKERS.iter().filter(|checker| self.starts(checker));
        if let Some(checker) = started().find(|checker| checker.has_file(name)) {
            return whole(vec![checker.name()]);
        }
        let head = head.filter(|_| is_listed(MANIFESTS, name))?;
        let is_changed =
            |checker: &&Checker| combined(path, checker.keys, base, head).is_some_and(|old| old != head);
        let (checkers, keys): (Vec<&str>, Vec<&str>) =
            started().filter(is_changed).map(|checker| (checker.name(), checker.keys)).unzip();
        let keys = keys.join(" ");
        let old = combined(path, &keys, base, head).filter(|_| !checkers.is_empty())?;
        // Both are written by us, so that only what the programs read differs.
        let lines = changed_lines(Some(&old), combined(path, &keys, Some(head), &old).as_deref());
        Some(OldChecks { checkers, content: Some(old), lines })
    }

    /// Whether a file is the configuration of a checker that is started, and nothing else.
    #[must_use]
    pub fn configures(&self, path: &str) -> bool {
        CHECKERS.iter().any(|checker| checker.has_file(name_of(path)) && self.starts(checker))
    }

    fn starts(&self, checker: &Checker) -> bool {
        self.texts().any(|text| words(&text).any(|word| is_listed(checker.programs, name_of(word))))
    }

    /// The commands, and what their recipes and scripts start.
    pub fn texts(&self) -> impl Iterator<Item = String> {
        let recipes = self.recipes.iter().map(|(path, text)| commands_in(path, text));
        self.commands.iter().cloned().chain(recipes)
    }

    /// The same with `true` in the place of each part that names a file. None if no part does, or if nothing else judges.
    #[must_use]
    pub fn without(&self, path: &str) -> Option<Self> {
        let commands: Vec<String> = self.commands.iter().map(|text| without(text, path)).collect();
        // What a script reads in its turn, such as the source that it checks, is not named by the command.
        let is_recipe = |path: &str| RECIPES.iter().any(|(_, files)| is_listed(files, path));
        let recipe = |(at, text): &(String, String)| {
            (at.clone(), if is_recipe(at) { without(text, path) } else { text.clone() })
        };
        let recipes: Vec<_> = self.recipes.iter().map(recipe).collect();
        let mut simple = commands.iter().flat_map(|text| simple_commands(text));
        let judges = if commands != self.commands {
            simple.any(|words| !is_silent(&words))
        } else {
            let of_recipes =
                recipes.iter().flat_map(|(path, text)| simple_commands(&commands_in(path, text)));
            let tests = |words: Vec<String>| {
                Framework::guess(&words.join(" ")).is_some() || words.iter().any(|word| is_test_side(word))
            };
            recipes != self.recipes && simple.chain(of_recipes).any(tests)
        };
        judges.then_some(Self { commands, recipes })
    }
}

/// Whether a file may have something that checks the code.
#[must_use]
pub fn may_check(path: &str) -> bool {
    let name = name_of(path);
    is_listed(MANIFESTS, name)
        || CHECKERS.iter().any(|checker| checker.has_file(name))
        || is_vendored_test_library(path)
}

fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

impl Checker {
    /// Whether a file with this name has its configuration, and nothing else.
    fn has_file(&self, name: &str) -> bool {
        self.files.split_ascii_whitespace().any(|pattern| matches_name(pattern, name))
    }

    fn name(&self) -> &'static str {
        self.programs.split(' ').next().unwrap_or_default()
    }
}

/// The part of a file that starts something: of a manifest of JavaScript, its scripts.
fn commands_in(path: &str, text: &str) -> String {
    let manifest: Option<Value> = serde_json::from_str(text).ok().filter(|_| path.ends_with(".json"));
    let Some(manifest) = manifest else { return text.to_owned() };
    let scripts = manifest.get("scripts").and_then(Value::as_object).into_iter().flat_map(Map::values);
    scripts.filter_map(Value::as_str).collect::<Vec<_>>().join("\n")
}

/// The names and paths in a command line or a recipe.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| c.is_whitespace() || "\"'`;|&()[]<>=,:@".contains(c));
    words.map(|word| word.trim_start_matches("./"))
}

/// The recipes and scripts that a text may name.
fn files_started_by(text: &str) -> Vec<String> {
    let mut files = Vec::new();
    for word in words(text) {
        let recipes = RECIPES.iter().filter(|(programs, _)| is_listed(programs, word));
        files.extend(recipes.flat_map(|(_, files)| files.split_ascii_whitespace()).map(str::to_owned));
        let is_script = word.rsplit_once('.').is_some_and(|(_, ending)| is_listed(SCRIPTS, ending));
        if is_script && !word.starts_with('/') && !word.contains("..") {
            files.push(word.to_owned());
        }
    }
    files
}

/// A text with `true` in the place of the simple commands that name a file, by its path or as a module of Python. Where another command
/// reads its output, that one stays, and will miss it.
fn without(text: &str, path: &str) -> String {
    let module = path.strip_suffix(".py").map(|stem| format!("-m {}", stem.replace('/', ".")));
    let is_named = |part: &str| {
        words(part).any(|word| word == path)
            || module.as_ref().is_some_and(|module| format!("{part} ").contains(&format!("{module} ")))
    };
    // So that it is one sign, and not that of `2>&1`.
    let text = text.replace("&&", "\0");
    let parts = text.split_inclusive(|c| "\0|;\n\"()`".contains(c)).map(|part| {
        let whole = part.trim_matches(|c: char| c.is_whitespace() || "@\0|;\"()`".contains(c));
        if is_named(whole) { part.replace(whole, "true") } else { part.to_owned() }
    });
    parts.collect::<String>().replace('\0', "&&")
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
    _pytest assert assert_cmd ava bats-assert chai check expect ginkgo go-cmp gocheck gomega gomock gotest.tools hypothesis insta is \
    jasmine jest mocha mock mockall nose pluggy pretty_assertions proptest pytest quickcheck quicktest rstest should sinon tap tape \
    testify unittest2 uvu vitest wiremock";

/// Whether a file belongs to a library for tests that is in the repository.
fn is_vendored_test_library(path: &str) -> bool {
    let mut folders = path.split('/').rev().skip(1).collect::<Vec<_>>().into_iter().rev();
    kind_of(path) == FileKind::Other
        && folders.any(|folder| is_listed(VENDORED, folder))
        && folders.any(|folder| is_listed(TEST_LIBRARIES, folder))
}
