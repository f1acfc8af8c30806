//! Tests that errors say the truth about commits and files.

use crate::support::garden::{Garden, one_task};

fn hook(garden: &Garden, name: &str, script: &str) {
    garden.program(&garden.top().join(".git/hooks").join(name), script);
}

#[test]
fn a_step_that_was_committed_before_something_failed_is_said_to_be_committed() {
    let unwritable = "rm -rf .git/arborist/journal.next; mkdir -p .git/arborist/journal.next/x";
    for (name, script, words) in [
        ("the journal cannot be written", unwritable, ["journal", "the step was committed as"]),
        ("a hook hangs", "sleep 600", ["1 s", "the commit"]),
    ] {
        let garden = Garden::new(&one_task(&["true"]));
        garden.config("arborist.hookTimeout", "1");
        hook(&garden, "post-commit", script);
        let ended = garden.run(&["gardener"]);
        ended.assert(4, &words);
        ended.assert(4, &[&garden.git(&["rev-parse", "--short=7", "HEAD"])]);
        assert!(!ended.stderr.contains("Nothing was committed"), "{name}: {ended:#?}");
        assert_eq!(garden.subjects(), ["task(T001): implement \"Do T001\""], "{name}");
    }
}

#[test]
fn if_a_commit_could_not_be_made_the_error_says_that_nothing_was_committed() {
    let garden = Garden::new(&one_task(&["true"]));
    hook(&garden, "pre-commit", "echo 'house rules say no'; exit 1");
    let ended = garden.run(&["gardener"]);
    ended
        .assert(4, &["the hook pre-commit refused the commit: house rules say no", "Nothing was committed."]);
    assert_eq!(garden.subjects(), [""; 0]);
}

#[test]
fn a_hook_is_blamed_only_if_it_refused() {
    let garden = Garden::new(&one_task(&["true"]));
    hook(&garden, "pre-commit", "exit 0");
    hook(&garden, "post-index-change", "exit 1");
    garden.config("gpg.program", "/nowhere/gpg");
    garden.config("commit.gpgSign", "true");
    let ended = garden.run(&["gardener"]);
    ended.assert(4, &["gpg"]);
    assert!(!ended.stderr.contains("hook"), "{ended:#?}");

    let garden = Garden::new(&one_task(&["true"]));
    hook(&garden, "reference-transaction", "test \"$1\" != prepared || { echo 'not today'; exit 1; }");
    garden.run(&["gardener"]).assert(4, &["the hook reference-transaction refused", "not today"]);
}

#[test]
fn a_refused_run_reports_saved_work_and_moves_nothing_else_later() {
    let garden = Garden::new(&one_task(&["true"]));
    garden.write("mine.txt", "mine\n");
    garden.agent(
        "case $work in T001.implement.0) test -e \"$ROOT/started\" || {
           echo half > half.txt; : > \"$ROOT/started\"; while :; do sleep 0.05; done; };; esac",
    );
    let running = garden.start(garden.arborist(&["gardener", "--allow-dirty"]));
    garden.wait_for("started");
    running.signal("KILL");
    running.wait();

    let refused = garden.run(&["gardener"]);
    refused.assert(3, &["git arborist rescue show T001/", "not committed: mine.txt"]);
    assert!(!refused.stderr.contains("Your files were not touched"), "{refused:#?}");
    assert!(!garden.exists("half.txt"));
    garden.write("later.txt", "mine too\n");
    garden.run(&["gardener", "--allow-dirty"]).assert(0, &[]);
    assert_eq!(garden.status(), ["?? later.txt", "?? mine.txt"]);
}
