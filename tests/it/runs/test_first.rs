//! Tests tasks whose tests are written before their code.

use serde_json::{Value, json};

use crate::support::garden::{Garden, one_task, plan, side_by_side};
use crate::support::proofs::with_default_checks;

/// A task that is test-first, judged by `sh tests/check.sh`.
fn test_first() -> Value {
    let mut tree = one_task(&["sh tests/check.sh"]);
    tree["nodes"]["T001"]["test_first"] = json!(true);
    tree
}

/// What an agent does that writes a test which the usual work makes pass.
const WRITES_A_TEST: &str =
    "mkdir -p tests; echo 'echo looking; grep -q implement T001.txt' > tests/check.sh";

/// A garden in which `script` is what the agent does in the red step.
fn garden(script: &str) -> Garden {
    let garden = Garden::new(&test_first());
    garden.agent(&format!("if [ $ARBORIST_STEP = red ]; then\n{script}\nexit 0; fi"));
    garden
}

/// The message of the newest step with this trailer.
fn message(garden: &Garden, trailer: &str) -> String {
    garden.git(&["log", "-1", "--format=%B", &format!("--grep=^{trailer}")])
}

#[test]
fn failing_tests_are_written_and_committed_before_the_code() {
    let garden = garden(WRITES_A_TEST);
    garden.run(&["gardener"]).assert(0, &["red"]);
    assert_eq!(
        garden.steps()[..2],
        [
            "task(T001): failing tests for \"Do T001\" | red pass   0",
            "task(T001): implement \"Do T001\" | implement pass   0"
        ]
    );
    assert_eq!(garden.asked(), ["T001.red.0", "T001.implement.0", "T001.review.0"]);
    assert_eq!(garden.files_of("HEAD~5"), ["tests/check.sh"]);
    let red = message(&garden, "Arborist-Step: red");
    for part in [
        "Failed:\n- `sh tests/check.sh`: exit status",
        "Test (unit) stdout (last 1000 chars):\nlooking\n",
        "Arborist-Red: test",
        "Arborist-Test-Type: unit\n",
        "Arborist-Runner: mine\n",
    ] {
        assert!(red.contains(part), "{part}: {red}");
    }
    let prompt = garden.prompt("T001.red.0");
    assert!(prompt.starts_with("## Task\n\nWrite failing tests for task T001: Do T001\n"), "{prompt}");
    let prompt = garden.prompt("T001.implement.0");
    assert!(prompt.contains("- tests/check.sh\n") && prompt.contains("looking"), "{prompt}");
    assert!(prompt.contains("Do not change them"), "{prompt}");
    let prompt = garden.prompt("T001.review.0");
    assert!(
        prompt.contains("+echo looking; grep -q implement T001.txt"),
        "the tests are part of it: {prompt}"
    );
    assert!(prompt.contains("TESTS REJECTED"), "{prompt}");
    garden.run(&["check", "--run"]).assert(0, &[]);
    let report = garden.lines(&["ls-files", "spec/reports"]).concat();
    let report: Value = serde_json::from_str(&garden.read(&report)).unwrap();
    assert_eq!(report["attempts"][0]["steps"][0]["step"], "red");
    assert_eq!(report["attempts"][0]["steps"].as_array().unwrap().len(), 4);
}

#[test]
fn everything_that_is_not_a_failing_test_is_refused_and_said_in_the_next_prompt() {
    let write = WRITES_A_TEST;
    let cases: &[(&str, &str)] = &[
        ("echo done", "No test was written or changed"),
        ("mkdir -p tests; echo true > tests/check.sh", "The test commands pass already"),
        (
            "mkdir -p tests; echo false > tests/check.sh; echo x > T001.txt; echo y > b.txt",
            "other files are not as they were",
        ),
        ("mkdir -p tests; echo 'exit 127' > tests/check.sh", "not because of a test"),
        ("mkdir -p tests; echo 'sleep 60' > tests/check.sh", "not because of a test"),
        (
            "mkdir -p tests; echo 'echo x >> tests/check.sh; false' > tests/check.sh",
            "changed files that this step had written",
        ),
        ("mkdir -p tests; echo false > tests/check.sh; exit 3", "exit status 3"),
        (
            "printf 'AKIA%s\\n' 7XQ2M5R9KD3LWPZN > tests.env; mkdir -p tests; echo false > tests/check.sh",
            "looks like",
        ),
    ];
    side_by_side(cases, |(script, words)| {
        let script = format!(
            "if [ $ARBORIST_ATTEMPT = 0 ]; then\n{script}\nelse\nrm -f T001.txt b.txt tests.env; {write}\nfi"
        );
        let garden = garden(&script);
        garden.config("arborist.testTimeout", "2");
        let ended = garden.run(&["gardener"]);
        ended.assert(0, &[words]);
        let steps = garden.steps();
        assert_eq!(steps[0], "task(T001): no failing tests for \"Do T001\" (attempt 1/5) | red fail   0");
        assert_eq!(steps[1], "task(T001): failing tests for \"Do T001\" | red pass   1", "{script}");
        assert_eq!(steps[2], "task(T001): implement \"Do T001\" | implement pass   1", "{script}");
        let prompt = garden.prompt("T001.red.1");
        assert!(prompt.contains("### Attempt 1: "), "{prompt}");
        assert!(prompt.contains(words), "{words}: {prompt}");
        assert!(!garden.prompt("T001.implement.1").contains(words), "it does not concern the code");
        assert_eq!(garden.status(), [""; 0], "{script}");
        garden.run(&["check", "--run"]).assert(0, &[]);
    });
}

#[test]
fn a_reviewer_that_rejects_the_tests_has_them_written_again() {
    let garden = Garden::new(&test_first());
    garden.agent(&format!(
        "case $ARBORIST_STEP in
        red) {WRITES_A_TEST}; test $ARBORIST_ATTEMPT = 0 || echo 'grep -q implement.1 T001.txt' > tests/check.sh
            exit 0;;
        review) test $ARBORIST_ATTEMPT = 0 && {{ echo 'They prove nothing.'; echo 'TESTS REJECTED'; exit 0; }};;
        esac"
    ));
    garden.run(&["gardener"]).assert(0, &["the tests themselves"]);
    let steps: Vec<String> =
        garden.steps().iter().map(|step| step.split(" | ").nth(1).unwrap().to_owned()).collect();
    assert_eq!(
        steps[..9],
        [
            "red pass   0",
            "implement pass   0",
            "test  pass  0",
            "review   rejected 0",
            "red pass   1",
            "implement pass   1",
            "test  pass  1",
            "review   approved 1",
            "complete pass   ",
        ]
    );
    assert!(
        message(&garden, "Arborist-Reject: tests").contains("The reviewer rejects the tests themselves.")
    );
    let prompt = garden.prompt("T001.red.1");
    assert!(prompt.contains("its review rejected it") && prompt.contains("They prove nothing."), "{prompt}");
    assert!(!garden.prompt("T001.implement.1").contains("They prove nothing."));
    garden.run(&["check", "--run"]).assert(0, &[]);
}

#[test]
fn a_review_that_rejects_the_tests_of_another_task_is_a_plain_rejection() {
    let garden = Garden::new(&one_task(&["true"]));
    garden.agent("[ $work = T001.review.0 ] && { echo 'TESTS REJECTED'; exit 0; }");
    garden.run(&["gardener"]).assert(0, &[]);
    assert_eq!(garden.asked(), ["T001.implement.0", "T001.review.0", "T001.implement.1", "T001.review.1"]);
    assert!(!garden.prompt("T001.review.1").contains("TESTS REJECTED, "), "only where tests come first");
}

#[test]
fn an_option_makes_all_tasks_test_first_that_have_a_test_command() {
    let tree = plan(&[
        ("p1", "", &[], &[]),
        ("T001", "p1", &[], &["sh tests/check.sh"]),
        ("T002", "p1", &["T001"], &[]),
    ]);
    let garden = Garden::new(&tree);
    garden.agent(&format!("[ $ARBORIST_STEP = red ] && {{ {WRITES_A_TEST}; exit 0; }}"));
    let dry = garden.run(&["gardener", "--test-first", "--dry-run"]);
    dry.assert(0, &[]);
    assert!(dry.stdout.contains("T001 Do T001: red, implement, test"), "{}", dry.stdout);
    assert!(dry.stdout.contains("T002 Do T002: implement, test"), "{}", dry.stdout);
    garden.run(&["garden", "T001", "--test-first", "--until", "00:00"]).assert(0, &[]);
    assert_eq!(garden.asked(), ["T001.red.0", "T001.implement.0", "T001.review.0"]);
    garden.config("arborist.testFirst", "true");
    garden.run(&["gardener"]).assert(0, &[]);
    assert_eq!(garden.asked()[3..], ["T002.implement.0", "T002.review.0"]);
}

#[test]
fn another_agent_may_write_the_tests() {
    let garden = garden("exit 9");
    garden.runner("other", &format!("cat > /dev/null; {WRITES_A_TEST}"));
    garden.config("arborist.red.runner", "other");
    garden.run(&["gardener"]).assert(0, &[]);
    assert_eq!(garden.asked(), ["T001.implement.0", "T001.review.0"]);
    assert!(message(&garden, "Arborist-Step: red").contains("Arborist-Runner: other\n"));
}

#[test]
fn status_and_next_tell_that_the_tests_are_written() {
    let garden = garden(WRITES_A_TEST);
    garden.agent(&format!(
        "[ $ARBORIST_STEP = red ] && {{ {WRITES_A_TEST}; exit 0; }}; [ -e \"$ROOT/go\" ] || exit 127"
    ));
    let next = garden.run(&["next"]).stdout;
    assert!(next.contains("T001 Do T001: red, attempt 1 of 5, because it has not begun"), "{next}");
    garden.run(&["gardener"]).assert(4, &[]);
    let status = garden.run(&["status"]).stdout;
    assert!(status.contains("stopped, failing tests written, next: implement 1/5"), "{status}");
    let json: Value = serde_json::from_str(&garden.run(&["status", "--json"]).stdout).unwrap();
    assert!(json.to_string().contains("\"testing\""), "{json}");
    let next = garden.run(&["next"]).stdout;
    assert!(next.contains("implement, attempt 1 of 5, because failing tests are written for it"), "{next}");
    let shown = garden.run(&["show", "T001"]).stdout;
    assert!(shown.contains("red") && shown.contains("failing tests written"), "{shown}");
    let prompt = garden.run(&["next", "--prompt"]).stdout;
    assert!(prompt.contains("Tests for this task are written already"), "{prompt}");
}

#[test]
fn tests_that_are_part_of_a_file_of_source_may_be_written_but_not_its_code() {
    let mut tree = one_task(&["grep -q 'fn added' src/lib.rs"]);
    tree["nodes"]["T001"]["test_first"] = json!(true);
    let garden = Garden::new(&tree);
    garden.write("src/lib.rs", "pub fn one() -> u8 {\n    1\n}\n");
    garden.commit("Begin");
    garden.agent(
        "case $work in
        T001.red.0) sed -i s/1$/2/ src/lib.rs;;
        T001.red.1) git checkout -q HEAD~1 -- src/lib.rs; git reset -q
            printf '\\n#[cfg(test)]\\nmod tests {\\n    #[test]\\n    fn adds() {\\n        super::added();\\n    }\\n}\\n' >> src/lib.rs;;
        T001.implement.*) echo 'pub fn added() {}' >> src/lib.rs; exit 0;;
        esac",
    );
    garden.run(&["gardener"]).assert(0, &["put them back"]);
    assert_eq!(garden.asked(), ["T001.red.0", "T001.red.1", "T001.implement.1", "T001.review.1"]);
    let red = message(&garden, "Arborist-Red");
    assert!(red.contains("Arborist-Retry: 1"), "{red}");
}

#[test]
fn tests_that_are_written_again_after_a_rejection_may_pass_with_the_code_that_is_there_and_a_finding_says_so()
{
    let garden = Garden::new(&test_first());
    garden.agent(&format!(
        "case $ARBORIST_STEP in
        red) {WRITES_A_TEST}; test $ARBORIST_ATTEMPT = 0 || echo 'test -f T001.txt' > tests/check.sh; exit 0;;
        implement) test $ARBORIST_ATTEMPT = 0 || {{ echo NOTHING LEFT TO DO; exit 0; }};;
        review) test $ARBORIST_ATTEMPT = 0 && {{ echo 'TESTS REJECTED'; exit 0; }};;
        esac"
    ));
    garden.run(&["gardener"]).assert(0, &[]);
    let red = message(&garden, "Arborist-Step: red");
    assert!(red.contains("warning[red]: The tests that were written again pass with the code"), "{red}");
    assert!(red.contains("Arborist-Result: pass") && !red.contains("Arborist-Red"), "{red}");
    let prompt = garden.prompt("T001.review.1");
    assert!(prompt.contains("pass with the code of an earlier attempt"), "{prompt}");
}

#[test]
fn a_task_that_begins_again_may_keep_its_tests_if_they_fail() {
    let garden = garden(
        "test -e \"$ROOT/again\" && { echo NOTHING LEFT TO DO; exit 0; }
        mkdir -p tests; echo 'grep -q fixed T001.txt' > tests/check.sh",
    );
    garden.run(&["gardener", "--max-attempts", "1"]).assert(1, &["T001 failed"]);
    std::fs::write(garden.root().join("again"), "").unwrap();
    let ended = garden.run(&["garden", "T001", "--max-attempts", "1"]);
    ended.assert(1, &[]);
    let steps = garden.steps();
    assert_eq!(
        steps[steps.len() - 4..],
        [
            "task(T001): failing tests for \"Do T001\" | red pass   0",
            "task(T001): implement \"Do T001\" | implement pass   0",
            "task(T001): tests fail for \"Do T001\" (attempt 1/1) | test  fail  0",
            "task(T001): failed \"Do T001\" after 1 retries | complete fail   "
        ]
    );
}

#[test]
fn a_red_step_that_is_reverted_is_done_again() {
    let garden = garden(WRITES_A_TEST);
    garden.agent(&format!(
        "[ $ARBORIST_STEP = red ] && {{ {WRITES_A_TEST}; exit 0; }}; [ -e \"$ROOT/go\" ] || exit 127"
    ));
    garden.run(&["gardener"]).assert(4, &[]);
    garden.git(&["revert", "--no-edit", "HEAD"]);
    assert!(garden.run(&["next"]).stdout.contains("T001 Do T001: red, attempt 1 of 5"));
    std::fs::write(garden.root().join("go"), "").unwrap();
    garden.run(&["gardener"]).assert(0, &[]);
    assert_eq!(garden.asked()[2..], ["T001.red.0", "T001.implement.0", "T001.review.0"]);
    garden.run(&["check", "--run"]).assert(0, &[]);
}

#[test]
fn a_person_may_reject_the_tests_or_do_the_work() {
    let garden = garden(WRITES_A_TEST);
    garden.agent(&format!(
        "[ $ARBORIST_STEP = red ] && {{ {WRITES_A_TEST}; echo \"# $ARBORIST_ATTEMPT\" >> tests/check.sh
            [ $ARBORIST_ATTEMPT = 0 ] || {{ : > \"$ROOT/began\"; until test -e \"$ROOT/stopped\"; do /bin/sleep 0.05; done; }}
            exit 0; }}
        [ -e \"$ROOT/go\" ] || exit 127"
    ));
    garden.run(&["gardener"]).assert(4, &[]);
    garden.run(&["mark", "reject", "T001", "-m", "Test more."]).assert(0, &[]);
    assert!(message(&garden, "Arborist-Step: review").contains("Arborist-Reject: tests"));
    let running = garden.start(garden.arborist(&["gardener"]));
    garden.wait_for("began");
    garden.run(&["stop", "--now"]).assert(0, &[]);
    std::fs::write(garden.root().join("stopped"), "").unwrap();
    running.wait().assert(1, &[]);
    assert!(garden.prompt("T001.red.1").contains("Test more."));
    garden.write("T001.txt", "implement\n");
    garden.run(&["done", "T001"]).assert(0, &["The tests of T001 pass"]);
    std::fs::write(garden.root().join("go"), "").unwrap();
    garden.run(&["gardener"]).assert(0, &[]);
    garden.run(&["check", "--run"]).assert(0, &[]);
}

#[test]
fn a_test_writer_that_ends_at_once_twice_stops_the_run() {
    let garden = garden("exit 1");
    garden.run(&["gardener"]).assert(4, &["ended at once for the second time in a row"]);
    assert_eq!(garden.asked(), ["T001.red.0", "T001.red.1"]);
    assert_eq!(garden.steps().len(), 1);
}

#[test]
fn a_command_that_cannot_prepare_the_tests_is_no_failing_test() {
    let mut tree = test_first();
    let tests = tree["nodes"]["T001"]["test_commands"].as_array_mut().unwrap();
    tests.push(json!({"type": "setup", "command": "test -e ready"}));
    tests.push(json!({"type": "teardown", "command": "echo >> \"$ROOT/torn\"; false"}));
    let garden = Garden::new(&tree);
    garden.agent(&format!("[ $ARBORIST_STEP = red ] && {{ {WRITES_A_TEST}; exit 0; }}"));
    garden.run(&["gardener", "--max-attempts", "1"]).assert(1, &["prepares the tests failed"]);
    let garden = Garden::new(&one_task(&["true"]));
    garden.agent(&format!("[ $ARBORIST_STEP = red ] && {{ {WRITES_A_TEST}; exit 0; }}"));
    garden.run(&["gardener", "--test-first", "--max-attempts", "1"]).assert(1, &["pass already"]);
}

#[test]
fn tests_that_failed_before_the_task_are_no_new_failing_tests() {
    let mut tree = test_first();
    tree["nodes"]["T001"]["test_commands"] = json!([{"type": "unit", "command": "test -e T001.txt || { cat tests/out; false; }", "framework": "pytest"}]);
    let garden = Garden::new(&tree);
    let printed = |counts: &str| format!("=== test session starts ===\n=== {counts} in 0.10s ===\n");
    garden.write("tests/out", &printed("1 failed, 2 passed"));
    garden.commit("Begin");
    std::fs::write(
        garden.root().join("more"),
        printed("1 failed, 2 passed") + &printed("2 failed, 2 passed"),
    )
    .unwrap();
    garden.agent(
        "case $work in
        T001.red.0) echo >> tests/other; exit 0;;
        T001.red.1) cp \"$ROOT/more\" tests/out; exit 0;;
        esac",
    );
    let mut command = garden.arborist(&["gardener"]);
    command.env("ARBORIST_TRUST_COUNTS", "off");
    garden.finish(command).assert(0, &["failed before this task as well"]);
    assert_eq!(garden.asked()[..3], ["T001.red.0", "T001.red.1", "T001.implement.1"]);
    assert!(message(&garden, "Arborist-Red").contains("Arborist-Retry: 1"));
}

/// A garden with a test that was there before the test-first task.
fn tested(red: &str, implement: &str) -> Garden {
    let mut tree = one_task(&["sh tests/old.sh && sh tests/check.sh"]);
    tree["nodes"]["T001"]["test_first"] = json!(true);
    let garden = Garden::new(&tree);
    garden.write("tests/old.sh", "true one\ntrue two\n");
    garden.commit("Begin");
    garden.agent(&format!(
        "case $work in
        T001.red.0) {WRITES_A_TEST}; {red}; exit 0;;
        T001.red.1) eval \"$(git log -1 --format=%B | sed -n 's/^  = undo: //p')\"; {WRITES_A_TEST}; exit 0;;
        T001.implement.*) {implement};;
        esac"
    ));
    garden
}

#[test]
fn tests_that_were_there_may_get_lines_but_not_be_changed_moved_or_deleted() {
    let cases = [
        ("echo 'true three' >> tests/old.sh; sed -i '1i true zero' tests/old.sh", true),
        ("sed -i s/one/three/ tests/old.sh", false),
        ("rm tests/old.sh; sed -i '1i true' tests/check.sh", false),
        ("git mv tests/old.sh tests/older.sh; cp tests/older.sh tests/x.sh", false),
    ];
    side_by_side(&cases, |(red, may)| {
        let garden = tested(red, "true");
        garden.run(&["gardener"]).assert(0, &[]);
        if *may {
            assert_eq!(garden.asked()[..2], ["T001.red.0", "T001.implement.0"], "{red}");
            return;
        }
        assert_eq!(garden.asked()[..3], ["T001.red.0", "T001.red.1", "T001.implement.1"], "{red}");
        let failed = garden.git(&["log", "--format=%B", "--grep=no failing tests"]);
        let seen = "error[red]: Tests that were there before the task were changed, moved or deleted";
        assert!(failed.contains(seen) && failed.contains("\n- tests/old.sh\n"), "{failed}");
        assert!(failed.contains("\n  = undo: git restore --source="), "{failed}");
        assert_eq!(garden.read("tests/old.sh"), "true one\ntrue two\n");
    });
}

#[test]
fn the_implementer_must_not_change_the_tests_that_were_written_before() {
    let garden = tested(
        "true",
        "test $ARBORIST_ATTEMPT = 0 && echo true > tests/check.sh || git checkout -q HEAD~2 -- tests/check.sh",
    );
    garden.run(&["gardener"]).assert(0, &["protect: "]);
    assert_eq!(garden.asked()[..3], ["T001.red.0", "T001.implement.0", "T001.implement.1"]);
    let failed = message(&garden, "Arborist-Test: fail");
    let seen =
        "error[protect]: The attempt changed tests that were written before the code:\n- tests/check.sh\n";
    assert!(failed.contains(seen) && failed.contains("\n  = undo: git restore --source="), "{failed}");
}

#[test]
fn the_plan_may_let_the_tests_be_changed() {
    let garden = tested("sed -i s/one/three/ tests/old.sh", "true");
    let mut tree: Value = serde_json::from_str(&garden.read("task-tree.json")).unwrap();
    tree["nodes"]["T001"]["may_change"] = json!(["tests/old.sh"]);
    garden.write("task-tree.json", &format!("{tree:#}\n"));
    garden.commit("Let the task change a test");
    garden.run(&["gardener"]).assert(0, &[]);
    assert_eq!(garden.asked()[..2], ["T001.red.0", "T001.implement.0"]);
}

/// A test-first task whose failing test, in TAP, is committed before it.
fn with_committed_test(command: &str) -> Garden {
    let mut tree = one_task(&[command]);
    tree["nodes"]["T001"]["test_first"] = json!(true);
    let garden = Garden::new(&tree);
    garden.write(
        "tests/check.sh",
        "echo 1..1; grep -qs implement T001.txt && echo 'ok 1 - the file, \"written\"' && exit; echo 'not ok 1 - the file, \"written\"'; exit 1\n",
    );
    garden.commit("A failing test");
    garden
}

#[test]
fn a_red_step_that_changes_nothing_passes_if_the_tests_fail_already_and_names_them() {
    let garden = with_committed_test("sh tests/check.sh");
    garden.agent(
        "if [ $ARBORIST_STEP = red ]; then echo 'The failing test is there: tests/check.sh'; exit 0; fi",
    );
    let mut command = garden.arborist(&["gardener"]);
    with_default_checks(&mut command);
    garden.finish(command).assert(0, &[]);
    assert_eq!(garden.asked(), ["T001.red.0", "T001.implement.0", "T001.review.0"]);
    assert_eq!(garden.steps()[1], "task(T001): failing tests for \"Do T001\" | red pass   0");
    let red = message(&garden, "Arborist-Step: red");
    assert!(red.contains("No test was added") && red.contains("the file, \"written\""), "{red}");
    let prompt = garden.prompt("T001.red.0");
    assert!(prompt.contains("tests that fail are committed already"), "{prompt}");
    let prompt = garden.prompt("T001.implement.0");
    for words in
        ["The tests of this task were there before it", "the file, \"written\"", "Do not change them"]
    {
        assert!(prompt.contains(words), "{words}: {prompt}");
    }
    garden.run(&["check", "--run"]).assert(0, &[]);
}

#[test]
fn a_red_step_that_changes_files_must_add_a_failing_test_although_others_fail() {
    let garden = with_committed_test("sh tests/check.sh");
    garden.agent(
        "if [ $work = T001.red.0 ]; then echo '# more' > tests/more.sh; exit 0; fi
        if [ $ARBORIST_STEP = red ]; then rm -f tests/more.sh; echo 'It is there.'; exit 0; fi",
    );
    garden.run(&["gardener"]).assert(0, &["no other test fails now"]);
    assert_eq!(garden.asked()[..2], ["T001.red.0", "T001.red.1"]);
}

#[test]
fn a_script_that_fails_before_is_no_test_unless_the_agent_says_so() {
    let garden = with_committed_test("test -e T001.txt");
    garden.agent(
        "case $work in
        T001.red.0) echo 'I see nothing to do.'; exit 0;;
        T001.red.1) echo 'It fails already.'; echo; echo 'NOTHING LEFT TO DO'; exit 0;;
        esac",
    );
    garden.run(&["gardener"]).assert(0, &["No test was written or changed"]);
    assert_eq!(garden.asked()[..3], ["T001.red.0", "T001.red.1", "T001.implement.1"]);
}

#[test]
fn a_red_step_without_a_new_failing_test_fails_in_every_attempt_whatever_the_old_ones_are_called() {
    let many: Vec<String> = (1..=40).map(|number| format!("t{number}")).collect();
    let named = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let cases = [
        named(&["adds 1, 2"]),
        named(&["it says \"no\" to \\n", "Failing before this task:", "größer 🌱"]),
        many,
    ];
    side_by_side(&cases, |names| {
        let failing = names.iter().zip(1..).map(|(name, at)| format!("not ok {at} - {name}\n"));
        let output = format!("1..{}\n{}", names.len(), failing.collect::<String>());
        let garden = garden("echo '# nothing' > tests/test_$ARBORIST_ATTEMPT.sh");
        garden.write("tests/output", &output);
        garden.write("tests/check.sh", "cat tests/output; exit 1\n");
        garden.commit("Add tests that fail");
        garden
            .run(&["gardener", "--max-attempts", "3", "--no-review"])
            .assert(1, &["no other test fails now"]);
        let steps = garden.steps();
        let steps: Vec<_> = steps
            .iter()
            .filter(|step| step.starts_with("task(T001)"))
            .filter_map(|step| step.split_once(" | "))
            .map(|(_, step)| step)
            .collect();
        assert_eq!(steps, ["red fail   0", "red fail   1", "red fail   2", "complete fail   "], "{names:?}");
    });
}
