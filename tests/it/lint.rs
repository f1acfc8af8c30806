//! Tests `git arborist lint`: what it prints, and its exit status.

use serde_json::json;

use crate::support::garden::{Garden, one_task};

/// A garden whose plan has these nodes.
fn with_nodes(nodes: &serde_json::Value) -> Garden {
    let garden = Garden::new(&one_task(&[]));
    garden.write("task-tree.json", &serde_json::to_string_pretty(&json!({ "nodes": nodes })).unwrap());
    garden
}

fn doubtful() -> Garden {
    with_nodes(&json!({
        "T1": {"id": "T1", "name": "Create [Entity]", "description": "Write the model that stores it.",
               "test_commands": [{"command": "true", "framework": "pytset"}], "touches": ["src/model.py"]},
        "T2": {"id": "T2", "name": "Two", "description": "Short", "touches": ["src/"], "owner": "me"},
    }))
}

#[test]
fn a_doubtful_plan_is_usable_and_every_finding_names_its_line_and_a_remedy() {
    let garden = doubtful();
    let ended = garden.run(&["lint"]);
    ended.assert(0, &["task-tree.json: 6 warnings"]);
    let out = &ended.stdout;
    for expected in [
        "warning[P003]: task T2 has no command that tests it\n  --> task-tree.json:",
        "warning[P004]: the name of T1 contains the placeholder [Entity]",
        "warning[P005]: the description of T2 has only 5 characters",
        "warning[P006]: T1 and T2 touch the same files, and neither waits for the other: src",
        "   = help: If T2 builds on T1",
        "warning[P007]: the field nodes.T2.owner is not known and has no effect",
        "warning[P010]: T1: the test framework \"pytset\" is not known",
        "   = help: Did you mean pytest?",
    ] {
        assert!(out.contains(expected), "{expected}\n{out}");
    }
    garden.run(&["lint", "--strict"]).assert(1, &[]);
    assert!(garden.run(&["doctor"]).stdout.contains("task-tree.json has 4 doubtful places"));
}

#[test]
fn a_plan_that_cannot_be_used_is_an_error_and_all_its_problems_are_listed() {
    let garden = with_nodes(&json!({
        "T1": {"id": "T1", "name": "One", "depends_on": ["T2", "T9"]},
        "T2": {"id": "T2", "name": "Two", "depends_on": ["T1"]},
    }));
    let ended = garden.run(&["lint"]);
    ended.assert(1, &["error"]);
    assert!(ended.stdout.contains("error[P001]") && ended.stdout.contains("T9"), "{ended:#?}");
    garden.write("task-tree.json", "{");
    garden.run(&["lint"]).assert(1, &["1 error"]);
    std::fs::remove_file(garden.top().join("task-tree.json")).unwrap();
    garden.run(&["lint"]).assert(2, &["`git restore --source=HEAD"]);
}

#[test]
fn a_plan_that_build_has_made_has_no_unknown_fields() {
    let garden = Garden::new(&one_task(&[]));
    garden.write(
        "specs/001/tasks.md",
        "## Phase 1: Setup\n\n- [ ] T001 [US1] Create the schema in src/schema.sql\n",
    );
    garden.run(&["build", "specs/001/tasks.md", "-o", "built.json"]).assert(0, &[]);
    assert!(garden.read("built.json").contains("\"labels\""), "{}", garden.read("built.json"));
    let ended = garden.run(&["lint", "--tree", "built.json"]);
    ended.assert(0, &[]);
    assert!(!ended.stdout.contains("[P007]"), "{}", ended.stdout);
}

#[test]
fn a_plan_without_findings_says_so_and_changes_nothing() {
    let garden = with_nodes(&json!({
        "T1": {"id": "T1", "name": "One", "description": "Everything that there is to do.", "test_commands": [{"command": "true"}]},
    }));
    let before = garden.git(&["status", "--porcelain"]);
    let ended = garden.run(&["lint", "--strict"]);
    ended.assert(0, &["task-tree.json: nothing is doubtful."]);
    assert_eq!(ended.stdout, "");
    assert_eq!(garden.git(&["status", "--porcelain"]), before);
}

#[test]
fn rules_are_explained_and_listed() {
    let garden = Garden::new(&one_task(&[]));
    let ended = garden.run(&["lint", "--explain", "p003"]);
    ended.assert(0, &[]);
    assert!(ended.stdout.starts_with("P003 no-tests (warning): a task has no command that tests it\n\n"));
    garden.run(&["lint", "--explain", "P999"]).assert(2, &["`P999` is not a rule for plans"]);
    let all = garden.run(&["lint", "--explain", "all"]).stdout;
    assert!(all.lines().any(|line| line.starts_with("P003  warning  a task has no command")), "{all}");
    assert_eq!(all.lines().count(), 15, "{all}");
}

#[test]
fn tests_that_pass_before_anything_was_done_are_found_by_executing_them() {
    let task = |id: &str, tests: serde_json::Value| json!({"id": id, "name": id, "description": "Everything that there is to do.", "test_commands": tests});
    let garden = Garden::new(&json!({"nodes": {
        "T1": task("T1", json!([{"command": "echo T1 >> ../ran; true"}])),
        "T2": task("T2", json!([{"command": "echo T1 >> ../ran; true"}])),
        "T3": task("T3", json!([{"command": "true"}, {"command": "test -e done"}])),
        "T4": task("T4", json!([{"type": "setup", "command": "touch made"}, {"command": "test -e made"},
                                {"type": "teardown", "command": "rm made; echo down >> ../ran"}])),
        "T5": task("T5", json!([{"command": "sleep 60", "timeout": 1}])),
    }}));
    garden.commit("Plan");
    garden.run(&["lint"]).assert(0, &["nothing is doubtful"]);
    assert!(!garden.root().join("ran").exists(), "nothing is executed unless it is asked for");
    let ended = garden.run(&["lint", "--run"]);
    ended.assert(
        0,
        &["Running the test commands of 5 tasks that were not begun yet, 7 in all.", "3 warnings"],
    );
    let found = |task: &str| ended.stdout.contains(&format!("warning[P012]: the tests of {task} pass"));
    assert_eq!(
        ["T1", "T2", "T3", "T4", "T5"].map(found),
        [true, true, false, true, false],
        "{}",
        ended.stdout
    );
    let ran = std::fs::read_to_string(garden.root().join("ran")).unwrap();
    assert_eq!(ran, "T1\ndown\n", "the same commands run once");
    garden.run(&["lint", "--run", "--strict"]).assert(1, &[]);
}

#[test]
fn only_tests_of_tasks_that_were_not_begun_are_executed_and_changed_files_are_named() {
    let garden = Garden::new(&one_task(&["echo x > made; true"]));
    garden.run(&["lint", "--run"]).assert(0, &["the test commands changed files in the work tree: made"]);
    std::fs::remove_file(garden.top().join("made")).unwrap();
    garden.run(&["gardener"]).assert(0, &[]);
    let ended = garden.run(&["lint", "--run"]);
    ended.assert(0, &["no pending task has one"]);
    assert!(!ended.stdout.contains("P012"), "{}", ended.stdout);
}

#[test]
fn a_run_names_the_doubts_about_its_plan_once() {
    let garden = doubtful();
    garden.commit("Plan");
    let ended = garden.run(&["gardener"]);
    ended.assert(0, &[]);
    let line =
        "task-tree.json has 4 doubtful places (P004, P006, P007, P010); `git arborist lint` lists them";
    assert_eq!(ended.stderr.matches("doubtful").count(), 1, "{}", ended.stderr);
    assert!(ended.stderr.contains(line), "{}", ended.stderr);
}
