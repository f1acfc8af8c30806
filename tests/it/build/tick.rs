//! Tests `build --tick`: the boxes of completed tasks are ticked in their sources.

use serde_json::{Value, json};

use crate::support::garden::Garden;

/// A repository whose plan was built from this file and committed.
fn built(path: &str, text: &str) -> Garden {
    let garden = Garden::empty();
    garden.git(&["init", "-q", "-b", "main"]);
    garden.write(path, text);
    garden.run(&["build"]).assert(0, &[]);
    garden.commit("Add the plan");
    garden
}

/// Commits that these tasks are complete.
fn complete(garden: &Garden, ids: &[&str]) {
    let tree: Value = serde_json::from_str(&garden.read("task-tree.json")).unwrap();
    for id in ids {
        let name = tree["nodes"][id]["name"].as_str().unwrap();
        let message = format!(
            "task({id}): complete \"{name}\"\n\nArborist-Step: complete\nArborist-Result: pass\nArborist-Report: x.json\n"
        );
        garden.git(&["commit", "-q", "--allow-empty", "-m", &message]);
    }
}

/// The tree with its ids and names, to find an id by its name.
fn id_of(garden: &Garden, name: &str) -> String {
    let tree: Value = serde_json::from_str(&garden.read("task-tree.json")).unwrap();
    let nodes = tree["nodes"].as_object().unwrap();
    nodes.iter().find(|(_, node)| node["name"] == name).unwrap().0.clone()
}

#[test]
fn the_boxes_of_completed_tasks_are_ticked_and_nothing_else_changes() {
    let cases = [
        (
            "specs/001-a/tasks.md",
            "\u{feff}# Tasks\r\n\r\n## Phase 1: One\r\n\r\n- [ ] T001 [P] Write src/a.rs\r\n*\t[ ] **T002** Write src/b.rs [ ] \
             twice\r\n+ [ ] T003 Write src/c.rs\r\n",
            &["T001", "T002"][..],
            &[(5, "- [x] T001"), (6, "*\t[x] **T002**")][..],
        ),
        (
            ".kiro/specs/a/tasks.md",
            "# Plan\n\n- [ ] 1. First\n  - [ ] 1.1 Part\n\t- [ ]* 1.2 Other part\n- [ ] 2. Second\n  - [ ] 2.1 Part\n  - [ ] \
             2.2 Rest\n",
            &["1.1", "1.2", "2.1"],
            &[(3, "- [x] 1."), (4, "  - [x] 1.1"), (5, "\t- [x]* 1.2"), (7, "  - [x] 2.1")],
        ),
        (
            "openspec/changes/a/tasks.md",
            "## 1. Group\n\n- [ ] 1.1 Task\n  - [ ] a step\n- [ ] 1.2 Task\n",
            &["1.1", "1.2"],
            &[(3, "- [x] 1.1"), (5, "- [x] 1.2")],
        ),
        (
            "spec/tasks.md",
            "## Phase 1: One\n1. [ ] T001 A\n2) [-] T002 B\n\n```\n- [ ] T001 A\n```\n",
            &["T001", "T002"],
            &[(2, "1. [x] T001"), (3, "2) [x] T002")],
        ),
    ];
    for (path, text, ids, ticked) in cases {
        let garden = built(path, text);
        complete(&garden, ids);
        let ended = garden.run(&["build", "--tick"]);
        assert_eq!((ended.status, ended.stderr.as_str()), (0, ""), "{ended:?}");
        assert!(ended.stdout.starts_with(&format!("{path}: ticked ")), "{ended:?}");
        let after = garden.read(path);
        let (before, after): (Vec<&str>, Vec<&str>) =
            (text.split('\n').collect(), after.split('\n').collect());
        assert_eq!(before.len(), after.len(), "{path}");
        for (number, (before, after)) in (1..).zip(before.into_iter().zip(after)) {
            match ticked.iter().find(|(line, _)| *line == number) {
                None => assert_eq!(before, after, "{path}:{number}"),
                Some((_, start)) => {
                    assert!(after.starts_with(start), "{path}:{number}: {after}");
                    let end = |line: &str| line.split_once(']').unwrap().1.to_owned();
                    assert_eq!(end(before), end(after));
                }
            }
        }
        assert_eq!(garden.lines(&["status", "--porcelain"]), [format!(" M {path}")]);
        garden.run(&["build", "--check"]).assert(0, &[]);
        let again = garden.run(&["build", "--tick"]);
        assert_eq!((again.status, again.stdout.as_str()), (0, "there is no box to tick\n"), "{again:?}");
    }
}

#[test]
fn a_skipped_task_is_not_ticked() {
    let garden =
        built(".kiro/specs/a/tasks.md", "- [ ] 1. First\n  - [ ] 1.1 Part\n  - [ ] 1.2 Other part\n");
    complete(&garden, &["1.1"]);
    let skipped = "task(1.2): skipped \"Other part\"\n\nArborist-Step: complete\nArborist-Result: skip\nArborist-Reason: no \
                   need\n";
    garden.git(&["commit", "-q", "--allow-empty", "-m", skipped]);
    garden.run(&["build", "--tick"]).assert(0, &[]);
    assert_eq!(
        garden.read(".kiro/specs/a/tasks.md"),
        "- [ ] 1. First\n  - [x] 1.1 Part\n  - [ ] 1.2 Other part\n"
    );
}

#[test]
fn a_box_is_found_where_its_task_is_now_and_a_task_that_is_gone_is_named() {
    let plan = "- [ ] T001 Write the first part\n- [ ] T002 Write the second part\n";
    let garden = built("spec/tasks.md", plan);
    complete(&garden, &["T001", "T002"]);
    let edited = "# New\n- [ ] T001 Write the first part\n- [ ] T009 Write another part\n";
    garden.write("spec/tasks.md", edited);
    let ended = garden.run(&["build", "--tick"]);
    assert_eq!((ended.status, ended.stdout.as_str()), (0, "spec/tasks.md: ticked T001\n"), "{ended:?}");
    for line in ["spec/tasks.md:2 does not have T002 any more", "--update"] {
        assert!(ended.stderr.contains(line), "{line}: {ended:?}");
    }
    assert_eq!(garden.read("spec/tasks.md"), edited.replace("[ ] T001", "[x] T001"));
    garden.write("spec/tasks.md", "- [ ] T002 Write the first part\n- [ ] T001 Write the second part\n");
    let ended = garden.run(&["build", "--tick", "--json"]);
    let found: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(found["tasks"][0]["box"], "moved");

    std::fs::remove_file(garden.top().join("spec/tasks.md")).unwrap();
    let ended = garden.run(&["build", "--tick"]);
    assert!(ended.status == 0 && ended.stderr.contains("spec/tasks.md cannot be read"), "{ended:?}");
}

#[test]
fn ticks_are_committed_only_if_the_user_wants_that() {
    let garden = built("TODO.md", "# Later\n\n- [ ] Write one\n- [ ] Write two\n");
    let id = id_of(&garden, "Write two");
    complete(&garden, &[&id]);
    garden.write("other.txt", "x\n");
    garden.git(&["add", "other.txt"]);
    let ended = garden.run(&["build", "--tick", "--commit"]);
    assert_eq!(ended.status, 0, "{ended:?}");
    assert_eq!(
        garden.lines(&["show", "--name-only", "--format=%s"]),
        ["Tick 1 completed task", "", "TODO.md"]
    );
    assert_eq!(garden.lines(&["status", "--porcelain"]), ["A  other.txt"]);
    garden.run(&["check"]).assert(0, &[]);

    complete(&garden, &[&id_of(&garden, "Write one")]);
    garden.write("TODO.md", &format!("{}Mine\n", garden.read("TODO.md")));
    let head = garden.head();
    let refused = garden.run(&["build", "--tick", "--commit"]);
    assert!(refused.status == 3 && refused.stderr.contains("TODO.md has uncommitted changes"), "{refused:?}");
    assert!(garden.read("TODO.md").contains("- [ ] Write one") && garden.head() == head);
}

#[test]
fn sources_without_boxes_are_refused_or_named() {
    let prd = json!({"userStories": [{"id": "US-1", "title": "Write", "priority": 1, "passes": false}]})
        .to_string();
    let backlog = "---\nid: task-1\ntitle: Write\n---\n\nAll of it.\n";
    for (path, text, words) in [
        ("prd.json", prd.as_str(), "prd.json is no Markdown with tasks"),
        ("backlog/tasks/task-1.md", backlog, "no boxes"),
    ] {
        let garden = built(path, text);
        let tree: Value = serde_json::from_str(&garden.read("task-tree.json")).unwrap();
        complete(&garden, &[tree["execution_order"][0].as_str().unwrap()]);
        let refused = garden.run(&["build", "--tick"]);
        assert_eq!((refused.status, refused.stdout.as_str()), (2, ""), "{refused:?}");
        assert!(
            refused.stderr.contains(words) && refused.stderr.contains("Nothing was ticked"),
            "{refused:?}"
        );
        assert_eq!(garden.read(path), text);
    }
    let garden =
        built("specs/001-a/tasks.md", "## Phase 1: One\n\n#### T001: Write src/a.rs\n\nAll of it.\n");
    complete(&garden, &["T001"]);
    let ended = garden.run(&["build", "--tick"]);
    assert!(ended.status == 0 && ended.stderr.contains("has T001, but no box"), "{ended:?}");
}

#[test]
fn a_source_outside_of_the_work_tree_is_never_changed() {
    let garden = built("spec/tasks.md", "- [ ] T001 Write the first part\n");
    complete(&garden, &["T001"]);
    let plan = garden.read("spec/tasks.md");
    let outside = garden.root().join("elsewhere.md");
    std::fs::write(&outside, &plan).unwrap();
    let tree = garden.read("task-tree.json").replace("spec/tasks.md", "../elsewhere.md");
    let mut tree: Value = serde_json::from_str(&tree).unwrap();
    tree["documents"] = json!([]);
    garden.write("task-tree.json", &tree.to_string());
    let ended = garden.run(&["build", "--tick"]);
    assert!(ended.stderr.contains("outside of the work tree"), "{ended:?}");
    assert_eq!(std::fs::read_to_string(&outside).unwrap(), plan);
}

#[test]
fn a_box_that_is_ticked_although_its_task_is_not_complete_is_named_and_left_alone() {
    let garden =
        built("spec/tasks.md", "- [ ] T001 Write the first part\n- [x] T002 Write the second part\n");
    complete(&garden, &["T001"]);
    let ended = garden.run(&["build", "--tick"]);
    assert_eq!((ended.status, ended.stdout.as_str()), (0, "spec/tasks.md: ticked T001\n"), "{ended:?}");
    assert!(ended.stderr.contains("spec/tasks.md:2 is ticked, but T002 is not complete"), "{ended:?}");
    assert!(garden.read("spec/tasks.md").contains("- [x] T002"));
    let found: Value = serde_json::from_str(&garden.run(&["build", "--tick", "--json"]).stdout).unwrap();
    let early = json!([{"id": "T002", "file": "spec/tasks.md", "line": 2, "box": "was-ticked"}]);
    assert_eq!(found["early"], early);
}

#[test]
fn the_box_of_a_task_is_found_although_its_name_was_edited_in_the_plan() {
    let garden = built("TODO.md", "# Later\n\n- [ ] Read\n- [ ] Send\n");
    let mut tree: Value = serde_json::from_str(&garden.read("task-tree.json")).unwrap();
    tree["nodes"]["T1"]["name"] = json!("Read all of it");
    garden.write("task-tree.json", &tree.to_string());
    garden.commit("Edit the plan");
    complete(&garden, &["T1"]);
    let ended = garden.run(&["build", "--tick"]);
    assert_eq!((ended.status, ended.stdout.as_str()), (0, "TODO.md: ticked T1\n"), "{ended:?}");
    assert_eq!(garden.read("TODO.md"), "# Later\n\n- [x] Read\n- [ ] Send\n");
}

#[test]
fn a_box_that_was_ticked_for_a_completed_task_is_no_claim() {
    let garden =
        built("spec/tasks.md", "- [ ] T001 Write the first part\n- [x] T002 Write the second part\n");
    complete(&garden, &["T001"]);
    garden.run(&["build", "--tick"]).assert(0, &[]);
    let ended = garden.run(&["build", "--check"]);
    assert!(
        ended.stderr.contains("1 ticked task is pending in the plan") && !ended.stderr.contains("T001"),
        "{ended:?}"
    );
}
