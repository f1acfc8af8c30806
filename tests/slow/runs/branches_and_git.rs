//! Branches of phases together with what else a repository may have: signatures, submodules, other work trees, a detached
//! `HEAD`, and a merge that a killed run left open.

use std::process::Command;

use crate::support::garden::{Garden, plan};
use crate::support::harness::script_before;
use crate::support::skip::has;

const BY_PHASE: [&str; 4] = ["gardener", "--no-review", "--branches", "phase"];

/// A phase of two tasks, and another one of one task.
fn two_phases() -> Garden {
    Garden::new(&plan(&[
        ("p1", "", &[], &["test -f T001.txt"]),
        ("T001", "p1", &[], &["true"]),
        ("T003", "p1", &["T001"], &["true"]),
        ("p2", "", &[], &["true"]),
        ("T002", "p2", &["T001"], &["test -f T001.txt"]),
    ]))
}

fn here(garden: &Garden) -> String {
    garden.git(&["symbolic-ref", "--short", "HEAD"])
}

/// Asserts that no merge is open and that nothing is changed.
fn assert_nothing_is_half_done(garden: &Garden) {
    assert!(!garden.top().join(".git/MERGE_HEAD").exists());
    assert_eq!(garden.status(), [""; 0]);
}

/// Lets git sign all commits with a key of ssh. `false` if there is no ssh-keygen.
fn sign(garden: &Garden) -> bool {
    if !has("ssh-keygen") {
        return false;
    }
    let key = garden.root().join("key");
    let mut keygen = Command::new("ssh-keygen");
    keygen.args(["-q", "-t", "ed25519", "-N", "", "-C", "", "-f"]).arg(&key);
    assert!(keygen.status().unwrap().success());
    let public = std::fs::read_to_string(key.with_extension("pub")).unwrap();
    let allowed = garden.root().join("allowed");
    std::fs::write(&allowed, format!("* {public}")).unwrap();
    garden.config("gpg.format", "ssh");
    garden.config("gpg.ssh.allowedSignersFile", allowed.to_str().unwrap());
    garden.config("user.signingKey", key.to_str().unwrap());
    garden.config("commit.gpgSign", "true");
    true
}

#[test]
fn steps_and_merges_are_signed_if_the_user_signs_commits() {
    let garden = two_phases();
    if !sign(&garden) {
        return;
    }
    garden.run(&BY_PHASE).assert(0, &["p2 merged into main"]);
    let signed = garden.lines(&["log", "--format=%G? %s"]);
    let unsigned: Vec<&String> = signed.iter().filter(|line| !line.starts_with("G ")).collect();
    assert_eq!(unsigned, ["N Add the plan"]);
    assert_eq!(signed.iter().filter(|line| line.contains("Merge phase")).count(), 2);
}

#[test]
fn a_merge_that_cannot_be_signed_ends_the_run_and_is_made_by_the_next_one() {
    let garden = two_phases();
    if !sign(&garden) {
        return;
    }
    let (key, away) = (garden.root().join("key"), garden.root().join("away"));
    let hide = format!("mv {} {}", key.display(), away.display());
    let ended = garden.start(script_before(&garden, &BY_PHASE, ("merge", &hide))).wait();
    ended.assert(4, &["arborist/trial/p1 is not merged into main yet", "the next run tries it again"]);
    garden.forget_history();
    assert_nothing_is_half_done(&garden);
    assert_eq!(garden.git(&["log", "-1", "--format=%s", "main"]), "Add the plan");
    std::fs::rename(away, key).unwrap();
    garden.run(&BY_PHASE).assert(0, &["p1 merged into main", "p2 merged into main"]);
    assert_eq!(garden.asked().len(), 3, "no task was done again");
}

/// Adds a submodule at its first commit. Returns the ids of its two commits.
fn add_submodule(garden: &Garden) -> Vec<String> {
    let library = garden.root().join("library");
    let script = "git init -q \"$1\" && cd \"$1\" && echo 1 > lib && git add lib && git commit -qm One \
                  && echo 2 > lib && git commit -qam Two && git log --reverse --format=%H";
    let made = garden.command("sh").args(["-c", script, "sh"]).arg(&library).output().unwrap();
    let ids: Vec<String> = String::from_utf8(made.stdout).unwrap().lines().map(str::to_owned).collect();
    let from = library.to_str().unwrap();
    garden.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", from, "lib"]);
    garden.git(&["-C", "lib", "checkout", "-q", &ids[0]]);
    garden.commit("Add a library");
    ids
}

#[test]
fn a_submodule_stays_as_it_is_while_phases_are_switched_and_merged() {
    for recurse in ["false", "true"] {
        let garden = two_phases();
        let ids = add_submodule(&garden);
        garden.config("submodule.recurse", recurse);
        garden.run(&BY_PHASE).assert(0, &["p2 merged into main"]);
        assert_eq!(garden.git(&["rev-parse", "HEAD:lib"]), ids[0], "recurse = {recurse}");
        assert_eq!(garden.git(&["-C", "lib", "rev-parse", "HEAD"]), ids[0], "recurse = {recurse}");
        assert_nothing_is_half_done(&garden);
    }
}

#[test]
fn a_submodule_that_moved_on_the_base_branch_is_not_moved_back_by_a_step() {
    for recurse in ["false", "true"] {
        let garden = two_phases();
        let ids = add_submodule(&garden);
        garden.config("submodule.recurse", recurse);
        garden.run(&[&BY_PHASE[..], &["--max-tasks", "1"]].concat()).assert(1, &[]);
        garden.git(&["switch", "-q", "main"]);
        garden.git(&["-C", "lib", "checkout", "-q", &ids[1]]);
        garden.commit("Move the library");
        garden.forget_history();
        let ended = garden.run(&BY_PHASE);
        let told = format!("recurse = {recurse}: {ended:#?}");
        assert_eq!(garden.git(&["rev-parse", "main:lib"]), ids[1], "{told}");
        for commit in garden.lines(&["log", "--format=%H", "--grep=^task(", "--all"]) {
            assert!(!garden.files_of(&commit).contains(&"lib".to_owned()), "{told}");
        }
        assert_eq!(garden.git(&["-C", "lib", "rev-parse", "HEAD"]), ids[1], "{told}");
        assert_eq!(ended.status, 0, "{told}");
        assert_eq!(ended.stderr.contains("uncommitted: lib"), recurse == "false", "{told}");
        assert_nothing_is_half_done(&garden);
    }
}

#[test]
fn a_detached_head_is_refused_before_anything_is_done() {
    let garden = two_phases();
    garden.git(&["switch", "-q", "--detach"]);
    garden.run(&BY_PHASE).assert(3, &["HEAD is detached", "git switch"]);
    assert!(garden.asked().is_empty());
    assert_eq!(garden.lines(&["branch", "--list", "arborist/*"]), [""; 0]);
}

#[test]
fn a_phase_whose_branch_another_work_tree_has_checked_out_ends_the_run_before_its_tasks() {
    let garden = two_phases();
    garden.run(&[&BY_PHASE[..], &["--max-tasks", "1"]].concat()).assert(1, &[]);
    garden.git(&["switch", "-q", "main"]);
    garden.git(&["branch", "-q", "arborist/trial/p2", "main"]);
    garden.git(&["branch", "-q", "--set-upstream-to=main", "arborist/trial/p2"]);
    let other = garden.root().join("other");
    garden.git(&["worktree", "add", "-q", other.to_str().unwrap(), "arborist/trial/p2"]);
    garden.forget_history();
    for _ in 0..2 {
        let ended = garden.run(&BY_PHASE);
        ended.assert(3, &["arborist/trial/p2", "is checked out in the work tree", "other"]);
        garden.forget_history();
        assert_nothing_is_half_done(&garden);
    }
    assert_eq!(garden.asked().len(), 2, "the first phase is complete");
    garden.git(&["worktree", "remove", other.to_str().unwrap()]);
    garden.run(&BY_PHASE).assert(0, &["p2 merged into main"]);
    assert_eq!(here(&garden), "main");
}

#[test]
fn a_merge_with_conflicts_that_a_killed_run_left_open_is_named_with_what_ends_it() {
    let garden = two_phases();
    garden.run(&[&BY_PHASE[..], &["--max-tasks", "1"]].concat()).assert(1, &[]);
    garden.git(&["switch", "-q", "main"]);
    garden.write("T001.txt", "mine\n");
    garden.commit("Something else");
    garden.forget_history();
    let killed = garden.start(script_before(&garden, &BY_PHASE, ("--abort", "kill -9 $PPID; exit 1"))).wait();
    assert_eq!(killed.status, 137, "{killed:#?}");
    assert!(garden.top().join(".git/MERGE_HEAD").exists());
    for _ in 0..2 {
        let ended = garden.run(&BY_PHASE);
        ended.assert(
            3,
            &[
                "the merge of arborist/trial/p1 into main was interrupted and has conflicts in T001.txt",
                "`git merge --abort` takes it back",
                "`git commit`",
            ],
        );
        garden.forget_history();
        assert!(garden.top().join(".git/MERGE_HEAD").exists());
    }
    garden.write("T001.txt", "both\n");
    garden.commit("Merge it by hand");
    garden.run(&BY_PHASE).assert(0, &["p2 merged into main"]);
    assert_eq!(garden.read("T001.txt"), "both\n");
    assert_nothing_is_half_done(&garden);
}
