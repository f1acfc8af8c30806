//! What a person decides and does in the middle of a run: every commit of it is read, checked and undone like a step.

mod adopt;
mod done;
mod gate;
mod mark;
mod note;
mod units;

use crate::support::garden::{Garden, plan};

/// Two tasks of which the second depends on the first, and a third that depends on neither.
fn three_tasks() -> Garden {
    let garden = Garden::new(&plan(&[
        ("p1", "", &[], &[]),
        ("T001", "p1", &[], &["test -f T001.txt"]),
        ("T002", "p1", &["T001"], &["test -f T002.txt"]),
        ("T003", "p1", &[], &["test -f T003.txt"]),
    ]));
    garden.run(&["hooks", "install"]).assert(0, &[]);
    garden
}

/// Runs one of our commands, which must end so and print these words on one of its streams.
#[track_caller]
fn says(garden: &Garden, args: &[&str], status: i32, words: &[&str]) {
    let ended = garden.run(args);
    assert_eq!(ended.status, status, "{ended:#?}");
    for word in words {
        assert!(ended.stdout.contains(word) || ended.stderr.contains(word), "{word:?}: {ended:#?}");
    }
}

/// The state of every task, in order.
fn states(garden: &Garden) -> Vec<String> {
    let status = garden.run(&["status", "--json"]);
    status.assert(0, &[]);
    let document: serde_json::Value = serde_json::from_str(&status.stdout).unwrap();
    let tasks = document["tasks"].as_array().unwrap();
    tasks.iter().map(|task| task["state"].as_str().unwrap().to_owned()).collect()
}

/// Asserts that the history of the run has no faults.
#[track_caller]
fn check_run(garden: &Garden) {
    garden.run(&["check", "--run", "--strict"]).assert(0, &[]);
}

/// Takes the last commit back, as `git revert` tells the user to do it for a commit that changes no file.
fn revert_last(garden: &Garden) {
    let reverted = garden.try_git(&["revert", "--no-edit", "HEAD"]);
    if !reverted.status.success() {
        garden.git(&["commit", "-q", "--allow-empty", "--no-edit"]);
    }
}

#[test]
fn the_hooks_of_both_sides_let_every_decision_pass() {
    let garden = three_tasks();
    let server = garden.root().join("server.git");
    garden.git(&["init", "-q", "--bare", server.to_str().unwrap()]);
    let mut install = garden.arborist(&["hooks", "install"]);
    install.current_dir(&server);
    garden.start(install).wait().assert(0, &[]);
    says(&garden, &["garden", "T001"], 0, &[]);
    for args in [
        &["mark", "reject", "T001", "-m", "Too long."] as &[&str],
        &["note", "T001", "-m", "Shorter, please."],
        &["mark", "complete", "T001", "-m", "It will do."],
        &["mark", "reopen", "T001", "-m", "It will not."],
        &["mark", "skip", "T003", "-m", "not needed"],
    ] {
        says(&garden, args, 0, &[]);
    }
    garden.write("T001.txt", "by hand\n");
    says(&garden, &["done", "T001"], 0, &[]);
    says(&garden, &["mark", "approve", "T001"], 0, &[]);
    let pushed = garden.try_git(&["push", server.to_str().unwrap(), "HEAD:refs/heads/main"]);
    assert!(pushed.status.success(), "{}", String::from_utf8_lossy(&pushed.stderr));
    check_run(&garden);
}
