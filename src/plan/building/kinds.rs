//! Tells from the words of a plan which of its tasks write tests (the field `expect`). One table of words serves all formats.
//!
//! The words are those at the beginning of a name, in English. When they are unsure, they say nothing: then the task is a
//! change of behaviour, which a test has to show.

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
/// What follows `test` or `tests`, behind a word such as `integration`, if these are not meant themselves.
const AROUND_TESTS: &str = "directory|folder|dir|structure|infrastructure|framework|environment|fixtures|fixture|helpers|\
                            helper|utils|utilities|harness|setup|config|configuration|command|commands|script|scripts|runner|\
                            coverage";

/// The same behind a verb, where `test` may begin the name of something else.
const NOT_TESTS: &str = "directory|folder|dir|structure|infrastructure|framework|environment|data|database|fixtures|fixture|\
                         helpers|helper|utils|utilities|harness|setup|config|configuration|command|commands|script|scripts|\
                         runner|coverage|to|support|server|page|user|users|account|plan|plans";

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

/// Whether a task with this name, in groups with these names, writes tests and does nothing else.
fn writes_tests(name: &str, groups: &[&str]) -> bool {
    let name = plain(name);
    let words: Vec<&str> = name.split(' ').filter(|word| !word.is_empty()).collect();
    let is_more = ALSO_CODE.iter().any(|also| name.contains(also));
    !is_more && Words(&words).are_tests(&name, groups)
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

    fn are_tests(self, name: &str, groups: &[&str]) -> bool {
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
        if self.begin_with(WRITES) && self.after(1).without(&fillers).names_tests(NOT_TESTS) {
            return true;
        }
        let only_runs =
            self.begin_with("run|execute|fix|verify|ensure|check|update|remove|delete|make|confirm");
        groups.iter().any(|group| {
            let group = plain(group);
            let words: Vec<&str> = group.split(' ').collect();
            let is_story = matches!(words.as_slice(), ["tests", "for", "user", "story", ..]);
            !only_runs && (is_story || matches!(words.as_slice(), ["tests", "first", ..]))
        })
    }

    /// Whether the first word is `test` or `tests`, and none of these follows.
    fn names_tests(self, other: &str) -> bool {
        matches!(self.first(), "test" | "tests") && !self.after(1).begin_with(other)
    }
}

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
            let writes_tests = writes_tests(&nodes[at].read.name, &groups);
            nodes[at].read.fields.expect = writes_tests.then_some(Expect::Tests);
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
mod tests {
    use super::*;

    #[test]
    fn the_words_of_plans_say_whether_a_task_writes_tests() {
        let story =
            ["Tests for User Story 1 (OPTIONAL - only if tests requested) ⚠️", "User Story 1 - Export"];
        let rows: [(&str, &[&str], bool); 28] = [
            ("Contract test for POST /users in tests/contract/test_users.py", &[], true),
            ("Contract test POST /api/users in tests/contract/test_users_post.py", &[], true),
            ("Integration test user registration in tests/integration/test_registration.py", &[], true),
            ("Integration tests for the importer", &[], true),
            ("Unit tests for validation in tests/unit/test_validation.py", &[], true),
            ("**Write unit tests** for the parser", &[], true),
            ("Write tests", &[], true),
            ("Write failing tests for `add`", &[], true),
            ("Write property test for round trips", &[], true),
            ("Add integration tests covering the login", &[], true),
            ("Write tests for the exporter, ensure they FAIL before implementation", &[], true),
            ("Performance tests (<200ms)", &[], true),
            ("Cover the empty file in tests/test_export.py", &story, true),
            ("Create tests/test_login.py", &["Tests First (TDD) ⚠️ MUST COMPLETE BEFORE 3.3"], true),
            ("Run all tests", &story, false),
            ("Run the tests", &["Tests"], false),
            ("Create tests directory", &[], false),
            ("Add test command to package.json", &[], false),
            ("Create test fixtures", &[], false),
            ("Set up test data", &[], false),
            ("Write tests for the parser and implement it", &[], false),
            ("Write tests and make them pass", &[], false),
            ("Implement the parser with tests", &[], false),
            ("Implement test runner", &[], false),
            ("Test the login", &[], false),
            ("Integration with Stripe", &[], false),
            ("Unit conversion in src/units.py", &[], false),
            ("API endpoint for users", &[], false),
        ];
        for (name, groups, expected) in rows {
            assert_eq!(writes_tests(name, groups), expected, "{name}");
        }
    }
}
