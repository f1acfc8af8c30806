//! Tests that were written before their code: who may leave them to others, and who has to make them pass.

use serde_json::{Value, json};

use super::shell_library::library;
use crate::support::garden::Garden;

/// A task of the phase `P`, with fields of its own.
fn task(id: &str, name: &str, fields: &Value) -> (String, Value) {
    let mut task = json!({
        "id": id, "name": name, "description": "", "parent": "P", "depends_on": ["T1"],
        "test_commands": [{"type": "unit", "command": "sh tests/run.sh", "framework": "cargo"}],
    });
    for (key, value) in fields.as_object().into_iter().flatten() {
        task[key] = value.clone();
    }
    (id.to_owned(), task)
}

/// A task that writes tests of `sub` and `mul`, and these tasks of the same phase.
fn story(others: &[(String, Value)]) -> Garden {
    let first = task("T1", "Write tests", &json!({"expect": "tests", "depends_on": []}));
    let ids: Vec<&str> = std::iter::once("T1").chain(others.iter().map(|(id, _)| id.as_str())).collect();
    let mut nodes = json!({"P": {"id": "P", "name": "Story", "children": ids}});
    for (id, node) in std::iter::once(&first).chain(others) {
        nodes[id] = node.clone();
    }
    library(&json!({"spec_id": "calc", "nodes": nodes}), "")
}

fn sub() -> (String, Value) {
    task("T2", "Implement sub() in lib.sh", &json!({}))
}

fn mul() -> (String, Value) {
    task("T3", "Implement mul() in lib.sh", &json!({}))
}

/// Lets the agent do this, and write the tests in T1.
fn agent(garden: &Garden, script: &str) {
    garden.agent(&format!(
        r#"case $work in *.review.*) echo APPROVED; exit 0;;
T1.implement.*) printf '. ./lib.sh\n[ "$(sub 5 3)" = 2 ]\n' > tests/sub_test.sh
  printf '. ./lib.sh\n[ "$(mul 5 3)" = 15 ]\n' > tests/mul_test.sh;;
{script}
esac
echo done; exit 0"#
    ));
}

const SUB: &str = "echo 'sub() { echo $(($1 - $2)); }' >> lib.sh";
const MUL: &str = "echo 'mul() { echo $(($1 * $2)); }' >> lib.sh";

#[test]
fn the_last_task_that_can_make_a_test_pass_has_to_do_it() {
    let garden = story(&[sub(), mul()]);
    agent(&garden, &format!("T2.*) {SUB};;\nT3.implement.0) echo x > notes;;\nT3.implement.1) {MUL};;"));
    garden.run(&["gardener"]).assert(0, &["2 passed, 1 failed (awaited)"]);
    assert_eq!(garden.trailers("Arborist-Test"), ["pass", "pass", "fail", "pass"]);
    let review = garden.prompt("T2.review.0");
    assert!(review.contains("The test commands failed in "), "{review}");
    assert!(review.contains(": 2 passed, 1 failed, 0 skipped."), "{review}");
    assert!(review.contains("because every test that fails is awaited"), "{review}");
    assert!(!review.contains("est commands pass"), "{review}");
    let first = garden.prompt("T3.implement.0");
    assert!(
        first.contains("No other open task can make them pass, so they must pass with this one"),
        "{first}"
    );
    let second = garden.prompt("T3.implement.1");
    assert!(
        second.contains("error[awaited]: No other open task can make these awaited tests pass"),
        "{second}"
    );
    garden.run(&["check", "--run", "--strict"]).assert(0, &[]);
}

#[test]
fn a_skipped_task_leaves_its_tests_to_the_others_and_a_failed_one_does_not() {
    let garden = story(&[sub(), mul()]);
    garden.config("arborist.maxAttempts", "1");
    agent(&garden, &format!("T2.*) {SUB};;\nT3.*) echo x > notes; echo 'exit 1' > lib.sh;;"));
    garden.run(&["garden", "T1"]).assert(0, &[]);
    garden.run(&["garden", "T3"]).assert(1, &["T3 failed"]);
    garden.git(&["checkout", "-q", "HEAD~3", "--", "lib.sh"]);
    garden.commit("Put the library back");
    garden.run(&["garden", "T2"]).assert(0, &[]);
    garden.run(&["mark", "reopen", "T2", "-m", "again"]).assert(0, &[]);
    garden.run(&["mark", "skip", "T3", "-m", "not now"]).assert(0, &[]);
    agent(&garden, "T2.*) echo y > notes;;");
    garden.run(&["garden", "T2"]).assert(1, &["this one has to", "T2 failed"]);
}

#[test]
fn the_advice_after_a_phase_reopens_the_task_that_writes_the_code() {
    let garden = story(&[sub()]);
    agent(&garden, "");
    garden.run(&["garden", "T1"]).assert(0, &[]);
    garden.run(&["mark", "skip", "T2", "-m", "not now"]).assert(0, &[]);
    let ended = garden.run(&["gardener"]);
    ended.assert(1, &["mul (of T1), sub (of T1)", "`git arborist mark reopen T2 -m WHY`"]);
    assert!(!ended.stderr.contains("reopen T1"), "{ended:?}");
}

#[test]
fn a_test_that_is_gone_does_not_pass() {
    let garden = story(&[sub()]);
    garden.config("arborist.maxAttempts", "1");
    garden.config("arborist.trust.protect", "off");
    agent(&garden, &format!("T2.*) {SUB}; rm tests/mul_test.sh;;"));
    garden.run(&["gardener"]).assert(1, &["A test that is gone", "T2 failed"]);
}

#[test]
fn tests_that_no_open_task_writes_code_for_must_pass_at_once() {
    let garden = story(&[]);
    agent(&garden, "");
    garden.config("arborist.maxAttempts", "1");
    garden.run(&["gardener"]).assert(1, &["no open task writes any", "T1 failed"]);
    // A phase that only writes tests leaves them to the next one, which ends with them.
    let first = task("T1", "Write tests", &json!({"expect": "tests", "depends_on": []}));
    let second = task("T2", "Implement sub() in lib.sh", &json!({"parent": "Q"}));
    let nodes = json!({
        "P": {"id": "P", "name": "Tests", "children": ["T1"]}, "T1": first.1,
        "Q": {"id": "Q", "name": "Code", "children": ["T2"]}, "T2": second.1,
    });
    let garden = library(&json!({"spec_id": "calc", "nodes": nodes}), "");
    agent(&garden, &format!("T2.implement.0) {SUB};;\nT2.implement.1) {MUL};;"));
    garden.run(&["gardener"]).assert(0, &["this one has to"]);
    assert!(garden.subjects().contains(&"phase(P): complete".to_owned()));
    assert_eq!(garden.trailers("Arborist-Test"), ["pass", "fail", "pass"]);
}

#[test]
fn a_task_that_writes_no_tests_fails_although_others_are_awaited() {
    let more = task("T4", "Write more tests", &json!({"expect": "tests"}));
    let garden = story(&[more, sub()]);
    garden.config("arborist.maxAttempts", "2");
    agent(
        &garden,
        &format!(
            "T4.implement.0) echo x > notes;;\nT4.implement.1) printf 'true\\n' > tests/more_test.sh;;\nT2.*) {SUB}; {MUL};;"
        ),
    );
    garden.run(&["gardener"]).assert(0, &["no more tests ran than before it (3)"]);
    assert_eq!(garden.trailers("Arborist-Test"), ["pass", "fail", "pass", "pass"]);
}

#[test]
fn of_two_tasks_at_the_same_time_the_one_that_is_merged_last_has_to_make_the_rest_pass() {
    let garden = story(&[sub(), mul()]);
    // Each does its own part, and what is missing once it has the work of the other.
    let missing = |name: &str, code: &str| format!("grep -q '^{name}()' lib.sh || {{ {code}; }}");
    agent(
        &garden,
        &format!(
            "T2.*) {}; echo x > two; if test -e three; then {}; fi;;\nT3.*) echo x > three; if test -e two; then {}; {}; fi;;",
            missing("sub", SUB),
            missing("mul", MUL),
            missing("sub", SUB),
            missing("mul", MUL)
        ),
    );
    garden.run(&["gardener", "--jobs", "2", "--branches", "task"]).assert(0, &[]);
    let lib = garden.read("lib.sh");
    assert!(lib.contains("sub()") && lib.contains("mul()"), "{lib}");
    let all = garden.git(&["log", "--format=%B"]);
    assert!(all.contains("Arborist-Merge: 0"), "one of them was sent back: {all}");
    garden.run(&["check", "--run"]).assert(0, &[]);
}
