//! Tests `git arborist done`.

use super::{check_run, revert_last, says, states, three_tasks};
use crate::support::skip::has_proc;

#[test]
fn after_a_failed_test_the_users_fix_is_committed_and_tested_without_an_agent_and_goes_on_to_review() {
    let garden = three_tasks();
    garden.agent("case $work in T001.implement.0) echo wrong > other.txt; exit 0;; esac");
    says(&garden, &["garden", "--max-attempts", "1"], 1, &["T001 failed"]);
    revert_last(&garden);
    assert_eq!(states(&garden)[0], "testing");
    let prompts = garden.prompts().len();

    garden.write("T001.txt", "by hand\n");
    says(&garden, &["done", "-m", "The name was wrong."], 0, &["goes on with the review"]);
    assert_eq!(garden.prompts().len(), prompts, "no agent was asked");
    let steps = garden.steps();
    assert_eq!(
        steps[steps.len() - 2..],
        [
            "task(T001): implement \"Do T001\" | implement pass   1",
            "task(T001): tests pass for \"Do T001\" | test  pass  1",
        ]
    );
    assert_eq!(garden.files_of("HEAD~1"), ["T001.txt"]);
    let message = garden.git(&["log", "-1", "--format=%B", "HEAD~1"]);
    assert!(message.contains("The name was wrong.") && message.contains("Arborist-By: user"), "{message}");
    assert!(!message.contains("Arborist-Runner"), "{message}");
    assert_eq!(garden.git(&["status", "--porcelain"]), "");
    assert_eq!(garden.git(&["for-each-ref", "refs/arborist"]), "", "no copy is left behind");
    check_run(&garden);

    says(&garden, &["garden", "T001"], 0, &["1/3 complete"]);
    assert_eq!(garden.prompts().len(), prompts + 1, "only the reviewer was asked");
    let review = garden.prompt("T001.review.1");
    assert!(review.contains("by hand"), "{review}");
    check_run(&garden);
}

#[test]
fn a_task_that_nobody_has_begun_can_be_done_by_hand_if_it_is_named() {
    let garden = three_tasks();
    garden.write("T003.txt", "by hand\n");
    garden.write("sub/more.txt", "more\n");
    says(&garden, &["done"], 2, &["say which task"]);
    says(&garden, &["done", "T003"], 0, &[]);
    assert_eq!(garden.files_of("HEAD~1"), ["T003.txt", "sub/more.txt"]);
    assert_eq!(states(&garden), ["pending", "pending", "testing"]);
    check_run(&garden);
}

#[test]
fn committed_work_of_a_person_is_handed_in_as_a_range_and_its_base_is_that_of_the_task() {
    let garden = three_tasks();
    garden.git(&["commit", "-q", "--allow-empty", "-m", "Something else"]);
    let base = garden.head();
    for (file, title) in [("T001.txt", "Begin"), ("more.txt", "Go on")] {
        garden.write(file, "by hand\n");
        garden.commit(title);
    }
    let tip = garden.head();
    for (args, words) in [
        (&["done", "T001", "HEAD~1"][..], "does not end with the newest commit"),
        (&["done", "T001", "nowhere.."], "neither a commit nor a range"),
        (&["done", "T001", "HEAD..HEAD"], "not a line of commits"),
    ] {
        says(&garden, args, 2, &[words]);
    }
    garden.write("T001.txt", "and more\n");
    says(&garden, &["done", "T001", "HEAD~2.."], 1, &["changes in the work tree", "git stash push"]);
    garden.git(&["checkout", "-q", "T001.txt"]);
    assert_eq!(garden.head(), tip, "nothing was recorded");
    says(&garden, &["done", "T001", "HEAD~2..HEAD", "-m", "Both belong to it."], 0, &[]);
    assert_eq!(states(&garden)[0], "testing");
    let step = garden.git(&["log", "-1", "--format=%B", "HEAD~1"]);
    for line in ["Both belong to it.", "Arborist-By: user", &format!("Arborist-Range: {base}..{tip}")] {
        assert!(step.contains(line), "{line}: {step}");
    }
    assert!(!step.contains("The runner"), "{step}");
    check_run(&garden);
    // The reviewer sees the whole range, and so does the proof.
    says(&garden, &["garden", "T001"], 0, &["1/3 complete"]);
    let review = garden.prompt("T001.review.0");
    assert!(review.contains("more.txt") && review.contains("T001.txt"), "{review}");
    let proof: serde_json::Value =
        serde_json::from_str(&garden.run(&["prove", "T001", "--json"]).stdout).unwrap();
    assert_eq!(proof["proofs"][0]["is"], "proven", "{proof:#}");
    // Steps of a run are nobody's own work.
    garden.write("T003.txt", "by hand\n");
    garden.commit("Do the third");
    let refused = garden.run(&["done", "T003", "HEAD~3.."]);
    refused.assert(2, &["the range has a step of a run in it", "complete \"Do T001\""]);
    let advice = refused.stderr.split('`').find(|words| words.starts_with("git arborist done")).unwrap();
    says(&garden, &advice.split(' ').skip(2).collect::<Vec<_>>(), 0, &[]);
    check_run(&garden);
    assert_eq!(states(&garden), ["complete", "pending", "testing"]);
}

#[test]
fn if_the_tests_fail_the_work_is_kept_as_a_commit_and_the_user_can_go_on() {
    let garden = three_tasks();
    garden.write("wrong.txt", "x\n");
    says(&garden, &["done", "T001"], 1, &["the tests of T001 failed"]);
    garden.write("T001.txt", "right\n");
    says(&garden, &["done"], 0, &[]);
    let steps = garden.steps();
    assert_eq!(
        steps,
        [
            "task(T001): implement \"Do T001\" | implement pass   0",
            "task(T001): tests fail for \"Do T001\" (attempt 1/5) | test  fail  0",
            "task(T001): implement \"Do T001\" | implement pass   1",
            "task(T001): tests pass for \"Do T001\" | test  pass  1",
        ]
    );
    says(&garden, &["gardener"], 0, &["3/3 complete"]);
    check_run(&garden);
}

#[test]
fn without_changes_or_for_a_complete_task_nothing_is_committed() {
    let garden = three_tasks();
    let head = garden.head();
    says(&garden, &["done", "T001"], 1, &["there are no changes of yours"]);
    says(&garden, &["done", "T009"], 2, &["there is no task T009"]);
    assert_eq!(garden.head(), head);
    says(&garden, &["garden", "T001"], 0, &[]);
    garden.write("T001.txt", "changed\n");
    let head = garden.head();
    says(&garden, &["done", "T001"], 1, &["T001 is already complete", "mark reopen T001"]);
    assert_eq!(garden.head(), head);
    assert_eq!(garden.read("T001.txt"), "changed\n");
}

#[test]
fn what_must_not_be_committed_is_named_and_the_files_stay_as_they_are() {
    let garden = three_tasks();
    garden.write("T001.txt", "by hand\n");
    garden.write("key.pem", &format!("-----BEGIN RSA PRIVATE KEY-----\n{}\n", "A".repeat(64)));
    let head = garden.head();
    says(&garden, &["done", "T001"], 1, &["key.pem", "Nothing was committed"]);
    assert_eq!(garden.head(), head);
    assert!(garden.exists("T001.txt") && garden.exists("key.pem"));
    // What was staged stays staged, even where the work tree has another version by now.
    garden.git(&["add", "."]);
    garden.write("key.pem", "");
    garden.write("T001.txt", "<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n");
    let staged = garden.git(&["diff", "--cached"]);
    says(&garden, &["done", "T001"], 1, &["T001.txt has conflict markers", "Nothing was committed"]);
    assert_eq!(garden.git(&["diff", "--cached"]), staged);
}

#[test]
fn if_it_is_killed_before_the_tests_it_runs_them_the_next_time() {
    let garden = three_tasks();
    garden.write("T001.txt", "by hand\n");
    says(&garden, &["done", "T001"], 0, &[]);
    // As if it had been killed between the two commits.
    garden.git(&["reset", "-q", "--hard", "HEAD~1"]);
    garden.forget_history();
    assert_eq!(states(&garden)[0], "implementing");
    says(&garden, &["done"], 0, &["The tests of T001 pass"]);
    assert_eq!(garden.steps().len(), 2);
    check_run(&garden);
}

#[test]
fn staged_and_deleted_files_belong_to_the_work() {
    let garden = three_tasks();
    garden.write("old.txt", "old\n");
    garden.commit("add a file");
    garden.git(&["rm", "-q", "old.txt"]);
    garden.write("T001.txt", "by hand\n");
    garden.git(&["add", "T001.txt"]);
    says(&garden, &["done", "T001"], 0, &[]);
    assert_eq!(garden.files_of("HEAD~1"), ["T001.txt", "old.txt"]);
    assert_eq!(garden.git(&["status", "--porcelain"]), "");
}

#[test]
fn a_hook_that_refuses_the_users_work_never_makes_it_a_failed_attempt_and_the_last_words_count() {
    let garden = three_tasks();
    let refusing = "! git diff --cached --name-only | grep -q txt || { echo lint failed; exit 1; }";
    garden.program(&garden.top().join(".git/hooks/pre-commit"), refusing);
    garden.write("T001.txt", "by hand\n");
    garden.write("staged.txt", "staged\n");
    garden.git(&["add", "staged.txt"]);
    let (head, before) = (garden.head(), garden.git(&["status", "--porcelain"]));
    for words in ["first", "second", "third"] {
        says(&garden, &["done", "T001", "-m", words], 4, &["lint failed", "Your changes are still here"]);
        assert_eq!((garden.head(), garden.git(&["status", "--porcelain"])), (head.clone(), before.clone()));
    }
    says(&garden, &["gardener"], 3, &["changes that are not committed: T001.txt, staged.txt"]);
    std::fs::remove_file(garden.top().join(".git/hooks/pre-commit")).unwrap();
    says(&garden, &["done", "T001", "-m", "last"], 0, &[]);
    assert_eq!(garden.steps().len(), 2);
    let message = garden.git(&["log", "-1", "--format=%B", "HEAD~1"]);
    assert!(message.contains("\n\nlast\n\n"), "{message}");
    for other in ["first", "after this step had ended"] {
        assert!(!message.contains(other), "{message}");
    }
    check_run(&garden);
}

#[test]
fn a_step_of_an_agent_that_a_hook_refused_is_done_once_the_user_has_corrected_it() {
    let garden = three_tasks();
    let refusing = "! git diff --cached | grep -q '^+T001.implement' || { echo lint failed; exit 1; }";
    garden.program(&garden.top().join(".git/hooks/commit-msg"), refusing);
    says(&garden, &["garden", "T001"], 4, &["lint failed"]);
    garden.write("T001.txt", "by hand\n");
    says(&garden, &["done", "-m", "fixed"], 0, &["your text is in no commit", "The tests of T001 pass"]);
    assert_eq!(garden.steps().len(), 2);
    check_run(&garden);
    says(&garden, &["done"], 1, &["the tests of T001 have passed already", "git arborist garden T001"]);
}

#[test]
fn a_commit_that_a_hook_changed_is_taken_back_and_the_work_taken_again() {
    let garden = three_tasks();
    garden.program(&garden.top().join(".git/hooks/commit-msg"), "echo 'Arborist-Extra: 1' >> \"$1\"");
    garden.write("T001.txt", "by hand\n");
    let head = garden.head();
    says(&garden, &["done", "T001", "-m", "first"], 3, &["git reset --soft"]);
    says(&garden, &["done", "T001", "-m", "second"], 6, &["git reset --soft"]);
    std::fs::remove_file(garden.top().join(".git/hooks/commit-msg")).unwrap();
    garden.git(&["reset", "-q", "--soft", &head]);
    garden.forget_history();
    says(&garden, &["done", "T001", "-m", "third"], 0, &[]);
    assert_eq!(garden.steps().len(), 2);
    assert!(garden.git(&["log", "-1", "--format=%B", "HEAD~1"]).contains("third"));
    check_run(&garden);
}

#[test]
fn while_a_run_is_at_work_nothing_is_taken_even_if_no_task_is_named() {
    let garden = three_tasks();
    garden.agent("touch \"$ROOT/began\"; until test -e \"$ROOT/go\"; do sleep 0.01; done");
    let running = garden.start(garden.arborist(&["gardener", "--max-tasks", "1"]));
    garden.wait_for("began");
    for args in [&["done"][..], &["done", "T001"]] {
        garden.start(garden.arborist(args)).wait().assert(5, &["gardener"]);
    }
    std::fs::write(garden.root().join("go"), "").unwrap();
    running.wait().assert(1, &[]);
    check_run(&garden);
}

#[test]
fn if_it_is_killed_while_a_hook_runs_the_work_is_committed_once_and_no_copy_is_left_behind() {
    let garden = three_tasks();
    let slow =
        format!("touch '{0}/began'; until test -e '{0}/go'; do sleep 0.01; done", garden.root().display());
    garden.program(&garden.top().join(".git/hooks/pre-commit"), &slow);
    garden.write("T001.txt", "by hand\n");
    let mut killed = garden.start(garden.arborist(&["done", "T001", "-m", "words"]));
    garden.wait_for("began");
    killed.child.kill().unwrap();
    killed.wait();
    says(&garden, &["mark", "skip", "T003", "-m", "x"], 3, &["killed", "git arborist done"]);
    std::fs::write(garden.root().join("go"), "").unwrap();
    says(&garden, &["done", "T001", "-m", "words"], 0, &["The tests of T001 pass"]);
    assert_eq!(garden.steps().len(), 2);
    assert_eq!(garden.files_of("HEAD~1"), ["T001.txt"]);
    // Where the git that is still about to commit cannot be seen, a copy of the work is kept.
    if has_proc() {
        assert_eq!(garden.git(&["for-each-ref", "refs/arborist"]), "");
    }
    says(&garden, &["mark", "skip", "T003", "-m", "x"], 0, &[]);
    check_run(&garden);
}

#[test]
fn it_says_what_comes_next_for_a_task_with_a_gate_and_for_one_without_another_attempt() {
    let garden = three_tasks();
    garden.config("arborist.review", "false");
    garden.write("T001.txt", "by hand\n");
    says(&garden, &["done", "T001"], 0, &["T001 is complete"]);
    garden.config("arborist.approval", "true");
    garden.write("T003.txt", "by hand\n");
    let words = ["The tests of T003 pass", "`git arborist mark approve T003` lets it be completed"];
    says(&garden, &["done", "T003"], 0, &words);
    garden.config("arborist.maxAttempts", "2");
    garden.write("wrong.txt", "1\n");
    says(&garden, &["done", "T002"], 1, &["`git arborist garden T002`"]);
    garden.write("wrong.txt", "2\n");
    says(&garden, &["done", "T002"], 1, &["`git arborist mark reopen T002`"]);
    garden.write("T002.txt", "by hand\n");
    says(&garden, &["done", "T002"], 0, &["The tests of T002 pass"]);
    check_run(&garden);
}
