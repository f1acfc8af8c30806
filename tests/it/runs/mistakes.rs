//! Tests that what an agent does by mistake to the branch on which it works is put right, and costs one attempt and not the night.

use crate::support::garden::{Garden, one_task, plan, side_by_side};
use crate::support::harness::script_before;

/// A garden whose agent does something in its first implement step, before its work.
fn garden(act: &str) -> Garden {
    let garden = Garden::new(&one_task(&["test -f T001.txt"]));
    garden.write("a", "a\n");
    garden.commit("A");
    garden.agent(&format!("case $work in *.implement.0) {act};; esac"));
    garden
}

/// What an agent does, what the failed attempt says, and a command after which the work tree of the run is as wanted.
const MISTAKES: [(&str, &str, &str); 10] = [
    ("git switch -q -c mine", "HEAD was switched from main to mine", "git rev-parse mine"),
    (
        "git switch -q -c mine; echo x > x; git add x; git commit -qm X",
        "HEAD was switched from main to mine",
        "git cat-file -e mine:x && git cat-file -e main:x",
    ),
    ("git switch -q --detach", "HEAD was switched from main to a commit", "true"),
    (
        "git switch -q --detach; echo x > x; git add x; git commit -qm X",
        "is kept as refs/arborist/rescue/moved/",
        "git cat-file -e main:x",
    ),
    (
        "git branch other HEAD~1; echo y > y; git switch -q other",
        "HEAD was switched from main to other",
        "git cat-file -e main:y && git cat-file -e main:a",
    ),
    (
        "git commit -q --amend -m other",
        "the newest commit of the branch main was replaced",
        "git for-each-ref refs/arborist/rescue/moved | grep -q .",
    ),
    (
        "echo x > x; git add x; git commit -q --amend --no-edit; echo y > y; git add y; git commit -qm Y",
        "the newest commit of the branch main was replaced",
        "git cat-file -e main:x && git cat-file -e main:y",
    ),
    (
        "echo x > x; git stash -q -u",
        "changes of the work tree were stashed, which no step may do",
        "git cat-file -e main:x && git rev-parse -q --verify refs/stash",
    ),
    (
        "echo x >> a; git stash -q; git stash apply -q",
        "changes of the work tree were stashed, which no step may do",
        "test \"$(git show main:a)\" = 'a\nx'",
    ),
    (
        "echo x >> a; git stash -q; echo y > y; git stash push -q -u -m mine; git switch -q -c mine",
        "are in the files, and stash@{0} (",
        "test \"$(git show main:a)\" = 'a\nx' && git cat-file -e main:y",
    ),
];

#[test]
fn a_switched_branch_a_stash_and_an_amended_commit_are_put_right_and_cost_one_attempt() {
    side_by_side(MISTAKES, |(act, says, wanted)| {
        let garden = garden(act);
        let ended = garden.run(&["gardener"]);
        ended.assert(0, &[says]);
        let failed = garden.git(&["log", "-1", "--format=%B", "--grep=implement .*(failed, "]);
        assert!(failed.contains(says), "{act}: {failed}");
        assert_eq!(garden.asked().len(), 3, "{act}: one attempt more: {:?}", garden.asked());
        let again = garden.prompt("T001.implement.1");
        assert!(again.contains(says), "{act}: {again}");
        assert_eq!(garden.git(&["symbolic-ref", "HEAD"]), "refs/heads/main", "{act}");
        let mut shell = garden.command("sh");
        shell.args(["-c", wanted]);
        garden.finish(shell).assert(0, &[]);
        assert_eq!(garden.status(), [""; 0], "{act}");
    });
}

#[test]
fn a_switch_to_a_branch_that_others_have_taken_further_brings_none_of_their_commits() {
    let garden = garden("echo y > y; git switch -q ahead");
    garden.git(&["switch", "-q", "-c", "ahead"]);
    garden.write("theirs", "theirs\n");
    garden.commit("Theirs");
    garden.git(&["switch", "-q", "main"]);
    garden.run(&["gardener"]).assert(0, &["HEAD was switched from main to ahead"]);
    assert_eq!(garden.git(&["symbolic-ref", "HEAD"]), "refs/heads/main");
    assert_eq!(garden.lines(&["log", "--format=%H", "main", "--", "theirs"]), [""; 0]);
    assert!(!garden.exists("theirs"));
    assert_eq!(garden.git(&["show", "main:y"]), "y", "what it did itself stays");
    assert_eq!(garden.status(), [""; 0]);
}

#[test]
fn the_same_mistake_in_every_attempt_fails_the_task_and_not_the_run() {
    let tree = plan(&[("p1", "", &[], &[]), ("T001", "p1", &[], &["true"]), ("T002", "p1", &[], &["true"])]);
    let garden = Garden::new(&tree);
    garden.agent(
        "case $work in T001.implement.*) git switch -q -C mine; git commit -q --allow-empty -m Mine;; esac",
    );
    garden.run(&["gardener", "--max-attempts", "2"]).assert(1, &["mine"]);
    assert!(garden.subjects().iter().any(|subject| subject.starts_with("task(T002): complete")));
    assert!(!garden.subjects().iter().any(|subject| subject.starts_with("task(T001): complete")));
}

#[test]
fn a_run_that_is_killed_after_a_stash_was_put_right_goes_on() {
    let garden = garden("echo x > x; git stash -q -u");
    // The first look at the files that are there again.
    let kill = ("status", "test ! -e \"$ROOT/work/x\" || kill -9 $PPID");
    garden.start(script_before(&garden, &["gardener"], kill)).wait().assert(137, &["stashed"]);
    garden.agent("");
    let ended = garden.run(&["gardener"]);
    ended.assert(0, &[]);
    assert!(!ended.stderr.contains("stash pop"), "{ended:?}");
}

#[test]
fn files_of_the_user_that_were_stashed_are_theirs_as_before() {
    let garden = garden("echo x > x; git stash -q -u");
    garden.write("staged", "staged\n");
    garden.git(&["add", "staged"]);
    garden.write("a", "mine\n");
    garden.write("untracked", "mine\n");
    let before = garden.status();
    garden.run(&["gardener", "--allow-dirty"]).assert(0, &["changes of the work tree were stashed"]);
    assert_eq!(garden.status(), before);
    assert_eq!((garden.read("a").as_str(), garden.read("untracked").as_str()), ("mine\n", "mine\n"));
    assert_eq!(garden.git(&["show", "main:x"]), "x");
    let changed = garden.lines(&["log", "--format=%s", "main", "--", "a", "staged", "untracked"]);
    assert_eq!(changed, ["A"]);
}

#[test]
fn in_a_slot_only_the_task_of_the_mistake_fails() {
    let tree = plan(&[("p1", "", &[], &[]), ("T001", "p1", &[], &["true"]), ("T002", "p1", &[], &["true"])]);
    for act in [
        "git switch -q -c mine",
        "git commit -q --amend --allow-empty -m other",
        "echo x > x; git stash -q -u",
    ] {
        let garden = Garden::new(&tree);
        garden.agent(&format!("case $work in T001.implement.0) {act};; esac"));
        garden.run(&["gardener", "--jobs", "2"]).assert(0, &["which no step may do"]);
        let failed = garden.lines(&["log", "--format=%s", "--grep=implement .*(failed, "]);
        assert_eq!(failed.len(), 1, "{act}: {failed:?}");
        assert!(failed[0].starts_with("task(T001): "), "{act}: {failed:?}");
    }
}

#[test]
fn what_is_no_mistake_or_cannot_be_put_right_still_ends_the_run() {
    let acts = [
        // Something else was changed too.
        ("git switch -q -c mine; git config core.fsmonitor false", "core.fsmonitor"),
        ("echo x > x; git stash -q -u; git config core.fsmonitor false", "core.fsmonitor"),
        // The files of the stash were written again.
        ("echo x > x; git stash -q -u; echo y > x", "git stash pop stash@{0}"),
        ("echo x >> a; git stash -q; echo y >> a; git commit -qam Y", "git stash pop stash@{0}"),
        // It claims more than the commit that it replaces.
        (
            "git commit -q --amend -m 'task(T001): complete' -m 'Arborist-Step: complete'",
            "rewrote the branch main",
        ),
        (
            "git commit -q --amend -m x; git commit -q --allow-empty -m 'task(T001): complete'",
            "rewrote the branch main",
        ),
        ("git switch -q -c mine; git commit -q --allow-empty -m 'task(T001): complete'", "claim to be steps"),
        // The files of the commit are gone with it.
        ("git reset -q --hard HEAD~1", "rewrote the branch main"),
        ("git reset -q --hard HEAD~1; echo y > y; git add y; git commit -qm Y", "rewrote the branch main"),
        ("git rm -q a; git commit -q --amend --allow-empty --no-edit", "rewrote the branch main"),
        // Another file is in the way.
        (
            "git switch -q --orphan mine; echo z > a; git add a; git commit -qm Z; echo zz > a",
            "git switch main",
        ),
    ];
    side_by_side(acts, |(act, says)| {
        let garden = garden(act);
        let ended = garden.start(garden.arborist(&["gardener"])).wait();
        ended.assert(6, &[says]);
        garden.forget_history();
        let steps = garden.lines(&["log", "--all", "--format=%s", "--grep=implement"]);
        assert_eq!(steps, [""; 0], "{act}");
    });
}

#[test]
fn the_work_tree_of_a_runner_that_could_not_work_is_looked_at_only_after_the_settings() {
    let garden = garden(
        "printf '#!/bin/sh\\ntouch %s/ran\\n' \"$ROOT\" > \"$ROOT/evil\"; chmod +x \"$ROOT/evil\"
         git config core.fsmonitor \"$ROOT/evil\"; echo rate limit exceeded; exit 0",
    );
    garden.start(garden.arborist(&["gardener", "--no-wait"])).wait().assert(6, &["core.fsmonitor"]);
    assert!(!garden.root().join("ran").exists(), "git has run a program of the agent");
}

#[test]
fn a_reviewer_and_a_test_that_do_the_same_end_the_run() {
    for step in ["review", "test"] {
        let act = "cd \"$ROOT/work\"; git switch -q -c mine";
        let garden = match step {
            "review" => Garden::new(&one_task(&["true"])),
            _ => Garden::new(&one_task(&["git switch -q -c mine"])),
        };
        garden.agent(&format!("if [ $ARBORIST_STEP = review ]; then {act}; fi"));
        garden.run(&["gardener"]).assert(6, &["switched the branch from main to mine", "git switch main"]);
    }
}
