//! Tests runs whose commits have subjects of the user's own choice, because a hook asks for Conventional Commits.

use crate::support::garden::{Garden, one_task};
use crate::support::repo::write_program;

/// What commitlint asks for where nobody has chosen otherwise: a type, and no line of more than 100 characters.
const COMMITLINT: &str = r#"#!/bin/sh
head -n 1 "$1" | grep -Eq '^(feat|fix|chore|docs)(\([A-Za-z0-9.-]+\))?: [a-z]' || { echo 'subject may not be empty' >&2; exit 1; }
if grep -Eq '.{101}' "$1"; then echo "body's lines must not be longer than 100 characters" >&2; exit 1; fi
"#;

#[test]
fn a_hook_that_asks_for_conventional_commits_is_found_and_every_command_reads_the_steps() {
    let garden = Garden::new(&one_task(&["test -s T001.txt"]));
    garden.write("package.json", "{}\n");
    garden.commit("chore: begin");
    let hook = garden.top().join(".git/hooks/commit-msg");
    write_program(&hook, COMMITLINT.as_bytes());
    let init = garden.run(&["init", "--yes", "--no-hooks"]);
    for done in ["arborist.subject is now `chore({id}): {summary}`", ".gitignore hides node_modules/ now."] {
        assert!(init.stdout.contains(done), "{done}: {init:?}");
    }
    let again = garden.run(&["init", "--yes", "--no-hooks"]);
    assert!(again.stdout.ends_with("Nothing is left to do here.\n"), "{again:?}");
    garden.git(&["add", ".gitignore"]);
    garden.git(&["commit", "-q", "-m", "chore: hide what npm installs"]);

    garden.agent(&format!(
        "echo '{}'; if [ $ARBORIST_STEP = implement ] && [ $ARBORIST_ATTEMPT = 0 ]; then exit 1; fi",
        "a long line of output ".repeat(10)
    ));
    garden.run(&["gardener"]).assert(0, &[]);
    let subjects = garden.lines(&["log", "--format=%s", "main~6..main"]);
    assert!(subjects.iter().all(|subject| subject.starts_with("chore(")), "{subjects:?}");
    assert!(subjects.contains(&"chore(p1): complete".to_owned()), "{subjects:?}");
    assert_eq!(garden.trailers("Arborist-Phase"), ["p1"]);
    let status = garden.json(&["status", "--json"]);
    assert_eq!(status["counts"]["complete"], 1, "{status}");
    assert_eq!(status["phases"][0]["marked"], true, "{status}");
    garden.run(&["check", "--run"]).assert(0, &[]);
    let noted = garden.run(&["note", "T001", "-m", "Only a note."]);
    noted.assert(0, &[]);
    let title = garden.subjects().last().unwrap().clone();
    assert!(noted.stdout.contains(&title), "the title of the commit is said: {title}\n{}", noted.stdout);
    garden.run(&["mark", "reopen", "T001"]).assert(0, &[]);
    assert_eq!(garden.json(&["status", "--json"])["counts"]["complete"], 0);
}

#[test]
fn a_form_without_the_id_or_the_summary_is_refused() {
    let garden = Garden::new(&one_task(&["true"]));
    for form in ["chore: {summary}", "chore({id})"] {
        garden.config("arborist.subject", form);
        garden
            .run(&["gardener"])
            .assert(2, &["arborist.subject", "a text with {id} as a word that ends in {summary}"]);
    }
}
