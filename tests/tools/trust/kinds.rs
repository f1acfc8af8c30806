//! Tests the kinds of tasks with the real test programs: tasks that write tests before the code, and tasks that no test can
//! judge.

use serde_json::{Value, json};

use super::has_pytest;
use crate::support::garden::{Ended, Garden};

/// A plan as spec-kit writes it, for an empty repository.
const PLAN: &str = "# Tasks: Calculator

## Phase 1: Setup (Shared Infrastructure)

- [ ] T001 Create project structure per implementation plan

## Phase 2: User Story 1 - Sums (Priority: P1)

### Tests for User Story 1 ⚠️

> Write these tests FIRST, ensure they FAIL before implementation

- [ ] T002 [P] [US1] Contract test for add in tests/test_add.py
- [ ] T003 [P] [US1] Integration test for total in tests/test_total.py

### Implementation for User Story 1

- [ ] T004 [US1] Implement add in calc/add.py
- [ ] T005 [US1] Implement total in calc/total.py

## Phase 3: Polish

- [ ] T006 Refactor calc/total.py
- [ ] T007 Update README.md
";

const PYTEST: &str = "/usr/bin/python3 -m pytest -q -p no:cacheprovider tests";

/// What the agent does for the tasks. `$TOTAL` is the code of the last one of the story.
const AGENT: &str = r#"case $work in
*.review.*) echo APPROVED; exit 0;;
T001.*) mkdir calc; : > calc/__init__.py; echo __pycache__/ > .gitignore;;
T002.*) mkdir -p tests
  printf 'def add(a, b):\n    raise NotImplementedError\n' > calc/add.py
  printf 'from calc.add import add\n\n\ndef test_adds():\n    assert add(2, 3) == 5\n\n\ndef test_zero():\n    assert add(0, 0) == 0\n' > tests/test_add.py;;
T003.*) mkdir -p tests
  printf 'def total(numbers):\n    raise NotImplementedError\n' > calc/total.py
  printf 'from calc.total import total\n\n\ndef test_total():\n    assert total([1, 2, 3]) == 6\n' > tests/test_total.py;;
T004.*) printf 'def add(a, b):\n    return a + b\n' > calc/add.py;;
T005.*) printf "$TOTAL" > calc/total.py;;
T006.*) printf 'def total(numbers):\n    return sum(numbers, 0)\n' > calc/total.py;;
T007.*) echo '# Calculator' > README.md;;
esac
echo done; exit 0
"#;

/// A repository with nothing but the plan, which has been imported, and in which a person has said what kinds of tasks it has besides
/// those that write tests. `total` is the code that the agent writes for T005.
fn garden(total: &str) -> Garden {
    let garden = Garden::empty();
    garden.git(&["init", "-q", "-b", "main"]);
    garden.write("specs/001-calc/tasks.md", PLAN);
    garden.commit("Add the plan");
    garden.run(&["build", "--test-command", PYTEST]).assert(0, &[]);
    let mut tree: Value = serde_json::from_str(&garden.read("task-tree.json")).unwrap();
    for (task, kind) in [("T001", "config"), ("T006", "refactor"), ("T007", "docs")] {
        tree["nodes"][task]["expect"] = kind.into();
    }
    garden.write("task-tree.json", &tree.to_string());
    garden.commit("Build the plan");
    garden.agent(&format!("TOTAL='{total}'\n{AGENT}"));
    garden
}

/// Runs without proofs, which are tested elsewhere.
fn run(garden: &Garden, args: &[&str]) -> Ended {
    let mut command = garden.arborist(args);
    command.env("ARBORIST_TRUST_PROVE", "off");
    garden.finish(command)
}

/// A repository with these nodes as its plan.
fn planned(nodes: &Value) -> Garden {
    let garden = Garden::new(&json!({"spec_id": "kinds", "nodes": nodes}));
    garden.write(".gitignore", "__pycache__/\n");
    garden.commit("Begin");
    garden
}

fn task(id: &str, expect: &str, command: &str) -> Value {
    json!({
        "id": id, "name": format!("Do {id}"), "description": "", "expect": expect, "parent": "P",
        "test_commands": [{"type": "unit", "command": command}],
    })
}

#[test]
fn a_plan_that_writes_tests_first_runs_from_an_empty_repository_to_its_end() {
    if !has_pytest() {
        return;
    }
    let garden = garden(r"def total(numbers):\n    return sum(numbers)\n");
    let tree: Value = serde_json::from_str(&garden.read("task-tree.json")).unwrap();
    let kind = |id: &str| tree["nodes"][id]["expect"].as_str().unwrap_or("-").to_owned();
    let kinds = ["T001", "T002", "T003", "T004", "T005", "T006", "T007"].map(kind);
    assert_eq!(kinds, ["config", "tests", "tests", "-", "-", "refactor", "docs"]);
    let ended = run(&garden, &["gardener"]);
    ended.assert(0, &["0 passed, 2 failed (awaited)"]);
    let [setup, first, second] =
        ["T001", "T002", "T003"].map(|id| garden.message(&format!("task({id}): complete")));
    assert!(!setup.contains("waited"), "{setup}");
    assert!(
        first.contains("\nAwaited:\n- tests/test_add.py::test_adds\n- tests/test_add.py::test_zero\n\n"),
        "{first}"
    );
    assert!(second.contains("\nAwaited:\n- tests/test_total.py::test_total\n\n"), "{second}");
    let [add, total] = ["T004", "T005"].map(|id| garden.message(&format!("task({id}): complete")));
    assert!(
        add.contains(
            "\nNo longer awaited:\n- tests/test_add.py::test_adds\n- tests/test_add.py::test_zero\n\n"
        ),
        "{add}"
    );
    assert!(total.contains("\nNo longer awaited:\n- tests/test_total.py::test_total\n\n"), "{total}");
    let test = garden.message("task(T004): tests pass");
    assert!(test.contains("\nStill awaited:\n- tests/test_total.py::test_total\n\n"), "{test}");
    let asked = garden.prompt("T002.implement.0");
    assert!(asked.contains("This task writes tests, and not the code"), "{asked}");
    assert!(!asked.contains("each must exit with status 0"), "{asked}");
    let asked = garden.prompt("T004.implement.0");
    assert!(asked.contains("\n- tests/test_add.py::test_adds\n"), "{asked}");
    assert!(garden.prompt("T004.review.0").contains("were awaited from earlier tasks and pass now"));
    assert!(garden.prompt("T006.implement.0").contains("changes no behaviour"));
    run(&garden, &["check", "--run", "--strict"]).assert(0, &[]);
    assert!(run(&garden, &["status"]).stdout.contains("7/7 complete"));
    let landed = run(&garden, &["land", "--verify", "--yes", "--branch", "landed"]);
    landed.assert(0, &[]);
    for line in
        ["(T001)\n", "(T002)  tests pass, but for 2 that await a later task\n", "(T007)  tests pass\n"]
    {
        assert!(landed.stdout.contains(line), "{line}: {landed:?}");
    }
    let adds = garden.git(&["log", "-1", "--format=%B", "--grep", "(T004)", "landed"]);
    assert!(adds.contains("2 tests pass, 1 test awaits a later task"), "{adds}");
}

#[test]
fn a_phase_fails_with_the_names_of_the_tests_that_are_still_awaited() {
    if !has_pytest() {
        return;
    }
    let garden = garden(r"def total(numbers):\n    return 0\n");
    run(&garden, &["gardener", "--max-attempts", "1"]).assert(1, &["this one has to", "T005 failed"]);
    assert!(!garden.subjects().iter().any(|subject| subject.starts_with("task(T005): tests pass")));
    run(&garden, &["mark", "skip", "T005", "-m", "later"]).assert(0, &[]);
    let ended = run(&garden, &["gardener"]);
    ended.assert(
        1,
        &["still awaited", "tests/test_total.py::test_total (of T003)", "mark reopen T005 -m WHY"],
    );
    assert!(!garden.subjects().contains(&"phase(phase2): complete".to_owned()));
    // Once the code is there, the same phase passes.
    garden.write("calc/total.py", "def total(numbers):\n    return sum(numbers)\n");
    garden.commit("Repair total");
    run(&garden, &["gardener"]).assert(0, &[]);
    let phase = garden.message("phase(phase2): complete");
    assert!(phase.contains("\nNo longer awaited:\n- tests/test_total.py::test_total\n"), "{phase}");
    run(&garden, &["check", "--run", "--strict"]).assert(0, &[]);
}

#[test]
fn an_awaited_test_keeps_its_name() {
    if !has_pytest() {
        return;
    }
    let garden = planned(&json!({
        "P": {"id": "P", "name": "Phase", "children": ["T1", "T2"]},
        "T1": task("T1", "tests", PYTEST),
        "T2": {"id": "T2", "name": "Write it", "parent": "P", "depends_on": ["T1"], "may_change": ["tests/**"],
               "test_commands": [{"type": "unit", "command": PYTEST}]},
    }));
    garden.agent(
        r#"case $work in
T1.implement.*) mkdir -p tests; printf 'import os


def test_old():
    assert os.path.exists("code")
' > tests/test_a.py;;
T2.implement.*) : > code; name=test_renamed; [ $work = T2.implement.0 ] || name=test_old; printf 'import os


def %s():
    assert os.path.exists("code")
' $name > tests/test_a.py;;
esac"#,
    );
    run(&garden, &["gardener"]).assert(0, &["A test that is gone", "tests/test_a.py::test_old"]);
    run(&garden, &["check", "--run", "--strict"]).assert(0, &[]);
}

#[test]
fn new_tests_must_load_and_old_ones_must_pass() {
    if !has_pytest() {
        return;
    }
    let garden = planned(&json!({
        "P": {"id": "P", "name": "Phase", "children": ["T1", "T2"]},
        "T1": task("T1", "tests", PYTEST),
        "T2": {"id": "T2", "name": "Write it", "parent": "P"},
    }));
    garden.write("tests/test_old.py", "def test_old():\n    assert True\n");
    garden.commit("Begin with a test");
    garden.config("arborist.trust.protect", "off");
    garden.agent(
        r#"case $work in
*.implement.0) printf 'from missing import x\n' > tests/test_new.py;;
*.implement.1) printf 'def test_new():\n    assert False\n' > tests/test_new.py
  printf 'def test_old():\n    assert False\n' > tests/test_old.py;;
*.implement.2) printf 'def test_old():\n    assert True\n' > tests/test_old.py;;
esac"#,
    );
    run(&garden, &["garden", "T1"]).assert(0, &[]);
    assert_eq!(garden.trailers("Arborist-Test"), ["fail", "fail", "pass"]);
    let feedback = garden.prompt("T1.implement.1");
    assert!(feedback.contains("These cannot be loaded or built:\n- tests/test_new.py"), "{feedback}");
    assert!(feedback.contains("tests/test_new.py"), "{feedback}");
    let feedback = garden.prompt("T1.implement.2");
    assert!(
        feedback.contains(
            "those that passed before must still pass. These do not:\n- tests/test_old.py::test_old"
        ),
        "{feedback}"
    );
    let complete = garden.message("task(T1): complete");
    assert!(complete.contains("\nAwaited:\n- tests/test_new.py::test_new\n\n"), "{complete}");
}

#[test]
fn tests_that_failed_before_the_task_are_not_awaited_even_if_a_commit_cannot_name_them() {
    if !has_pytest() {
        return;
    }
    for is_killed in [false, true] {
        let garden = planned(&json!({
            "P": {"id": "P", "name": "Phase", "children": ["T1"]},
            "T1": task("T1", "tests", PYTEST),
        }));
        garden.write(
            "tests/test_old.py",
            "import pytest\n\n\n@pytest.mark.parametrize('x', [f'{n}, b' for n in range(40)])\ndef test_old(x):\n    assert False\n",
        );
        garden.commit("Begin with tests that fail");
        garden.config("arborist.maxAttempts", "1");
        garden.agent("printf 'def test_new():\\n    assert False\\n' > tests/test_new.py; echo done; exit 0");
        if is_killed {
            let hook = garden.top().join(".git/hooks/post-commit");
            garden.program(&hook, "test -e \"$ROOT/run\" && kill -9 $(cat \"$ROOT/run\") && sleep 1; exit 0");
            let command = garden.arborist(&["gardener"]);
            let running = garden.start(command);
            std::fs::write(garden.root().join("run"), running.id()).unwrap();
            assert_eq!(running.wait().status, 137);
            garden.assert_nothing_runs();
            std::fs::remove_file(garden.root().join("run")).unwrap();
        }
        run(&garden, &["gardener"]).assert(1, &["T1 failed"]);
        assert_eq!(garden.trailers("Arborist-Test"), ["fail"], "{is_killed}");
        assert!(!garden.git(&["log", "--format=%B"]).contains("Awaited:"), "{is_killed}");
    }
}

#[test]
fn node_tests_are_awaited_by_name_and_other_failures_are_not_excused() {
    let node = "node --test";
    let garden = planned(&json!({
        "P": {"id": "P", "name": "Phase", "children": ["T1", "T2"]},
        "T1": task("T1", "tests", node),
        "T2": {"id": "T2", "name": "Double", "parent": "P", "depends_on": ["T1"],
               "test_commands": [{"type": "unit", "command": node}]},
    }));
    garden.agent(
        r#"case $work in
T1.implement.*) echo "exports.double = () => { throw new Error('missing') }" > double.js
  cat > double.test.js <<'END'
const { test } = require('node:test')
const assert = require('node:assert')
const { double } = require('./double.js')
test('doubles: "two", at once', () => assert.strictEqual(double(2), 4))
END
;;
T2.implement.0) cat > other.test.js <<'END'
const { test } = require('node:test')
test('another', () => { throw new Error('no') })
END
;;
T2.implement.1) rm other.test.js; echo "exports.double = x => 2 * x" > double.js;;
esac"#,
    );
    run(&garden, &["gardener"]).assert(0, &[]);
    let complete = garden.message("task(T1): complete");
    assert!(complete.contains("\nAwaited:\n- doubles: \"two\", at once\n\n"), "{complete}");
    assert_eq!(garden.trailers("Arborist-Test"), ["pass", "fail", "pass"]);
    let complete = garden.message("task(T2): complete");
    assert!(complete.contains("\nNo longer awaited:\n- doubles: \"two\", at once\n\n"), "{complete}");
    run(&garden, &["check", "--run", "--strict"]).assert(0, &[]);
}

#[test]
fn the_whole_suite_may_fail_only_because_of_awaited_tests() {
    if !has_pytest() {
        return;
    }
    let nodes = json!({
        "P": {"id": "P", "name": "Tests", "children": ["T1"]},
        "T1": task("T1", "tests", PYTEST),
        "Q": {"id": "Q", "name": "Code", "children": ["T2"], "depends_on": ["P"]},
        "T2": {"id": "T2", "name": "Code", "parent": "Q",
               "test_commands": [{"type": "unit", "command": PYTEST}]},
    });
    let garden = planned(&nodes);
    garden.config("arborist.suite", PYTEST);
    garden.config("arborist.trust.suite", "require");
    garden.agent(
        r#"case $work in
T1.implement.*) mkdir tests; printf 'def test_x():\n    assert open("x.txt")\n' > tests/test_x.py;;
T2.implement.*) echo x > x.txt;;
esac"#,
    );
    run(&garden, &["gardener"]).assert(0, &[]);
    let subjects = garden.subjects();
    for phase in ["P", "Q"] {
        assert!(subjects.contains(&format!("phase({phase}): complete")), "{subjects:?}");
    }
    assert!(garden.message("task(T2): complete").contains("\nNo longer awaited:\n"));
}

#[test]
fn where_tests_that_do_not_build_have_no_names_the_code_is_written_test_first() {
    let garden = Garden::empty();
    garden.git(&["init", "-q", "-b", "main"]);
    garden.write("specs/001-calc/tasks.md", PLAN);
    garden.commit("Add the plan");
    garden.run(&["build", "--test-command", "go test ./..."]).assert(0, &[]);
    let tree: Value = serde_json::from_str(&garden.read("task-tree.json")).unwrap();
    let node = |id: &str| &tree["nodes"][id];
    assert_eq!(node("T002")["expect"], "docs");
    assert!(node("T002")["description"].as_str().unwrap().contains("the task that writes the code"));
    for id in ["T004", "T005"] {
        assert_eq!((&node(id)["test_first"], &node(id)["expect"]), (&json!(true), &Value::Null), "{id}");
    }
    assert_eq!(node("T006")["test_first"], Value::Null);
    garden.run(&["build", "--update", "--test-command", "go test -v ./..."]).assert(0, &[]);
    let tree: Value = serde_json::from_str(&garden.read("task-tree.json")).unwrap();
    assert_eq!(tree["nodes"]["T002"]["expect"], "tests");
    assert_eq!(tree["nodes"]["T004"]["test_first"], Value::Null);
}

#[test]
fn a_test_that_failed_before_a_task_that_writes_tests_may_go_on_failing() {
    if !has_pytest() {
        return;
    }
    let garden = planned(&json!({
        "P": {"id": "P", "name": "Phase", "children": ["T1", "T2"]},
        "T1": task("T1", "tests", PYTEST),
        "T2": {"id": "T2", "name": "Write it", "parent": "P", "depends_on": ["T1"],
               "test_commands": [{"type": "unit", "command": format!("{PYTEST}/test_new.py")}]},
    }));
    garden.write("tests/test_old.py", "def test_old():\n    assert 1 == 2\n");
    garden.commit("Begin with a test that fails");
    garden.agent(
        r#"case $work in
T1.implement.*) printf 'import os\n\n\ndef test_new():\n    assert os.path.exists("code.txt")\n' > tests/test_new.py;;
T2.implement.*) echo x > code.txt;;
esac"#,
    );
    run(&garden, &["gardener"]).assert(0, &["0 passed, 1 failed (awaited)", "P phase       pass"]);
    let tests = garden.message("task(T1): tests pass");
    assert!(tests.contains("\nAwaited:\n- tests/test_new.py::test_new\n\n"), "{tests}");
}
