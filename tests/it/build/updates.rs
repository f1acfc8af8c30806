//! Tests that an update keeps what was edited by hand, field by field, and takes everything else from the sources.

use serde_json::{Value, json};

use crate::support::garden::Garden;

const TASKS: &str = "# Shop\n\nSells things.\n\n## Phase 1: One\n\n- [ ] T001 Write a\n- [ ] T002 Write b\n- [ ] T003 Write c\n\n\
                     ## Phase 2: Two\n\n- [ ] T004 Write d\n";

/// A repository with a plan that was built from this text.
fn built(path: &str, text: &str) -> Garden {
    let garden = Garden::empty();
    garden.git(&["init", "-q", "-b", "main"]);
    garden.write(path, text);
    garden.run(&["build", "--test-command", "true"]).assert(0, &[]);
    garden.commit("Add the plan");
    garden
}

fn tree(garden: &Garden) -> Value {
    serde_json::from_str(&garden.read("task-tree.json")).unwrap()
}

fn edit(garden: &Garden, change: impl FnOnce(&mut Value)) {
    let mut tree = tree(garden);
    change(&mut tree);
    garden.write("task-tree.json", &format!("{tree:#}\n"));
}

/// Updates the plan twice: the second update finds nothing to do, and no view says that the source has changed.
#[track_caller]
fn update(garden: &Garden) -> Value {
    garden.run(&["build", "--update", "--yes"]).assert(0, &[]);
    let updated = garden.read("task-tree.json");
    garden.run(&["build", "--update", "--yes"]).assert(0, &[]);
    assert_eq!(garden.read("task-tree.json"), updated, "the second update changes nothing");
    garden.run(&["build", "--check"]).assert(0, &[]);
    garden.commit("Update the plan");
    let status = garden.run(&["status"]);
    assert!(!status.stderr.contains("changed since the plan was built"), "{status:?}");
    tree(garden)
}

fn ids(tree: &Value) -> Vec<&str> {
    tree["execution_order"].as_array().unwrap().iter().map(|id| id.as_str().unwrap()).collect()
}

#[test]
fn every_field_that_was_edited_is_kept_and_every_other_one_follows_the_source() {
    let rows = [
        ("/title", json!("My shop")),
        ("/summary", json!("Mine.")),
        ("/nodes/T001/name", json!("Write the first part")),
        ("/nodes/T001/description", json!("In my own words.")),
        ("/nodes/T001/test_commands", json!([{"type": "unit", "command": "make mine"}])),
        ("/nodes/T001/acceptance", json!(["It works."])),
        ("/nodes/T001/labels", json!(["mine"])),
        ("/nodes/T001/priority", json!(2)),
        ("/nodes/T001/expect", json!("refactor")),
        ("/nodes/T001/gate", json!(true)),
        ("/nodes/T001/test_first", json!(true)),
        ("/nodes/T001/model", json!("opus")),
        ("/nodes/phase1/name", json!("My phase")),
        ("/nodes/T003/parent", json!("phase2")),
        ("/nodes/T003/depends_on", json!(["T001"])),
    ];
    for (field, value) in rows {
        let garden = built("spec/tasks.md", TASKS);
        edit(&garden, |tree| {
            let (above, name) = field.rsplit_once('/').unwrap();
            tree.pointer_mut(above).unwrap()[name] = value.clone();
            if name == "parent" {
                tree["nodes"]["phase1"]["children"] = json!(["T001", "T002"]);
                tree["nodes"]["phase2"]["children"] = json!(["T004", "T003"]);
            }
        });
        garden.write("spec/tasks.md", &(TASKS.replace("Write b", "Write B") + "- [ ] T005 Write e\n"));
        let updated = update(&garden);
        assert_eq!(updated.pointer(field), Some(&value), "{field}");
        assert_eq!(updated["nodes"]["T002"]["name"], "Write B", "{field}");
        assert_eq!(updated["nodes"]["T005"]["name"], "Write e", "{field}");
    }
}

#[test]
fn dependencies_that_were_added_or_removed_by_hand_stay_so_while_the_source_adds_others() {
    let garden = built("spec/tasks.md", TASKS);
    assert_eq!(tree(&garden)["nodes"]["T003"]["depends_on"], json!(["T002"]));
    edit(&garden, |tree| {
        tree["nodes"]["T003"]["depends_on"] = json!(["T001"]);
        tree["nodes"]["T004"]["depends_on"] = json!(["T001"]);
    });
    garden.write("spec/tasks.md", &TASKS.replace("Write d", "Write d (depends on T002)"));
    let updated = update(&garden);
    assert_eq!(updated["nodes"]["T003"]["depends_on"], json!(["T001"]));
    assert_eq!(updated["nodes"]["T004"]["depends_on"], json!(["T002", "T001"]));
}

#[test]
fn a_task_that_was_deleted_by_hand_stays_deleted_and_the_others_wait_for_what_it_waited_for() {
    let garden = built("spec/tasks.md", TASKS);
    edit(&garden, |tree| {
        tree["nodes"].as_object_mut().unwrap().remove("T002");
        tree["nodes"]["phase1"]["children"] = json!(["T001", "T003"]);
        tree["nodes"]["T003"]["depends_on"] = json!([]);
    });
    let more = TASKS.replace("Write d", "Write d (depends on T002)");
    garden.write("spec/tasks.md", &more);
    let ended = garden.run(&["build", "--check"]);
    assert_eq!(ended.status, 1, "{ended:?}");
    assert!(ended.stdout.contains("left out, because it was deleted by hand: T002\n"), "{ended:?}");
    let updated = update(&garden);
    assert_eq!(ids(&updated), ["T001", "T003", "T004"]);
    assert_eq!(updated["nodes"]["T003"]["depends_on"], json!([]));
    assert_eq!(updated["nodes"]["T004"]["depends_on"], json!(["T001"]));
}

#[test]
fn tasks_of_a_checklist_are_found_again_although_the_plan_was_edited() {
    let garden = built("TODO.md", "- [ ] Read\n- [ ] Parse\n- [ ] Send\n- [ ] Log\n");
    edit(&garden, |tree| {
        tree["nodes"].as_object_mut().unwrap().remove("T2");
        tree["nodes"]["T3"]["name"] = json!("Send it away");
        tree["nodes"]["H1"] = json!({"id": "H1", "name": "Log"});
    });
    garden.write("TODO.md", "- [ ] New\n- [ ] Log\n- [ ] Read\n- [ ] Parse\n- [ ] Send\n");
    let updated = update(&garden);
    let mut all: Vec<String> = updated["nodes"]
        .as_object()
        .unwrap()
        .values()
        .map(|node| format!("{} {}", node["id"].as_str().unwrap(), node["name"].as_str().unwrap()))
        .collect();
    all.sort();
    assert_eq!(all, ["H1 Log", "T1 Read", "T3 Send it away", "T4 Log", "T5 New"]);
}

#[test]
fn an_order_that_was_edited_is_kept_and_new_tasks_are_put_into_it() {
    let garden = built("TODO.md", "- [ ] Read\n- [ ] Parse\n- [ ] Send\n");
    edit(&garden, |tree| tree["execution_order"] = json!(["T3", "T1", "T2"]));
    garden.write("TODO.md", "- [ ] Read\n- [ ] Check\n- [ ] Parse\n- [ ] Send\n- [ ] Log\n");
    assert_eq!(ids(&update(&garden)), ["T3", "T5", "T1", "T4", "T2"]);
    // An order that the dependencies do not allow is kept as far as they do.
    edit(&garden, |tree| tree["nodes"]["T3"]["depends_on"] = json!(["T1"]));
    garden.write("TODO.md", "- [ ] Read\n- [ ] Check\n- [ ] Parse\n- [ ] Send\n");
    assert_eq!(ids(&update(&garden)), ["T1", "T3", "T4", "T2"]);
}

#[test]
fn the_order_of_phases_follows_the_source_unless_it_was_edited() {
    let phases = |order: &[u8]| -> String {
        let phase = |number| {
            format!(
                "## Phase {number}: Part {number}\n\n- [ ] T{number} Write {number} (depends on nothing)\n\n"
            )
        };
        order.iter().map(phase).collect()
    };
    for (edit_order, expected) in
        [(false, ["phase3", "phase1", "phase2"]), (true, ["phase3", "phase2", "phase1"])]
    {
        let garden = built("spec/tasks.md", &phases(&[1, 2]));
        if edit_order {
            edit(&garden, |tree| tree["root_ids"] = json!(["phase2", "phase1"]));
        }
        garden.write("spec/tasks.md", &phases(&[3, 1, 2]));
        assert_eq!(update(&garden)["root_ids"], json!(expected), "{edit_order}");
    }
}

#[test]
fn the_tag_that_was_read_stays_although_the_tool_works_in_another_one() {
    let task = |title: &str| json!({"id": 1, "title": title, "status": "pending", "dependencies": [], "subtasks": []});
    let tags = json!({"master": {"tasks": [task("Of master")]}, "login": {"tasks": [task("Of login")]}});
    for (first, then, name) in [("login", "master", "Of login"), ("master", "login", "Of master")] {
        let garden = Garden::empty();
        garden.git(&["init", "-q", "-b", "main"]);
        garden.write(".taskmaster/tasks/tasks.json", &tags.to_string());
        let state = |tag: &str| {
            garden.write(".taskmaster/state.json", &json!({"currentTag": tag}).to_string());
        };
        state(first);
        garden.run(&["build"]).assert(0, &[]);
        garden.commit("Add the plan");
        state(then);
        let updated = update(&garden);
        assert_eq!(updated["nodes"]["1"]["name"], name);
        assert_eq!(updated["built"]["tag"], first);
    }
}

#[test]
fn a_plan_that_was_edited_by_hand_is_up_to_date_as_long_as_its_source_is() {
    let garden = built("spec/tasks.md", TASKS);
    edit(&garden, |tree| {
        tree["nodes"]["T002"]["description"] = json!("Write b, and more");
        tree["nodes"]["H1"] = json!({"id": "H1", "name": "By hand", "parent": "phase1"});
        tree["nodes"]["phase1"]["children"] = Value::Null;
    });
    let checked = garden.run(&["build", "--check"]);
    assert_eq!(
        (checked.status, checked.stdout.as_str()),
        (0, "task-tree.json is up to date\n"),
        "{checked:?}"
    );
    garden.write("spec/tasks.md", &TASKS.replace("Sells things.", "Sells things.\n\nAll day."));
    let checked = garden.run(&["build", "--check"]);
    assert!(checked.status == 1 && checked.stdout.contains("only the lines of tasks"), "{checked:?}");
}

#[test]
fn an_order_that_follows_from_edits_is_named_and_so_is_a_file_that_is_not_there() {
    let garden = built("TODO.md", "- [ ] One\n- [ ] Two\n");
    edit(&garden, |tree| tree["nodes"]["T2"]["priority"] = json!(1));
    let checked = garden.run(&["build", "--check"]);
    assert!(checked.stdout.contains("changed: the plan (execution_order)"), "{checked:?}");
    garden.run(&["build", "--update"]).assert(0, &[]);
    garden.run(&["build", "--check"]).assert(0, &[]);
    let elsewhere = garden.run(&["build", "--check", "-o", "other.json"]);
    assert!(elsewhere.status == 1 && elsewhere.stdout.contains("it does not exist yet"), "{elsewhere:?}");
}

#[test]
fn a_record_that_was_damaged_does_no_harm() {
    let garden = built("TODO.md", "- [ ] One\n- [ ] Two\n");
    for damaged in [json!("x"), json!({"": "x"}), json!({"": {"root_ids": 1}, "T1": 3})] {
        edit(&garden, |tree| tree["built"]["fields"] = damaged);
        assert!(garden.run(&["build", "--update", "--yes"]).status < 3);
    }
}
