//! An attempt must not change the files that judge it.

use serde_json::json;

use super::baseline::{message, run, trailers};
use crate::support::garden::{Garden, one_task};

/// A repository with a test that was there before the task.
fn garden() -> Garden {
    let mut tree = one_task(&["sh tests/test_sum.sh"]);
    tree["nodes"]["T001"]["name"] = json!("Sum");
    let garden = Garden::new(&tree);
    garden.write("tests/test_sum.sh", "test -e sum.sh && test \"$(sh sum.sh 1 2)\" = 3\n");
    garden.commit("Add a test");
    garden
}

/// The right implementation.
const GOOD: &str = "echo 'echo $(($1 + $2))' > sum.sh";

#[test]
fn an_attempt_that_changes_renames_or_deletes_a_test_fails_and_the_next_one_is_told() {
    let cases = [
        "echo true > tests/test_sum.sh; echo > sum.sh",
        "mv tests/test_sum.sh tests/other.sh; echo true > tests/test_sum.sh",
        "rm tests/test_sum.sh; echo > sum.sh",
    ];
    for cheat in cases {
        let garden = garden();
        let back = "git show HEAD~2:tests/test_sum.sh > tests/test_sum.sh";
        garden.agent(&format!(
            "case $work in *.implement.0) {cheat};; *.implement.1) {back}; rm -f tests/other.sh; {GOOD};; esac"
        ));
        let ended = run(&garden, &["gardener"]);
        ended.assert(0, &["protect: ", "tests/test_sum.sh"]);
        assert_eq!(trailers(&garden, "Arborist-Test"), ["fail", "pass"], "{cheat}");
        let failed = message(&garden, "task(T001): tests fail");
        let named = failed.contains("\nerror[protect]: ") && failed.contains(": tests/test_sum.sh.\n");
        assert!(named && failed.contains("\n  = look: git diff "), "{failed}");
        assert!(garden.prompt("T001.implement.1").contains("error[protect]: "), "{cheat}");
        run(&garden, &["check", "--run", "--strict"]).assert(0, &[]);
    }
}

#[test]
fn the_command_that_shows_a_finding_works() {
    let garden = garden();
    garden.agent("case $work in *.implement.0) echo true > tests/test_sum.sh;; *) exit 1;; esac");
    run(&garden, &["gardener", "--no-review", "--max-attempts", "1"]).assert(1, &[]);
    let failed = message(&garden, "task(T001): tests fail");
    let command = failed.lines().find_map(|line| line.strip_prefix("  = look: ")).unwrap();
    let mut shell = garden.command("sh");
    shell.args(["-c", command]);
    let shown = garden.finish(shell);
    assert!(shown.stdout.contains("+true"), "{shown:?}");
}

#[test]
fn adding_tests_and_changing_tests_of_its_own_is_allowed() {
    let garden = garden();
    garden.agent(&format!(
        "case $work in *.implement.0) echo false > tests/test_new.sh;; *.implement.1) echo true > \
         tests/test_new.sh; {GOOD};; esac"
    ));
    run(&garden, &["gardener", "--no-review"]).assert(0, &[]);
    assert_eq!(trailers(&garden, "Arborist-Findings"), Vec::<String>::new());
}

#[test]
fn a_task_may_change_the_tests_that_the_plan_names() {
    let garden = garden();
    let mut tree: serde_json::Value = serde_json::from_str(&garden.read("task-tree.json")).unwrap();
    tree["nodes"]["T001"]["may_change"] = json!(["tests/**"]);
    garden.write("task-tree.json", &format!("{tree:#}\n"));
    garden.commit("Let the task change the tests");
    garden.agent("case $work in *.implement.0) echo true > tests/test_sum.sh;; esac");
    run(&garden, &["gardener", "--no-review"]).assert(0, &[]);
    assert!(garden.prompt("T001.implement.0").contains("all the same:\n- tests/**\n"));
    assert_eq!(trailers(&garden, "Arborist-Findings"), Vec::<String>::new());
}

#[test]
fn with_a_warning_the_reviewer_is_asked_whether_the_task_requires_the_change() {
    let garden = garden();
    garden.config("arborist.trust.protect", "warn");
    garden.agent("case $work in *.implement.0) echo true > tests/test_sum.sh;; esac");
    run(&garden, &["gardener"]).assert(0, &[]);
    let prompt = garden.prompt("T001.review.0");
    let asked =
        prompt.contains("tests/test_sum.sh") && prompt.contains("Reject it unless the task requires that");
    assert!(asked, "{prompt}");
    assert_eq!(trailers(&garden, "Arborist-Findings"), ["protect", "protect", "protect"]);
}

#[test]
fn patterns_of_the_user_protect_further_files() {
    let garden = garden();
    garden.write("schema/api.json", "{}\n");
    garden.commit("Add a schema");
    garden.config("arborist.protect", "schema/**");
    garden.agent(&format!("case $work in *.implement.0) {GOOD}; echo '[]' > schema/api.json;; esac"));
    run(&garden, &["gardener", "--no-review", "--max-attempts", "1"]).assert(1, &["schema/api.json"]);
}

#[test]
fn what_a_person_changes_in_tests_is_theirs() {
    let garden = garden();
    garden.agent("case $work in *.implement.0) echo echo 7 > sum.sh; echo true > tests/test_sum.sh;; esac");
    run(&garden, &["gardener", "--no-review", "--max-attempts", "1"]).assert(1, &[]);
    garden.write("tests/test_sum.sh", "test -e sum.sh\n");
    garden.commit("Correct the test");
    garden.agent("case $work in *.implement.*) echo echo 8 > sum.sh;; esac");
    run(&garden, &["garden", "T001", "--no-review", "--max-attempts", "1"]).assert(0, &[]);
    assert_eq!(trailers(&garden, "Arborist-Findings"), ["protect"]);
}

#[test]
fn a_committed_file_cannot_switch_a_check_off() {
    let garden = garden();
    garden.write(".arborist/config.json", r#"{"trust": {"protect": "off"}}"#);
    garden.commit("Trust everybody");
    run(&garden, &["gardener"]).assert(2, &["makes a check weaker than its default"]);
    let strict = r#"{"trust": {"tests": "require"}, "protect": ["schema/**", "api/**"]}"#;
    garden.write(".arborist/config.json", strict);
    garden.commit("Trust nobody");
    let shown = run(&garden, &["init", "--show-config"]).stdout;
    assert!(shown.contains("schema/** api/**"), "{shown}");
}
