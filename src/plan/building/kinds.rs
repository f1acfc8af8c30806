//! Tells from the words of a plan which of its tasks write tests (the field `expect`). One table of words serves all formats.
//!
//! The words are those at the beginning of a name, in English. When they are unsure, they say nothing: then the task is a
//! change of behaviour, which a test has to show.

use regex_lite::Regex;

use super::super::Expect;
use super::settled::SettledNode;
use crate::text::simple_commands;

// Words that say nothing about the kind, and kinds of tests.
const WORDS: &str = r"(?:(?:an?|the|new|failing|missing|additional|more|all|comprehensive|automated|initial|basic|our|project|user|developer|code|inline|public|api|ui|contract|integration|unit|e2e|end-to-end|acceptance|regression|performance|property|property-based|snapshot|component) ){0,5}";
// What follows `test` or `tests` if these are not meant themselves; behind a verb, `test` may begin the name of something else.
const AROUND: &str = "directory|folder|dir|structure|infrastructure|framework|environment|fixtures?|helpers?|utils|utilities|harness|setup|config|configuration|commands?|scripts?|runner|coverage";

pattern!(
    KIND_OF_TESTS,
    &format!(
        r"^(?:contract|integration|unit|e2e|end-to-end|acceptance|regression|performance|property|property-based|snapshot|component|failing|api|ui) {WORDS}tests?(?: (\S+))?(?: |$)"
    )
);
pattern!(WRITES_TESTS, &format!(r"^(?:write|add|create|implement|generate) {WORDS}tests?(?: (\S+))?(?: |$)"));
pattern!(AROUND_TESTS, &format!("^(?:{AROUND})$"));
pattern!(NOT_TESTS, &format!("^(?:{AROUND}|data|database|to|support|server|pages?|users?|account|plans?)$"));
// A task that only runs or corrects tests.
pattern!(ONLY_RUNS, "^(?:run|execute|fix|verify|ensure|check|update|remove|delete|make|confirm) ");
// What makes a task more than its first words say.
pattern!(
    ALSO_CODE,
    " (?:(?:and|then) implement| and (?:fix|build|wire|migrate|expose|integrate)|make (?:them|it) pass|to (?:support|allow|fix) |and add )"
);
pattern!(MUST_FAIL, "ensure they fail|must fail before|that fail first");
pattern!(TESTS_FIRST, "^tests (?:for user story|first) ");

/// Whether a task with this name, in groups with these names, writes tests and does nothing else.
fn writes_tests(name: &str, groups: &[&str]) -> bool {
    let name = plain(name);
    let is_of = |pattern: &Regex, others: &Regex| {
        let found = pattern.captures(&name);
        found.is_some_and(|found| !found.get(1).is_some_and(|next| others.is_match(next.as_str())))
    };
    !ALSO_CODE.is_match(&name)
        && (MUST_FAIL.is_match(&name)
            || is_of(&KIND_OF_TESTS, &AROUND_TESTS)
            || is_of(&WRITES_TESTS, &NOT_TESTS)
            || !ONLY_RUNS.is_match(&name) && groups.iter().any(|group| TESTS_FIRST.is_match(&plain(group))))
}

/// The words of a name in small letters, each with a blank behind it, without the marks of Markdown and the punctuation around them.
fn plain(text: &str) -> String {
    let word = |word: &str| {
        let word = word.trim_matches(['*', '_', '`', '"', '\'', '(', ')', '[', ']']);
        word.trim_end_matches([',', ':', ';', '.', '!']).to_lowercase()
    };
    text.split_whitespace().map(word).filter(|word| !word.is_empty()).map(|word| word + " ").collect()
}

/// The paragraph for the description of a task whose tests cannot be awaited.
const WRITE_DOWN: &str = "The test command of this task cannot tell by name which tests fail. So do not write these tests here: \
                          write down what they have to show, and the task that writes the code writes them first.";

/// Sets the kinds of the tasks, which have their test commands.
pub(super) fn set_kinds(nodes: &mut [SettledNode]) {
    for at in 0..nodes.len() {
        let above = std::iter::successors(nodes[at].read.parent, |above| nodes[*above].read.parent);
        let groups: Vec<&str> = above.map(|above| nodes[above].read.name.as_str()).collect();
        let writes_tests = nodes[at].is_leaf && writes_tests(&nodes[at].read.name, &groups);
        nodes[at].read.expect = writes_tests.then_some(Expect::Tests);
    }
    let is_silent = |node: &SettledNode| {
        node.read.expect == Some(Expect::Tests) && node.read.tests.iter().any(|test| is_nameless(test))
    };
    let silent: Vec<usize> = (0..nodes.len()).filter(|at| is_silent(&nodes[*at])).collect();
    for at in silent {
        // The later tasks of its phase, or of the next one that has any, write the code.
        let phase_of = |at: usize| std::iter::successors(Some(at), |at| nodes[*at].read.parent).last();
        let is_code = |at: &usize| nodes[*at].is_leaf && nodes[*at].read.expect.is_none();
        let code: Vec<usize> = (at + 1..nodes.len()).filter(is_code).collect();
        let is_near = |at: &&usize| phase_of(**at) == phase_of(code[0]);
        let near = code.iter().take_while(is_near).count();
        code[..near].iter().for_each(|code| nodes[*code].read.test_first = true);
        nodes[at].read.expect = Some(Expect::Docs);
        let description = &mut nodes[at].read.description;
        description.push_str(if description.is_empty() { "" } else { "\n\n" });
        description.push_str(WRITE_DOWN);
    }
}

/// Whether a command runs tests of a compiled language without the options with which it names all that fail. Where tests are not
/// built before they run, their names are there.
fn is_nameless(command: &str) -> bool {
    simple_commands(command).iter().any(|words| {
        let words: Vec<&str> =
            words.iter().map(String::as_str).skip_while(|word| word.contains('=')).collect();
        let Some((program, rest)) = words.split_first() else { return false };
        let has = |wanted: &[&str]| rest.iter().any(|word| wanted.contains(word));
        match program.rsplit('/').next().unwrap_or_default() {
            "go" => has(&["test"]) && !has(&["-v", "-json"]),
            "cargo" => has(&["test", "t", "nextest"]) && !has(&["--no-fail-fast"]),
            "mvn" | "mvnw" | "gradle" | "gradlew" | "sbt" => true,
            "dotnet" | "swift" => rest.first() == Some(&"test"),
            _ => false,
        }
    })
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

    #[test]
    fn commands_of_compiled_languages_need_options_to_name_all_tests_that_fail() {
        for (command, expected) in [
            ("go test ./...", true),
            ("go test -v ./...", false),
            ("go vet ./... && go test -json ./...", false),
            ("cargo test", true),
            ("cargo test --workspace --no-fail-fast", false),
            ("RUST_BACKTRACE=1 cargo nextest run", true),
            ("cargo build", false),
            ("./gradlew test", true),
            ("mvn -q test", true),
            ("dotnet test", true),
            ("dotnet build", false),
            ("pytest", false),
            ("npm test", false),
        ] {
            assert_eq!(is_nameless(command), expected, "{command}");
        }
    }
}
