//! Tests how a run is shown while it goes on: on a terminal, in a pipe, and at its end.

use crate::support::garden::{Garden, one_task};
use crate::support::live::{WAITS, four_tasks, script};

#[test]
fn in_a_pipe_every_line_has_its_time_and_a_heartbeat_shows_that_the_run_is_at_work() {
    let garden = Garden::new(&one_task(&["test -s T001.txt"]));
    script(
        &garden,
        "cat > /dev/null; [ $ARBORIST_STEP = review ] && echo APPROVED && exit; echo reading; sleep 2.5; echo x > T001.txt",
    );
    let ended = garden.run(&["gardener", "--heartbeat", "1"]);
    ended.assert(0, &[]);
    // How it has ended is said by the command.
    let (run, end) = ended.stderr.split_once("In this run: ").unwrap();
    assert!(end.contains("The task is complete: `git arborist land` makes a branch"), "{end}");
    for line in run.lines() {
        let (date, time) = (&line[..10], &line[11..19]);
        assert!(date.bytes().filter(|byte| *byte == b'-').count() == 2, "{line}");
        assert!(time.bytes().filter(|byte| *byte == b':').count() == 2, "{line}");
    }
    let beats = ended.stderr.lines().filter(|line| line.contains("T001 implement by script for ")).count();
    assert!(beats > 0, "{}", ended.stderr);
    assert!(ended.stderr.contains("; reading"), "{}", ended.stderr);
    assert!(!ended.stderr.contains('\x1b'));

    let garden = Garden::new(&one_task(&["test -s T001.txt"]));
    script(
        &garden,
        "cat > /dev/null; [ $ARBORIST_STEP = review ] && echo APPROVED && exit; sleep 1.5; echo x > T001.txt",
    );
    let ended = garden.run(&["gardener", "--heartbeat", "0"]);
    assert!(!ended.stderr.contains("implement by script for"), "{}", ended.stderr);
    garden.run(&["gardener", "--heartbeat", "soon"]).assert(2, &["--heartbeat", "soon"]);
}

#[test]
fn the_reason_of_a_failed_test_is_told_at_once() {
    let garden = Garden::new(&one_task(&["grep -q two T001.txt || { echo 'there is no two' >&2; false; }"]));
    script(
        &garden,
        "cat > /dev/null; [ $ARBORIST_STEP = review ] && echo APPROVED && exit; [ $ARBORIST_ATTEMPT = 0 ] && echo one > T001.txt || echo two > T001.txt",
    );
    garden.run(&["gardener"]).assert(0, &["exit status 1", "there is no two"]);
    let garden = Garden::new(&one_task(&["false"]));
    let ended = garden.run(&["gardener", "--json", "--max-attempts", "1"]);
    let step = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap();
    let tests: Vec<_> = ended.stdout.lines().map(step).filter(|event| event["outcome"] == "fail").collect();
    assert_eq!(tests[0]["step"], "test", "{tests:#?}");
    assert!(tests[0]["reason"].is_null(), "it printed nothing: {tests:#?}");
}

#[test]
fn the_end_of_a_run_says_what_was_done_how_long_it_took_and_what_comes_next() {
    let garden = four_tasks();
    script(&garden, WAITS);
    std::fs::write(garden.root().join("go"), "").unwrap();
    let ended = garden.run(&["gardener"]);
    ended.assert(0, &[]);
    assert_eq!(ended.stdout, "4/4 complete\n");
    assert!(ended.stderr.contains("In this run: 4 tasks completed, 5 attempts, in "), "{}", ended.stderr);
    let garden = four_tasks();
    script(&garden, "cat > /dev/null; [ $ARBORIST_TASK = T002 ] || echo x > $ARBORIST_TASK.txt");
    let ended = garden.run(&["gardener", "--max-attempts", "1", "--no-review"]);
    ended.assert(1, &["T002 failed", "git arborist show T002"]);
    assert!(ended.stderr.contains("3 tasks completed, 1 task failed, 4 attempts"), "{}", ended.stderr);
    let garden = four_tasks();
    script(&garden, WAITS);
    std::fs::write(garden.root().join("go"), "").unwrap();
    let ended = garden.run(&["gardener", "--json"]);
    let end: serde_json::Value = serde_json::from_str(ended.stdout.lines().last().unwrap()).unwrap();
    assert_eq!(end["attempts"], 5);
    assert!(end["duration"].as_f64() > Some(0.0), "{end}");
}
