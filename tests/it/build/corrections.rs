//! Tests what happens to a plan whose source was corrected: short ids stay, corrected names are the same task, and what a
//! source says of the order is taken over.

use serde_json::{Value, json};

use crate::support::garden::Garden;

/// A repository with this file.
fn repository(path: &str, text: &str) -> Garden {
    let garden = Garden::empty();
    garden.git(&["init", "-q", "-b", "main"]);
    garden.write(path, text);
    garden.commit("Begin");
    garden
}

fn tree(garden: &Garden) -> Value {
    serde_json::from_str(&garden.read("task-tree.json")).unwrap()
}

/// The ids and names of the tasks, in their order.
fn tasks(garden: &Garden) -> Vec<String> {
    let tree = tree(garden);
    let order = tree["execution_order"].as_array().unwrap().iter().map(|id| id.as_str().unwrap().to_owned());
    order.map(|id| format!("{id} {}", tree["nodes"][&id]["name"].as_str().unwrap())).collect()
}

/// The id and the state of each task, in their order.
fn states(garden: &Garden) -> Vec<String> {
    let document = garden.json(&["status", "--json"]);
    let tasks = document["tasks"].as_array().unwrap().iter();
    tasks
        .map(|task| format!("{} {}", task["id"].as_str().unwrap(), task["state"].as_str().unwrap()))
        .collect()
}

#[test]
fn tasks_of_a_checklist_have_short_ids_that_an_update_keeps() {
    let garden =
        repository("TODO.md", "# Things\n\n- [ ] Read\n- [ ] Wirte\n  - [ ] in a loop\n- [ ] Send\n");
    garden.run(&["build"]).assert(0, &[]);
    assert_eq!(tasks(&garden), ["T1 Read", "T2 Wirte", "T3 Send"], "a box inside of a task is a step of it");
    let description = tree(&garden)["nodes"]["T2"]["description"].as_str().unwrap().to_owned();
    assert!(description.contains("in a loop"), "{description}");
    garden
        .write("TODO.md", "# Things\n\n- [ ] New\n- [ ] Read\n- [ ] Write\n  - [ ] in a loop\n- [ ] Send\n");
    garden.run(&["build", "--update"]).assert(0, &[]);
    assert_eq!(tasks(&garden), ["T4 New", "T1 Read", "T2 Write", "T3 Send"]);
    garden.run(&["build", "--check"]).assert(0, &[]);
    garden.write("TODO.md", "# Things\n\n- [ ] Send\n- [ ] Last\n");
    garden.run(&["build", "--update"]).assert(0, &[]);
    assert_eq!(tasks(&garden), ["T3 Send", "T5 Last"]);
}

#[test]
fn the_commit_that_conductor_notes_behind_a_task_is_no_part_of_its_name() {
    let garden = repository(
        "conductor/tracks/a/plan.md",
        "## Phase 1: A\n\n- [ ] Task: Write it\n- [ ] Task: Send it\n",
    );
    garden.run(&["build"]).assert(0, &[]);
    let done = "## Phase 1: A\n\n- [x] Task: Write it [abc1234]\n- [x] Task: Send it 12ab34f\n";
    garden.write("conductor/tracks/a/plan.md", done);
    garden.run(&["build", "--update"]).assert(0, &[]);
    assert_eq!(tasks(&garden), ["T1 Task: Write it", "T2 Task: Send it"]);
}

#[test]
fn a_task_whose_name_was_corrected_is_the_same_task_if_the_user_says_so() {
    let garden = repository("TODO.md", "- [ ] Wirte it\n- [ ] Send it\n");
    garden.agent("");
    garden.run(&["build", "--test-command", "true", "--commit"]).assert(0, &[]);
    garden.run(&["garden", "T1"]).assert(0, &[]);
    garden.write("TODO.md", "- [ ] Write it\n- [ ] Post it\n");
    let before = garden.read("task-tree.json");
    let wrong = garden.run(&["build", "--update", "--same", "T9"]);
    wrong.assert(2, &["no task T9 has a different name"]);
    let ended = garden.run(&["build", "--update"]);
    ended.assert(1, &["T1 \"Wirte it\" is now \"Write it\"", "`git arborist build --update --same T1`"]);
    assert!(!ended.stderr.contains("T2"), "nothing was done for it: {ended:#?}");
    assert_eq!(garden.read("task-tree.json"), before, "nothing was written, so the advice can be followed");
    garden.run(&["build", "--update", "--same", "T1"]).assert(0, &[]);
    assert_eq!(states(&garden), ["T1 complete", "T2 pending"], "also before that is committed");
    garden.git(&["checkout", "-q", "task-tree.json"]);
    garden.run(&["build", "--update", "--same", "T1", "--commit"]).assert(0, &[]);
    assert_eq!(tree(&garden)["nodes"]["T1"]["was"], json!(["Wirte it"]));
    assert!(tree(&garden)["nodes"]["T2"]["was"].is_null());
    let status = garden.run(&["status", "--all"]).stdout;
    assert!(!status.contains("edited since"), "only a name was corrected: {status}");
    assert_eq!(states(&garden), ["T1 complete", "T2 pending"]);
    // The next update keeps what is known, and the old name may come back.
    garden.write("TODO.md", "- [ ] Write it well\n- [ ] Post it\n");
    garden.run(&["build", "--update", "--same", "T1", "--commit"]).assert(0, &[]);
    assert_eq!(tree(&garden)["nodes"]["T1"]["was"], json!(["Wirte it", "Write it"]));
    garden.write("TODO.md", "- [ ] Wirte it\n- [ ] Post it\n");
    let ended = garden.run(&["build", "--update", "--commit"]);
    ended.assert(0, &[]);
    assert!(!ended.stderr.contains("--same"), "{ended:#?}");
    assert_eq!(states(&garden), ["T1 complete", "T2 pending"]);
    garden.run(&["check", "--run"]).assert(0, &[]);
    // Without the field, it is another task.
    let mut plan = tree(&garden);
    plan["nodes"]["T1"]["name"] = json!("Something else");
    garden.write("task-tree.json", &plan.to_string());
    garden.commit("Rename a task");
    assert_eq!(states(&garden), ["T1 pending", "T2 pending"]);
}

#[test]
fn priorities_break_ties_tags_name_plans_and_dropped_fields_are_named() {
    let task = |id: u32, priority: &str, needs: Value| {
        json!({"id": id, "title": format!("Task {id}"), "description": "What is to be done here.", "status": "pending",
               "priority": priority, "dependencies": needs, "assignee": "Ada", "complexity": null, "subtasks": []})
    };
    let tasks_of = json!([
        task(1, "low", json!([])),
        task(2, "medium", json!([])),
        task(3, "high", json!([1])),
        task(4, "high", json!([])),
    ]);
    let file = json!({"master": {"tasks": []}, "checkout": {"tasks": tasks_of}}).to_string();
    let garden = repository(".taskmaster/tasks/tasks.json", &file);
    let ended = garden.run(&["build", "--tag", "checkout", "--commit"]);
    ended.assert(0, &["these fields are not read: assignee"]);
    assert_eq!(tree(&garden)["spec_id"], "checkout");
    assert_eq!(tasks(&garden), ["4 Task 4", "2 Task 2", "1 Task 1", "3 Task 3"]);
    assert!(garden.run(&["next"]).stdout.starts_with("4 Task 4"));
    // The same holds for a plan that is written by hand.
    garden.write("task-tree.json", &json!({"nodes": {
        "A": {"id": "A", "name": "First"}, "B": {"id": "B", "name": "Second", "priority": 2},
        "p": {"id": "p", "name": "Phase", "priority": 1, "children": ["C"]}, "C": {"id": "C", "name": "Third", "parent": "p"}}}).to_string());
    garden.commit("Write a plan");
    assert_eq!(states(&garden), ["C pending", "B pending", "A pending"]);
}

#[test]
fn a_heading_with_an_id_is_a_task_also_if_boxes_with_ids_follow() {
    let garden = repository(
        "specs/001-x/tasks.md",
        "## Phase 1: Setup\n\n### T001 Make the schema\n\nIt has two tables.\n\n- [ ] T002 Write it in src/a.rs\n- [ ] T003 Write more\n",
    );
    garden.run(&["build"]).assert(0, &[]);
    assert_eq!(tasks(&garden), ["T001 Make the schema", "T002 Write it in src/a.rs", "T003 Write more"]);
}

#[test]
fn the_second_of_two_tasks_with_one_id_gets_one_from_its_name_and_both_are_named() {
    for (path, text, expected) in [
        ("spec/tasks.md", "- [ ] T001 A\n\n- [ ] T001 B\n- [ ] t001 C\n", ["T001 A", "b-5bb8 B", "c-762b C"]),
        (
            "openspec/changes/a/tasks.md",
            "- [ ] 1.1 A\n\n- [ ] 1.1 B\n- [ ] 1.1 C\n",
            ["1.1 A", "b-5bb8 B", "c-762b C"],
        ),
        (
            "tasks/tasks.json",
            "{\"tasks\": [{\"id\": 1, \"title\": \"A\"},\n\n{\"id\": 1, \"title\": \"B\"},\n{\"id\": 1, \"title\": \"C\"}]}",
            ["1 A", "b-5bb8 B", "c-762b C"],
        ),
    ] {
        let garden = repository(path, text);
        let ended = garden.run(&["build"]);
        for line in [3, 4] {
            assert!(ended.stderr.contains(&format!("{path}:{line}: the id")), "{ended:?}");
        }
        assert_eq!((ended.status, tasks(&garden)), (0, expected.map(str::to_owned).to_vec()), "{ended:?}");
    }
}
