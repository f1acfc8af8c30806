//! Runs in which each phase has a branch of its own.

use serde_json::Value;

use crate::support::garden::{Garden, plan};

/// A repository with this plan, in which changes are not reviewed.
fn unreviewed(plan: &Value) -> Garden {
    let garden = Garden::new(plan);
    garden.config("arborist.review", "false");
    garden
}

/// Two phases of two tasks each.
fn two_phases() -> Garden {
    unreviewed(&plan(&[
        ("p1", "", &[], &["test -f T001.txt && test -f T002.txt"]),
        ("T001", "p1", &[], &["true"]),
        ("T002", "p1", &["T001"], &["true"]),
        ("p2", "", &[], &["true"]),
        ("T003", "p2", &["T001"], &["test -f T002.txt"]),
        ("T004", "p2", &["T003"], &["true"]),
    ]))
}

#[test]
fn each_phase_gets_a_branch_that_is_merged_into_the_base_branch_when_the_phase_is_complete() {
    let garden = two_phases();
    let ended = garden.run(&["gardener", "--no-review", "--branches", "phase"]);
    ended.assert(0, &["p1 begins on arborist/trial/p1, from main", "p2 merged into main"]);
    assert_eq!(garden.git(&["symbolic-ref", "--short", "HEAD"]), "main");
    assert_eq!(
        garden.lines(&["log", "--first-parent", "--reverse", "--format=%s"]),
        [
            "Add the plan",
            "Merge phase \"Do p1\" (arborist/trial/p1)",
            "Merge phase \"Do p2\" (arborist/trial/p2)"
        ]
    );
    assert_eq!(garden.git(&["log", "-1", "--format=%s", "arborist/trial/p1"]), "phase(p1): complete");
    assert_eq!(garden.git(&["rev-parse", "--abbrev-ref", "arborist/trial/p1@{upstream}"]), "main");
    assert_eq!(garden.status(), [""; 0]);
    garden.run(&["gardener", "--branches", "phase"]).assert(0, &[]);
    assert_eq!(garden.run(&["status", "--short", "--plain"]).stdout, "4/4 OK  0 ...  0 FAIL  complete\n");
    garden.run(&["check", "--run"]).assert(0, &[]);
}

const BY_PHASE: [&str; 4] = ["gardener", "--no-review", "--branches", "phase"];

fn here(garden: &Garden) -> String {
    garden.git(&["symbolic-ref", "--short", "HEAD"])
}

/// A run that ends after its first task, on the branch of the first phase.
fn begun() -> Garden {
    let garden = two_phases();
    let ended = garden.run(&[&BY_PHASE[..], &["--max-tasks", "1"]].concat());
    ended.assert(1, &["You are on the branch arborist/trial/p1", "git switch main"]);
    assert_eq!(here(&garden), "arborist/trial/p1");
    garden.forget_history();
    garden
}

#[test]
fn a_run_that_ended_within_a_phase_goes_on_from_either_branch_even_without_the_option() {
    for branch in ["main", "arborist/trial/p1"] {
        let garden = begun();
        garden.git(&["switch", "-q", branch]);
        garden.run(&["gardener", "--no-review"]).assert(0, &["p1 merged into main"]);
        assert_eq!(here(&garden), "main", "from {branch}");
        assert_eq!(garden.asked().len(), 4, "from {branch}");
        let merges = garden.lines(&["log", "--first-parent", "--format=%s", "main"]);
        assert_eq!(merges.len(), 3, "{merges:?}");
    }
}

#[test]
fn a_task_that_failed_on_the_branch_of_its_phase_is_tried_again_from_the_base_branch() {
    let garden = two_phases();
    garden.agent("exit 1");
    garden.run(&[&BY_PHASE[..], &["--max-attempts", "1"]].concat()).assert(1, &["T001 failed"]);
    garden.git(&["switch", "-q", "main"]);
    garden.agent("echo work > $ARBORIST_TASK.txt");
    garden.run(&[&BY_PHASE[..], &["--failed"]].concat()).assert(0, &["p2 merged into main"]);
}

#[test]
fn the_state_of_tasks_on_a_branch_that_is_not_merged_is_seen_from_the_base_branch() {
    let garden = begun();
    let on_branch = garden.run(&["status", "--json"]).stdout;
    garden.git(&["switch", "-q", "main"]);
    garden.forget_history();
    let status = garden.run(&["status", "--plain"]);
    status.assert(0, &[]);
    for words in ["1/4 complete", "p1 is on the branch arborist/trial/p1, which is not merged yet."] {
        assert!(status.stdout.contains(words), "{}", status.stdout);
    }
    let on_base = garden.run(&["status", "--json"]).stdout;
    for document in [&on_branch, &on_base] {
        let document: serde_json::Value = serde_json::from_str(document).unwrap();
        assert_eq!(document["phases"][0]["branch"], "arborist/trial/p1", "{document:#}");
        assert!(document["phases"][1]["branch"].is_null());
        assert_eq!(document["counts"]["complete"], 1);
        assert_eq!(document["next"], "T002");
    }
    // T003 depends on T001, which is complete, but on a branch of another phase.
    garden.run(&["next", "T003"]).assert(1, &["T003 is not ready: it waits for T001"]);
    garden.run(&["garden", "T003", "--no-review"]).assert(1, &["T003 is not ready"]);
    let shown = garden.run(&["show", "T001"]);
    assert!(shown.stdout.contains("implement"), "{}", shown.stdout);
    garden.run(&["check", "--run"]).assert(0, &[]);
    let proven = garden.run(&["prove", "T001"]).stdout;
    assert!(proven.contains("clean    ok the test commands succeed"), "{proven}");
}

#[test]
fn a_commit_on_the_base_branch_in_the_meantime_is_merged_with_the_phase() {
    let garden = begun();
    garden.git(&["switch", "-q", "main"]);
    garden.write("mine.txt", "mine\n");
    garden.commit("Something of mine");
    garden.forget_history();
    garden.run(&BY_PHASE).assert(0, &[]);
    assert!(garden.exists("mine.txt") && garden.exists("T004.txt"));
    assert_eq!(garden.lines(&["log", "--first-parent", "--format=%h", "main"]).len(), 4);
}

#[test]
fn a_merge_with_conflicts_is_taken_back_and_goes_on_once_the_user_has_merged() {
    let garden = begun();
    garden.git(&["switch", "-q", "main"]);
    garden.write("T001.txt", "mine\n");
    garden.commit("Something else");
    garden.forget_history();
    for _ in 0..2 {
        let ended = garden.run(&BY_PHASE);
        ended.assert(
            3,
            &[
                "merging arborist/trial/p1 into main leads to conflicts in T001.txt",
                "git switch main && git merge --no-ff arborist/trial/p1",
            ],
        );
        garden.forget_history();
        assert_eq!(garden.status(), [""; 0]);
        assert!(!garden.top().join(".git/MERGE_HEAD").exists());
        assert_eq!(garden.git(&["log", "-1", "--format=%s", "main"]), "Something else");
    }
    garden.git(&["switch", "-q", "main"]);
    assert!(!garden.try_git(&["merge", "-q", "--no-ff", "arborist/trial/p1"]).status.success());
    garden.write("T001.txt", "both\n");
    garden.commit("Merge it by hand");
    garden.run(&BY_PHASE).assert(0, &["p2 merged into main"]);
    assert_eq!(garden.read("T001.txt"), "both\n");
}

#[test]
fn a_hook_that_refuses_the_merge_ends_the_run_and_the_next_run_tries_the_merge_again() {
    let garden = two_phases();
    let hook = garden.top().join(".git/hooks/pre-merge-commit");
    garden.program(&hook, "echo 'no merges on Sundays' >&2; exit 1");
    for _ in 0..2 {
        garden.run(&BY_PHASE).assert(4, &["the hook pre-merge-commit refused", "no merges on Sundays"]);
        garden.forget_history();
        assert_eq!(garden.status(), [""; 0]);
        assert!(!garden.top().join(".git/MERGE_HEAD").exists());
    }
    std::fs::remove_file(hook).unwrap();
    let asked = garden.asked().len();
    garden.run(&BY_PHASE).assert(0, &["p1 merged into main", "p2 merged into main"]);
    assert_eq!(garden.asked().len(), asked + 2, "the tasks of the first phase were not done again");
}

#[test]
fn settings_of_the_user_that_concern_merges_and_branches_change_nothing() {
    let garden = two_phases();
    for (key, value) in [
        ("merge.ff", "only"),
        ("merge.log", "true"),
        ("merge.autoStash", "true"),
        ("branch.main.mergeOptions", "--squash --no-commit"),
        ("branch.autoSetupMerge", "false"),
        ("branch.autoSetupRebase", "always"),
        ("commit.cleanup", "scissors"),
        ("commit.verbose", "true"),
        ("rerere.enabled", "true"),
        ("rerere.autoUpdate", "true"),
        ("push.default", "upstream"),
        ("checkout.guess", "true"),
        ("submodule.recurse", "true"),
        ("core.editor", "false"),
    ] {
        garden.config(key, value);
    }
    garden.run(&BY_PHASE).assert(0, &["p1 merged into main"]);
    assert_eq!(
        garden.lines(&["log", "--first-parent", "--format=%s%b", "main"]),
        [
            "Merge phase \"Do p2\" (arborist/trial/p2)",
            "Merge phase \"Do p1\" (arborist/trial/p1)",
            "Add the plan",
        ]
    );
    assert!(!garden.try_git(&["config", "branch.arborist/trial/p1.rebase"]).status.success());
}

#[test]
fn reverting_the_merge_of_a_phase_puts_its_tasks_back_and_they_are_done_again() {
    let garden = two_phases();
    garden.run(&BY_PHASE).assert(0, &[]);
    garden.git(&["revert", "--no-edit", "-m", "1", "main"]);
    let status = garden.run(&["status", "--json"]).stdout;
    let status: serde_json::Value = serde_json::from_str(&status).unwrap();
    assert_eq!(status["counts"]["complete"], 2, "{status:#}");
    assert_eq!(status["next"], "T003");
    assert!(!garden.exists("T003.txt"));
    garden.run(&BY_PHASE).assert(0, &["p2 merged into main"]);
    assert!(garden.exists("T003.txt") && garden.exists("T004.txt"));
    assert_eq!(garden.run(&["status", "--short", "--plain"]).stdout, "4/4 OK  0 ...  0 FAIL  complete\n");
    assert_eq!(here(&garden), "main");
}

#[test]
fn phases_that_depend_on_each_other_in_a_cycle_are_refused_before_anything_is_done() {
    let garden = unreviewed(&plan(&[
        ("A", "", &[], &[]),
        ("T1", "A", &[], &["true"]),
        ("T3", "A", &["T2"], &["true"]),
        ("B", "", &[], &[]),
        ("T2", "B", &["T1"], &["true"]),
    ]));
    garden.run(&BY_PHASE).assert(
        2,
        &[
            "the phases of task-tree.json depend on each other",
            "T3 in A needs T2 in B",
            "T2 in B needs T1 in A",
            "--branches none",
        ],
    );
    assert_eq!(garden.asked(), [""; 0]);
    assert_eq!(garden.lines(&["branch", "--format=%(refname:short)"]), ["main"]);
    garden.run(&["gardener", "--no-review", "--branches", "none"]).assert(0, &[]);
}

#[test]
fn a_phase_waits_for_a_phase_that_comes_later_in_the_plan() {
    let garden = unreviewed(&plan(&[
        ("A", "", &[], &[]),
        ("T1", "A", &[], &["true"]),
        ("T3", "A", &["T2"], &["test -f T2.txt"]),
        ("B", "", &[], &[]),
        ("T2", "B", &[], &["true"]),
    ]));
    garden.run(&BY_PHASE).assert(0, &[]);
    assert_eq!(
        garden.lines(&["log", "--first-parent", "--reverse", "--format=%s", "main"])[1..],
        ["Merge phase \"Do B\" (arborist/trial/B)", "Merge phase \"Do A\" (arborist/trial/A)",]
    );
}

#[test]
fn a_branch_that_began_before_what_its_tasks_need_was_merged_gets_the_base_branch_first() {
    let garden = unreviewed(&plan(&[
        ("A", "", &[], &[]),
        ("T1", "A", &[], &["true"]),
        ("T3", "A", &["T2"], &["test -f T2.txt"]),
        ("B", "", &[], &[]),
        ("T2", "B", &[], &["true"]),
    ]));
    garden.run(&["garden", "T1", "--no-review", "--branches", "phase"]).assert(0, &["You are on the branch"]);
    garden.forget_history();
    garden.run(&["garden", "T2", "--no-review", "--branches", "phase"]).assert(0, &["B merged into main"]);
    assert_eq!(here(&garden), "main");
    garden.forget_history();
    garden.run(&BY_PHASE).assert(0, &["A merged into main"]);
    let subjects = garden.lines(&["log", "--format=%s", "main"]);
    assert!(subjects.contains(&"Merge branch 'main' into arborist/trial/A".to_owned()), "{subjects:?}");
    garden.run(&["check", "--run"]).assert(0, &[]);
}

#[test]
fn branches_of_another_run_or_another_base_are_never_touched() {
    let garden = two_phases();
    // Another history with the same name.
    garden.git(&["checkout", "-q", "--orphan", "arborist/trial/p1"]);
    garden.git(&["commit", "-q", "--allow-empty", "-m", "Old"]);
    garden.git(&["checkout", "-q", "-f", "main"]);
    garden.forget_history();
    let old = garden.git(&["rev-parse", "arborist/trial/p1"]);
    garden.run(&BY_PHASE).assert(
        3,
        &["arborist/trial/p1 exists, but it does not contain the beginning of this run", "git branch -m"],
    );
    assert_eq!(garden.git(&["rev-parse", "arborist/trial/p1"]), old);
    assert_eq!(garden.asked(), [""; 0]);

    let garden = begun();
    garden.git(&["switch", "-q", "-c", "feature", "main"]);
    let status = garden.run(&["status", "--plain"]).stdout;
    assert!(status.contains("0/4 complete"), "{status}");
    garden
        .run(&BY_PHASE)
        .assert(3, &["arborist/trial/p1 belongs to main, not to feature", "git switch main"]);
}

#[test]
fn the_base_branch_is_found_again_in_a_clone_or_has_to_be_named() {
    let garden = begun();
    garden.git(&["branch", "-q", "--unset-upstream", "arborist/trial/p1"]);
    // Only main contains the commit at which the branch began.
    assert!(garden.run(&["status", "--plain"]).stdout.contains("1/4 complete"));
    garden.git(&["branch", "other", "main"]);
    let refused = garden.run(&BY_PHASE);
    refused.assert(
        3,
        &[
            "it is not certain into which branch arborist/trial/p1 should be merged",
            "main",
            "other",
            "--set-upstream-to=BRANCH",
        ],
    );
    assert_eq!(here(&garden), "arborist/trial/p1");
    garden.run(&[&BY_PHASE[..], &["--base", "main"]].concat()).assert(0, &["p1 merged into main"]);

    let garden = begun();
    garden.git(&["branch", "-q", "-m", "main", "trunk"]);
    garden.run(&BY_PHASE).assert(3, &["main, which does not exist", "--set-upstream-to"]);
    garden.git(&["branch", "-q", "--set-upstream-to=trunk", "arborist/trial/p1"]);
    garden.run(&BY_PHASE).assert(0, &["p1 merged into trunk"]);

    let garden = begun();
    garden.git(&["config", "branch.arborist/trial/p1.merge", "refs/heads/gone"]);
    garden.run(&BY_PHASE).assert(3, &["gone, which does not exist", "--set-upstream-to"]);
}

#[test]
fn a_branch_in_another_work_tree_ends_the_run_before_anything_is_changed() {
    let garden = begun();
    let other = garden.root().join("other");
    garden.git(&["worktree", "add", "-q", other.to_str().unwrap(), "main"]);
    let ended = garden.run(&BY_PHASE);
    ended.assert(3, &["main", "checked out in"]);
    assert_eq!(garden.asked().len(), 1);
}

#[test]
fn none_is_refused_while_a_branch_holds_work_that_is_not_merged() {
    let garden = begun();
    garden.git(&["switch", "-q", "main"]);
    let refused = garden.run(&["gardener", "--no-review", "--branches", "none"]);
    refused.assert(
        3,
        &["arborist/trial/p1 holds work of this run that is not merged into main", "--branches phase"],
    );
    assert_eq!(garden.asked().len(), 1);
}

#[test]
fn decisions_about_a_task_are_made_on_the_branch_of_its_phase() {
    let garden = begun();
    garden.git(&["switch", "-q", "main"]);
    for args in [&["mark", "skip", "T002", "-m", "why"][..], &["note", "T002", "-m", "why"]] {
        garden.run(args).assert(
            3,
            &["the work on T002 is on the branch arborist/trial/p1", "git switch arborist/trial/p1"],
        );
    }
    garden.git(&["switch", "-q", "arborist/trial/p1"]);
    garden.run(&["mark", "skip", "T003", "-m", "why"]).assert(3, &["git switch main"]);
    garden.run(&["mark", "skip", "T002", "-m", "why"]).assert(0, &[]);
    garden.git(&["switch", "-q", "main"]);
    garden.forget_history();
    garden.run(&["mark", "skip", "T004", "-m", "why"]).assert(0, &[]);
}

#[test]
fn an_edited_plan_has_to_be_merged_into_the_branch_of_a_phase_first() {
    let garden = begun();
    garden.git(&["switch", "-q", "main"]);
    let plan = garden.read("task-tree.json").replace("What T002 is for.", "What T002 is really for.");
    garden.write("task-tree.json", &plan);
    garden.commit("Change the plan");
    garden.forget_history();
    let refused = garden.run(&BY_PHASE);
    refused.assert(3, &["is not the same as on main", "git switch arborist/trial/p1 && git merge main"]);
    garden.git(&["switch", "-q", "arborist/trial/p1"]);
    garden.git(&["merge", "-q", "--no-edit", "main"]);
    garden.forget_history();
    garden.run(&BY_PHASE).assert(0, &["p1 merged into main"]);
}

#[test]
fn the_default_branch_is_named_where_it_is_certain_and_can_be_protected() {
    let garden = two_phases();
    garden.config("arborist.protectDefaultBranch", "true");
    garden
        .run(&BY_PHASE)
        .assert(3, &["phases are merged into main, the default branch", "git switch -c NAME"]);
    garden.run(&["garden", "--no-review"]).assert(3, &["steps are committed on main, the default branch"]);
    assert_eq!(garden.asked(), [""; 0]);
    garden.git(&["switch", "-q", "-c", "work"]);
    garden.run(&["garden", "--no-review"]).assert(0, &[]);

    let garden = two_phases();
    assert!(!garden.run(&["gardener", "--no-review"]).stderr.contains("default branch"));
    let garden = two_phases();
    garden.git(&["update-ref", "refs/remotes/origin/main", "main"]);
    garden.git(&["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main"]);
    garden.run(&["gardener", "--no-review"]).assert(0, &["steps are committed on main, the default branch"]);
}

#[test]
fn the_branches_and_merges_are_events_and_part_of_a_dry_run() {
    let garden = two_phases();
    let dry = garden.run(&[&BY_PHASE[..], &["--dry-run"]].concat());
    dry.assert(0, &[]);
    for words in ["arborist/trial/p1", "Merge phase \"Do p2\" (arborist/trial/p2)"] {
        assert!(dry.stdout.contains(words), "{}", dry.stdout);
    }
    assert_eq!(garden.lines(&["branch", "--format=%(refname:short)"]), ["main"]);
    let ended = garden.run(&[&BY_PHASE[..], &["--json"]].concat());
    ended.assert(0, &[]);
    let events: Vec<serde_json::Value> =
        ended.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |name: &str| events.iter().filter(|event| event["event"] == name).cloned().collect::<Vec<_>>();
    assert_eq!(of("branch").len(), 2);
    let merges = of("merge");
    assert_eq!(merges[1]["phase"], "p2");
    assert_eq!(merges[1]["commit"], garden.head());
    for event in of("branch").iter().chain(&merges) {
        crate::support::schemas::fits("event", event);
    }
}

#[test]
fn a_run_that_ends_between_two_phases_says_how_it_continues_with_branches() {
    let garden = two_phases();
    let ended = garden.run(&[&BY_PHASE[..], &["--gate", "phase"]].concat());
    ended.assert(1, &["`git arborist gardener --branches phase --gate phase` continues"]);
    assert_eq!(here(&garden), "main");
    assert_eq!(garden.lines(&["log", "--first-parent", "--format=%h", "main"]).len(), 2);
}

#[test]
fn all_hooks_of_ours_accept_what_a_run_with_branches_does() {
    let garden = two_phases();
    for hook in ["commit-msg", "pre-push"] {
        garden.run(&["hooks", "install", "--type", hook]).assert(0, &[]);
    }
    garden.run(&BY_PHASE).assert(0, &["p1 merged into main", "p2 merged into main"]);
    // The branch of a phase that is merged and reopened moves forward.
    garden.git(&["revert", "--no-edit", "-m", "1", "main~1"]);
    garden.run(&BY_PHASE).assert(0, &["p1 merged into main"]);
    garden.run(&["check", "--run"]).assert(0, &[]);
}

#[test]
fn uncommitted_changes_of_the_user_stay_or_end_the_run_where_a_branch_needs_their_place() {
    let garden = two_phases();
    garden.write("notes.txt", "committed\n");
    garden.commit("Notes");
    garden.write("notes.txt", "mine\n");
    garden.write("new.txt", "mine\n");
    garden.run(&BY_PHASE).assert(3, &["there are changes that are not committed"]);
    garden.run(&[&BY_PHASE[..], &["--allow-dirty"]].concat()).assert(0, &["p2 merged into main"]);
    assert_eq!(garden.status(), [" M notes.txt", "?? new.txt"]);
    assert_eq!(garden.read("notes.txt"), "mine\n");

    let garden = begun();
    garden.git(&["switch", "-q", "main"]);
    garden.write("T001.txt", "mine\n");
    garden.forget_history();
    let ended = garden.run(&[&BY_PHASE[..], &["--allow-dirty"]].concat());
    ended.assert(3, &["would overwrite files with changes that are not committed: T001.txt", "git stash -u"]);
    assert_eq!(garden.read("T001.txt"), "mine\n");
    assert_eq!(here(&garden), "main");
}

#[test]
fn prune_removes_the_reports_of_phases_that_are_merged() {
    let garden = two_phases();
    garden.run(&BY_PHASE).assert(0, &[]);
    assert_eq!(garden.lines(&["ls-files", "spec/reports"]).len(), 4);
    garden.run(&["prune"]).assert(0, &[]);
    assert_eq!(garden.lines(&["ls-files", "spec/reports"]), [""; 0]);
    assert_eq!(garden.run(&["status", "--short", "--plain"]).stdout, "4/4 OK  0 ...  0 FAIL  complete\n");
}

#[test]
fn a_phase_that_fails_keeps_its_branch_while_the_run_goes_on_with_others() {
    let garden = unreviewed(&plan(&[
        ("p1", "", &[], &[]),
        ("T001", "p1", &[], &["false"]),
        ("p2", "", &[], &[]),
        ("T002", "p2", &[], &["true"]),
    ]));
    let args = [&BY_PHASE[..], &["--max-attempts", "1"]].concat();
    garden.run(&args).assert(1, &["T001 failed", "p2 merged into main"]);
    assert_eq!(here(&garden), "main");
    assert!(!garden.exists("T001.txt"));
    let status = garden.run(&["status", "--plain"]).stdout;
    assert!(status.contains("1/2 complete") && status.contains("arborist/trial/p1"), "{status}");
    garden.git(&["switch", "-q", "arborist/trial/p1"]);
    garden.forget_history();
    let status = garden.run(&["status", "--plain"]).stdout;
    assert!(status.contains("1/2 complete"), "the other phase is seen from here: {status}");
}
