//! Tests the command itself: its options, its errors, and existing files.

use serde_json::{Value, json};

use crate::support::garden::Garden;

const PLAN: &str = "# Tasks\n\n## Phase 1: One\n\n- [ ] T001 Write the first part in src/a.rs\n- [ ] T002 Write the second \
                    part in src/b.rs\n\n## Phase 2: Two\n\n- [ ] T003 Write the third part (depends on T001)\n";

/// A repository with this plan in `spec/tasks.md`.
fn repository(plan: &str) -> Garden {
    let garden = Garden::empty();
    garden.git(&["init", "-q", "-b", "main"]);
    garden.write("spec/tasks.md", plan);
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

/// The error of a call that must write nothing.
#[track_caller]
fn refused(garden: &Garden, args: &[&str]) -> String {
    let before = garden.exists("task-tree.json").then(|| garden.read("task-tree.json"));
    let ended = garden.run(&[&["build"], args].concat());
    assert_eq!((ended.status, ended.stdout.as_str()), (2, ""), "{ended:?}");
    let after = garden.exists("task-tree.json").then(|| garden.read("task-tree.json"));
    assert_eq!(before, after);
    ended.stderr
}

#[test]
fn a_built_plan_can_be_committed_and_run() {
    let garden = repository(PLAN);
    garden.agent("");
    let ended = garden.run(&["build", "--test-command", "true", "--commit"]);
    assert_eq!(ended.status, 0, "{ended:?}");
    assert!(ended.stdout.contains("3 tasks in 2 phases from spec/tasks.md (arborist)"), "{ended:?}");
    assert_eq!(garden.lines(&["status", "--porcelain"]), [""; 0]);
    assert_eq!(garden.lines(&["log", "-1", "--format=%s"]), ["Add the plan"]);
    garden.run(&["gardener"]).assert(0, &[]);
    assert!(garden.run(&["status"]).stdout.contains("3/3 complete"));
}

#[test]
fn the_commit_has_the_tree_file_alone() {
    let garden = repository(PLAN);
    garden.write("other.txt", "x\n");
    garden.git(&["add", "other.txt"]);
    garden.run(&["build", "--commit"]).assert(0, &[]);
    assert_eq!(garden.lines(&["show", "--name-only", "--format="]), ["task-tree.json"]);
    assert_eq!(garden.lines(&["status", "--porcelain"]), ["A  other.txt"]);
    let again = garden.run(&["build", "--commit"]);
    assert!(again.status == 0 && again.stdout.contains("already committed"), "{again:?}");
}

#[test]
fn a_tree_that_was_made_or_edited_by_hand_is_not_overwritten() {
    let garden = repository(PLAN);
    let by_hand = json!({"nodes": {"A": {"id": "A", "name": "By hand"}}});
    garden.write("task-tree.json", &by_hand.to_string());
    let error = refused(&garden, &[]);
    assert!(error.contains("was not built from a plan") && error.contains("--update"), "{error}");
    garden.run(&["build", "-o", "other.json"]).assert(0, &[]);
    assert!(garden.exists("other.json"));

    std::fs::remove_file(garden.top().join("task-tree.json")).unwrap();
    garden.run(&["build"]).assert(0, &[]);
    garden.run(&["build"]).assert(0, &[]);
    edit(&garden, |tree| tree["nodes"]["T001"]["model"] = json!("opus"));
    let error = refused(&garden, &[]);
    assert!(error.contains("edits that would be lost"), "{error}");
}

#[test]
fn a_tree_that_cannot_be_read_is_not_overwritten() {
    let garden = repository(PLAN);
    garden.run(&["build"]).assert(0, &[]);
    let built = garden.read("task-tree.json");
    let deep = format!("{}1{}", "[".repeat(200), "]".repeat(200));
    for broken in [
        built.replacen("\"name\"", "\"runner\": \"claude\",, \"name\"", 1),
        built.replacen("\"name\"", &format!("\"extra\": {deep}, \"name\""), 1),
    ] {
        garden.write("task-tree.json", &broken);
        for args in [&[][..], &["--update", "--yes"]] {
            let said = refused(&garden, args);
            assert!(said.contains("task-tree.json exists and cannot be read"), "{said}");
            assert_eq!(garden.read("task-tree.json"), broken);
        }
    }
}

#[test]
fn an_update_keeps_edits_and_lists_what_changed() {
    let garden = repository(PLAN);
    garden.run(&["build"]).assert(0, &[]);
    edit(&garden, |tree| {
        tree["spec_id"] = json!("mine");
        tree["nodes"]["T001"]["test_commands"] = json!([{"type": "unit", "command": "true"}]);
        tree["nodes"]["T001"]["model"] = json!("opus");
        tree["nodes"]["X1"] =
            json!({"id": "X1", "name": "By hand", "parent": "phase1", "depends_on": ["T001"]});
        tree["nodes"]["phase1"]["children"].as_array_mut().unwrap().push(json!("X1"));
        tree["nodes"]["T003"]["depends_on"].as_array_mut().unwrap().push(json!("X1"));
        tree.as_object_mut().unwrap().remove("execution_order");
    });
    let plan = PLAN.replace("- [ ] T002 Write the second part in src/b.rs\n", "").replace("third", "last")
        + "- [ ] T004 Write more\n";
    garden.write("spec/tasks.md", &plan);
    let check = garden.run(&["build", "--check"]);
    assert_eq!(check.status, 1, "{check:?}");
    let ended = garden.run(&["build", "--update"]);
    assert_eq!(ended.status, 0, "{ended:?}");
    for line in ["added: T004\n", "changed: T003 (name, description)\n", "removed: T002\n"] {
        assert!(ended.stdout.contains(line) && check.stdout.contains(line), "{line}: {ended:?} {check:?}");
    }
    let tree = tree(&garden);
    assert_eq!(tree["spec_id"], "mine");
    assert_eq!(tree["nodes"]["T001"]["test_commands"][0]["command"], "true");
    assert_eq!(tree["nodes"]["T001"]["model"], "opus");
    assert_eq!(tree["nodes"]["phase1"]["children"], json!(["T001", "X1"]));
    assert_eq!(tree["nodes"]["T003"]["depends_on"], json!(["T001", "X1"]));
    assert_eq!(tree["nodes"]["T003"]["name"], "Write the last part");
    assert_eq!(tree["execution_order"], json!(["T001", "X1", "T003", "T004"]));
    let check = garden.run(&["build", "--check"]);
    assert_eq!((check.status, check.stdout.as_str()), (0, "task-tree.json is up to date\n"));
}

#[test]
fn a_new_item_of_a_checklist_does_not_replace_a_task_that_was_added_by_hand() {
    let garden = Garden::empty();
    garden.git(&["init", "-q", "-b", "main"]);
    garden.write("TODO.md", "# Do\n\n## Part\n\n- [ ] First\n- [ ] Second\n");
    garden.run(&["build", "TODO.md"]).assert(0, &[]);
    let phase = tree(&garden)["root_ids"][0].as_str().unwrap().to_owned();
    edit(&garden, |tree| {
        // It names no parent: being listed there is enough.
        tree["nodes"][&phase]["children"].as_array_mut().unwrap().push(json!("H1"));
        tree["nodes"]["H1"] = json!({"id": "H1", "name": "By hand"});
    });
    garden.write("TODO.md", "# Do\n\n## Part\n\n- [ ] First\n- [ ] Second\n- [ ] Third\n");
    let error = refused(&garden, &["TODO.md"]);
    assert!(error.contains("edits that would be lost"), "{error}");
    garden.run(&["build", "--update"]).assert(0, &[]);
    let tree = tree(&garden);
    assert_eq!(tree["nodes"]["H1"]["name"], "By hand");
    assert_eq!(tree["nodes"]["T3"]["name"], "Third");
    assert_eq!(tree["nodes"][&phase]["children"], json!(["T1", "T2", "H1", "T3"]));
    assert_eq!(tree["root_ids"], json!([phase]));
}

/// Whether `--check` and then `--update` print this line, and the tree is up to date afterwards.
#[track_caller]
fn updates(garden: &Garden, line: &str) {
    let check = garden.run(&["build", "--check"]);
    assert_eq!(check.status, 1, "{check:?}");
    let update = garden.run(&["build", "--update"]);
    assert_eq!(update.status, 0, "{update:?}");
    for ended in [&check, &update] {
        assert!(ended.stdout.contains(line), "{line}: {ended:?}");
    }
    let check = garden.run(&["build", "--check"]);
    assert_eq!((check.status, check.stdout.as_str()), (0, "task-tree.json is up to date\n"));
}

#[test]
fn an_update_takes_changed_test_commands_unless_they_were_edited_by_hand() {
    let plan = |first: &str, second: &str| {
        format!("- [ ] T001 Write the first part\n{first}- [ ] T002 Write the second part\n{second}")
    };
    let test = |command: &str| format!("  Test: `{command}`\n");
    let fence = |command: &str| format!("\n  ```test\n  {command}\n  ```\n\n");
    let commands = |garden: &Garden, id: &str| -> Vec<String> {
        let tree = tree(garden);
        let commands = tree["nodes"][id]["test_commands"].as_array().unwrap();
        commands.iter().map(|test| test["command"].as_str().unwrap().to_owned()).collect()
    };
    let garden = repository(&plan(&test("make one"), &fence("make two")));
    garden.run(&["build"]).assert(0, &[]);
    garden.write("spec/tasks.md", &plan(&test("make uno"), &fence("make due")));
    updates(&garden, "changed: T001 (description, test_commands), T002 (test_commands)\n");
    assert_eq!(commands(&garden, "T001"), ["make uno"]);
    assert_eq!(commands(&garden, "T002"), ["make due"]);

    edit(&garden, |tree| tree["nodes"]["T001"]["test_commands"][0]["command"] = json!("make mine"));
    let check = garden.run(&["build", "--check"]);
    assert_eq!(check.status, 0, "{check:?}");
    garden.write("spec/tasks.md", &plan(&test("make eins"), ""));
    updates(&garden, "changed: T001 (description), T002 (test_commands)\n");
    assert_eq!(commands(&garden, "T001"), ["make mine"]);
    assert_eq!(commands(&garden, "T002"), [""; 0]);
    garden.write("spec/tasks.md", &plan(&test("make un"), ""));
    updates(&garden, "kept as edited by hand, although the source has changed: T001 (test_commands)\n");
    let printed = garden.run(&["build", "--update"]).stdout;
    assert!(printed.contains("make mine  (T001)") && !printed.contains("make un"), "{printed}");

    edit(&garden, |tree| tree["nodes"]["T001"]["test_commands"] = json!([]));
    garden.write("spec/tasks.md", &plan(&test("make ett"), &test("make two")));
    updates(&garden, "kept as edited by hand, although the source has changed: T001 (test_commands)\n");
    assert_eq!(commands(&garden, "T001"), [""; 0]);
    assert_eq!(commands(&garden, "T002"), ["make two"]);
}

#[test]
fn an_update_builds_the_tree_with_the_options_with_which_it_was_built() {
    let garden = repository(PLAN);
    garden.write("notes.md", PLAN);
    let args = ["build", "notes.md", "--from", "checklist", "--test-map", "src/a*=make a"];
    garden.run(&[&args[..], &["--test-command", "make all"]].concat()).assert(0, &[]);
    let before = garden.read("task-tree.json");
    garden.run(&["build", "--update"]).assert(0, &[]);
    assert_eq!(garden.read("task-tree.json"), before);
    garden.run(&["build", "--check"]).assert(0, &[]);
    garden.run(&["build", "--update", "--test-command", "make every"]).assert(0, &[]);
    let after = garden.read("task-tree.json");
    assert_eq!(
        after,
        before.replace("make all", "make every").replace(&digest_of(&before), &digest_of(&after))
    );
    garden.run(&["build", "--update", "--test-command", ""]).assert(0, &[]);
    let after = garden.read("task-tree.json");
    assert!(!after.contains("make every") && after.contains("make a"), "{after}");
}

/// The digest of the test commands of the last task.
fn digest_of(tree: &str) -> String {
    let tree: Value = serde_json::from_str(tree).unwrap();
    let last = tree["built"]["fields"].as_object().unwrap().values().next_back().unwrap();
    last["test_commands"].as_str().unwrap().to_owned()
}

#[test]
fn test_commands_come_from_the_source_then_from_the_map_then_from_the_default() {
    let garden = repository(&format!("{PLAN}  Test: `make third`\n"));
    let args = ["build", "--test-map", "src/a*=make a", "--test-command", "make all"];
    let ended = garden.run(&args);
    assert_eq!(ended.status, 0, "{ended:?}");
    let tree = tree(&garden);
    for (id, command) in [("T001", "make a"), ("T002", "make all"), ("T003", "make all")] {
        let commands = &tree["nodes"][id]["test_commands"];
        let expected = if id == "T003" { "make third" } else { command };
        assert_eq!(commands, &json!([{"type": "unit", "command": expected}]), "{id}");
        assert!(ended.stdout.contains(expected), "{ended:?}");
    }
    for rule in ["src", "=x", "src/**=", "/a=x"] {
        let error = refused(&garden, &["--test-map", rule]);
        assert!(error.contains("GLOB=COMMAND"), "{error}");
    }
}

#[test]
fn mistakes_in_a_plan_are_reported_with_file_and_line_and_nothing_is_written() {
    let cases = [
        (
            "- [ ] T001 A (depends on T009)\n",
            &["spec/tasks.md:1: T001 depends on T009, which is not in the plan"][..],
        ),
        ("- [ ] T001 A (depends on T001)\n", &["spec/tasks.md:1: T001 depends on itself"]),
        (
            "- [ ] T001 A (depends on T002)\n- [ ] T002 B (depends on T001)\n",
            &["spec/tasks.md:1: the dependencies form a cycle: T001 → T002 → T001"],
        ),
        (
            "## Phase 1: A\n- [ ] T001 A (depends on T002)\n## Phase 2: B\n- [ ] T002 B\n## Dependencies\nPhase 1 → Phase \
             2\n",
            &["the dependencies form a cycle", "phase1", "spec/tasks.md:2"],
        ),
        ("- [ ] T001 A (depends on T008, T009)\n- [ ] T002 B\n", &["has 2 problems", "T008", "T009"]),
        ("\n \n", &["spec/tasks.md: the file is empty"]),
        ("Only words.\n", &["spec/tasks.md:1: no task was found", "--from"]),
        (
            "## Dependencies\nT001 -> T002\n## Phase 1: A\n- [ ] T001 A\n",
            &["spec/tasks.md:2: T001 depends on T002"],
        ),
    ];
    for (plan, words) in cases {
        let error = refused(&repository(plan), &[]);
        for word in words {
            assert!(error.contains(word), "{plan}: {error}");
        }
        assert!(error.starts_with("error: ") && error.lines().count() >= 2, "{error}");
    }
}

#[test]
fn files_of_unknown_or_different_formats_are_refused() {
    let garden = repository(PLAN);
    garden.write("notes.txt", "Nothing here.\n");
    let error = refused(&garden, &["notes.txt"]);
    assert!(error.contains("notes.txt is not a plan") && error.contains("--planner"), "{error}");
    let error = refused(&garden, &["nowhere.md"]);
    assert!(error.contains("there is no nowhere.md"), "{error}");
    garden.write("specs/001-a/tasks.md", PLAN);
    let error = refused(&garden, &["spec/tasks.md", "specs/001-a/tasks.md"]);
    assert!(error.contains("different formats") && error.contains("spec-kit"), "{error}");
    let error = refused(&garden, &[]);
    assert!(
        error.contains("there are 2 plans") && error.contains("git arborist build spec/tasks.md"),
        "{error}"
    );
    garden.run(&["build", "spec/tasks.md", "specs/001-a/tasks.md", "--from", "arborist"]).assert(0, &[]);
    let ids: Vec<String> = tree(&garden)["nodes"].as_object().unwrap().keys().cloned().collect();
    assert!(ids.contains(&"001-a.T001".to_owned()) && ids.contains(&"T001".to_owned()), "{ids:?}");
}

#[test]
fn plans_that_are_too_large_or_nested_too_deeply_are_refused_quickly() {
    let garden = repository(PLAN);
    let nested = format!("{}[ ] T001 A\n", "- ".repeat(10_000));
    let by_lines: String =
        (0..1_000).map(|depth| format!("{}- [ ] T{depth} A\n", "  ".repeat(depth))).collect();
    for plan in [nested, by_lines] {
        garden.write("spec/tasks.md", &plan);
        let error = refused(&garden, &[]);
        assert!(error.contains("spec/tasks.md:") && error.contains("nested too deeply"), "{error}");
    }
    garden.write("spec/tasks.md", &PLAN.repeat(300_000));
    let error = refused(&garden, &[]);
    assert!(error.contains("larger than 16 MiB"), "{error}");
}

#[test]
fn a_plan_of_five_thousand_tasks_is_built() {
    let phases = (1..=50).map(|phase| {
        let tasks =
            (0..100).map(|task| format!("- [ ] T{phase:02}{task:02} Do part {task} of src/p{phase}.rs\n"));
        format!("## Phase {phase}: Part {phase}\n\n{}\n", tasks.collect::<String>())
    });
    let garden = repository(&phases.collect::<String>());
    let ended = garden.run(&["build"]);
    assert_eq!(ended.status, 0, "{ended:?}");
    assert!(ended.stdout.contains("5000 tasks in 50 phases"), "{}", ended.stdout);
    assert_eq!(tree(&garden)["execution_order"].as_array().unwrap().len(), 5_000);
}

#[test]
fn derived_ids_do_not_change_when_other_tasks_are_added() {
    let plan = "## Phase 1: One\n\n- [ ] Write tests\n- [ ] Write code\n\n### Part\n\n- [ ] Write tests\n";
    let garden = repository(plan);
    let ids = |garden: &Garden| -> Vec<String> {
        garden.run(&["build", "--from", "arborist"]).assert(0, &[]);
        tree(garden)["nodes"].as_object().unwrap().keys().cloned().collect()
    };
    let before = ids(&garden);
    assert_eq!(before.len(), 5, "{before:?}");
    let more = plan.replace(
        "- [ ] Write tests\n- [ ] Write code",
        "- [ ] New\n- [ ] Write tests\n- [ ] Newer\n- [ ] Write code",
    );
    std::fs::remove_file(garden.top().join("task-tree.json")).unwrap();
    garden.write("spec/tasks.md", &format!("## Phase 0: Zero\n\n- [ ] Write tests\n\n{more}"));
    let after = ids(&garden);
    assert!(before.iter().all(|id| after.contains(id)), "{before:?} {after:?}");
}

#[test]
fn plans_that_are_made_to_take_long_are_built_or_refused() {
    let same = "- [ ] The same again\n".repeat(5_000);
    let unknown: String =
        (0..5_000).map(|task| format!("- [ ] T{task} A (depends on T{})\n", task + 100_000)).collect();
    let nested: String = (0..5_000)
        .map(|issue| {
            format!(
                "{{\"id\":\"b-{issue}\",\"title\":\"A\",\"issue_type\":\"task\",\"parent\":\"b-{}\"}}\n",
                issue + 1
            )
        })
        .collect();
    let context = format!("- [ ] {}\n{}", "long ".repeat(100_000), "  - [ ] part\n".repeat(2_000));
    let aliases = "---\na: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n---\n\n";
    let cases: [(&str, &str, &str, i32, &str); 5] = [
        ("TODO.md", &same, "checklist", 0, "5000 tasks"),
        ("spec/tasks.md", &unknown, "arborist", 2, "has 5000 problems"),
        ("issues.jsonl", &nested, "beads", 2, "more than 1000 levels"),
        ("TODO.md", &context, "checklist", 0, "1 task"),
        ("backlog/tasks/task-1.md", aliases, "backlog", 2, "alias"),
    ];
    for (path, text, format, status, words) in cases {
        let garden = Garden::empty();
        garden.git(&["init", "-q"]);
        garden.write(path, text);
        let ended = garden.run(&["build", path, "--from", format]);
        assert_eq!(ended.status, status, "{format}");
        assert!(ended.stdout.contains(words) || ended.stderr.contains(words), "{format}: {words}");
    }
}

#[test]
fn several_files_of_a_format_become_one_tree_in_which_ids_begin_with_their_file() {
    let garden = repository(PLAN);
    for name in ["one", "two"] {
        garden.write(
            &format!("openspec/changes/{name}/tasks.md"),
            "## 1. Group\n- [ ] 1.1 Task\n- [ ] 1.2 Other\n",
        );
    }
    let error = refused(&garden, &["openspec/changes/one/tasks.md", "spec/tasks.md"]);
    assert!(error.contains("openspec") && error.contains("arborist"), "{error}");
    garden.run(&["build", "openspec"]).assert(0, &[]);
    let tree = tree(&garden);
    let ids: Vec<&String> = tree["nodes"].as_object().unwrap().keys().collect();
    assert_eq!(ids, ["one.1", "one.1.1", "one.1.2", "two.1", "two.1.1", "two.1.2"]);
    assert_eq!(tree["nodes"]["two.1.2"]["depends_on"], json!(["two.1.1"]));
    assert_eq!(tree["nodes"]["two.1.1"]["source_id"], "1.1");
}

#[test]
fn a_file_in_a_folder_that_cannot_be_read_is_named_and_not_passed_over() {
    let garden = repository(PLAN);
    std::fs::create_dir(garden.top().join("notes")).unwrap();
    garden.write("notes/plan.md", "- [ ] Write the first part\n");
    std::fs::write(garden.top().join("notes/old.md"), b"caf\xe9\n").unwrap();
    let said = refused(&garden, &["notes"]);
    assert!(said.contains("notes/old.md:1: the file is not valid UTF-8 here"), "{said}");
}
