//! Tests attempts: what the next one is told, how many there are, and what happens to a task that has used them up.

use crate::support::garden::{Garden, one_task, plan};

/// What a brief says about earlier attempts; empty if there were none.
fn feedback(prompt: &str) -> &str {
    let block = prompt.split_once("\n## Earlier attempts\n").map_or("", |(_, block)| block);
    block.split_once("\n## ").map_or(block, |(block, _)| block)
}

/// The places of these words in the text, all of which must be there.
#[track_caller]
fn places(text: &str, words: &[&str]) -> Vec<usize> {
    let place = |word: &&str| text.find(*word).unwrap_or_else(|| panic!("{word:?} is missing in: {text}"));
    words.iter().map(place).collect()
}

#[test]
fn the_next_attempt_is_told_every_failure_of_this_task_newest_first() {
    let garden = Garden::new(&one_task(&["echo 'expected 2, got 3'; grep -q implement.2 T001.txt"]));
    garden.agent(
        "case $work in
         T001.implement.0) echo 'no idea how'; exit 9;;
         T001.review.2) echo 'The key is missing.'; echo REJECTED; exit 0;;
         esac",
    );
    garden.run(&["gardener"]).assert(0, &[]);
    assert_eq!(feedback(&garden.prompt("T001.implement.0")), "");
    let second = garden.prompt("T001.implement.1");
    places(feedback(&second), &["### Attempt 1: its implementation failed", "exit status 9", "no idea how"]);
    let last = garden.prompt("T001.implement.3");
    let found = places(feedback(&last), &["The key is missing.", "### Attempt 2", "### Attempt 1"]);
    assert!(found.is_sorted(), "{last}");
    let third = garden.prompt("T001.implement.2");
    places(feedback(&third), &["expected 2, got 3", "exit status 1"]);
    places(
        feedback(&last),
        &[
            "### Attempt 3: its review rejected it",
            "### Attempt 2: its tests failed\n\nThis was repaired since",
        ],
    );
    assert!(!last.contains("Arborist-Step"), "{last}");
}

#[test]
fn feedback_of_another_task_with_a_similar_id_is_not_included() {
    let garden = Garden::new(&plan(&[
        ("p1", "", &[], &[]),
        ("T0010", "p1", &[], &["echo 'failure of the long id'; grep -q implement.1 T0010.txt"]),
        ("T001", "p1", &["T0010"], &["echo 'failure of the short id'; grep -q implement.1 T001.txt"]),
        ("T00", "p1", &["T001"], &["grep -q implement.1 T00.txt"]),
    ]));
    garden.agent("echo 'this mentions task(T00): and T001 and T0010'");
    garden.run(&["gardener"]).assert(0, &[]);
    let short = garden.prompt("T001.implement.1");
    assert!(
        short.contains("failure of the short id") && !short.contains("failure of the long id"),
        "{short}"
    );
    assert_eq!(feedback(&garden.prompt("T001.implement.0")), "");
    assert_eq!(feedback(&garden.prompt("T00.implement.0")), "");
    assert!(!garden.prompt("T00.implement.1").contains("failure of the"));
}

#[test]
fn feedback_is_bounded_no_matter_how_often_a_task_has_failed() {
    let garden = Garden::new(&one_task(&["seq 1 2000; false"]));
    garden.agent("seq 1 2000");
    garden.run(&["gardener", "--max-attempts", "10"]).assert(1, &[]);
    let prompt = garden.prompt("T001.implement.9");
    assert!(feedback(&prompt).chars().count() <= 20_500, "{}", feedback(&prompt).chars().count());
    assert!(prompt.contains("older one(s) left out"), "{prompt}");
}

#[test]
fn a_failed_task_is_left_alone_until_it_is_named_and_then_starts_over_with_all_its_feedback() {
    let garden = Garden::new(&one_task(&["test -f right"]));
    garden.agent("test -f \"$ROOT/wiser\" && touch right; echo 'I tried this.'");
    garden.run(&["gardener", "--max-attempts", "2"]).assert(1, &["T001 failed"]);
    let before = garden.head();
    garden.run(&["gardener"]).assert(1, &["T001 failed in an earlier run", "git arborist gardener --failed"]);
    garden.run(&["gardener", "--dry-run"]).assert(1, &["T001 failed in an earlier run"]);
    garden.run(&["garden"]).assert(1, &["T001 failed", "git arborist gardener --failed"]);
    assert_eq!(garden.head(), before, "nothing happens by itself");

    std::fs::write(garden.root().join("wiser"), "").unwrap();
    garden.run(&["garden", "T001", "--max-attempts", "2"]).assert(0, &["after 3 attempts"]);
    assert!(garden.message("task(T001): complete").contains("Completed after 3 attempt(s)."));
    assert_eq!(
        garden.steps()[5..],
        [
            "task(T001): implement \"Do T001\" | implement pass   0",
            "task(T001): tests pass for \"Do T001\" | test  pass  0",
            "task(T001): review approved for \"Do T001\" | review   approved 0",
            "task(T001): complete \"Do T001\" | complete pass   ",
            "phase(p1): complete | phase-complete pass   ",
        ]
    );
    let prompt = garden.prompt("T001.implement.0");
    assert_eq!(feedback(&prompt).matches("its tests failed").count(), 2, "{prompt}");
    let report = garden.files_of("HEAD~1").concat();
    let report: serde_json::Value = serde_json::from_str(&garden.read(&report)).unwrap();
    assert_eq!(report["attempts"].as_array().unwrap().len(), 3, "{report:#}");
}

#[test]
fn naming_a_failed_task_gives_it_exactly_one_more_round() {
    let garden = Garden::new(&one_task(&["false"]));
    garden.run(&["gardener", "--max-attempts", "1"]).assert(1, &[]);
    garden.run(&["garden", "T001", "--max-attempts", "2"]).assert(1, &["T001 failed"]);
    assert_eq!(garden.steps().len(), 3 + 5);
    assert_eq!(garden.prompts().len(), 1 + 2);
}

#[test]
fn naming_a_complete_task_does_nothing() {
    let garden = Garden::new(&one_task(&[]));
    garden.run(&["garden", "T001"]).assert(0, &[]);
    let before = garden.head();
    garden.run(&["garden", "T001"]).assert(0, &[]);
    garden.run(&["garden"]).assert(0, &[]);
    assert_eq!(garden.head(), before);
}

#[test]
fn naming_a_complete_task_says_so_and_shows_the_progress_of_the_plan() {
    let garden = forked();
    garden.run(&["garden", "T003"]).assert(0, &[]);
    let ended = garden.run(&["garden", "T003"]);
    ended.assert(0, &[]);
    assert_eq!(ended.stdout, "T003 is already complete (1/4 complete; T001 is next)\n");
    let events = garden.run(&["garden", "T003", "--json"]);
    events.assert(0, &[]);
    let end: serde_json::Value = serde_json::from_str(&events.stdout).unwrap();
    assert_eq!((&end["event"], &end["complete"]), (&"end".into(), &1.into()), "{end}");
}

/// T001 fails; T002 depends on it, T003 on nothing, T004 on T003.
fn forked() -> Garden {
    forked_by("false")
}

/// The same with this test of T001.
fn forked_by(test: &str) -> Garden {
    Garden::new(&plan(&[
        ("p1", "", &[], &[]),
        ("T001", "p1", &[], &[test]),
        ("T002", "p1", &["T001"], &[]),
        ("T003", "p1", &[], &[]),
        ("T004", "p1", &["T003"], &[]),
    ]))
}

#[test]
fn gardener_stops_at_the_first_failed_task_on_request_and_says_how_to_continue() {
    let garden = forked();
    let ended = garden.run(&["gardener", "--max-attempts", "1", "--stop-on-failure"]);
    ended.assert(
        1,
        &[
            "T001 failed.",
            "git arborist show T001",
            "git arborist gardener --failed",
            "T003 is ready all the same: `git arborist gardener` works on it",
        ],
    );
    assert_eq!(garden.asked(), ["T001.implement.0"]);
    let status = garden.run(&["status"]).stdout;
    assert!(
        status.contains("T001 has failed. ") && status.contains("`git arborist gardener` works on it"),
        "{status}"
    );
    garden.run(&["gardener", "--no-review"]).assert(1, &["T001 failed."]);
    let all_done = garden.run(&["gardener"]);
    assert!(!all_done.stderr.contains("is ready"), "nothing is ready: {}", all_done.stderr);
}

#[test]
fn failed_tasks_are_tried_once_more_on_request() {
    let garden = forked_by("test -f right");
    garden.agent("test -f \"$ROOT/wiser\" && touch right");
    garden.run(&["gardener", "--max-attempts", "1", "--no-review"]).assert(1, &[]);
    let dry = garden.run(&["gardener", "--failed", "--dry-run"]);
    dry.assert(0, &[]);
    assert!(dry.stdout.contains("1. T001 ") && dry.stdout.contains("2. T002 "), "{}", dry.stdout);

    let before = garden.asked().len();
    garden.run(&["gardener", "--failed", "--max-attempts", "1", "--no-review"]).assert(1, &["T001 failed."]);
    assert_eq!(garden.asked()[before..], ["T001.implement.0"], "once, and T002 waits for it");

    std::fs::write(garden.root().join("wiser"), "").unwrap();
    let ended = garden.run(&["gardener", "--failed", "--no-review"]);
    ended.assert(0, &[]);
    assert_eq!(ended.stdout, "4/4 complete\n");
}

#[test]
fn a_run_goes_on_with_the_tasks_that_do_not_depend_on_the_failed_one() {
    for said_before in [&[][..], &["--keep-going"]] {
        let garden = forked();
        let ended =
            garden.run(&[&["gardener", "--max-attempts", "1", "--no-review"][..], said_before].concat());
        ended.assert(1, &["T001 failed"]);
        assert_eq!(ended.stdout, "2/4 complete\n");
        assert_eq!(garden.asked(), ["T001.implement.0", "T003.implement.0", "T004.implement.0"]);
        garden.run(&["garden", "T002"]).assert(1, &["T002", "T001"]);
        assert_eq!(garden.asked().len(), 3);
    }
}

#[test]
fn max_tasks_ends_a_run_early_and_the_next_one_continues() {
    let garden = Garden::new(&plan(&[
        ("p1", "", &[], &[]),
        ("T001", "p1", &[], &[]),
        ("T002", "p1", &[], &[]),
        ("T003", "p1", &[], &[]),
    ]));
    let ended = garden.run(&["gardener", "--max-tasks", "2", "--no-review"]);
    ended.assert(1, &["after 2 tasks (--max-tasks)", "1 task is still open (T003)"]);
    assert_eq!(ended.stdout, "2/3 complete\n");
    assert_eq!(garden.asked(), ["T001.implement.0", "T002.implement.0"]);
    assert_eq!(garden.run(&["gardener", "--no-review"]).stdout, "3/3 complete\n");
}

#[test]
fn without_reviews_passed_tests_complete_a_task() {
    let garden = Garden::new(&one_task(&["true"]));
    garden.run(&["gardener", "--no-review"]).assert(0, &[]);
    assert_eq!(garden.asked(), ["T001.implement.0"]);
    assert_eq!(garden.steps()[2], "task(T001): complete \"Do T001\" | complete pass   ");
}

#[test]
fn reviews_can_be_turned_off_in_the_middle_of_a_task() {
    let garden = Garden::new(&one_task(&["true"]));
    garden.agent("case $work in T001.review.0) exit 1;; esac");
    garden.run(&["gardener"]).assert(4, &[]);
    garden.run(&["gardener", "--no-review"]).assert(0, &[]);
    assert_eq!(garden.asked(), ["T001.implement.0", "T001.review.0"]);
}

#[test]
fn the_old_name_of_the_option_for_attempts_still_works() {
    let garden = Garden::new(&one_task(&["false"]));
    garden.run(&["gardener", "--max-attempts", "1"]).assert(1, &["T001 failed"]);
    assert_eq!(garden.asked(), ["T001.implement.0"]);
}

#[test]
fn an_attempt_that_began_while_more_were_allowed_is_shown_as_the_last_one() {
    let garden = Garden::new(&one_task(&["test -f right"]));
    garden.agent("case $work in T001.review.2) exit 1;; T001.implement.2) touch right;; esac");
    garden.run(&["gardener"]).assert(4, &[]);
    garden.config("arborist.maxAttempts", "2");
    let status = garden.run(&["status"]).stdout;
    assert!(status.contains("next: review 3/3"), "{status}");
    let next = garden.run(&["next"]).stdout;
    assert!(next.contains("review, attempt 3 of 3"), "{next}");
    garden.agent("case $ARBORIST_STEP in review) echo REJECTED; exit 0;; esac");
    let ended = garden.run(&["gardener"]);
    ended.assert(1, &["attempt 3/3"]);
    for wrong in ["3/2", "2/2"] {
        assert!(!ended.stderr.contains(wrong), "{}", ended.stderr);
    }
    let subjects = garden.subjects();
    let [.., rejected, failed] = subjects.as_slice() else { panic!("{subjects:?}") };
    assert_eq!(rejected, "task(T001): review rejected for \"Do T001\" (attempt 3/3)");
    assert_eq!(failed, "task(T001): failed \"Do T001\" after 3 retries");
}

#[test]
fn show_counts_attempts_without_a_limit_that_may_have_changed_since() {
    let garden = Garden::new(&one_task(&["false"]));
    garden.run(&["gardener", "--max-attempts", "2"]).assert(1, &["T001 failed"]);
    let shown = garden.run(&["show", "T001"]).stdout;
    assert!(shown.contains("\nAttempt 1\n") && shown.contains("\nAttempt 2\n"), "{shown}");
    assert!(!shown.contains("of 5") && !shown.contains("/5"), "{shown}");
}

#[test]
fn a_limit_of_zero_attempts_is_an_error_and_fails_no_task() {
    let garden = Garden::new(&one_task(&[]));
    for wrong in ["0", "-1", "many", ""] {
        let ended = garden.run(&["gardener", &format!("--max-attempts={wrong}")]);
        ended.assert(2, &["--max-attempts", "a whole number from 1"]);
    }
    assert_eq!(garden.subjects(), [""; 0]);
}

#[test]
fn a_limit_below_the_attempts_so_far_fails_the_task_without_another_one() {
    let garden = Garden::new(&one_task(&["test -f right"]));
    garden.agent("case $work in T001.implement.2) exec sleep 60;; esac");
    let mut call = garden.arborist(&["gardener", "--runner-timeout", "600"]);
    call.env("LANG", "C");
    let running = garden.start(call);
    garden.wait_for("prompts/2-T001.implement.2");
    running.signal("TERM");
    assert_eq!(running.wait().status, 143);
    garden.run(&["gardener", "--max-attempts", "2"]).assert(1, &["T001 failed"]);
    assert_eq!(garden.subjects().last().unwrap(), "task(T001): failed \"Do T001\" after 2 retries");
    assert_eq!(garden.asked().len(), 3);
}
