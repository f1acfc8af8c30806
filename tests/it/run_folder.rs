//! Tests `git arborist report --run-folder`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use git_arborist::record::Outcome::{Fail, Pass};
use serde_json::{Value, json};

use crate::support::cli::{PLAN, Said, Story, arborist};
use crate::support::repo::Repo;
use crate::support::reports::every_finding;
use crate::support::schemas::fits;

/// All files below a folder, by their paths.
fn files(folder: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
                found.insert(name, fs::read_to_string(path).unwrap());
            }
        }
    }
    found
}

fn written(repo: &Repo, folder: &Path) -> Said {
    arborist(repo.path(), &["report", "--run-folder", folder.to_str().unwrap()])
}

fn story() -> Repo {
    let red = "task(T003): failing tests for \"x\"\n\nTest (unit) stdout (last 1000 chars):\n3 failed\n\n\
               Arborist-Step: red\nArborist-Result: pass\nArborist-Retry: 0\nArborist-Red: test\n\
               Arborist-Test-Passed: 0\nArborist-Test-Failed: 3\nArborist-Test-Skipped: 0\n";
    let green = "task(T003): tests pass for \"x\"\n\nTest (unit) stdout (last 1000 chars):\n3 passed\n\n\
                 Arborist-Step: test\nArborist-Test: pass\nArborist-Retry: 1\nArborist-Test-Type: unit\n\
                 Arborist-Test-Runtime: 2.34\nArborist-Coverage: lines=85.3 branches=82\n";
    Story::of(PLAN)
        .whole("T001")
        .commit(red, &[("tests/a.txt", "x\n")])
        .implement("T003", 0, Pass)
        .test("T003", 0, Fail)
        .implement("T003", 1, Pass)
        .commit(green, &[])
        .review("T003", 1, Pass)
        .complete("T003", 2)
        .implement("T002", 0, Fail)
        .failed("T002")
        .told(600)
        .0
}

#[test]
fn a_run_is_written_as_a_folder_whose_files_fit_their_schemas() {
    for repo in [story(), every_finding(), Story::of(PLAN).told(60).0] {
        let outside = tempfile::tempdir().unwrap();
        let folder = outside.path().join("run");
        let said = written(&repo, &folder);
        assert_eq!((said.code, said.out.as_str()), (0, ""), "{said:?}");
        let found = files(&folder);
        for (name, text) in &found {
            if name == "manifest.json" {
                fits("run-manifest", &serde_json::from_str(text).unwrap());
            } else if name == "log.jsonl" {
                text.lines().for_each(|line| fits("run-log", &serde_json::from_str(line).unwrap()));
            } else if name.starts_with("test-results/") {
                fits("run-test-result", &serde_json::from_str(text).unwrap());
            }
        }
        assert_eq!(found["pr.md"], arborist(repo.path(), &["report"]).answer());
        assert_eq!(written(&repo, &folder).code, 0, "a folder of ours is replaced");
        assert_eq!(files(&folder), found, "the same commits give the same bytes");
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1, "nothing is left beside it");
    }
}

#[test]
fn the_files_say_what_the_commits_say() {
    let repo = story();
    let outside = tempfile::tempdir().unwrap();
    let folder = outside.path().join("run");
    assert_eq!(written(&repo, &folder).code, 0);
    let found = files(&folder);
    let names: Vec<&str> = found.keys().map(String::as_str).collect();
    let expected = [
        "commits.txt",
        "log.jsonl",
        "manifest.json",
        "pr.md",
        "test-results/T001-green.json",
        "test-results/T003-green-attempt1.json",
        "test-results/T003-green-attempt2.json",
        "test-results/T003-red.json",
    ];
    assert_eq!(names, expected);
    let read = |name: &str| -> Value { serde_json::from_str(&found[name]).unwrap() };
    let manifest = read("manifest.json");
    assert_eq!(manifest["status"], json!("failed"));
    assert_eq!(
        (&manifest["subtasksCompleted"], &manifest["subtasksFailed"]),
        (&json!(["T001", "T003"]), &json!(["T002"]))
    );
    assert_eq!((&manifest["spec"], &manifest["branch"]), (&json!("my-project"), &json!("main")));
    assert_eq!(manifest["finalCoverage"], json!({"lines": 85.3, "branches": 82.0}));
    let commits = repo.git(&["rev-list", "--reverse", "HEAD"]);
    let of_run: Vec<&str> = commits.lines().skip(1).collect();
    assert_eq!(found["commits.txt"].lines().collect::<Vec<_>>(), of_run);
    assert_eq!(manifest["totalCommits"], json!(of_run.len()));
    let events: Vec<Value> =
        found["log.jsonl"].lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let told: Vec<String> = events
        .iter()
        .map(|event| format!("{} {} {}", event["subtask"], event["phase"], event["status"]).replace('"', ""))
        .collect();
    assert_eq!(told[..4], ["T001 implement ok", "T001 green ok", "T001 review ok", "T001 complete ok"]);
    assert_eq!(told[4..7], ["T003 red ok", "T003 implement ok", "T003 green error"]);
    let green = read("test-results/T003-green-attempt2.json");
    assert_eq!((&green["attempt"], &green["duration"]), (&json!(2), &json!(2340)));
    assert_eq!(green["output"], json!([{"type": "unit", "stream": "stdout", "text": "3 passed"}]));
    assert_eq!(read("test-results/T003-red.json")["summary"]["failed"], json!(3));
}

#[test]
fn a_folder_with_anything_else_in_it_is_not_touched() {
    let repo = story();
    let outside = tempfile::tempdir().unwrap();
    let folder = outside.path().join("run");
    fs::create_dir(&folder).unwrap();
    assert_eq!(written(&repo, &folder).code, 0, "an empty folder is taken");
    let before = files(&folder);
    for name in ["notes.txt", "test-results/mine.txt"] {
        fs::write(folder.join(name), "mine\n").unwrap();
        let said = written(&repo, &folder);
        assert_eq!(said.code, 2, "{said:?}");
        assert!(said.err.contains(&format!("it has {name} in it")), "{said:?}");
        fs::remove_file(folder.join(name)).unwrap();
        assert_eq!(files(&folder), before);
    }
    fs::write(folder.join("manifest.json"), "{}").unwrap();
    assert!(written(&repo, &folder).err.contains("no manifest of a run"));
    fs::write(outside.path().join("file"), "mine\n").unwrap();
    assert!(written(&repo, &outside.path().join("file")).err.contains("it is not a folder"));
    std::os::unix::fs::symlink(&folder, outside.path().join("link")).unwrap();
    assert_eq!(written(&repo, &outside.path().join("link")).code, 2);
    let said = written(&repo, &outside.path().join("missing/run"));
    assert_eq!(said.code, 4, "{said:?}");
    let both = ["report", "--run-folder", "x", "--format", "json"];
    assert_eq!(arborist(repo.path(), &both).code, 2);
}
