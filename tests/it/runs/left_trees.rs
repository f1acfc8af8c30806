//! Tests what agents and users leave beside a run: linked work trees, commits on other branches, and branches with a name that it needs.

use crate::support::garden::{Garden, one_task, side_by_side};

/// What git itself sets for settings of a single work tree.
const OWN_SETTINGS: &str =
    "git config core.repositoryformatversion 1; git config extensions.worktreeConfig true";

fn garden(script: &str) -> Garden {
    let garden = Garden::new(&one_task(&["test -f T001.txt"]));
    garden.agent(&format!("if [ $ARBORIST_STEP = implement ]; then {script}; fi"));
    garden
}

#[test]
fn a_linked_work_tree_is_named_once_and_neither_committed_nor_removed() {
    let trees = [
        "git worktree add -q .claude/worktrees/sub -b sub".to_owned(),
        format!("{OWN_SETTINGS}; git worktree add -q .claude/worktrees/sub -b sub"),
        "git worktree add -q .claude/worktrees/sub -b sub; git add .claude 2>/dev/null".to_owned(),
        "git worktree add -q --no-checkout --detach .claude/worktrees/sub; git -C .claude/worktrees/sub sparse-checkout set a".to_owned(),
    ];
    side_by_side(trees, |makes| {
        let garden = garden(&format!(
            "test -e .claude || {{ {makes}; echo precious > .claude/worktrees/sub/notes.txt; }}"
        ));
        let ended = garden.run(&["gardener"]);
        ended.assert(0, &[".claude/worktrees/sub is a linked work tree of this repository"]);
        assert_eq!(ended.stderr.matches("linked work tree").count(), 1, "{makes}: {ended:?}");
        assert_eq!(garden.asked().len(), 2, "{makes}: {:?}", garden.asked());
        let committed = garden.git(&["log", "--name-only", "--format=", "HEAD"]);
        assert!(!committed.contains(".claude"), "{makes}: {committed}");
        assert_eq!(garden.read(".claude/worktrees/sub/notes.txt"), "precious\n", "{makes}");
        // It is no uncommitted change either.
        garden.run(&["gardener"]).assert(0, &[]);
        garden.run(&["land", "--branch", "landed"]).assert(0, &[]);
    });
}

#[test]
fn a_repository_of_its_own_is_still_refused() {
    let makes = [
        "git init -q nested",
        // It only says that it is one of ours.
        "mkdir nested; git init -q \"$ROOT/elsewhere\"; echo \"gitdir: $ROOT/elsewhere/.git\" > nested/.git",
        "git -C \"$ROOT\" init -q other; git -C \"$ROOT/other\" commit -q --allow-empty -m x; git -C \"$ROOT/other\" worktree add -q \"$PWD/nested\"",
    ];
    side_by_side(makes, |makes| {
        let garden = garden(&format!("{makes}; echo x > nested/x.txt"));
        let ended = garden.run(&["gardener", "--max-attempts", "1"]);
        ended.assert(1, &["nested", "is a repository of its own"]);
        assert_eq!(garden.read("nested/x.txt"), "x\n");
    });
}

#[test]
fn a_linked_work_tree_in_a_slot_stays_there() {
    let garden = garden(
        "git worktree add -q .claude/worktrees/sub -b sub; echo precious > .claude/worktrees/sub/notes.txt",
    );
    garden.run(&["gardener", "--jobs", "2"]).assert(0, &["is a linked work tree of this repository"]);
    let trees = garden.git(&["worktree", "list", "--porcelain"]);
    let tree = trees
        .lines()
        .find_map(|line| line.strip_prefix("worktree ").filter(|path| path.ends_with("/sub")))
        .unwrap();
    assert_eq!(std::fs::read_to_string(format!("{tree}/notes.txt")).unwrap(), "precious\n");
}

#[test]
fn commits_that_an_agent_makes_elsewhere_are_named_with_their_branch_and_kept() {
    let commits = "echo x > x.txt; git add x.txt; git commit -qm 'Add x'";
    let places = [
        (format!("git worktree add -q \"$ROOT/other\" main; cd \"$ROOT/other\"; {commits}"), "main"),
        (
            format!("git worktree add -q .claude/worktrees/sub -b sub; cd .claude/worktrees/sub; {commits}"),
            "sub",
        ),
    ];
    side_by_side(places, |(script, branch)| {
        let garden = garden(&format!("if [ $ARBORIST_ATTEMPT = 0 ]; then {script}; echo Done.; exit 0; fi"));
        garden.git(&["switch", "-q", "-c", "run"]);
        let ended = garden.run(&["gardener"]);
        let tip = garden.git(&["rev-parse", "--short=7", branch]);
        let named = format!("1 commit was made on the branch {branch}: {tip}");
        ended.assert(0, &[&named, "(Add x)"]);
        assert_eq!(ended.stderr.matches("was made on the branch").count(), 1, "{ended:?}");
        let shown = garden.run(&["show", "T001"]).stdout;
        assert!(shown.contains(&format!("on the branch {branch}")), "{shown}");
        let subjects = garden.git(&["log", "--format=%s", &format!("run..{branch}")]);
        assert_eq!(subjects, "Add x");
    });
}

#[test]
fn steps_and_merges_of_workers_are_not_taken_for_work_elsewhere() {
    let garden = Garden::new(&crate::support::questions::four_tasks());
    let ended = garden.run(&["gardener", "--jobs", "2"]);
    ended.assert(0, &[]);
    assert!(!ended.stderr.contains("on the branch"), "{ended:?}");
}

#[test]
fn a_branch_with_the_name_of_a_folder_is_named_before_an_agent_is_paid() {
    let all = [
        ("arborist", &["gardener", "--jobs", "2"][..]),
        ("arborist", &["gardener", "--branches", "phase"][..]),
        ("arborist/SPEC", &["gardener", "--jobs", "2"][..]),
        ("arborist/SPEC", &["gardener", "--branches", "phase"][..]),
    ];
    side_by_side(all, |(name, args)| {
        let garden = garden("true");
        let spec = garden.run(&["status", "--json"]).stdout;
        let spec: serde_json::Value = serde_json::from_str(&spec).unwrap();
        let spec = spec["spec_id"].as_str().unwrap_or("plan").to_owned();
        let name = name.replace("SPEC", &spec);
        garden.git(&["branch", &name]);
        let tip = garden.git(&["rev-parse", &name]);
        let ended = garden.run(args);
        let remedy = format!("git branch -m {name} NAME");
        ended.assert(3, &[&format!("the branch {name} is in the way"), &remedy]);
        assert!(garden.asked().is_empty(), "{:?}", garden.asked());
        assert_eq!(garden.git(&["rev-parse", &name]), tip);
        // Both ways out work.
        let plain = garden.copy();
        plain.agent("");
        plain.run(&["gardener"]).assert(0, &[]);
        garden.git(&["branch", "-m", &name, "mine"]);
        garden.run(args).assert(0, &[]);
    });
}
