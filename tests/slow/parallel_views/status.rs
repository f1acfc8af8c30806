//! Tests what `status` says about a run with several tasks at the same time.

use serde_json::{Value, json};

use super::three_tasks;
use crate::support::garden::Garden;
use crate::support::schemas::fits;

fn document(garden: &Garden) -> Value {
    let document = serde_json::from_str(&garden.run(&["status", "--json"]).stdout).unwrap();
    fits("status", &document);
    document
}

/// T001 is merged, T002 is complete on its branch, and T003 has an implement step on its branch. No run is at work.
pub(super) fn in_pieces() -> Garden {
    let garden = three_tasks();
    garden.run(&["gardener", "--jobs", "3"]).assert(0, &[]);
    let commit = |subject: &str| garden.git(&["log", "-1", "--format=%H", &format!("--grep={subject}")]);
    let ends = ["task(T002): complete", "task(T003): implement"].map(commit);
    let merge = commit("^Merge task .Do T001.");
    let base = commit("Add the plan");
    // The merges may have happened in any order.
    garden.git(&["reset", "-q", "--hard", &base]);
    garden.git(&[
        "merge",
        "-q",
        "--no-ff",
        "-m",
        "Merge task \"Do T001\" (arborist/trial/T001)",
        &format!("{merge}^2"),
    ]);
    garden.git(&["branch", "arborist/trial/T002", &ends[0]]);
    garden.git(&["branch", "arborist/trial/T003", &ends[1]]);
    garden.forget_history();
    garden
}

#[test]
fn status_says_what_is_merged_what_only_has_to_be_merged_and_what_goes_on_on_its_branch() {
    let garden = in_pieces();
    let said = garden.run(&["status", "--plain"]).stdout;
    for words in [
        "trial  1/3 complete",
        "T001 Do T001 (complete)",
        "T002 Do T002 (complete, not merged yet)",
        "T003 Do T003 (stopped, next: test 1/5",
        "T002 is complete on its branch arborist/trial/T002. The next `git arborist gardener` merges what is complete.",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
    let short = garden.run(&["status", "--short", "--plain"]).stdout;
    assert_eq!(short, "1/3 OK  2 ...  0 FAIL  next T003\n");
    let document = document(&garden);
    assert_eq!((&document["counts"]["complete"], &document["counts"]["unmerged"]), (&json!(1), &json!(1)));
    let of = |nth: usize| {
        let task = &document["tasks"][nth];
        (task["state"].clone(), task["branch"].clone(), task["unmerged"].clone(), task["slot"].clone())
    };
    assert_eq!(of(0), (json!("complete"), Value::Null, json!(false), Value::Null));
    assert_eq!(of(1), (json!("complete"), json!("arborist/trial/T002"), json!(true), Value::Null));
    assert_eq!(of(2), (json!("implementing"), json!("arborist/trial/T003"), json!(false), Value::Null));
    // The next run does what it says. Then the short line, which is stored, is made again.
    garden.run(&["gardener"]).assert(0, &[]);
    assert_eq!(garden.run(&["status", "--short", "--plain"]).stdout, "3/3 OK  0 ...  0 FAIL  complete\n");
    // A branch alone changes the answer as well: nothing was committed where HEAD is.
    let garden = in_pieces();
    garden.run(&["status", "--short"]);
    garden.git(&["branch", "-D", "-q", "arborist/trial/T002", "arborist/trial/T003"]);
    assert_eq!(garden.run(&["status", "--short", "--plain"]).stdout, "1/3 OK  0 ...  0 FAIL  next T002\n");
}

#[test]
fn status_says_which_task_is_worked_on_in_which_slot() {
    let garden = three_tasks();
    garden.agent("while ! [ -e \"$ROOT/go\" ]; do sleep 0.1; done");
    let running = garden.start(garden.arborist(&["gardener", "--jobs", "2"]));
    garden.wait_until("two agents", || garden.prompts().len() == 2);
    let said = garden.start(garden.arborist(&["status", "--plain"])).wait().stdout;
    for words in [
        "running: 2 tasks in slots (gardener, process ",
        "running in slot 0: T001 implement 1/5 for ",
        "running in slot 1: T002 implement 1/5 for ",
        "T001 Do T001 (implementing, attempt 1/5, 0 s, slot 0)",
        "T003 Do T003 (pending, ready)",
    ] {
        let said = said.replace(", 1 s, slot", ", 0 s, slot").replace(", 2 s, slot", ", 0 s, slot");
        assert!(said.contains(words), "{words}: {said}");
    }
    let answer = garden.start(garden.arborist(&["status", "--json"])).wait().stdout;
    let document: Value = serde_json::from_str(&answer).unwrap();
    fits("status", &document);
    assert_eq!(document["tasks"][1]["slot"], 1);
    assert_eq!(document["run"]["state"], "running");
    let slots: Vec<&Value> = document["runs"].as_array().unwrap().iter().map(|run| &run["slot"]).collect();
    assert_eq!(slots, [&Value::Null, &json!(0), &json!(1)]);
    std::fs::write(garden.root().join("go"), "").unwrap();
    running.wait().assert(0, &[]);
}

#[test]
fn the_commands_of_the_docs_bring_claims_and_merges_of_workers_on_other_machines() {
    let garden = three_tasks();
    let remote = garden.root().join("remote.git");
    let remote = remote.to_str().unwrap();
    garden.git(&["init", "-q", "--bare", remote]);
    garden.git(&["remote", "add", "origin", remote]);
    garden.git(&["push", "-q", "-u", "origin", "main"]);
    let there = |args: &[&str]| garden.git(&[&["--git-dir", remote], args].concat());
    let commit = |parents: &[&str], message: &str| {
        let parents: Vec<&str> = parents.iter().flat_map(|parent| ["-p", parent]).collect();
        there(&[&["commit-tree", "main^{tree}", "-m", message], &parents[..]].concat())
    };
    let claim = "task(T002): claimed by slurm:7.1@node\n\nArborist-Step: claim\nArborist-Claimant: slurm:7.1@node\nArborist-Nonce: 1";
    let claim = commit(&["main"], claim);
    there(&["update-ref", "refs/heads/arborist/trial/T002", &claim]);
    let docs = include_str!("../../../docs/parallel.md");
    let (pull, fetch) =
        ("git pull --ff-only", "git fetch origin '+refs/heads/arborist/*:refs/heads/arborist/*'");
    assert!(docs.contains(&format!("{pull}\n{fetch}\n")));
    let bring = || {
        garden.git(&["pull", "-q", "--ff-only"]);
        garden.git(&["fetch", "-q", "origin", "+refs/heads/arborist/*:refs/heads/arborist/*"]);
        garden.forget_history();
        garden.run(&["status", "--plain"]).stdout
    };
    assert!(!garden.run(&["status", "--plain"]).stdout.contains("claimed"));
    let said = bring();
    assert!(said.contains("T002 Do T002 (pending, claimed by slurm:7.1@node)"), "{said}");
    assert!(!said.contains("Nothing has been done yet"), "{said}");
    // The worker completes the task, and it is merged and its branch deleted.
    let complete = "task(T002): complete \"Do T002\"\n\nArborist-Step: complete\nArborist-Result: pass";
    let complete = commit(&[&claim], complete);
    let merge = commit(&["main", &complete], "Merge task \"Do T002\" (arborist/trial/T002)");
    there(&["update-ref", "refs/heads/main", &merge]);
    there(&["update-ref", "-d", "refs/heads/arborist/trial/T002"]);
    let said = bring();
    assert!(said.contains("1/3 complete") && said.contains("T002 Do T002 (complete)"), "{said}");
    assert!(!said.contains("claimed"), "{said}");
}

#[test]
fn status_names_who_has_claimed_a_task() {
    let garden = in_pieces();
    let tip = garden.git(&["rev-parse", "arborist/trial/T003"]);
    let message = "task(T003): claimed by slurm:7.1@node\n\nArborist-Step: claim\nArborist-Claimant: slurm:7.1@node\nArborist-Nonce: 1";
    let tree = garden.git(&["rev-parse", &format!("{tip}^{{tree}}")]);
    let claim = garden.git(&["commit-tree", &tree, "-p", &tip, "-m", message]);
    garden.git(&["update-ref", "refs/heads/arborist/trial/T003", &claim]);
    let said = garden.run(&["status", "--plain"]).stdout;
    assert!(said.contains("claimed by slurm:7.1@node)"), "{said}");
    let document = document(&garden);
    assert_eq!(document["tasks"][2]["claimant"], "slurm:7.1@node");
    assert_eq!(document["tasks"][1]["claimant"], Value::Null);
    assert_eq!(document["tasks"][2]["state"], "implementing", "the claim changes no state");
}
