//! Tests `git arborist mark`.

use super::{check_run, revert_last, says, states, three_tasks};
use crate::support::garden::{Garden, one_task, plan};

#[test]
fn a_skipped_task_is_not_waited_for_and_is_never_shown_as_complete() {
    let garden = three_tasks();
    says(&garden, &["mark", "skip", "T001", "-m", "done elsewhere"], 0, &["skipped \"Do T001\""]);
    assert_eq!(garden.steps(), ["task(T001): skipped \"Do T001\" | complete skip   "]);
    assert_eq!(states(&garden), ["skipped", "pending", "pending"]);
    says(&garden, &["show", "T001"], 0, &["skip", "by a person", "done elsewhere"]);
    says(&garden, &["gardener"], 0, &["2/3 complete, 1 skipped"]);
    assert_eq!(states(&garden), ["skipped", "complete", "complete"]);
    assert!(!garden.exists("T001.txt"), "no agent worked on it");
    says(
        &garden,
        &["status", "--all", "--plain"],
        0,
        &["2/3 complete, 1 skipped", "SKIP T001 Do T001 (skipped)"],
    );
    says(&garden, &["status", "--short", "--plain"], 0, &["2/3 OK", "1 SKIP", "complete"]);
    check_run(&garden);
}

#[test]
fn each_decision_can_be_made_in_the_middle_of_a_run_and_reverted() {
    let garden = three_tasks();
    garden.agent("case $work in T001.review.0) echo 'Too long.'; echo REJECTED; exit 0;; esac");
    says(&garden, &["gardener", "--max-tasks", "1", "--max-attempts", "1"], 1, &["T001 failed"]);
    let cases: [(&[&str], &str); 4] = [
        (&["mark", "skip", "T001", "-m", "not needed"], "skipped"),
        (&["mark", "complete", "T001", "-m", "seen by me"], "complete"),
        (&["mark", "reopen", "T001", "-m", "try with a list"], "pending"),
        (&["note", "T001", "-m", "a list is fine"], "failed"),
    ];
    for (args, state) in cases {
        says(&garden, args, 0, &[]);
        assert_eq!(states(&garden)[0], state, "{args:?}");
        check_run(&garden);
        revert_last(&garden);
        assert_eq!(states(&garden)[0], "failed", "{args:?}");
        check_run(&garden);
    }
}

#[test]
fn a_verdict_and_the_users_own_work_can_be_reverted() {
    let garden = three_tasks();
    garden.write("T001.txt", "by hand\n");
    says(&garden, &["done", "T001"], 0, &[]);
    for verdict in [&["mark", "approve", "T001"] as &[&str], &["mark", "reject", "T001", "-m", "Too long."]] {
        says(&garden, verdict, 0, &[]);
        assert_eq!(states(&garden)[0], "reviewing", "{verdict:?}");
        revert_last(&garden);
        assert_eq!(states(&garden)[0], "testing", "{verdict:?}");
    }
    let work = garden.git(&["log", "-1", "--grep=^Arborist-Step: test$", "--format=%H"]);
    for (commit, state) in [(work.clone(), "implementing"), (format!("{work}~1"), "pending")] {
        if !garden.try_git(&["revert", "--no-edit", &commit]).status.success() {
            garden.git(&["commit", "-q", "--allow-empty", "--no-edit"]);
        }
        assert_eq!(states(&garden)[0], state);
    }
    assert!(!garden.exists("T001.txt"), "the revert took the work back");
    check_run(&garden);
}

#[test]
fn a_person_vouches_for_a_task_and_every_view_says_so() {
    let garden = three_tasks();
    let next = "task-tree.json: 1/3 complete. To let agents work on it:\n";
    says(
        &garden,
        &["mark", "complete", "T001", "-m", "tried it by hand"],
        0,
        &[next, "  git arborist gardener"],
    );
    assert_eq!(
        garden.git(&["log", "-1", "--format=%(trailers)"]),
        "Arborist-Step: complete\nArborist-Result: pass\nArborist-By: user\nArborist-Reason: tried it by hand"
    );
    says(&garden, &["status"], 0, &["T001 Do T001 (complete, vouched for by a person)"]);
    says(&garden, &["show", "T001"], 0, &["vouched for by a person", "tried it by hand"]);
    let document: serde_json::Value =
        serde_json::from_str(&garden.run(&["status", "--json"]).stdout).unwrap();
    assert_eq!(document["tasks"][0]["by"], "user");
    says(&garden, &["gardener"], 0, &["3/3 complete"]);
    assert!(!garden.exists("T001.txt"));
    check_run(&garden);
}

#[test]
fn after_the_last_decision_the_phase_is_still_to_be_marked() {
    for decision in ["skip", "complete"] {
        let garden = three_tasks();
        let said = [
            "p1 is not marked complete yet. To run the tests of the whole phase:",
            "  git arborist gardener\n",
        ];
        says(&garden, &["mark", decision, "T001", "T002", "T003", "-m", "It is done."], 0, &said);
        says(&garden, &["status"], 0, &["p1 is not marked complete yet: `git arborist gardener`"]);
        // A phase of which everything is left out has no work that its tests could judge.
        if decision == "complete" {
            says(&garden, &["land"], 1, &["all tasks of p1 are complete, but the phase is not"]);
        }
        says(&garden, &["gardener"], 0, &[]);
        says(&garden, &[], 0, &["To make a clean branch of the work:"]);
    }
}

#[test]
fn what_is_ready_beside_a_failed_task_is_named() {
    let garden = three_tasks();
    garden.agent("case $work in T001.implement.*) exit 1;; esac");
    says(&garden, &["gardener", "--max-tasks", "1", "--max-attempts", "1"], 1, &["T001 failed"]);
    let said = [
        "or let the agent try again: `git arborist gardener --failed`. T003 is ready all the same. To let agents work on it:",
        "  git arborist gardener\n",
    ];
    says(&garden, &["mark", "skip", "T002", "-m", "Not needed."], 0, &said);
    says(
        &garden,
        &["mark", "skip", "T003", "-m", "Not needed."],
        0,
        &["\n  git arborist gardener --failed\n"],
    );
}

#[test]
fn a_reopened_task_starts_over_with_its_feedback_and_the_reason() {
    let garden = Garden::new(&one_task(&["test -f T001.txt"]));
    garden.agent("case $work in T001.review.0) test -e \"$ROOT/once\" || { : > \"$ROOT/once\"; echo 'Too long.'; echo REJECTED; exit 0; };; esac");
    says(&garden, &["gardener"], 0, &["1/1 complete"]);
    says(&garden, &["mark", "reopen", "T001", "-m", "The header is missing."], 0, &[]);
    assert_eq!(states(&garden), ["pending"]);
    says(&garden, &["gardener"], 0, &["1/1 complete"]);
    let prompt = garden.prompt("T001.implement.0");
    let Some((attempts, notes)) = prompt.split_once("## Notes") else { panic!("{prompt}") };
    assert!(notes.contains("Why it was opened again:\n\nThe header is missing."), "{prompt}");
    assert!(
        attempts.contains(
            "### Attempt 1: its review rejected it\n\nObjections:\n1. Too long.\n\nThis was repaired since"
        ),
        "{prompt}"
    );
    check_run(&garden);
}

#[test]
fn all_failed_tasks_are_reopened_at_once() {
    let garden = three_tasks();
    garden.agent("case $work in T00[13].implement.*) echo \"$work\" >> other.txt; exit 0;; esac");
    says(&garden, &["gardener", "--max-attempts", "1"], 1, &["T001, T003 failed"]);
    says(&garden, &["mark", "reopen", "--failed"], 0, &["reopened \"Do T001\"", "reopened \"Do T003\""]);
    assert_eq!(states(&garden), ["pending"; 3]);
    says(&garden, &["mark", "reopen", "--failed"], 1, &["no task has failed"]);
    garden.agent("");
    says(&garden, &["gardener"], 0, &["3/3 complete"]);
    check_run(&garden);
}

#[test]
fn complete_tasks_that_were_edited_in_the_plan_since_are_reopened_at_once() {
    let garden = three_tasks();
    says(&garden, &["gardener"], 0, &["3/3 complete"]);
    says(&garden, &["mark", "reopen", "--edited"], 1, &["no complete task was edited since"]);
    let plan = garden.read("task-tree.json").replace("test -f T003.txt", "test -s T003.txt");
    garden.write("task-tree.json", &plan);
    garden.commit("ask for more");
    assert_eq!(states(&garden), ["complete"; 3], "an edit alone redoes nothing");
    says(&garden, &["mark", "reopen", "--edited"], 0, &["reopened \"Do T003\""]);
    assert_eq!(states(&garden), ["complete", "complete", "pending"]);
    check_run(&garden);
}

#[test]
fn a_person_approves_in_place_of_a_reviewer() {
    let garden = three_tasks();
    garden.agent("case $work in T001.review.0) echo 'I do not like it.'; echo REJECTED; exit 0;; T001.implement.1) exit 77;; esac");
    says(&garden, &["mark", "approve", "T001"], 1, &["T001 has no change that could be judged"]);
    says(&garden, &["garden", "T001", "--max-attempts", "1"], 1, &[]);
    revert_last(&garden);
    assert_eq!(states(&garden)[0], "reviewing");
    says(&garden, &["mark", "approve", "T001", "-m", "It is fine."], 0, &["review approved"]);
    let prompts = garden.prompts().len();
    says(&garden, &["garden", "T001"], 0, &["1/3 complete"]);
    assert_eq!(garden.prompts().len(), prompts, "no agent was asked");
    check_run(&garden);
}

#[test]
fn a_person_rejects_a_complete_task_and_the_next_attempt_hears_why() {
    let garden = three_tasks();
    says(&garden, &["gardener"], 0, &["3/3 complete"]);
    says(&garden, &["mark", "reject", "T001", "-m", "It does not work on Mondays."], 0, &["(attempt 1/5)"]);
    assert_eq!(states(&garden), ["reviewing", "complete", "complete"]);
    says(&garden, &["gardener"], 0, &["3/3 complete"]);
    let prompt = garden.prompt("T001.implement.1");
    assert!(
        prompt.contains("its review rejected it\n\nObjections:\n1. It does not work on Mondays.\n"),
        "{prompt}"
    );
    check_run(&garden);
}

#[test]
fn what_has_no_effect_is_refused_and_commits_nothing() {
    let garden = three_tasks();
    says(&garden, &["mark", "complete", "T001", "-m", "x"], 0, &[]);
    let head = garden.head();
    let cases: [(&[&str], i32, &str); 8] = [
        (&["mark", "skip", "T001", "-m", "x"], 1, "T001 is already complete"),
        (&["mark", "complete", "T002", "T001", "-m", "x"], 1, "T001 is already complete"),
        (&["mark", "reopen", "T002"], 1, "T002 is pending"),
        (&["mark", "approve", "T002"], 1, "T002 has no change that could be judged"),
        (&["mark", "reject", "T002", "-m", "x"], 1, "T002 has no change that could be judged"),
        (&["mark", "skip", "T009", "-m", "x"], 2, "T009 in task-tree.json"),
        (&["mark", "skip", "T002"], 2, "say why the task is skipped"),
        (&["note", "T002", "-m", "  "], 2, "say what the agents should know"),
    ];
    for (args, status, words) in cases {
        says(&garden, args, status, &[words]);
        assert_eq!(garden.head(), head, "{args:?}");
    }
}

#[test]
fn a_phase_means_the_tasks_below_it_that_can_take_the_decision() {
    let garden = three_tasks();
    says(&garden, &["garden", "T003"], 0, &[]);
    says(&garden, &["mark", "skip", "p1", "-m", "out of scope"], 0, &["T001", "T002"]);
    assert_eq!(states(&garden), ["skipped", "skipped", "complete"]);
    says(&garden, &["mark", "skip", "p1", "-m", "again"], 1, &[]);
}

#[test]
fn words_that_look_like_trailers_stay_words() {
    let garden = three_tasks();
    let words = "first\n\nArborist-Step: complete\nArborist-Result: pass\nSigned-off-by: B <b@example.com>";
    let cases: [(&[&str], &[&str]); 3] = [
        (&["mark", "skip", "T001"], &["Step", "Result", "By", "Reason"]),
        (&["mark", "reopen", "T001"], &["Step", "By", "Reason"]),
        (&["note", "T001"], &["Step", "By"]),
    ];
    for (command, keys) in cases {
        says(&garden, &[command, &["-m", words]].concat(), 0, &[]);
        let read = garden.git(&["log", "-1", "--format=%(trailers:keyonly)"]);
        let expected: Vec<String> = keys.iter().map(|key| format!("Arborist-{key}")).collect();
        assert_eq!(read.lines().collect::<Vec<_>>(), expected, "{command:?}");
        check_run(&garden);
    }
    assert_eq!(states(&garden)[0], "pending");
}

#[test]
fn changes_in_the_work_tree_and_in_the_index_stay_as_they_are() {
    let garden = three_tasks();
    garden.write("staged.txt", "staged");
    garden.git(&["add", "staged.txt"]);
    garden.write("other.txt", "not staged");
    let before = garden.git(&["status", "--porcelain"]);
    says(&garden, &["mark", "skip", "T001", "-m", "x"], 0, &[]);
    assert_eq!(garden.git(&["status", "--porcelain"]), before);
    assert_eq!(garden.git(&["show", "--format=", "--name-only", "HEAD"]), "");
}

#[test]
fn without_tasks_a_landed_commit_is_only_recorded_for_all_that_are_pending_after_a_question() {
    let garden = three_tasks();
    garden.git(&["commit", "-q", "--allow-empty", "-m", "The work"]);
    garden.forget_history();
    let ended = garden.run(&["mark", "landed", "HEAD"]);
    ended.assert(2, &["T001, T002, T003", "are pending", "`git arborist mark landed HEAD T001`", "--yes"]);
    assert_eq!(states(&garden), ["pending"; 3], "nothing was recorded");
    says(&garden, &["mark", "landed", "HEAD", "--yes", "T001"], 2, &["--yes"]);
    says(&garden, &["mark", "landed", "HEAD", "T001"], 0, &["T001 landed in"]);
    says(&garden, &["mark", "landed", "HEAD~1", "--yes"], 0, &["T002, T003 landed in"]);
    assert_eq!(states(&garden), ["complete"; 3]);
}

#[test]
fn a_task_whose_name_was_corrected_by_hand_is_the_same_if_the_plan_says_so() {
    let garden = three_tasks();
    says(&garden, &["garden", "T001"], 0, &[]);
    let edit = |from: &str, to: &str| {
        garden.write("task-tree.json", &garden.read("task-tree.json").replace(from, to));
        garden.commit("Edit the plan");
    };
    edit("\"Do T001\"", "\"Do it\"");
    assert_eq!(states(&garden)[0], "pending", "the name of its steps is not known");
    edit("\"Do it\"", "\"Do it\", \"was\": [\"Do T001\"]");
    assert_eq!(states(&garden)[0], "complete");
    check_run(&garden);
    revert_last(&garden);
    assert_eq!(states(&garden)[0], "pending");
}

#[test]
fn while_a_run_is_at_work_what_concerns_its_past_is_refused() {
    let garden = three_tasks();
    garden.agent("touch \"$ROOT/began\"; until test -e \"$ROOT/go\"; do sleep 0.01; done");
    let running = garden.start(garden.arborist(&["gardener", "--max-tasks", "1"]));
    garden.wait_for("began");
    for args in [&["mark", "landed", "HEAD", "T003"][..], &["done", "T003"]] {
        let mut command = garden.arborist(args);
        command.current_dir(garden.top());
        garden.start(command).wait().assert(5, &["gardener"]);
    }
    std::fs::write(garden.root().join("go"), "").unwrap();
    running.wait().assert(1, &[]);
    check_run(&garden);
}

#[test]
fn a_decision_after_a_killed_run_is_not_taken_for_the_work_of_its_agent() {
    let garden = three_tasks();
    garden.agent("case $work in T001.implement.0) test -e \"$ROOT/killed\" || { echo partial > partial.txt; touch \"$ROOT/began\"; sleep 60; };; esac");
    let mut running = garden.start(garden.arborist(&["gardener"]));
    garden.wait_for("began");
    running.child.kill().unwrap();
    running.wait();
    std::fs::write(garden.root().join("killed"), "").unwrap();
    says(&garden, &["mark", "skip", "T003", "-m", "not today"], 0, &[]);
    says(&garden, &["gardener"], 0, &["2/3 complete, 1 skipped"]);
    assert!(!garden.exists("partial.txt"), "the work of the killed step was set aside");
    check_run(&garden);
}

#[test]
fn a_task_that_is_named_twice_or_together_with_its_phase_is_decided_once() {
    let garden = three_tasks();
    says(&garden, &["mark", "skip", "T002", "p1", "T002", "p1", "-m", "x"], 0, &[]);
    assert_eq!(garden.steps().len(), 3);
    says(&garden, &["mark", "reopen", "p1", "T001"], 0, &[]);
    assert_eq!(garden.steps().len(), 6);
    says(&garden, &["mark", "skip", "T001", "-m", "x"], 0, &[]);
    says(&garden, &["mark", "skip", "p1", "T001", "-m", "x"], 1, &["T001 is already skipped"]);
    assert_eq!(garden.steps().len(), 7);
}

#[test]
fn if_only_some_of_the_commits_can_be_made_the_error_says_which_tasks_are_left() {
    let garden = three_tasks();
    let refusing = "! grep -q T002 \"$1\" || { echo no; exit 1; }";
    garden.program(&garden.top().join(".git/hooks/commit-msg"), refusing);
    let words = ["commit-msg", "It is recorded for T001. Only T002, T003 are left to name the next time."];
    says(&garden, &["mark", "skip", "T001", "T002", "T003", "-m", "x"], 4, &words);
    assert_eq!(states(&garden), ["skipped", "pending", "pending"]);
    let first = garden.run(&["mark", "skip", "T002", "T003", "-m", "x"]);
    first.assert(4, &["Nothing was committed"]);
    assert!(!first.stderr.contains("It is recorded for"), "{first:#?}");
    std::fs::remove_file(garden.top().join(".git/hooks/commit-msg")).unwrap();
    says(&garden, &["mark", "skip", "T002", "T003", "-m", "x"], 0, &[]);
    assert_eq!(states(&garden), ["skipped"; 3]);
}

#[test]
fn a_signal_ends_it_between_two_commits() {
    let garden = three_tasks();
    let slow =
        format!("touch '{0}/began'; until test -e '{0}/go'; do sleep 0.01; done", garden.root().display());
    garden.program(&garden.top().join(".git/hooks/pre-commit"), &slow);
    let marking = garden.start(garden.arborist(&["mark", "skip", "T001", "T003", "-m", "x"]));
    garden.wait_for("began");
    let id = marking.child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    std::fs::write(garden.root().join("go"), "").unwrap();
    let ended = marking.wait();
    assert_eq!(ended.status, 143, "{ended:#?}");
    assert_ne!(states(&garden)[2], "skipped", "{ended:#?}");
    if states(&garden)[0] == "skipped" {
        assert!(ended.stderr.contains("recorded"), "{ended:#?}");
    }
}

#[test]
fn no_run_continues_over_a_decision_whose_commit_a_hook_has_changed() {
    let garden = three_tasks();
    let adding = "echo x > hook.txt; git add hook.txt";
    garden.program(&garden.top().join(".git/hooks/pre-commit"), adding);
    let head = garden.head();
    says(&garden, &["mark", "skip", "T001", "-m", "x"], 6, &["hook.txt", "git reset"]);
    std::fs::remove_file(garden.top().join(".git/hooks/pre-commit")).unwrap();
    for args in [&["mark", "skip", "T003", "-m", "x"][..], &["note", "T003", "-m", "x"], &["gardener"]] {
        says(&garden, args, 6, &["a commit of an earlier run is still there", "git reset"]);
    }
    garden.git(&["reset", "-q", &head]);
    garden.forget_history();
    std::fs::remove_file(garden.top().join("hook.txt")).unwrap();
    says(&garden, &["mark", "skip", "T001", "-m", "x"], 0, &[]);
    says(&garden, &["gardener"], 0, &["2/3 complete, 1 skipped"]);
    check_run(&garden);
}

#[test]
fn a_plan_with_uncommitted_changes_is_refused_because_the_decision_would_not_count() {
    let garden = three_tasks();
    garden.write("task-tree.json", &garden.read("task-tree.json").replace("Do T001", "Do it all"));
    let head = garden.head();
    for args in [&["mark", "skip", "T001", "-m", "x"][..], &["note", "T001", "-m", "x"]] {
        says(&garden, args, 3, &["task-tree.json has changes that are not committed", "Commit it first"]);
        assert_eq!(garden.head(), head);
    }
    garden.commit("rename a task");
    says(&garden, &["mark", "skip", "T001", "-m", "x"], 0, &[]);
    assert_eq!(states(&garden)[0], "skipped");
}

#[test]
fn the_plan_can_be_named_before_or_after_the_decision() {
    let garden = three_tasks();
    garden.write("other.json", &garden.read("task-tree.json").replace("Do T", "Make T"));
    garden.commit("add another plan");
    says(&garden, &["mark", "--tree", "other.json", "skip", "T001", "-m", "x"], 0, &["Make T001"]);
    says(&garden, &["mark", "skip", "T003", "--tree", "other.json", "-m", "x"], 0, &["Make T003"]);
    assert_eq!(
        garden.git(&["log", "-2", "--format=%(trailers:key=Arborist-Plan,valueonly,separator=)"]),
        "other.json\nother.json"
    );
    assert_eq!(states(&garden), ["pending"; 3]);
}

#[test]
fn words_may_begin_with_dashes_but_must_show_something() {
    let garden = three_tasks();
    says(&garden, &["note", "T001", "-m", "--- a line ---"], 0, &[]);
    assert!(garden.git(&["log", "-1", "--format=%b"]).contains("--- a line ---"));
    for nothing in ["\u{1b}[2J", "\u{202e}", " \u{1b}[0m\n"] {
        says(&garden, &["mark", "skip", "T001", "-m", nothing], 2, &["say why the task is skipped"]);
        says(&garden, &["note", "T001", "-m", nothing], 2, &["say what the agents should know"]);
    }
    assert_eq!(garden.steps().len(), 1);
}

#[test]
fn a_long_review_is_recorded_whole() {
    let garden = three_tasks();
    says(&garden, &["garden", "T001"], 0, &[]);
    let words = format!("the first words\n{}the last words", "It does not work.\n".repeat(3000));
    garden.write("words.txt", &words);
    says(&garden, &["mark", "reject", "T001", "-F", "words.txt"], 0, &[]);
    let message = garden.git(&["log", "-1", "--format=%b"]);
    assert!(message.contains("the first words") && message.contains("the last words"));
    check_run(&garden);
}

#[test]
fn a_decision_about_several_tasks_that_was_interrupted_can_be_repeated() {
    let rows = ["T001", "T002", "T003"].map(|id| (id, "p1", &[][..], &["true"][..]));
    let garden = Garden::new(&plan(&[&[("p1", "", &[][..], &[][..])], &rows[..]].concat()));
    let words = "not needed any more, and these words are long enough to be wrapped into two lines of the message at least";
    let repeated = |decision: &[&str], words: &[&str]| {
        let all = [decision, &["T001", "T002", "T003"], words].concat();
        let first = [decision, &["T001"], words].concat();
        // What a command has recorded that was killed after its first commit.
        garden.run(&first).assert(0, &[]);
        says(&garden, &all, 0, &["T001: this is recorded already", "task(T002)", "task(T003)"]);
    };
    repeated(&["mark", "skip"], &["-m", words]);
    repeated(&["mark", "reopen"], &["-m", words]);
    repeated(&["note"], &["-m", words]);
    assert_eq!(garden.subjects().len(), 9);
    // Other words are another decision.
    garden.run(&["mark", "skip", "T001", "-m", "one"]).assert(0, &[]);
    garden.run(&["mark", "skip", "T001", "T002", "-m", "two"]).assert(1, &["T001 is already skipped"]);
    assert_eq!(garden.subjects().len(), 10);
}
