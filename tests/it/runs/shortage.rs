//! Tests a machine that is short of processes, memory or disk space: that says nothing about the work, so it is no attempt.

use std::fs;

use crate::support::garden::{Garden, one_task, side_by_side};

/// What programs print that cannot go on because of it, and what the run says.
const SHORT: [(&str, &str); 3] = [
    ("sh: 1: Cannot fork", "processes"),
    ("python3: fork: Cannot allocate memory", "memory"),
    ("cp: error writing 'x': No space left on device", "disk"),
];

#[test]
fn tests_that_fail_because_of_it_use_up_no_attempt() {
    side_by_side(SHORT, |(words, what)| {
        let test =
            format!("test -e \"$ROOT/enough\" || {{ echo \"{words}\" >&2; exit 2; }}; test -f T001.txt");
        let garden = Garden::new(&one_task(&[&test]));
        garden.agent("");
        let ended = garden.run(&["gardener"]);
        ended.assert(4, &["the machine is short of", what, "no attempt is used up"]);
        assert_eq!(garden.steps().len(), 1, "{:?}", garden.steps());
        fs::write(garden.root().join("enough"), "").unwrap();
        garden.run(&["gardener"]).assert(0, &[]);
        assert_eq!(garden.asked(), ["T001.implement.0", "T001.review.0"], "{words}");
    });
}

#[test]
fn tests_that_pass_the_second_time_are_judged_by_that() {
    let test = "test -e \"$ROOT/once\" || { touch \"$ROOT/once\"; echo 'sh: 1: Cannot fork' >&2; exit 2; }; test -f T001.txt";
    let garden = Garden::new(&one_task(&[test]));
    garden.agent("");
    garden.run(&["gardener"]).assert(0, &[]);
    assert_eq!(garden.asked(), ["T001.implement.0", "T001.review.0"]);
}

#[test]
fn agents_and_reviewers_that_fail_because_of_it_use_up_no_attempt() {
    side_by_side(SHORT, |(words, what)| {
        side_by_side(["implement", "review"], |step| {
            let garden = Garden::new(&one_task(&["true"]));
            garden.agent(&format!(
                "if [ $ARBORIST_STEP = {step} -a ! -e \"$ROOT/enough\" ]; then echo \"{words}\" >&2; exit 1; fi"
            ));
            let ended = garden.run(&["gardener"]);
            ended.assert(4, &[what, "no attempt is used up"]);
            assert!(
                !garden.subjects().iter().any(|subject| subject.contains("attempt")),
                "{:?}",
                garden.subjects()
            );
            fs::write(garden.root().join("enough"), "").unwrap();
            garden.run(&["gardener"]).assert(0, &[]);
        });
    });
}
