//! Tells from the words of a plan what kind of change a task makes (the field `expect`). One table of rules serves all formats.
//!
//! The rules look at the beginning of a name, in English. When they are unsure, they say nothing: then the task is a change of
//! behaviour, which a test has to show.

use super::super::Expect;
use super::settled::SettledNode;
use crate::plan::commands::{TestNaming, naming_of};

/// What begins the name of a task that writes tests.
const TESTS_OF: &str = "contract|integration|unit|e2e|end-to-end|acceptance|regression|performance|property|\
                        property-based|snapshot|component|failing|api|ui";

/// Words between a verb and its object that say nothing about the kind.
const FILLERS: &str = "a|an|the|new|failing|missing|additional|more|all|comprehensive|automated|initial|basic|our|project|api|user|\
                       developer|code|inline|public";

const WRITES: &str = "write|add|create|implement|generate";
const WRITES_DOCS: &str = "write|add|create|update|improve|expand|extend|finish|revise";

/// What follows `test` or `tests`, behind a word such as `integration`, if these are not meant themselves.
const AROUND_TESTS: &str = "directory|folder|dir|structure|infrastructure|framework|environment|fixtures|fixture|helpers|\
                            helper|utils|utilities|harness|setup|config|configuration|command|commands|script|scripts|runner|\
                            coverage";

/// The same behind a verb, where `test` may begin the name of something else.
const NOT_TESTS: &str = "directory|folder|dir|structure|infrastructure|framework|environment|data|database|fixtures|fixture|\
                         helpers|helper|utils|utilities|harness|setup|config|configuration|command|commands|script|scripts|\
                         runner|coverage|to|support|server|page|user|users|account|plan|plans";

const DOCS: &str =
    "readme|readme.md|documentation|docs|changelog|changelog.md|quickstart|quickstart.md|docstrings";

/// What follows `docs` if these are meant themselves.
const AFTER_DOCS: &str =
    "for|of|on|about|in|to|with|and|from|that|the|section|sections|page|pages|describing|covering";

/// What follows the verb `document`, which is a noun before other words.
const DOCUMENTED: &str = "the|all|how|why|what|which|when|every|each|any|usage|public|installation";

const PROJECT: &str =
    "project|repository|repo|workspace|package|monorepo|skeleton|package.json|pyproject.toml|module";
const TOOLS: &str = "linting|linter|linters|formatting|formatter|eslint|prettier|ruff|black|mypy|flake8|biome|clippy|rustfmt|\
                     pre-commit|husky|ci|tooling|tsconfig|pytest|jest|vitest|editorconfig|venv";
const DEPENDENCIES: &str = "dependencies|dependency|packages|requirements|tools|tooling";
const STRUCTURES: &str = "structure|skeleton|layout|scaffold|scaffolding";

/// What makes a task more than its first words say.
const ALSO_CODE: [&str; 14] = [
    " and implement",
    " and fix",
    " and build",
    " and wire",
    " and migrate",
    " and expose",
    " and integrate",
    " then implement",
    " make them pass",
    " make it pass",
    " to support ",
    " to allow ",
    " to fix ",
    " and add ",
];

/// What says that behaviour stays as it is.
const SAME_BEHAVIOUR: [&str; 8] = [
    "without behaviour change",
    "without behavior change",
    "without changing behaviour",
    "without changing behavior",
    "no behaviour change",
    "no behavior change",
    "no functional change",
    "without functional change",
];

/// The kind of a task with this name, in groups with these names, the innermost first; `None` if the words do not say it.
fn kind_of(name: &str, groups: &[&str]) -> Option<Expect> {
    let name = plain(name);
    let words: Vec<&str> = name.split(' ').filter(|word| !word.is_empty()).collect();
    let words = Words(&words);
    let groups: Vec<String> = groups.iter().map(|group| plain(group)).collect();
    let is_more = ALSO_CODE.iter().any(|also| name.contains(also));
    let kind = if words.are_tests(&name, &groups) {
        Expect::Tests
    } else if words.is_refactoring(&name) {
        Expect::Refactor
    } else if words.are_docs() {
        Expect::Docs
    } else if words.is_config(&groups) {
        Expect::Config
    } else {
        return None;
    };
    (!is_more).then_some(kind)
}

/// A name in small letters, without the marks of Markdown and the punctuation around words.
fn plain(text: &str) -> String {
    let word = |word: &str| {
        let word = word.trim_matches(['*', '_', '`', '"', '\'', '(', ')', '[', ']']);
        word.trim_end_matches([',', ':', ';', '.', '!']).to_lowercase()
    };
    text.split_whitespace().map(word).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// The words of a name.
#[derive(Clone, Copy)]
struct Words<'w>(&'w [&'w str]);

impl<'w> Words<'w> {
    fn first(self) -> &'w str {
        self.0.first().copied().unwrap_or_default()
    }

    /// Whether the first word is one of these.
    fn begin_with(self, list: &str) -> bool {
        is_one_of(self.first(), list)
    }

    fn after(self, count: usize) -> Self {
        Self(self.0.get(count..).unwrap_or_default())
    }

    /// The words after those at the beginning that are in the list, of which there may be five.
    fn without(self, list: &str) -> Self {
        self.after(self.0.iter().take(5).take_while(|word| is_one_of(word, list)).count())
    }

    /// Whether one of the first words is in the list.
    fn soon(self, count: usize, list: &str) -> bool {
        self.0.iter().take(count).any(|word| is_one_of(word, list))
    }

    /// The words after the verb; `set up` is a verb.
    fn object_of(self, verbs: &str) -> Option<Self> {
        let is_set_up = matches!(self.0, ["set", "up", ..]) && is_one_of("setup", verbs);
        if is_set_up { Some(self.after(2)) } else { self.begin_with(verbs).then(|| self.after(1)) }
    }

    fn are_tests(self, name: &str, groups: &[String]) -> bool {
        if ["ensure they fail", "must fail before", "that fail first"]
            .iter()
            .any(|words| name.contains(words))
        {
            return true;
        }
        let fillers = format!("{FILLERS}|{TESTS_OF}");
        if self.begin_with(TESTS_OF) && self.without(&fillers).names_tests(AROUND_TESTS) {
            return true;
        }
        if self.object_of(WRITES).is_some_and(|object| object.without(&fillers).names_tests(NOT_TESTS)) {
            return true;
        }
        let only_runs =
            self.begin_with("run|execute|fix|verify|ensure|check|update|remove|delete|make|confirm");
        groups.iter().any(|group| {
            let words: Vec<&str> = group.split(' ').collect();
            let is_story = matches!(words.as_slice(), ["tests", "for", "user", "story", ..]);
            !only_runs && (is_story || matches!(words.as_slice(), ["tests", "first", ..]))
        })
    }

    /// Whether the first word is `test` or `tests`, and none of these follows.
    fn names_tests(self, other: &str) -> bool {
        matches!(self.first(), "test" | "tests") && !self.after(1).begin_with(other)
    }

    fn is_refactoring(self, name: &str) -> bool {
        let says_so = SAME_BEHAVIOUR.iter().any(|words| name.contains(words));
        let moves = self.begin_with("rename|extract|move|restructure|reorganize|reorganise|inline|split");
        self.begin_with("refactor") && self.0.len() > 1 || moves && says_so
    }

    fn are_docs(self) -> bool {
        if self.first() == "document" {
            return self.after(1).begin_with(DOCUMENTED);
        }
        let is_document = |words: Words<'_>| {
            let (first, next) = (words.first(), words.after(1));
            let is_noun_alone = next.0.is_empty() || next.begin_with(AFTER_DOCS);
            is_one_of(first, DOCS) && (first.starts_with("readme") || first.ends_with(".md") || is_noun_alone)
                || first.strip_prefix("docs/").is_some_and(|path| path.ends_with(".md"))
        };
        let object = self.object_of(WRITES_DOCS);
        object.is_some_and(|object| is_document(object.without(FILLERS)))
            || matches!(self.0, ["documentation", "updates", ..])
    }

    fn is_config(self, groups: &[String]) -> bool {
        let is_setup = groups.iter().any(|group| group == "setup" || group.starts_with("setup "));
        let begins = |list: &str, count: usize, verbs: &str| {
            self.object_of(verbs).is_some_and(|object| object.soon(count, list))
        };
        let makes_structure = || {
            let object =
                self.object_of("create|setup|establish").unwrap_or(Words(&[])).without(FILLERS_OF_PLACES);
            object.begin_with(STRUCTURES)
        };
        let sets_up_tests = || {
            let object = self.object_of("setup|configure").unwrap_or(Words(&[])).without(FILLERS);
            object.begin_with("test|testing")
                && object.after(1).begin_with("framework|infrastructure|runner|environment")
                || object.begin_with("development|dev|virtual") && object.after(1).begin_with("environment")
        };
        is_setup
            && self.object_of("initialize|initialise|setup|configure|install|bootstrap|scaffold").is_some()
            || begins(PROJECT, 6, "initialize|initialise|init|bootstrap|scaffold")
            || begins(TOOLS, 3, "configure|setup")
            || begins(DEPENDENCIES, 4, "install")
            || begins("project|repository|repo|workspace|monorepo", 2, "setup")
            || makes_structure()
            || sets_up_tests()
    }
}

/// What may stand between the verb and the structure that it makes.
const FILLERS_OF_PLACES: &str = "a|an|the|new|initial|basic|project|directory|folder|repository|package|source|module|app|\
                                 application|and|backend|frontend";

fn is_one_of(word: &str, list: &str) -> bool {
    list.split('|').any(|other| other.trim() == word)
}

/// The paragraph for the description of a task whose tests cannot be awaited.
const WRITE_DOWN: &str = "The test command of this task cannot tell by name which tests fail. So do not write these tests here: \
                          write down what they have to show, and the task that writes the code writes them first.";

/// Sets the kinds of the tasks, which have their test commands.
pub(super) fn set_kinds(nodes: &mut [SettledNode]) {
    for at in 0..nodes.len() {
        if nodes[at].is_leaf() {
            let mut groups = Vec::new();
            let mut above = nodes[at].read.parent;
            while let Some(parent) = above {
                groups.push(nodes[parent].read.name.as_str());
                above = nodes[parent].read.parent;
            }
            nodes[at].read.fields.expect = kind_of(&nodes[at].read.name, &groups);
        }
    }
    let nameless = |node: &SettledNode| {
        node.read.fields.expect == Some(Expect::Tests)
            && node.tests.iter().any(|test| naming_of(test) == TestNaming::Nameless)
    };
    let silent: Vec<usize> = (0..nodes.len()).filter(|at| nameless(&nodes[*at])).collect();
    for at in silent {
        for code in code_after(nodes, at) {
            nodes[code].read.fields.test_first = true;
        }
        nodes[at].read.fields.expect = Some(Expect::Docs);
        let description = &mut nodes[at].read.description;
        description.push_str(if description.is_empty() { "" } else { "\n\n" });
        description.push_str(WRITE_DOWN);
    }
}

/// The tasks that write the code for the tests of this one: the later ones of its phase, or of the next phase that has any.
fn code_after(nodes: &[SettledNode], at: usize) -> Vec<usize> {
    let phase_of = |mut at: usize| {
        while let Some(parent) = nodes[at].read.parent {
            at = parent;
        }
        at
    };
    let is_code = |at: &usize| nodes[*at].is_leaf() && nodes[*at].read.fields.expect.is_none();
    let Some(first) = (at + 1..nodes.len()).find(is_code) else { return Vec::new() };
    let phase = phase_of(first);
    (first..nodes.len()).filter(is_code).take_while(|at| phase_of(*at) == phase).collect()
}

#[cfg(test)]
mod tests;
