//! Tests what the completions ask the program for.

use std::path::Path;

use crate::support::cli::Story;
use crate::support::repo::command;

/// A plan with a name that a shell must not execute.
const PLAN: &str = r#"{"spec_id": "p", "nodes": {
    "phase1": {"id": "phase1", "name": "All of it", "children": ["T001", "T002"]},
    "T001": {"id": "T001", "name": "Create the schema", "parent": "phase1"},
    "T002": {"id": "T002", "name": "Run $(touch evil) `touch evil`; touch evil", "parent": "phase1"}}}"#;

#[test]
fn the_programs_say_what_comes_next_and_nothing_outside_of_a_repository() {
    let (repo, _) = Story::of(PLAN).told(0);
    let ask = |folder: &Path, words: &[&str]| {
        let mut query = command(folder, env!("CARGO_BIN_EXE_git-arborist"));
        let output = query.args(["__complete", "--"]).args(words).output().unwrap();
        assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let here = repo.path();
    assert_eq!(ask(here, &["show", "T001"]), "T001\tCreate the schema\n");
    assert_eq!(ask(here, &["show", "T001", "--att"]), "--attempt\tOnly of this attempt, counted from 1\n");
    assert_eq!(ask(here, &["report", "--format=ht"]), "--format=html\n");
    assert_eq!(ask(here, &["report", "--format", "j"]), "json\n");
    assert_eq!(ask(here, &["note", "-F", ""]), ":files\n");
    assert_eq!(ask(here, &["init", "--prefix", ""]), ":folders\n");
    assert_eq!(ask(here, &["init", "man", "com"]), "completions\n");
    assert!(ask(here, &["prove", ""]).ends_with(":references\n"));
    let nowhere = tempfile::tempdir().unwrap();
    for words in [&["show", ""][..], &["show", "--tree", "x", ""], &[], &["nonsense", "x"], &["status", "x"]]
    {
        let said = ask(nowhere.path(), words);
        assert!(said.lines().all(|line| line.starts_with(':')), "{words:?}: {said}");
    }
    std::fs::write(here.join("task-tree.json"), "{").unwrap();
    assert_eq!(ask(here, &["show", ""]), "");
}
