//! Tests the test that a reviewer may leave (`arborist.review.probe`).

use crate::support::garden::{Garden, one_task};

/// Runs all scripts in `tests`.
const ALL: &str = "for test in tests/*.sh; do sh $test || exit 1; done";

/// A garden whose tests are scripts, and whose reviewers may leave a test. They review by this script.
fn probed(command: &str, review: &str) -> Garden {
    let garden = Garden::new(&one_task(&[command]));
    garden.write("tests/a.sh", "test -f T001.txt\n");
    garden.commit("Add a test");
    garden.config("arborist.review.probe", "true");
    garden.agent(&format!("case $ARBORIST_STEP in review) {review}\necho APPROVED; exit 0;; esac"));
    garden
}

/// The message of the newest review step.
fn review(garden: &Garden) -> String {
    garden.git(&["log", "-1", "--format=%B", "--grep=^Arborist-Step: review"])
}

#[test]
fn a_test_of_a_reviewer_that_fails_rejects_the_change_and_the_next_attempt_sees_it() {
    let garden = probed(ALL, "true");
    garden.agent(
        "case $ARBORIST_STEP.$ARBORIST_ATTEMPT in
         review.0) echo 'echo looking for two; grep -q two T001.txt' > tests/probe.sh; echo APPROVED; exit 0;;
         implement.1) echo two > T001.txt; exit 0;;
         esac",
    );
    garden.run(&["gardener"]).assert(0, &["its test fails"]);
    let rejected = garden.git(&["log", "--format=%B", "--grep=^Arborist-Review: rejected"]);
    for words in [
        "The reviewer left the test tests/probe.sh. The test commands fail with it and pass without it, so the change is \
         rejected.",
        "Objections:\n1. The test tests/probe.sh that the review wrote fails on this change\n",
        "Test (of the review, tests/probe.sh):\necho looking for two; grep -q two T001.txt\n",
        "looking for two",
    ] {
        assert!(rejected.contains(words), "{words}: {rejected}");
    }
    let prompt = garden.prompt("T001.implement.1");
    for words in ["1. The test tests/probe.sh", "grep -q two T001.txt", "looking for two"] {
        assert!(prompt.contains(words), "{words}: {prompt}");
    }
    assert!(!garden.exists("tests/probe.sh"));
    assert_eq!(garden.status(), [""; 0]);
    assert_eq!(garden.lines(&["worktree", "list"]).len(), 1);
    assert!(!garden.git(&["log", "--all", "--name-only", "--format="]).contains("probe"));
    garden.run(&["check", "--run"]).assert(0, &[]);
}

#[test]
fn a_test_in_the_words_of_a_reviewer_is_run_and_says_nothing_about_the_verdict() {
    let garden = probed(
        ALL,
        "printf '%s\\n' 'PROBE: `tests/probe.sh`' '```sh' 'echo REJECTED: it must fix; exit 1' '```' ''",
    );
    garden.run(&["gardener", "--max-attempts", "1"]).assert(1, &["its test fails"]);
    let message = review(&garden);
    assert!(message.contains("fails on this change\n") && message.contains("it must fix"), "{message}");
    assert!(message.contains("Arborist-Review: rejected"), "{message}");
}

#[test]
fn a_test_that_passes_or_says_nothing_leaves_the_verdict_as_it_is() {
    for (script, words) in [
        ("echo 'test -f T001.txt' > tests/probe.sh", "their output does not say whether they ran it."),
        ("echo x > tests/one.sh; echo x > tests/two.sh", "because only one test is taken."),
        ("echo 'exit 1' > notes.txt", ""),
        ("head -c 70000 /dev/zero > tests/probe.sh", "because it is not a file of at most 64 KiB."),
        ("ln -s /etc/passwd tests/probe.sh", "because it is not a file of at most 64 KiB."),
        ("printf '%s\\n' 'PROBE: ../tests/x.sh' '```' 'exit 1' '```'", "is not the name of a new test"),
        ("printf '%s\\n' 'PROBE: tests/a.sh' '```' 'exit 1' '```'", "there is a file of that name already"),
    ] {
        let garden = probed(ALL, script);
        garden.run(&["gardener"]).assert(0, &[]);
        let message = review(&garden);
        assert!(message.contains(words) && message.contains("Arborist-Review: approved"), "{message}");
        assert_eq!(message.contains("left the test"), !words.is_empty(), "{message}");
        assert_eq!(garden.status(), [""; 0]);
    }
}

#[test]
fn tests_that_fail_on_a_clean_checkout_anyway_are_not_held_against_the_change() {
    let garden = probed(
        "test -f local && for test in tests/*.sh; do sh $test || exit 1; done",
        "echo 'exit 1' > tests/probe.sh",
    );
    garden.write(".git/info/exclude", "local\n");
    garden.write("local", "");
    garden.run(&["gardener"]).assert(0, &[]);
    let message = review(&garden);
    assert!(message.contains("on a clean checkout, the test commands fail without it as well."), "{message}");
}

#[test]
fn without_the_setting_nobody_is_asked_for_a_test_and_none_is_run() {
    let garden = probed(ALL, "echo 'exit 1' > tests/probe.sh");
    garden.config("arborist.review.probe", "false");
    garden.run(&["gardener"]).assert(0, &[]);
    assert!(!garden.prompt("T001.review.0").contains("PROBE"));
    assert!(!review(&garden).contains("probe"));
}

#[test]
fn each_of_several_reviewers_may_leave_a_test() {
    let garden = probed(ALL, "true");
    for (name, test) in [("ann", "exit 0"), ("bob", "exit 1")] {
        garden.runner(name, &format!("cat > /dev/null; echo '{test}' > tests/probe.sh; echo APPROVED"));
    }
    garden.config("arborist.review.runner", "ann,bob");
    garden.run(&["gardener", "--max-attempts", "1"]).assert(1, &[]);
    let message = review(&garden);
    for words in [
        "ann left the test",
        "bob left the test",
        "1. The test tests/probe.sh that the review wrote fails on this change (bob)",
    ] {
        assert!(message.contains(words), "{words}: {message}");
    }
}
