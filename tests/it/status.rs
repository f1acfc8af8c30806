//! Tests `git arborist status`, as people and scripts call it.

use std::process::{Command, Stdio};

use crate::support::cli::{PLAN, REFERENCES, Said, Story, arborist, git_with_commands, reference};
use crate::support::repo::Repo;
use git_arborist::record::Outcome::{Fail, Pass};
use serde_json::{Value, json};

/// T001 and T002 are complete, the tests of T003 have failed in its second attempt, three minutes ago.
fn in_the_middle() -> (Repo, Vec<git_arborist::record::CommitId>) {
    Story::of(PLAN)
        .whole("T001")
        .whole("T002")
        .phase("phase1")
        .implement("T003", 0, Pass)
        .test("T003", 0, Fail)
        .implement("T003", 1, Pass)
        .test("T003", 1, Fail)
        .told(200)
}

#[test]
fn the_tree_shows_state_attempt_age_and_what_a_task_waits_for() {
    let (repo, _) = in_the_middle();
    let expected = "\
my-project  2/4 complete  ████████░░░░░░░░
stopped; next: T003 implement 3/5
├── ✓ phase1 Database Layer (2/2, 1 untested)
└── phase2 API Layer (0/2)
    ├── ● T003 Build endpoints (stopped, next: implement 3/5, last step 3 min ago)
    └── · T004 Add tests (pending, after T003)
";
    assert_eq!(arborist(repo.path(), &["status"]).answer(), expected);
}

#[test]
fn once_work_has_begun_the_commands_are_listed_only_where_help_is_wanted() {
    let (repo, _) = in_the_middle();
    let said = arborist(repo.path(), &[]).answer();
    assert!(said.ends_with("\n\n`git arborist help -a` lists all commands.\n"), "{said}");
    assert_eq!(said.lines().count(), 4, "{said}");
    assert!(arborist(repo.path(), &["-h"]).answer().contains("\n   gardener "));
}

#[test]
fn the_first_lines_say_what_has_stopped_a_run() {
    let (repo, _) = Story::of(PLAN)
        .whole("T001")
        .whole("T002")
        .phase("phase1")
        .implement("T003", 0, Fail)
        .failed("T003")
        .told(0);
    let said = arborist(repo.path(), &["status"]).answer();
    assert_eq!(said.lines().nth(1), Some("stopped: T003 failed"), "{said}");
}

#[test]
fn all_shows_the_tasks_of_finished_phases_as_well() {
    let (repo, _) = in_the_middle();
    let expected = "\
my-project  2/4 complete  ████████░░░░░░░░
stopped; next: T003 implement 3/5
├── phase1 Database Layer (2/2)
│   ├── ✓ T001 Create schema (complete, untested)
│   └── ✓ T002 Add migrations (complete)
└── phase2 API Layer (0/2)
    ├── ● T003 Build endpoints (stopped, next: implement 3/5, last step 3 min ago)
    └── · T004 Add tests (pending, after T003)
";
    assert_eq!(arborist(repo.path(), &["status", "--all"]).answer(), expected);
}

/// Thirty phases of ten tasks, of which the first `done` tasks are complete.
fn three_hundred(done: usize) -> Repo {
    let mut nodes = serde_json::Map::new();
    for phase in 1..=30 {
        let id = format!("P{phase:02}");
        nodes.insert(id.clone(), json!({"id": id, "name": format!("Phase {phase}")}));
        for task in (phase - 1) * 10 + 1..=phase * 10 {
            let task = format!("T{task:03}");
            nodes.insert(task.clone(), json!({"id": task, "name": format!("Task {task}"), "parent": id}));
        }
    }
    let mut story = Story::of(&json!({"spec_id": "large", "nodes": nodes}).to_string());
    for task in 1..=done {
        story = story.complete(&format!("T{task:03}"), 1);
    }
    story.told(0).0
}

#[test]
fn a_plan_of_three_hundred_tasks_is_shown_in_forty_lines_around_the_next_task() {
    let repo = three_hundred(42);
    let said = arborist(repo.path(), &["status"]).answer();
    let expected = "\
large  42/300 complete  ██░░░░░░░░░░░░░░
stopped; next: T043 implement 1/5
├── ✓ P01 Phase 1 (10/10, untested)
├── ✓ P02 Phase 2 (10/10, untested)
├── ✓ P03 Phase 3 (10/10, untested)
├── ✓ P04 Phase 4 (10/10, untested)
├── P05 Phase 5 (2/10)
│   ├── ✓ T041 Task T041 (complete, untested)
│   ├── ✓ T042 Task T042 (complete, untested)
│   ├── · T043 Task T043 (pending, next, untested)
│   ├── · T044 Task T044 (pending, ready, untested)
│   ├── · T045 Task T045 (pending, ready, untested)
│   ├── · T046 Task T046 (pending, ready, untested)
│   ├── · T047 Task T047 (pending, ready, untested)
│   ├── · T048 Task T048 (pending, ready, untested)
│   ├── · T049 Task T049 (pending, ready, untested)
│   └── · T050 Task T050 (pending, ready, untested)
├── · P06 Phase 6 (0/10)
";
    assert!(said.starts_with(expected), "{said}");
    assert_eq!(said.lines().count(), 42, "{said}");
    assert_eq!(arborist(repo.path(), &["status", "--all"]).answer().lines().count(), 332);
    let flat = json!({"nodes": (1..=300).map(|task| {
        let id = format!("T{task:03}");
        (id.clone(), json!({"id": id, "name": "n"}))
    }).collect::<serde_json::Map<_, _>>()});
    let (repo, _) = Story::of(&flat.to_string()).whole("T001").told(0);
    let said = arborist(repo.path(), &["status"]).answer();
    assert_eq!(said.lines().count(), 42, "{said}");
    assert!(said.ends_with("└── · T040 to T300 (261 tasks, pending)\n"), "{said}");
}

#[test]
fn plain_output_and_output_in_a_locale_without_utf_8_is_ascii() {
    let (repo, _) = in_the_middle();
    let expected = "\
my-project  2/4 complete  [########........]
stopped; next: T003 implement 3/5
|-- OK   phase1 Database Layer (2/2, 1 untested)
`-- phase2 API Layer (0/2)
    |-- ...  T003 Build endpoints (stopped, next: implement 3/5, last step 3 min ago)
    `-- --   T004 Add tests (pending, after T003)
";
    assert_eq!(arborist(repo.path(), &["status", "--plain"]).answer(), expected);
    let mut command = git_with_commands(repo.path(), &["arborist", "status"]);
    assert_eq!(Said::of(command.env("LC_ALL", "C").output().unwrap()).answer(), expected);
}

#[test]
fn short_prints_one_line_for_a_shell_prompt() {
    let (repo, _) = in_the_middle();
    assert_eq!(arborist(repo.path(), &["status", "--short"]).answer(), "2/4 ✓  1 ●  0 ✗  next T003\n");
    assert_eq!(
        arborist(repo.path(), &["status", "--short", "--plain"]).answer(),
        "2/4 OK  1 ...  0 FAIL  next T003\n"
    );
}

#[test]
fn json_has_every_field_and_null_for_what_is_not_known() {
    let (repo, ids) = in_the_middle();
    let document = arborist(repo.path(), &["status", "--json"]).json();
    let last = ids.last().unwrap().to_string();
    assert_eq!(document["version"], 1);
    assert_eq!(document["spec_id"], "my-project");
    assert_eq!(document["tree"], "task-tree.json");
    assert_eq!(document["head"], json!(last));
    assert_eq!(document["anchor"], json!(ids[0].to_string()));
    assert_eq!(
        document["counts"],
        json!({"total": 4, "complete": 2, "failed": 0, "skipped": 0, "active": 1, "pending": 1, "unmerged": 0, "asked": 0})
    );
    assert_eq!(document["next"], "T003");
    assert_eq!(document["branch"], "main");
    assert_eq!(
        document["run"],
        json!({"state": "unfinished",
               "next": {"unit": null, "task": "T003", "name": "Build endpoints", "phase": "phase2", "branch": null,
                        "step": "implement", "result": null, "attempt": 2, "max_attempts": 5, "why": "its tests failed"}})
    );
    let mut phases = document["phases"].clone();
    assert_eq!(phases[0]["marker"].take()["commit"], json!(ids[9].to_string()));
    assert_eq!(
        phases,
        json!([
            {"id": "phase1", "name": "Database Layer", "parent": null, "depends_on": [], "total": 2, "complete": 2, "marked": true,
             "marker": null, "failed_tests": null, "findings": [], "output": null, "branch": null},
            {"id": "phase2", "name": "API Layer", "parent": null, "depends_on": [], "total": 2, "complete": 0, "marked": false,
             "marker": null, "failed_tests": null, "findings": [], "output": null, "branch": null},
        ])
    );
    let mut task = document["tasks"][2].clone();
    let time = repo.git(&["log", "-1", "--format=%cI"]).replace('Z', "+00:00");
    assert_eq!(task["time"].take(), json!(time));
    assert_eq!(
        task,
        json!({"id": "T003", "name": "Build endpoints", "phase": "phase2", "parent": "phase2", "state": "testing", "question": null, "step": "test",
               "outcome": "fail", "by": "run", "attempt": 1, "commit": last, "time": null, "ready": true, "awaits_approval": false, "blocked_by": [],
               "depends_on": ["T001"], "plan_edited": false, "proof": null, "branch": null, "unmerged": false, "slot": null,
               "claimant": null, "attempt_count": 2, "duration": 26.2, "agent_steps": 2, "tokens": null, "tokens_known_for": 0,
               "cost": null, "cost_known_for": 0})
    );
    assert_eq!(
        document["tasks"][3],
        json!({"id": "T004", "name": "Add tests", "phase": "phase2", "parent": "phase2", "state": "pending", "question": null, "step": null,
               "outcome": null, "by": null, "attempt": null, "commit": null, "time": null, "ready": false, "awaits_approval": false, "blocked_by": [],
               "depends_on": ["T003"], "plan_edited": false, "proof": null, "branch": null, "unmerged": false, "slot": null,
               "claimant": null, "attempt_count": 0, "duration": null, "agent_steps": 0, "tokens": null, "tokens_known_for": 0,
               "cost": null, "cost_known_for": 0})
    );
}

#[test]
fn a_failed_task_blocks_its_dependents_and_does_not_fail_status() {
    let (repo, _) = Story::of(PLAN).whole("T001").implement("T003", 0, Fail).failed("T003").told(0);
    let document = arborist(repo.path(), &["status", "--json"]).json();
    assert_eq!(document["tasks"][3]["blocked_by"], json!(["T003"]));
    assert_eq!(document["tasks"][2]["state"], "failed");
    assert_eq!(document["next"], "T002");
    let short = arborist(repo.path(), &["status", "--short"]).answer();
    assert_eq!(short, "1/4 ✓  0 ●  1 ✗  next T002\n");
}

#[test]
fn status_says_what_to_do_if_a_run_has_not_begun_or_has_ended() {
    let (repo, _) = Story::of(PLAN).told(0);
    let said = arborist(repo.path(), &["status"]).answer();
    assert!(said.starts_with("my-project  0/4 complete  ░░░░░░░░░░░░░░░░\n"), "{said}");
    assert!(said.ends_with("`git arborist gardener` on all.\n"), "{said}");

    let story = || Story::of(PLAN).whole("T001").whole("T002").whole("T003").whole("T004").phase("phase1");
    let (repo, _) = story().told(0);
    let said = arborist(repo.path(), &["status"]).answer();
    assert!(said.contains("but phase2 is not marked complete yet: `git arborist gardener`"), "{said}");
    let (repo, _) = story().phase("phase2").told(0);
    let said = arborist(repo.path(), &["status"]).answer();
    assert!(said.contains("\nAll 4 tasks are complete: `git arborist land`"), "{said}");
    assert_eq!(arborist(repo.path(), &["status", "--short"]).answer(), "4/4 ✓  0 ●  0 ✗  complete\n");
}

#[test]
fn colours_are_printed_on_request() {
    let (repo, _) = in_the_middle();
    assert!(!arborist(repo.path(), &["status", "--all"]).answer().contains('\x1b'));
    repo.git(&["config", "color.ui", "always"]);
    let said = arborist(repo.path(), &["status", "--all"]).answer();
    assert!(said.contains("\x1b[32m✓\x1b[0m \x1b[36mT001\x1b[0m Create schema"), "{said:?}");
}

#[test]
fn the_repositories_of_the_older_system_are_complete() {
    for bundle in REFERENCES {
        let (repo, tree) = reference(bundle);
        let document = arborist(repo.path(), &["status", "--json", "--tree", tree]).json();
        let states: Vec<(&str, &str)> = document["tasks"]
            .as_array()
            .unwrap()
            .iter()
            .map(|task| (task["id"].as_str().unwrap(), task["state"].as_str().unwrap()))
            .collect();
        let all = ["T001", "T002", "T003", "T004"].map(|id| (id, "complete"));
        assert_eq!(states, all, "{bundle}");
        assert_eq!(document["tree"], tree);
        assert!(document["anchor"].is_string() && document["next"].is_null(), "{bundle}");
    }
}

#[test]
fn it_works_from_a_subfolder_another_work_tree_git_c_and_a_detached_head() {
    let (repo, _) = in_the_middle();
    let expected = arborist(repo.path(), &["status"]).answer();
    let below = repo.path().join("src");
    assert_eq!(arborist(&below, &["status"]).answer(), expected);
    assert_eq!(arborist(&below, &["status", "--tree", "../task-tree.json"]).answer(), expected);
    let other = tempfile::tempdir().unwrap();
    let linked = other.path().join("linked");
    repo.git(&["worktree", "add", "-q", "--detach", linked.to_str().unwrap()]);
    assert_eq!(arborist(&linked, &["status"]).answer(), expected);
    let called = git_with_commands(other.path(), &["-C", linked.to_str().unwrap(), "arborist", "status"])
        .output()
        .unwrap();
    assert_eq!(Said::of(called).answer(), expected);
    let binary = Command::new(env!("CARGO_BIN_EXE_git-arborist-status"))
        .current_dir(&below)
        .env("LC_ALL", "C.UTF-8")
        .env("HOME", other.path())
        .output()
        .unwrap();
    assert_eq!(Said::of(binary).answer(), expected);
}

#[test]
fn it_works_where_git_finds_the_work_tree_in_another_way() {
    let (repo, _) = in_the_middle();
    let expected = arborist(repo.path(), &["status"]).answer();
    let other = tempfile::tempdir().unwrap();
    let path = |name: &str| other.path().join(name).to_str().unwrap().to_owned();

    let mut named = git_with_commands(other.path(), &["arborist", "status"]);
    named.env("GIT_DIR", repo.path().join(".git")).env("GIT_WORK_TREE", repo.path());
    assert_eq!(Said::of(named.output().unwrap()).answer(), expected, "named by the environment");

    std::os::unix::fs::symlink(repo.path(), path("link")).unwrap();
    assert_eq!(arborist(&other.path().join("link/src"), &["status"]).answer(), expected, "through a link");

    repo.git(&["clone", "-q", "--bare", ".", &path("bare")]);
    repo.git(&["-C", &path("bare"), "worktree", "add", "-q", "../tree", "main"]);
    assert_eq!(arborist(&other.path().join("tree"), &["status"]).answer(), expected, "of a bare repository");

    let above = Repo::init(&[]);
    let from = repo.path().to_str().unwrap();
    above.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", from, "inner"]);
    assert_eq!(arborist(&above.path().join("inner/src"), &["status"]).answer(), expected, "in a submodule");

    let moved = Repo::init(&[]);
    moved.git(&["config", "core.worktree", repo.path().to_str().unwrap()]);
    let said = arborist(moved.path(), &["status"]);
    assert_eq!(said.code, 3, "outside of the work tree that is configured: {}", said.out);
}

#[test]
fn inside_the_git_directory_there_is_no_work_tree() {
    let (repo, _) = in_the_middle();
    let said = arborist(&repo.path().join(".git/refs"), &["status"]);
    assert_eq!((said.code, said.out.as_str()), (3, ""));
    assert!(said.err.contains("inside a git directory"), "{}", said.err);
}

#[test]
fn without_a_work_tree_or_a_commit_the_state_of_the_repository_is_the_error() {
    let bare = Repo::init(&["--bare"]);
    let said = arborist(bare.path(), &["status"]);
    assert_eq!((said.code, said.out.as_str()), (3, ""));
    assert!(said.err.contains("bare repository"), "{}", said.err);

    let unborn = Repo::init(&[]);
    std::fs::write(unborn.path().join("task-tree.json"), PLAN).unwrap();
    let said = arborist(unborn.path(), &["status"]);
    assert_eq!(said.code, 3);
    assert!(
        said.err.contains("no commits yet") && said.err.contains("git add -A && git commit"),
        "{}",
        said.err
    );

    let nowhere = tempfile::tempdir().unwrap();
    let said = arborist(nowhere.path(), &["status"]);
    assert_eq!(said.code, 3);
    assert!(said.err.contains("not in a git repository"), "{}", said.err);
}

#[test]
fn a_plan_without_a_name_goes_by_the_folder_and_is_null_in_json() {
    let (repo, _) =
        Story::of(r#"{"nodes": {"T1": {"id": "T1", "name": "Only\u001b[31m one\nline"}}}"#).told(0);
    let folder = repo.path().canonicalize().unwrap();
    let folder = folder.file_name().unwrap().to_str().unwrap();
    let said = arborist(repo.path(), &["status"]).answer();
    assert!(said.starts_with(&format!("{folder}  0/1 complete")), "{said}");
    assert!(!said.contains('\x1b'), "{said:?}");
    assert!(said.contains("└── · T1 Only [31m one line (pending, next, untested)\n"), "{said}");
    assert_eq!(arborist(repo.path(), &["status", "--json"]).json()["spec_id"], Value::Null);
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let (repo, _) = Story::of(&chain(3000, "Work")).told(0);
    let mut child = git_with_commands(repo.path(), &["arborist", "status"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}

/// A tree in which each node is the only child of the one before it.
fn chain(length: usize, name: &str) -> String {
    let node = |place: usize| {
        let children = if place + 1 < length { vec![format!("N{}", place + 1)] } else { Vec::new() };
        let tests = json!([{"type": "unit", "command": "true"}]);
        let node =
            json!({"id": format!("N{place}"), "name": name, "children": children, "test_commands": tests});
        (format!("N{place}"), node)
    };
    let nodes: serde_json::Map<String, Value> = (0..length).map(node).collect();
    json!({ "nodes": nodes }).to_string()
}

#[test]
fn a_tree_as_deep_as_it_has_nodes_stays_readable() {
    let (repo, _) = Story::of(&chain(3000, "Work")).told(0);
    assert!(arborist(repo.path(), &["status"]).answer().lines().count() <= 43);
    let said = arborist(repo.path(), &["status", "--all"]).answer();
    assert_eq!(said.lines().count(), 3003);
    assert!(said.lines().all(|line| line.chars().count() < 100));
    assert!(said.contains(" └── · N2999 Work (pending, next)\n"));
}

#[test]
fn a_complete_task_that_was_edited_since_stays_complete_and_is_shown_as_edited() {
    let (repo, _) = in_the_middle();
    let file = repo.path().join("task-tree.json");
    let commit = |change: &dyn Fn(&mut Value)| {
        let mut plan: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
        change(&mut plan["nodes"]);
        std::fs::write(&file, plan.to_string()).unwrap();
        repo.git(&["commit", "-qm", "Edit the plan", "task-tree.json"]);
    };
    repo.git(&["reset", "-q", "--hard"]);
    commit(&|nodes| {
        nodes["T001"]["description"] = json!("Other words");
        nodes["T003"]["description"] = json!("Not complete yet");
        nodes["T002"]["labels"] = json!(["no matter"]);
    });
    let folded = arborist(repo.path(), &["status"]).answer();
    assert!(folded.contains("✓ phase1 Database Layer (2/2, 1 edited since, 1 untested)\n"), "{folded}");
    let said = arborist(repo.path(), &["status", "--all"]).answer();
    assert!(said.contains("✓ T001 Create schema (complete, untested, plan edited since)\n"), "{said}");
    assert!(said.contains("✓ T002 Add migrations (complete)\n"), "{said}");
    assert!(said.contains("● T003 Build endpoints (stopped, next: implement 3/5"), "{said}");
    let tasks = &arborist(repo.path(), &["status", "--json"]).json()["tasks"];
    let edited = |tasks: &Value| {
        let tasks = tasks.as_array().unwrap().iter();
        tasks.map(|task| task["plan_edited"].as_bool().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(edited(tasks), [true, false, false, false]);
    let shown = arborist(repo.path(), &["show", "T001"]).answer();
    assert!(shown.contains("(complete, untested, plan edited since)"), "{shown}");
    assert_eq!(arborist(repo.path(), &["show", "T001", "--json"]).json()["plan_edited"], true);
    // Other tests and other dependencies are edits too; what is taken back is none.
    commit(&|nodes| {
        nodes["T001"]["description"] = json!("Design the schema.");
        nodes["T002"]["test_commands"] = json!([{"type": "unit", "command": "false"}]);
    });
    let tasks = &arborist(repo.path(), &["status", "--json"]).json()["tasks"];
    assert_eq!(edited(tasks), [false, true, false, false]);
}

/// A plan of two hundred tasks, with steps of its first two.
fn large() -> Repo {
    let task = |number: usize| {
        let description = "word ".repeat(30);
        format!(r#""T{number:03}": {{"id": "T{number:03}", "name": "n", "description": "{description}"}}"#)
    };
    let nodes: Vec<String> = (1..=200).map(task).collect();
    let plan = format!("{{\"nodes\": {{{}}}}}", nodes.join(", "));
    let (repo, _) = Story::of(&plan).whole("T001").implement("T002", 0, Pass).told(0);
    repo
}

#[test]
fn the_short_line_follows_the_plan_and_the_branch() {
    let repo = large();
    let short = || arborist(repo.path(), &["status", "--short"]).answer();
    let begun = "1/200 ✓  1 ●  0 ✗  next T002\n";
    assert_eq!([short(), short()], [begun, begun]);
    // The plan is edited: a task is added in front.
    let file = repo.path().join("task-tree.json");
    let plan = std::fs::read_to_string(&file).unwrap();
    let more =
        plan.replacen("{\"nodes\": {", "{\"nodes\": {\"T000\": {\"id\": \"T000\", \"name\": \"m\"}, ", 1);
    std::fs::write(&file, more).unwrap();
    assert_eq!(short(), "1/201 ✓  1 ●  0 ✗  next T000\n");
    std::fs::write(&file, plan).unwrap();
    assert_eq!(short(), begun);
    // The branch moves on, and back.
    let message = "task(T002): complete \"n\"\n\nArborist-Step: complete\nArborist-Result: pass\n";
    repo.git(&["commit", "-q", "--allow-empty", "-m", message]);
    assert_eq!([short(), short()], ["2/200 ✓  0 ●  0 ✗  next T003\n"; 2]);
    repo.git(&["reset", "-q", "--soft", "HEAD~"]);
    assert_eq!(short(), begun);
}

#[test]
fn the_short_line_follows_the_settings_on_which_it_depends() {
    let repo = large();
    let short = || arborist(repo.path(), &["status", "--short"]).answer();
    let begun = "1/200 ✓  1 ●  0 ✗  next T002\n";
    // A branch of a task with the rest of it counts, unless the settings say that tasks have no branches.
    let message = "task(T002): complete \"n\"\n\nArborist-Step: complete\nArborist-Result: pass\n";
    repo.git(&["switch", "-q", "-c", "arborist/plan/T002"]);
    repo.git(&["commit", "-q", "--allow-empty", "-m", message]);
    repo.git(&["config", "branch.arborist/plan/T002.remote", "elsewhere"]);
    repo.git(&["switch", "-q", "-"]);
    let with_branch = short();
    assert_ne!(with_branch, begun);
    repo.git(&["config", "arborist.branches", "none"]);
    assert_eq!(short(), begun);
    repo.git(&["config", "--unset", "arborist.branches"]);
    assert_eq!(short(), with_branch);
    // A task without a parent is a phase as well, and a branch with an upstream here is that of a phase.
    let branch = repo.git(&["symbolic-ref", "--short", "HEAD"]);
    repo.git(&["config", "branch.arborist/plan/T002.remote", "."]);
    repo.git(&["config", "branch.arborist/plan/T002.merge", &format!("refs/heads/{}", branch.trim())]);
    assert_ne!(short(), with_branch);
    // Approval makes the task wait that is ready otherwise.
    repo.git(&["branch", "-D", "-q", "arborist/plan/T002"]);
    let approved =
        "task(T002): tests pass for \"n\"\n\nArborist-Step: test\nArborist-Test: pass\nArborist-Retry: 0\n";
    repo.git(&["commit", "-q", "--allow-empty", "-m", approved]);
    repo.git(&["config", "arborist.review", "false"]);
    assert_eq!(short(), begun);
    repo.git(&["config", "arborist.approval", "true"]);
    assert_eq!(short(), "1/200 ✓  1 ●  0 ✗  next T003\n");
}

#[test]
fn a_plan_with_warnings_warns_every_time_that_its_short_line_is_shown() {
    let repo = large();
    let file = repo.path().join("task-tree.json");
    let plan = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, plan.replacen("\"name\": \"n\"", "\"name\": \"n\", \"dependson\": []", 1)).unwrap();
    for _ in 0..2 {
        let said = arborist(repo.path(), &["status", "--short"]);
        assert!(said.err.contains("dependson"), "{}", said.err);
    }
}
