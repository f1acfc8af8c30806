//! Tests the documents of built plans: which are listed, what is said of those that cannot be, and how an update keeps
//! them.

use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::support::garden::{Ended, Garden};

const PLAN: &str = "# Tasks\n\n## Phase 1: Setup\n\n- [ ] T001 Write the store in src/store.py\n";

/// A repository with a plan of spec-kit that has a specification.
fn repository() -> Garden {
    let garden = Garden::empty();
    garden.git(&["init", "-q", "-b", "main"]);
    garden.write("specs/001-box/tasks.md", PLAN);
    garden.write("specs/001-box/spec.md", "# Feature Specification: Box\n\nA box for seeds.\n");
    garden.write("specs/001-box/contracts/api.yaml", "paths: {}\n");
    garden
}

fn tree(garden: &Garden) -> Value {
    serde_json::from_str(&garden.read("task-tree.json")).unwrap()
}

fn documents(tree: &Value) -> Vec<&str> {
    let documents = tree["documents"].as_array().unwrap().iter();
    documents.map(|document| document["path"].as_str().unwrap()).collect()
}

/// Asserts the exit status and that these words were said anywhere.
#[track_caller]
fn says(ended: &Ended, status: i32, words: &str) {
    assert_eq!(ended.status, status, "{ended:?}");
    let said = format!("{}{}", ended.stdout, ended.stderr);
    assert!(said.contains(words), "{words}: {ended:?}");
}

const SPEC: &str = "specs/001-box/spec.md";
const API: &str = "specs/001-box/contracts/api.yaml";

#[test]
fn documents_that_agents_cannot_read_are_named_and_not_listed() {
    let garden = repository();
    garden.write("../outside/secret.md", "A secret\n");
    let contracts = garden.top().join("specs/001-box/contracts");
    std::fs::write(contracts.join("photo.png"), b"\x89PNG\r\n\0\0").unwrap();
    std::fs::write(contracts.join("large.md"), "x".repeat(10 << 20)).unwrap();
    symlink("../../../../outside/secret.md", contracts.join("link.md")).unwrap();
    symlink("gone.md", contracts.join("lost.md")).unwrap();
    symlink("../../outside", garden.top().join("specs/001-box/specs")).unwrap();
    let ended = garden.run(&["build", "specs"]);
    assert_eq!(ended.status, 0, "{ended:?}");
    let built = tree(&garden);
    assert_eq!(documents(&built), [SPEC, API]);
    assert_eq!((&built["title"], &built["summary"]), (&json!("Box"), &json!("A box for seeds.")));
    for (path, why) in [
        ("photo.png", "it is not a text in UTF-8"),
        ("large.md", "it has 10 MiB"),
        ("link.md", "a link leads out of the repository"),
    ] {
        let warning = format!(
            "001-box/tasks.md:1: specs/001-box/contracts/{path} is not listed as a document: {why}\n"
        );
        assert!(ended.stderr.contains(&warning), "{warning}: {ended:?}");
    }

    // A folder outside is not even looked into.
    std::fs::remove_dir_all(&contracts).unwrap();
    symlink("../../../outside", &contracts).unwrap();
    let ended = garden.run(&["build", "--update"]);
    assert_eq!(documents(&tree(&garden)), [SPEC]);
    let warning = "specs/001-box/contracts is not listed as a document: a link leads out of the repository";
    assert!(ended.stderr.contains(warning) && !ended.stderr.contains("secret"), "{ended:?}");
}

#[test]
fn an_update_follows_the_documents_and_keeps_those_that_were_edited_by_hand() {
    let garden = repository();
    garden.run(&["build", "specs"]).assert(0, &[]);
    let before = garden.read("task-tree.json");
    garden.run(&["build", "--update"]).assert(0, &[]);
    says(&garden.run(&["build", "--check"]), 0, "up to date");
    assert_eq!(garden.read("task-tree.json"), before, "nothing has changed");

    garden.write("specs/001-box/plan.md", "# Implementation Plan: Seed box\n\n## Summary\n\nOne file.\n");
    std::fs::remove_dir_all(garden.top().join("specs/001-box/contracts")).unwrap();
    says(&garden.run(&["build", "--check"]), 1, "changed: the plan (documents)\n");
    says(&garden.run(&["build", "--update"]), 0, "changed: the plan (documents)\n");
    let mut updated = tree(&garden);
    assert_eq!(documents(&updated), [SPEC, "specs/001-box/plan.md"]);
    assert_eq!((&updated["title"], &updated["summary"]), (&json!("Box"), &json!("A box for seeds.")));

    updated["summary"] = json!("Mine.");
    updated["documents"] = json!([{"path": SPEC, "for": "requirements"}]);
    updated["nodes"]["T001"]["documents"] = json!([{"path": "docs/style.md", "for": "conventions"}]);
    updated["nodes"]["T001"]["acceptance"] = json!(["Seeds are stored."]);
    garden.write("task-tree.json", &format!("{updated:#}\n"));
    garden.write("specs/001-box/research.md", "# Research\n");
    garden.run(&["build", "--update"]).assert(0, &[]);
    let kept = tree(&garden);
    assert_eq!(kept["summary"], "Mine.");
    assert_eq!(documents(&kept), [SPEC]);
    assert_eq!(kept["nodes"]["T001"], updated["nodes"]["T001"]);
}

#[test]
fn a_plan_with_a_document_outside_of_the_repository_is_refused() {
    for path in ["../secret.md", "/etc/passwd", "docs/../../secret.md"] {
        let garden = repository();
        garden.run(&["build", "specs"]).assert(0, &[]);
        let mut plan = tree(&garden);
        plan["documents"][0]["path"] = json!(path);
        garden.write("task-tree.json", &plan.to_string());
        says(&garden.run(&["status"]), 2, "not a file of the repository");
    }
}
