//! A task does not pass if no test ran, or fewer tests or more skipped ones than before it.

use serde_json::json;

use super::run_without_proofs as run;
use crate::support::garden::{Garden, one_task};

/// A repository whose tests print the summary in a file, as pytest would.
fn garden(before: &str) -> Garden {
    let mut tree = one_task(&["cat summary.txt; ! grep -q ' failed' summary.txt"]);
    tree["nodes"]["T001"]["test_commands"][0]["framework"] = json!("pytest");
    let garden = Garden::new(&tree);
    garden.write("summary.txt", &format!("===== {before} in 0.10s =====\n"));
    garden.commit("Add tests");
    garden
}

fn agent(garden: &Garden, first: &str, later: &str) {
    let summary = |counts: &str| format!("echo '===== {counts} in 0.10s =====' > summary.txt");
    garden.agent(&format!(
        "case $work in *.implement.0) {};; *.implement.*) {};; esac",
        summary(first),
        summary(later)
    ));
}

#[test]
fn an_attempt_after_which_fewer_tests_run_or_more_are_skipped_fails_with_feedback() {
    let cases = [
        ("4 passed", "3 passed", "There are fewer tests than before the task (3 instead of 4)"),
        ("1 failed, 4 passed", "4 passed", "There are fewer tests than before the task (4 instead of 5)"),
        ("4 passed", "4 passed, 1 skipped", "More tests are skipped than before the task (1 instead of 0)"),
        ("4 passed", "no tests ran", "No test ran"),
        ("4 passed", "4 skipped", "No test ran, because all were skipped (4 skipped)"),
    ];
    for (before, after, seen) in cases {
        let garden = garden(before);
        agent(&garden, after, "5 passed");
        let ended = run(&garden, &["gardener"]);
        ended.assert(0, &[&format!(": {seen}")]);
        let failed = garden.message("task(T001): tests fail");
        let check = if seen.starts_with("No test ran") { "counts" } else { "fewer-tests" };
        assert!(failed.contains(&format!("\nerror[{check}]: {seen}.\n")), "{failed}");
        assert_eq!(garden.trailers("Arborist-Test"), ["fail", "pass"]);
        assert_eq!(garden.trailers("Arborist-Findings"), [check], "later steps do not name it");
        assert!(garden.prompt("T001.implement.1").contains(&format!("error[{check}]: {seen}.")));
        run(&garden, &["check", "--run", "--strict"]).assert(0, &[]);
    }
}

#[test]
fn fewer_tests_are_only_named_if_the_user_wants_a_warning() {
    let garden = garden("4 passed");
    garden.config("arborist.trust.counts", "warn");
    agent(&garden, "3 passed", "3 passed");
    run(&garden, &["gardener"]).assert(0, &[]);
    let test = garden.message("task(T001): tests pass");
    assert!(test.contains("\nwarning[fewer-tests]: There are fewer tests"), "{test}");
    let prompt = garden.prompt("T001.review.0");
    assert!(prompt.contains("There are fewer tests than before the task (3 instead of 4)."), "{prompt}");
    assert_eq!(garden.trailers("Arborist-Findings"), ["fewer-tests", "fewer-tests", "fewer-tests"]);
    let shown = run(&garden, &["show", "T001"]).stdout;
    assert!(shown.contains("warning[fewer-tests]: There are fewer tests"), "{shown}");
    let json = run(&garden, &["show", "T001", "--json"]).stdout;
    assert!(json.contains(r#""check": "fewer-tests""#), "{json}");
}

#[test]
fn fewer_tests_are_fine_if_the_plan_allows_the_task_to_change_them() {
    let garden = garden("4 passed");
    let mut tree: serde_json::Value = serde_json::from_str(&garden.read("task-tree.json")).unwrap();
    tree["nodes"]["T001"]["may_change"] = json!(["summary.txt"]);
    garden.write("task-tree.json", &format!("{tree:#}\n"));
    garden.commit("Let the task change the tests");
    agent(&garden, "3 passed", "3 passed");
    run(&garden, &["gardener", "--no-review"]).assert(0, &[]);
    assert_eq!(garden.trailers("Arborist-Findings"), Vec::<String>::new());
}

/// A repository whose command prints the summary in a file and ends with 0.
fn hiding(expect: &str) -> Garden {
    printing(expect, "cat summary.txt")
}

fn printing(expect: &str, command: &str) -> Garden {
    let mut tree = one_task(&[command]);
    tree["nodes"]["T001"]["expect"] = json!(expect);
    let garden = Garden::new(&tree);
    garden.write("summary.txt", "===== 4 passed in 0.10s =====\n");
    garden.commit("Add tests");
    garden
}

#[test]
fn failed_tests_fail_the_attempt_whatever_the_exit_status_and_the_settings_are() {
    let garden = hiding("change");
    garden.config("arborist.trust.counts", "off");
    garden.config("arborist.review", "false");
    agent(&garden, "1 failed, 4 passed", "5 passed");
    run(&garden, &["gardener"]).assert(0, &[]);
    assert_eq!(garden.trailers("Arborist-Test"), ["fail", "pass"]);
    let failed = garden.message("task(T001): tests fail");
    let said = "error[counts]: A test command hides failures, because it printed 1 failed and ended with 0:\n- `cat summary.txt`\n";
    assert!(failed.contains(said), "{failed}");
    assert!(
        failed.contains("\nFailed:\n- `cat summary.txt`: exit status 0, although it printed 1 failed\n"),
        "{failed}"
    );
    assert!(garden.prompt("T001.implement.1").contains(said));
    run(&garden, &["check", "--run", "--strict"]).assert(0, &[]);
}

#[test]
fn no_test_has_to_run_for_documentation_and_configuration() {
    for (expect, results) in [("docs", vec!["pass"]), ("config", vec!["pass"]), ("tests", vec!["fail"])] {
        let garden = hiding(expect);
        garden.write("summary.txt", "===== no tests ran in 0.10s =====\n");
        garden.commit("Remove the tests");
        garden.agent("");
        let status = if results == ["pass"] { 0 } else { 1 };
        run(&garden, &["gardener", "--no-review", "--max-attempts", "1"]).assert(status, &[]);
        assert_eq!(garden.trailers("Arborist-Test"), results, "{expect}");
    }
}

#[test]
fn tests_that_fail_and_pass_in_the_same_command_are_flaky() {
    let command = "cat summary.txt || cat summary.txt";
    let garden = printing("change", command);
    let summary = |word: &str, rest: &str| {
        format!(
            "== test session starts ==\nrootdir: /w\n== short test summary info ==\n{word} a.py::test_x\n== {rest} in 0.10s ==\n"
        )
    };
    let output = summary("FAILED", "1 failed") + &summary("PASSED", "1 passed");
    garden.agent(&format!("cat > summary.txt <<'END'\n{output}END\n"));
    run(&garden, &["gardener", "--no-review", "--max-attempts", "1"]).assert(1, &["fewer-tests"]);
    let garden = printing("change", command);
    garden.write("summary.txt", &summary("PASSED", "1 passed"));
    garden.commit("Have one test");
    garden.agent(&format!("cat > summary.txt <<'END'\n{output}END\n"));
    run(&garden, &["gardener", "--no-review"]).assert(0, &[]);
    let test = garden.message("task(T001): tests pass");
    assert!(
        test.contains(
            "warning[flaky]: These tests failed before they passed in the same command:\n- a.py::test_x\n"
        ),
        "{test}"
    );
}
